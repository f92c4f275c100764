"""judgments.csv: what judges elsewhere said, one finished run a judge."""

from collections import defaultdict
from decimal import Decimal

from django.db.models import Max, Sum
from django.utils import timezone

from annotate.bulk import insert
from annotate.loading.common import Repeats, batches, silent_rows
from annotate.loading.ratings import known_question
from annotate.reading.columns import Column, Table, allowed, key, number
from judges.models import Judge, Judgment, Run

MISSING = "missing in file"
CENT = Decimal("1e-8")
DEAREST = 100_000


def dollars(text):
    """What one row cost: ten million such rows still fit the sum that their run keeps."""
    value = number(text)
    if not 0 <= value <= DEAREST:
        raise allowed(text, f"a number of US dollars from 0 to {DEAREST}")
    return Decimal(str(value)).quantize(CENT)


JUDGMENTS = Table(
    "judgments",
    (
        Column("item", "The id of a loaded item.", key, required=True),
        Column("judge", "Its name; it becomes an imported judge.", key, required=True),
        Column(
            "question", "The key of a question; blank means all questions asked of the item.", key
        ),
        Column(
            "value", "Any finite number, also off the scale; blank is a missing judgment.", number
        ),
        Column("rationale", "In the judge’s words."),
        Column("cost_usd", "What this row cost, in US dollars.", dollars),
    ),
)


def check_judgments(loading):
    """Counts rows; what is unknown, twice, or another value than before is refused."""
    file, repeats = loading.files["judgments"], Repeats()
    counts = loading.count("judgments")
    _read_judges(loading)
    look = not loading.is_new and Run.objects.filter(judge__study=loading.study).exists()
    if "value" not in file.given:
        loading.add("judgments", "this column is missing", 1, "value")
    asked = _Asked(loading)
    for batch in batches(file.rows(loading.problems)):
        existing = _existing(loading, batch) if look else {}
        for line, row in batch:
            counts.rows += 1
            questions = _check_row(loading, line, row, asked)
            if questions:
                for question in questions:
                    repeats.note((row["item"], row["judge"], question.key))
                _compare(loading, line, row, questions, existing)
    _report_repeats(loading, repeats, asked)


def _read_judges(loading):
    if not loading.judges and not loading.is_new:
        loading.judges = {judge.key: judge for judge in Judge.objects.filter(study=loading.study)}


class _Asked:
    """The questions that a row means: the one it names, or all that its item's kind has."""

    def __init__(self, loading):
        self.questions, self.kinds = loading.questions, loading.kinds
        self.by_kind = {}

    def of(self, row):
        if row["question"] is not None:
            return [self.questions[row["question"]]]
        kind = self.kinds[row["item"]]
        if kind not in self.by_kind:
            self.by_kind[kind] = [
                question
                for question in self.questions.values()
                if question.applies_to_kind(kind) and question.scale.kind != "text"
            ]
        return self.by_kind[kind]


def _check_row(loading, line, row, asked):
    """The questions of a row, empty where something is wrong."""
    if row["judge"] is None or row["item"] is None:
        return []
    judge = loading.judges.get(row["judge"])
    if judge is None:
        judge = loading.judges[row["judge"]] = Judge(key=row["judge"], kind=Judge.Kind.IMPORTED)
    loading.judging[row["judge"]] = None
    if judge.kind != Judge.Kind.IMPORTED:
        loading.add(
            "judgments",
            f"found {row['judge']!r}, which is a judge of this study that is not imported; "
            "judgments of a file need another judge's name",
            line,
            "judge",
        )
        return []
    if row["question"] is not None or row["item"] not in loading.kinds:
        known = known_question(loading, "judgments", line, row["item"], row["question"])
        return [known] if known else []
    questions = asked.of(row)
    if not questions:
        loading.add("judgments", "no question of the study is asked of this item", line, "question")
    return questions


def _compare(loading, line, row, questions, existing):
    counts = loading.counts["judgments"]
    old = [existing.get((row["item"], row["judge"], q.key), ...) for q in questions]
    if ... in old:
        counts.new += 1
    elif all(value == row["value"] for value in old):
        counts.unchanged += 1
    for value in old:
        if value is not ... and value != row["value"]:
            counts.changed += 1
            loading.add(
                "judgments",
                f"found {_shown(row['value'])}, but this judgment is {_shown(value)} already; "
                "a judgment that was loaded does not change",
                line,
                "value",
            )
            break


def _shown(value):
    return "missing" if value is None else f"{value:g}"


def _report_repeats(loading, repeats, asked):
    suspects = repeats.suspects() if repeats.hashes else ()
    if not suspects:
        return
    first: dict = {}
    for line, row in silent_rows(loading.files["judgments"]):
        if row["item"] not in loading.kinds or row["judge"] is None:
            continue
        if row["question"] is not None and row["question"] not in loading.questions:
            continue
        for question in asked.of(row):
            answer = row["item"], row["judge"], question.key
            if hash(answer) in suspects and first.setdefault(answer, line) != line:
                loading.add(
                    "judgments",
                    f"the judgment of item {row['item']!r} by {row['judge']!r} on question "
                    f"{question.key!r} stands on line {first[answer]} already",
                    line,
                )


def _existing(loading, batch):
    """The loaded judgments of a batch, by (item, judge, question)."""
    found = Judgment.objects.filter(
        item__study=loading.study,
        item__key__in={row["item"] for _, row in batch},
        run__judge__key__in={row["judge"] for _, row in batch},
        run__judge__kind=Judge.Kind.IMPORTED,
    )
    keys = {row["question"] for _, row in batch}
    if None not in keys:
        found = found.filter(question__key__in=keys)
    rows = found.values_list("item__key", "run__judge__key", "question__key", "value")
    return {row[:3]: row[3] for row in rows.iterator()}


# Writing


def write_judgments(loading):
    """Adds the new judgments to the one run that each imported judge has."""
    counts = loading.counts["judgments"]
    if not counts.new:
        return
    runs = _runs(loading)
    names = ["run_id", "item_id", "question_id", "unit", "lead", "state", "value", "reason"]
    names += ["rationale", "cost_usd"]
    same = {"settled_at": timezone.now()}
    insert(Judgment, names, _new(loading, runs), loading.reporter("judgments"), same)
    _sum_costs(runs)


def _runs(loading):
    """The run of each imported judge of the file, by the judge's name."""
    judges = [loading.judges[key] for key in loading.judging]
    runs = {run.judge_id: run for run in Run.objects.filter(judge__in=judges)}
    now = timezone.now()
    new = [
        Run(
            judge=judge,
            state=Run.State.FINISHED,
            frozen={"kind": Judge.Kind.IMPORTED, "judge": judge.key},
            started_at=now,
            ended_at=now,
        )
        for judge in judges
        if judge.pk not in runs
    ]
    runs |= {run.judge_id: run for run in Run.objects.bulk_create(new)}
    return {judge.key: runs[judge.pk] for judge in judges}


def _new(loading, runs):
    asked = _Asked(loading)
    pks = {run.pk for run in runs.values()}
    last = Judgment.objects.filter(run__in=pks).values_list("run").annotate(Max("unit")).order_by()
    units = defaultdict(int, dict(last))
    look = bool(units)
    for batch in batches(silent_rows(loading.files["judgments"])):
        existing = _existing(loading, batch) if look else {}
        for _, row in batch:
            run, item = runs[row["judge"]].pk, loading.items[row["item"]]
            questions = asked.of(row)
            new = [q for q in questions if (row["item"], row["judge"], q.key) not in existing]
            units[run] += bool(new)
            costs = _split(row["cost_usd"], len(new))
            for lead, (question, cost) in enumerate(zip(new, costs, strict=True)):
                yield (
                    run,
                    item,
                    question.pk,
                    units[run],
                    lead == 0,
                    Judgment.State.FAILED if row["value"] is None else Judgment.State.DONE,
                    row["value"],
                    MISSING if row["value"] is None else "",
                    row["rationale"],
                    cost,
                )


def _split(cost, parts):
    """The cost of one row over its judgments; what rounding leaves goes to the first."""
    if cost is None or not parts:
        return [None] * parts
    share = (cost / parts).quantize(CENT)
    return [cost - share * (parts - 1)] + [share] * (parts - 1)


def _sum_costs(runs):
    pks = [run.pk for run in runs.values()]
    spent = dict(
        Judgment.objects.filter(run__in=pks).values_list("run").annotate(Sum("cost_usd")).order_by()
    )
    changed = []
    for run in runs.values():
        run.spent_usd = spent.get(run.pk) or 0
        changed.append(run)
    Run.objects.bulk_update(changed, ["spent_usd"])
