"""Extract statements: plan which texts are asked about, and store what replies say.

The rows of such a run are its judgments, one a unit, so that queue, leases, budget, resuming and
retrying are those of any run. A unit is a part of a text, asked about once however many items have
that text: each has an Extraction of its own with that unit. Once no part of a side of an item is
waited for, its statements are written, in the transaction that settles its last part; so their
numbers follow the text, in whatever order replies came.
"""

import json
from collections import defaultdict
from itertools import islice

from annotate.design.splits import WITHHELD, is_locked, withheld
from judges.methods.extract import triplets
from judges.methods.rows import Written, in_turn
from judges.models import Extraction, Flag, Judge, Judgment, Side, Statement
from judges.models.statement import side_text
from judges.prompting.flags import rules_of

BATCH = 1000  # items in memory together
NOBODY = (
    "The study has no explanation or text yet that statements could be extracted from. Load items."
)
NO_TEXT = {
    Side.GENERATED: "no statements: the item has no text",
    Side.REFERENCE: "no statements: the item has neither a review nor a reference",
}
SIDES = {
    Judge.Sides.BOTH: (Side.GENERATED, Side.REFERENCE),
    Judge.Sides.GENERATED: (Side.GENERATED,),
    Judge.Sides.REFERENCE: (Side.REFERENCE,),
}


def write_rows(run, wanted):
    """Write all rows of a run over the first of the wanted items; return what was Written."""
    written, units = Written(), {}
    with in_turn(wanted.items.select_related("content"), BATCH) as rows:
        first = islice(rows, wanted.limit)
        while some := list(islice(first, BATCH)):
            _write(run, some, written, units)
    return written


def _write(run, items, written, units):
    """Write the rows about some items; count them in `written`, and note the unit of each text."""
    judgments, extractions, flags = [], [], []
    for item in items:
        texts = [(side, side_text(item, side)) for side in SIDES[run.judge.settings.sides]]
        for side, text in texts:
            for part, (start, words) in enumerate(parts_of(run.judge, text)):
                is_new = not words or words not in units
                unit = written.judgments + len(judgments) if is_new else units[words]
                extractions.append(
                    Extraction(
                        run=run, item=item, side=side, part=part, unit=unit, text=words, start=start
                    )
                )
                if is_new:
                    state = Judgment.beginning("" if words else NO_TEXT[side])
                    judgments.append(Judgment(run=run, unit=unit, lead=True, **state))
                    written.not_asked += not words
                    written.longest = max(written.longest, len(words.encode()))
                if words:
                    units[words] = unit
        if rules := rules_of(*(text for _, text in texts)):
            flags.append(Flag(run=run, item=item, rules=rules))
    written.judgments += len(Judgment.objects.bulk_create(judgments))
    Extraction.objects.bulk_create(extractions)
    written.flagged += len(Flag.objects.bulk_create(flags))


def parts_of(judge, text):
    """Cut a text into [(start, part)]; an empty text has one empty part that is not asked about."""
    return triplets.parts(text, judge.settings.part_length) if text.strip() else [(0, "")]


def keep(run, units):
    """Write the statements of texts whose last part is settled now, within that transaction.

    units: numbers of units. What is written already stays.
    """
    touched = Extraction.objects.filter(run=run, unit__in=list(units))
    pairs = set(touched.values_list("item", "side"))
    parts = Extraction.objects.filter(run=run, item__in=touched.values("item"))
    by_pair = defaultdict(list)
    for part in parts.order_by("part"):
        by_pair[part.item_id, part.side].append(part)
    by_pair = {pair: own for pair, own in by_pair.items() if pair in pairs}
    settled = _settled(run, {part.unit for own in by_pair.values() for part in own})
    ended = [own for own in by_pair.values() if all(part.unit in settled for part in own)]
    _keep(run, ended, settled)


def _settled(run, units):
    """Return {unit: its parsed reply, None without a value} of settled units."""
    rows = Judgment.objects.filter(run=run, unit__in=units, lead=True).settled()
    leads = rows.values_list("unit", "state", "rationale")
    done = Judgment.State.DONE
    return {
        unit: json.loads(rationale) if state == done else None for unit, state, rationale in leads
    }


def _keep(run, ended, settled):
    """Store the statements of sides of items, given as a list of parts each."""
    before = _before(run, ended)
    places: dict = {}
    new, changed = [], []
    for parts in ended:
        there = before.get((parts[0].item_id, parts[0].side), [])
        seen, number = {triplets.alike(text) for _, text in there}, len(there)
        for part in parts:
            parsed = settled[part.unit]
            if part.kept is not None or parsed is None:
                continue
            statements = _of_part(run, part, parsed, seen, places.setdefault(part.unit, {}))
            for statement in statements:
                number += 1
                statement.number = number
            new += statements
            changed.append(part)
    Statement.objects.bulk_create(new, BATCH)
    Extraction.objects.bulk_update(changed, ["kept", "dropped"], BATCH)


def _before(run, ended):
    """Load {(item, side): [(number, statement)]} of what is written already."""
    read = {parts[0].item_id for parts in ended if any(p.kept is not None for p in parts)}
    before = defaultdict(list)
    rows = Statement.objects.filter(run=run, item__in=read).order_by("number") if read else ()
    for statement in rows:
        before[statement.item_id, statement.side].append((statement.number, statement.statement))
    return before


def _of_part(run, part, parsed, seen, places):
    """Make a part's new statements, unnumbered; drop those that other parts gave already.

    places: {statement: where it stands}, for the other items that have this text.
    """
    statements, part.dropped = [], list(parsed["dropped"])
    text = triplets.Places(part.text)
    for values in parsed["kept"]:
        statement, topic, sentiment = values
        if triplets.alike(statement) in seen:
            part.dropped.append(triplets.dropped(values, triplets.TWICE))
            continue
        seen.add(triplets.alike(statement))
        if statement not in places:
            places[statement] = text.locate(statement)
        start, end = places[statement] or (None, None)
        if start is not None:
            start, end = start + part.start, end + part.start
        statements.append(
            Statement(
                run=run,
                item_id=part.item_id,
                side=part.side,
                statement=statement,
                topic=topic,
                sentiment=sentiment,
                start=start,
                end=end,
            )
        )
    part.kept = len(statements)
    return statements


def attach(judgments):
    """Give each judgment of a run that extracts an .extraction; one query."""
    units = {judgment.unit: judgment for judgment in judgments if judgment.item_id is None}
    if units:
        (run,) = {judgment.run_id for judgment in units.values()}
        extractions = Extraction.objects.filter(run=run, unit__in=list(units)).order_by("-pk")
        for extraction in extractions.select_related("item__study"):
            units[extraction.unit].extraction = extraction
        _withhold(run, units)
    return judgments


def _withhold(run, units):
    """Hide in {unit: judgment} what replies say about texts of a locked test part."""
    study = Judge.objects.select_related("study").get(runs=run).study
    hidden = hidden_units(study, run, list(units))
    for unit in hidden & units.keys():
        units[unit].value, units[unit].rationale, units[unit].reason = None, "", WITHHELD


def hidden_units(study, run, units):
    """Return the units about an item of a locked test part, at no query without a locked part."""
    if not is_locked(study):
        return set()
    rows = Extraction.objects.filter(run=run, unit__in=units)
    hidden = withheld(study, pk__in=rows.values("item"))
    return {unit for unit, item in rows.values_list("unit", "item") if item in hidden}
