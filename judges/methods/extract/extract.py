"""Statements are extracted: of which texts, and what a reply becomes.

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
from judges import methods
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


def write_rows(run, items, limit=None):
    """Writes all rows of a run over the first `limit` of the items: Written."""
    written, units = Written(), {}
    with in_turn(items.select_related("content"), BATCH) as rows:
        wanted = islice(rows, limit)
        while some := list(islice(wanted, BATCH)):
            _write(run, some, written, units)
    return written


def _write(run, items, written, units):
    """The rows about some items; counts them in `written`, and has the unit of each text."""
    judgments, extractions, flags = [], [], []
    for item in items:
        texts = [(side, side_text(item, side)) for side in SIDES[run.judge.sides]]
        for side, text in texts:
            for part, (start, said) in enumerate(parts_of(run.judge, text)):
                is_new = not said or said not in units
                unit = written.judgments + len(judgments) if is_new else units[said]
                extractions.append(
                    Extraction(
                        run=run, item=item, side=side, part=part, unit=unit, text=said, start=start
                    )
                )
                if is_new:
                    state = Judgment.beginning("" if said else NO_TEXT[side])
                    judgments.append(Judgment(run=run, unit=unit, lead=True, **state))
                    written.not_asked += not said
                    written.longest = max(written.longest, len(said.encode()))
                if said:
                    units[said] = unit
        if rules := rules_of(*(text for _, text in texts)):
            flags.append(Flag(run=run, item=item, rules=rules))
    written.judgments += len(Judgment.objects.bulk_create(judgments))
    Extraction.objects.bulk_create(extractions)
    written.flagged += len(Flag.objects.bulk_create(flags))


def parts_of(judge, text):
    """[(start, part)] of a text; one that is empty has one part, which nobody is asked about."""
    return triplets.parts(text, judge.part_length) if text.strip() else [(0, "")]


def keep(run, units):
    """Writes the statements of texts whose last part is settled now, within that transaction.

    units: numbers of units, also of other runs' kind. What is written already stays.
    """
    if not methods.of(run.frozen).extracts:
        return
    touched = Extraction.objects.filter(run=run, unit__in=list(units))
    pairs = set(touched.values_list("item", "side"))
    parts = Extraction.objects.filter(run=run, item__in=touched.values("item"))
    by_pair = defaultdict(list)
    for part in parts.order_by("part"):
        by_pair[part.item_id, part.side].append(part)
    by_pair = {pair: found for pair, found in by_pair.items() if pair in pairs}
    settled = _settled(run, {part.unit for found in by_pair.values() for part in found})
    ended = [found for found in by_pair.values() if all(part.unit in settled for part in found)]
    _keep(run, ended, settled)


def _settled(run, units):
    """{unit: what its reply says, None without a value} of those that are not waited for."""
    rows = Judgment.objects.filter(run=run, unit__in=units, lead=True).settled()
    found = rows.values_list("unit", "state", "rationale")
    done = Judgment.State.DONE
    return {unit: json.loads(said) if state == done else None for unit, state, said in found}


def _keep(run, ended, settled):
    """The statements of sides of items: a list of parts each."""
    before = _before(run, ended)
    places: dict = {}
    new, changed = [], []
    for parts in ended:
        there = before.get((parts[0].item_id, parts[0].side), [])
        seen, number = {triplets.alike(each) for _, each in there}, len(there)
        for part in parts:
            said = settled[part.unit]
            if part.kept is not None or said is None:
                continue
            found = _of_part(run, part, said, seen, places.setdefault(part.unit, {}))
            for one in found:
                number += 1
                one.number = number
            new += found
            changed.append(part)
    Statement.objects.bulk_create(new, BATCH)
    Extraction.objects.bulk_update(changed, ["kept", "dropped"], BATCH)


def _before(run, ended):
    """{(item, side): [(number, statement)]} of what is written already."""
    read = {parts[0].item_id for parts in ended if any(p.kept is not None for p in parts)}
    found = defaultdict(list)
    rows = Statement.objects.filter(run=run, item__in=read).order_by("number") if read else ()
    for one in rows:
        found[one.item_id, one.side].append((one.number, one.statement))
    return found


def _of_part(run, part, said, seen, places):
    """New statements of a part, without numbers; what other parts said already is dropped.

    places: {statement: where it stands}, for the other items that have this text.
    """
    found, part.dropped = [], list(said["dropped"])
    text = triplets.Places(part.text)
    for values in said["kept"]:
        statement, topic, sentiment = values
        if triplets.alike(statement) in seen:
            part.dropped.append(triplets.dropped(values, triplets.TWICE))
            continue
        seen.add(triplets.alike(statement))
        if statement not in places:
            places[statement] = text.of(statement)
        start, end = places[statement] or (None, None)
        if start is not None:
            start, end = start + part.start, end + part.start
        found.append(
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
    part.kept = len(found)
    return found


def attach(judgments):
    """The judgments of a run that extracts, each with an .extraction; one query."""
    units = {judgment.unit: judgment for judgment in judgments if judgment.item_id is None}
    if units:
        (run,) = {judgment.run_id for judgment in units.values()}
        found = Extraction.objects.filter(run=run, unit__in=list(units)).order_by("-pk")
        for one in found.select_related("item__study"):
            units[one.unit].extraction = one
        _withhold(run, units)
    return judgments


def _withhold(run, units):
    """Takes what is said of texts of a locked test part out of {unit: judgment}."""
    study = Judge.objects.select_related("study").get(runs=run).study
    hidden = hidden_units(study, run, list(units))
    for unit in hidden & units.keys():
        units[unit].value, units[unit].rationale, units[unit].reason = None, "", WITHHELD


def hidden_units(study, run, units):
    """Those of the units that are about an item of a locked test part, at no query without one."""
    if not is_locked(study):
        return set()
    rows = Extraction.objects.filter(run=run, unit__in=units)
    hidden = withheld(study, pk__in=rows.values("item"))
    return {unit for unit, item in rows.values_list("unit", "item") if item in hidden}
