"""entailments.csv: what an NLI model said elsewhere of every pair of an item's statements."""

from collections import Counter
from itertools import product

import numpy as np

from annotate.loading.common import BATCH, batches, silent_rows
from annotate.reading.columns import Column, Table, key, one_of, position, share
from annotate.splits import withheld
from judges.models import Entailment, Grain
from judges.models.entailment import as_array, as_bytes

PRECISION, RECALL = "precision", "recall"
PROBABILITIES = ("entailment", "neutral", "contradiction")
TOLERANCE = 0.01  # of their sum: files are rounded

ENTAILMENTS = Table(
    "entailments",
    (
        Column("item", "The id of a loaded item.", key, required=True),
        Column(
            "direction",
            "precision: the premise is of the reference, the hypothesis of the generated text; "
            "recall: the reverse.",
            one_of(PRECISION, RECALL),
            required=True,
        ),
        Column("premise", "The premise’s number, any order.", position, required=True),
        Column("hypothesis", "The hypothesis’s number, any order.", position, required=True),
        Column("entailment", "Its probability.", share, required=True),
        Column("neutral", "Its probability.", share, required=True),
        Column("contradiction", "Its probability.", share, required=True),
        Column(
            "grain",
            "statement, sentence or chunk (of the reference); blank means statement. The last two "
            "have only precision.",
            one_of(*Grain.values),
        ),
    ),
)


def check_entailments(loading):
    """Counts rows; what is unknown, twice, or leaves a pair out is refused."""
    file, counts = loading.files["entailments"], loading.count("entailments")
    lines: dict = {}
    for line, row in file.rows(loading.problems):
        counts.rows += 1
        _check_row(loading, line, row, lines)
    if not loading.problems:
        _check_whole(loading, lines)
    if not loading.problems:
        _compare(loading)


def _check_row(loading, line, row, lines):
    """Notes the row's line under (item, grain, direction) and its pair."""
    if row["item"] is not None and row["item"] not in loading.kinds:
        words = f"found {row['item']!r}, which is no item of the study or of items.csv"
        loading.add("entailments", words, line, "item")
    if None in [row[name] for name in ("item", "direction", "premise", "hypothesis")]:
        return
    if _grain(row) != Grain.STATEMENT and row["direction"] == RECALL:
        words = f"found recall for a {_grain(row)}; allowed is precision"
        loading.add("entailments", words, line, "direction")
    pairs = lines.setdefault(_part(row), {})
    pair = row["premise"], row["hypothesis"]
    if pair in pairs:
        words = f"this pair of {row['item']!r} stands on line {pairs[pair]} already"
        loading.add("entailments", words, line)
    pairs.setdefault(pair, line)
    values = [row[name] for name in PROBABILITIES]
    if None not in values and abs(sum(values) - 1) > TOLERANCE:
        words = f"found three probabilities that add up to {sum(values):g}; expected is 1"
        loading.add("entailments", words, line, "entailment")


def _grain(row):
    return row.get("grain") or str(Grain.STATEMENT)


def _part(row):
    return row["item"], _grain(row), row["direction"]


def _numbers(pairs):
    """(numbers of premises, numbers of hypotheses), in order."""
    return tuple(sorted({pair[at] for pair in pairs}) for at in range(2))


def _check_whole(loading, lines):
    """Every premise with every hypothesis; of statements both directions, of the same ones."""
    for (item, grain, direction), pairs in lines.items():
        premises, hypotheses = _numbers(pairs)
        first = min(pairs.values())
        if len(pairs) < len(premises) * len(hypotheses):
            absent = next(each for each in product(premises, hypotheses) if each not in pairs)
            words = f"{direction} of {item!r}: premise {absent[0]} has no row with hypothesis"
            loading.add("entailments", f"{words} {absent[1]}", first)
        if grain != Grain.STATEMENT:
            continue
        other = RECALL if direction == PRECISION else PRECISION
        reverse = lines.get((item, grain, other))
        if reverse is None:
            loading.add("entailments", f"{item!r} has {direction} only; {other} is missing", first)
        elif direction == PRECISION and _numbers(reverse) != (hypotheses, premises):
            words = f"{item!r} has other statements for recall than for precision"
            loading.add("entailments", words, first)


def _compare(loading):
    """Which rows are new; those of an item that has some already must be the same."""
    counts, file = loading.counts["entailments"], loading.files["entailments"]
    wanted = _matrices(file)
    keys = list({item for item, _ in wanted})
    old, hidden = {}, set()
    for some in batches(keys):
        rows = Entailment.objects.filter(run=None, item__key__in=some)
        rows = rows.filter(item__study=loading.study) if not loading.is_new else rows.none()
        old |= {(each.item.key, each.grain): each for each in rows.select_related("item")}
        if old:
            hidden |= set(withheld(loading.study, key__in=some).values())
    for part, (line, n_rows, *_, forward, backward) in wanted.items():
        stored = old.get(part)
        if stored is None:
            counts.new += n_rows
        elif part[0] in hidden or _same(stored, forward, backward):
            counts.unchanged += n_rows
        else:
            counts.changed += n_rows
            words = f"{part[0]!r} has other probabilities already; what was loaded does not change"
            loading.add("entailments", words, line)


def _same(stored, forward, backward):
    both = (stored.forward, forward), (stored.backward, backward)
    return all(np.array_equal(as_array(kept), found) for kept, found in both)


def _matrices(file):
    """{(item, grain): (first line, rows, generated, reference, forward, backward)}."""
    parts: dict = {}
    for line, row in silent_rows(file):
        found = parts.setdefault(_part(row), {})
        pair = row["premise"], row["hypothesis"]
        found[pair] = line, [row[name] for name in PROBABILITIES]
    made, n_rows = {}, Counter()
    for (item, grain, direction), pairs in parts.items():
        n_rows[item, grain] += len(pairs)
        if direction == PRECISION:
            premises, hypotheses = _numbers(pairs)
            backward = parts.get((item, grain, RECALL), {})
            made[item, grain] = (
                min(line for line, _ in pairs.values()), len(hypotheses), len(premises),
                _array(pairs), _array(backward),
            )  # fmt: skip
    return {part: (first, n_rows[part], *rest) for part, (first, *rest) in made.items()}


def _array(pairs):
    """(pairs, 3): hypothesis by hypothesis, and of each premise by premise."""
    order = sorted(pairs, key=lambda pair: pair[::-1])
    return np.array([pairs[pair][1] for pair in order], dtype=float).reshape(-1, 3)


def write_entailments(loading):
    """Adds what is new."""
    if not loading.counts["entailments"].new:
        return
    pks = set(
        Entailment.objects.filter(run=None, item__study=loading.study).values_list("item", "grain")
    )
    made = [
        Entailment(
            item_id=loading.items[item], grain=grain, n_generated=n, n_reference=m,
            forward=as_bytes(forward), backward=as_bytes(backward),
        )
        for (item, grain), (_, _, n, m, forward, backward) in _matrices(
            loading.files["entailments"]
        ).items()
        if (loading.items[item], grain) not in pks
    ]  # fmt: skip
    Entailment.objects.bulk_create(made, BATCH)
    loading.reporter("entailments")(loading.counts["entailments"].new)
