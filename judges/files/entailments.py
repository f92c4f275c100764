"""Load entailments.csv: what NLI models said elsewhere of the pairs of an item's statements."""

from collections import Counter
from itertools import product

import numpy as np
from django.db.models import Q

from annotate.design.splits import withheld
from annotate.files.loading.common import BATCH, batches, silent_rows
from annotate.files.reading.columns import Column, Table, key, one_of, position, share
from judges.files.judgments import new_run, read_judges, takes
from judges.models import Entailment, Grain, Judge, Run
from judges.models.entailment import MOST_PAIRS, as_array, as_bytes

PRECISION, RECALL = "precision", "recall"
PROBABILITIES = ("entailment", "neutral", "contradiction")
TOLERANCE = 0.01  # of their sum: files are rounded
ROUNDING = 1e-9  # of floats: .34 + .34 + .33 is a little more than 1.01

ABSENT = -1  # what stands for a blank cell; None is one that cannot be read
NUMBERED = ("premise", "hypothesis")

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
        Column(
            "premise",
            "The premise’s number, any order. Blank: its text has none, then all three "
            "probabilities are blank.",
            position,
            blank=ABSENT,
        ),
        Column("hypothesis", "The hypothesis’s number, the same way.", position, blank=ABSENT),
        Column("entailment", "Its probability.", share, blank=ABSENT),
        Column("neutral", "Its probability.", share, blank=ABSENT),
        Column("contradiction", "Its probability.", share, blank=ABSENT),
        Column(
            "grain",
            "statement, sentence or chunk (of the reference); blank means statement. The last two "
            "have only precision.",
            one_of(*Grain.values),
        ),
        Column(
            "judge",
            "Name of the judge that said it; a new one becomes an imported judge. Blank: the "
            "evaluator entailments.csv.",
            key,
        ),
        Column("premise_text", "As the model saw it."),
        Column("hypothesis_text", "As the model saw it."),
    ),
    keeps_others=False,
)


def check_entailments(loading):
    """Count the rows; refuse unknown items, repeated pairs and pairs that are left out."""
    file, counts = loading.files["entailments"], loading.count("entailments")
    lines, taken = {}, {}
    read_judges(loading)
    for name in (*NUMBERED, *PROBABILITIES):
        if name not in file.given:
            loading.add("entailments", "this column is missing", 1, name)
    for line, row in file.rows(loading.problems):
        counts.rows += 1
        _check_judge(loading, line, row["judge"], taken)
        _check_row(loading, line, row, lines)
    if not loading.problems:
        _check_whole(loading, lines)
    if not loading.problems:
        _compare(loading)


def _check_judge(loading, line, name, taken):
    """Note a new judge; refuse, once, a judge whose answers do not come from files."""
    if name is None or name in taken:
        return
    judge = loading.judges.setdefault(name, Judge(key=name, kind=Judge.Kind.IMPORTED))
    taken[name] = takes(judge)
    if not taken[name]:
        words = f"found {name!r}, which is a judge of this study that is not imported; what a file "
        loading.add("entailments", f"{words}says needs another judge's name", line, "judge")


def _check_row(loading, line, row, lines):
    """Note the row's line under its part and its pair."""
    if row["item"] is not None and row["item"] not in loading.kinds:
        words = f"found {row['item']!r}, which is no item of the study or of items.csv"
        loading.add("entailments", words, line, "item")
    if None in [row[name] for name in ("item", "direction", *NUMBERED)]:
        return
    if _grain(row) != Grain.STATEMENT and row["direction"] == RECALL:
        words = f"found recall for a {_grain(row)}; allowed is precision"
        loading.add("entailments", words, line, "direction")
    if _grain(row) != Grain.STATEMENT and row["premise"] == ABSENT:
        words = f"found nothing for a {_grain(row)}; without a reference nothing is measured"
        loading.add("entailments", words, line, "premise")
    pairs = lines.setdefault(_part(row), {})
    pair = row["premise"], row["hypothesis"]
    if pair in pairs:
        words = f"this pair of {row['item']!r} stands on line {pairs[pair]} already"
        loading.add("entailments", words, line)
    elif len(pairs) == MOST_PAIRS:
        words = f"{row['item']!r} has more than {MOST_PAIRS:,} pairs of {row['direction']}"
        loading.add("entailments", words, line, "item")
    if len(pairs) <= MOST_PAIRS:  # what is beyond is told once, and not held
        pairs.setdefault(pair, line)
    _check_probabilities(loading, line, row)


def _check_probabilities(loading, line, row):
    """Require three probabilities that add up to 1 for a pair, and nothing for half a pair."""
    values = [row[name] for name in PROBABILITIES]
    alone = [name for name in NUMBERED if row[name] == ABSENT]
    if len(alone) == len(NUMBERED):
        loading.add("entailments", "a row needs a premise or a hypothesis", line, "premise")
    for name, value in zip(PROBABILITIES, values, strict=True):
        if value is not None and (value == ABSENT) != bool(alone):
            words = f"found {value:g} though the {alone[0]} is blank" if alone else "found nothing"
            loading.add("entailments", words, line, name)
    if not alone and not {None, ABSENT} & set(values):
        _check_sum(loading, line, sum(values))


def _check_sum(loading, line, total):
    if abs(total - 1) > TOLERANCE + ROUNDING:
        words = f"found three probabilities that add up to {total:g}; expected is 1, within "
        loading.add("entailments", f"{words}{TOLERANCE:g}", line, "entailment")


def _grain(row):
    return row.get("grain") or str(Grain.STATEMENT)


def _part(row):
    return row["item"], _grain(row), row["judge"], row["direction"]


def _numbers(pairs):
    """Return (numbers of premises, numbers of hypotheses), in order."""
    return tuple(sorted({pair[side] for pair in pairs} - {ABSENT}) for side in range(2))


def _check_whole(loading, lines):
    """Require every premise with every hypothesis, and both directions of the same statements."""
    for (item, grain, judge, direction), pairs in lines.items():
        premises, hypotheses = _numbers(pairs)
        first = min(pairs.values())
        if premises and hypotheses:
            alone = next((line for pair, line in pairs.items() if ABSENT in pair), None)
            if alone:
                words = f"{direction} of {item!r} has pairs; allowed is no row with half of one"
                loading.add("entailments", words, alone)
            absent = next((e for e in product(premises, hypotheses) if e not in pairs), None)
            if absent:
                words = f"{direction} of {item!r}: premise {absent[0]} has no row with hypothesis"
                loading.add("entailments", f"{words} {absent[1]}", first)
        if grain != Grain.STATEMENT:
            continue
        other = RECALL if direction == PRECISION else PRECISION
        reverse = lines.get((item, grain, judge, other))
        if reverse is None:
            loading.add("entailments", f"{item!r} has {direction} only; {other} is missing", first)
        elif direction == PRECISION and _numbers(reverse) != (hypotheses, premises):
            words = f"{item!r} has other statements for recall than for precision"
            loading.add("entailments", words, first)


def _compare(loading):
    """Count new rows; rows of an item that has some already must be the same."""
    counts, file = loading.counts["entailments"], loading.files["entailments"]
    wanted = _matrices(file)
    keys = list({item for item, *_ in wanted})
    old, hidden = {}, set()
    for some in batches(keys if not loading.is_new else ()):
        rows = _loaded(loading.study).filter(item__key__in=some)
        for entailment in rows.select_related("item", "run__judge"):
            old[
                entailment.item.key, entailment.grain, entailment.run and entailment.run.judge.key
            ] = entailment
        if old:
            hidden |= set(withheld(loading.study, key__in=some).values())
    for part, (line, n_rows, matrix) in wanted.items():
        stored = old.get(part)
        if stored is None:
            counts.new += n_rows
        elif part[0] in hidden or _same(stored, matrix["forward"], matrix["backward"]):
            counts.unchanged += n_rows
        else:
            counts.changed += n_rows
            words = f"{part[0]!r} has other probabilities already; what was loaded does not change"
            loading.add("entailments", words, line)


def _loaded(study):
    """Return the entailments that files brought before."""
    runs = Run.objects.from_files().filter(judge__study=study).values("pk")
    return Entailment.objects.filter(Q(run=None) | Q(run__in=runs), item__study=study)


def _same(stored, forward, backward):
    both = (stored.forward, forward), (stored.backward, backward)
    return all(np.array_equal(as_array(kept), wanted) for kept, wanted in both)


def _matrices(file):
    """Return {(item, grain, judge): (first line, rows, fields of an Entailment)}."""
    parts: dict = {}
    texts: dict = {}
    for line, row in silent_rows(file):
        part = _part(row)
        pair = row["premise"], row["hypothesis"]
        parts.setdefault(part, {})[pair] = line, [row[name] for name in PROBABILITIES]
        for name, number in zip(NUMBERED, pair, strict=True):
            if row[f"{name}_text"]:
                texts.setdefault((*part, name), {})[number] = row[f"{name}_text"]
    n_rows = Counter()
    for (*which, _), pairs in parts.items():
        n_rows[tuple(which)] += len(pairs)
    return {
        tuple(which): (
            min(line for line, _ in pairs.values()),
            n_rows[tuple(which)],
            _matrix(pairs, parts.get((*which, RECALL), {}), which, texts),
        )
        for (*which, direction), pairs in parts.items()
        if direction == PRECISION
    }


def _matrix(pairs, backward, which, texts):
    matrix = {}
    for name, side, numbers in zip(
        NUMBERED, ("reference", "generated"), _numbers(pairs), strict=True
    ):
        words = texts.get((*which, PRECISION, name), {})
        matrix[side] = [words.get(number, "") for number in numbers] if words else []
        matrix[f"n_{side}"] = len(numbers)
    return matrix | {"forward": _array(pairs), "backward": _array(backward)}


def _array(pairs):
    """Return (pairs, 3): hypothesis by hypothesis, and of each premise by premise."""
    order = sorted((pair for pair in pairs if ABSENT not in pair), key=lambda pair: pair[::-1])
    return np.array([pairs[pair][1] for pair in order], dtype=float).reshape(-1, 3)


def write_entailments(loading):
    """Add the entailments that are new."""
    if not loading.counts["entailments"].new:
        return
    wanted = _matrices(loading.files["entailments"])
    runs = _runs(loading, {judge for _, _, judge in wanted if judge})
    names = "item", "grain", "run__judge__key"
    loaded = set(_loaded(loading.study).values_list(*names))
    made = [
        Entailment(
            run=runs.get(judge),
            item_id=loading.items[item],
            grain=grain,
            **{name: as_bytes(v) if isinstance(v, np.ndarray) else v for name, v in matrix.items()},
        )
        for (item, grain, judge), (_, _, matrix) in wanted.items()
        if (loading.items[item], grain, judge) not in loaded
    ]
    Entailment.objects.bulk_create(made, BATCH)
    loading.reporter("entailments")(loading.counts["entailments"].new)


def _runs(loading, names):
    """Return {judge's name: the run that files gave it}; make the runs that are missing."""
    judges = [loading.judges[name] for name in sorted(names)]
    old = Run.objects.from_files().filter(judge__in=judges).select_related("judge").order_by("pk")
    runs = {run.judge.key: run for run in old}
    new = [new_run(judge, loading.version, None) for judge in judges if judge.key not in runs]
    return runs | {run.judge.key: run for run in Run.objects.bulk_create(new)}
