"""Load judgments.csv: what judges elsewhere said, as a finished run for a judge and version."""

import json
from collections import defaultdict
from decimal import Decimal

from django.db.models import Max, Sum
from django.utils import timezone

from annotate.db.bulk import insert, update
from annotate.design.splits import withheld
from annotate.files.loading.common import Repeats, batches, merged, silent_rows
from annotate.files.loading.ratings import check_version, known_question
from annotate.files.reading.columns import Column, Table, allowed, key, new_key, number, version
from judges.models import Judge, Judgment, Run
from judges.models.run import FROM_FILE
from judges.runs.plan import hash_of

MISSING = "missing in file"
COMPARED = ("value", "weighted_value")
BESIDE = ("rationale", "cost_usd")
CENT = Decimal("1e-8")
DEAREST = 100_000


def dollars(text):
    """Parse what a row cost: ten million rows still fit the sum that their run keeps."""
    value = number(text)
    if not 0 <= value <= DEAREST:
        raise allowed(text, f"a number of US dollars from 0 to {DEAREST}")
    return Decimal(str(value)).quantize(CENT)


JUDGMENTS = Table(
    "judgments",
    (
        Column("item", "The id of a loaded item.", key, required=True),
        Column("judge", "Its name; a new one becomes an imported judge.", new_key, required=True),
        Column(
            "question",
            "The key of a question; blank means all questions asked of the item.",
            key,
            without="stands for every question",
        ),
        Column(
            "value",
            "A number, of a choice a label; what becomes of a number outside the question’s scale "
            "is asked before the load. Blank is a missing judgment.",
            str,
            takes_true=True,
        ),
        Column("rationale", "In the judge’s words."),
        Column("cost_usd", "What this row cost, in US dollars.", dollars),
        Column("weighted_value", "Beside the value, weighted by log-probabilities.", number),
        Column("prompt", "Name and version of what was asked; one a judge and version.", key),
        Column("version", "Of the questionnaire that was asked; blank: the present one.", version),
    ),
    computed=("judge_flags",),
)


def check_judgments(loading):
    """Count the rows; refuse unknown names, repeats, and values other than those before."""
    file, repeats = loading.files["judgments"], Repeats()
    counts = loading.count("judgments")
    read_judges(loading)
    loading.off_scale.judges = loading.judges
    look = not loading.is_new and Run.objects.filter(judge__study=loading.study).exists()
    if "value" not in file.given:
        loading.add("judgments", "this column is missing", file.header_line, "value")
    asked = _Asked(loading)
    asked.prompts = _prompts(loading) if look and "prompt" in file.given else {}
    for batch in batches(file.rows(loading.problems)):
        existing = _existing(loading, batch) if look else {}
        hidden = _hidden(loading, batch) if existing else set()
        for line, row in batch:
            counts.rows += 1
            questions = _check_row(loading, line, row, asked)
            if questions and _takes_value(loading, line, row, questions):
                for question in questions:
                    which = _which(loading, row, question)
                    repeats.note(which)
                    loading.off_scale.note(row, question, which in existing)
                _compare(loading, line, row, questions, existing, hidden)
    _report_repeats(loading, repeats, asked)
    loading.off_scale.decide(loading)


def _version(loading, row):
    return row["version"] or loading.version


def _which(loading, row, question):
    """Return what identifies a judgment; it is of one version of the questionnaire."""
    return row["item"], row["judge"], question.key, _version(loading, row)


def _prompts(loading):
    """Return {(judge's name, version): prompt, or ""} as files said before."""
    runs = Run.objects.from_files().filter(judge__study=loading.study).order_by("-pk")
    rows = runs.values_list("judge__key", "version", "frozen__prompt")
    return {(judge, version): prompt or "" for judge, version, prompt in rows}


def read_judges(loading):
    """Fill loading.judges with the study's stored judges, where study.yaml did not."""
    if not loading.judges and not loading.is_new:
        loading.judges = {judge.key: judge for judge in Judge.objects.filter(study=loading.study)}


def takes(judge):
    """Whether a file may say what the judge said: an imported judge, or a judge that it brings.

    So a study's own files make a copy of it. A judge that was here before says everything itself.
    """
    if judge.judges_nothing:
        return False
    if judge.kind == Judge.Kind.IMPORTED or judge.pk is None:
        return judge.kind != Judge.Kind.ENSEMBLE
    runs = Run.objects.filter(judge=judge)
    return runs.from_files().exists() and not runs.exclude(frozen__kind=FROM_FILE).exists()


class _Asked:
    """Find the questions that a row means: the question it names, or all that its item's kind has.

    prompts: what files said before was asked, by judge and version.
    """

    def __init__(self, loading):
        self.questions, self.kinds = loading.questions, loading.kinds
        self.by_kind, self.takes, self.prompts = {}, {}, {}

    def questions_of(self, row):
        if row["question"] is not None:
            return [self.questions[row["question"]]]
        kind = self.kinds[row["item"]]
        if kind not in self.by_kind:
            self.by_kind[kind] = [
                question
                for question in self.questions.values()
                if question.applies_to_kind(kind)
                and question.scale.has_values
                and not question.retired
            ]
        return self.by_kind[kind]


def _check_row(loading, line, row, asked):
    """Check a row and return its questions, or an empty list where something is wrong."""
    if row["judge"] is None or row["item"] is None:
        return []
    judge = loading.judges.get(row["judge"])
    if judge is None:
        judge = loading.judges[row["judge"]] = Judge(key=row["judge"], kind=Judge.Kind.IMPORTED)
    _check_run(loading, line, row, asked.prompts)
    if judge.key not in asked.takes:
        asked.takes[judge.key] = takes(judge)
    if not asked.takes[judge.key]:
        loading.add(
            "judgments",
            f"found {row['judge']!r}, which is a judge of this study that is not imported; "
            "judgments of a file need another judge's name",
            line,
            "judge",
        )
        return []
    if row["question"] is not None or row["item"] not in loading.kinds:
        question = known_question(loading, "judgments", line, row["item"], row["question"])
        return [question] if question else []
    questions = asked.questions_of(row)
    if not questions:
        loading.add("judgments", "no question of the study is asked of this item", line, "question")
    return questions


def _takes_value(loading, line, row, questions):
    """Return whether each of the questions can read the value; note a problem if not."""
    try:
        for question in questions:
            loading.off_scale.value_of(row, question)
    except ValueError as error:
        loading.add("judgments", str(error), line, "value")
        return False
    return True


def _check_run(loading, line, row, loaded):
    """Note a row's run; check that its rows share a prompt and weight no missing value.

    loaded: the prompts of what files said before.
    """
    check_version(loading, "judgments", line, row["version"])
    prompts = loading.judging.setdefault(row["judge"], {})
    version = _version(loading, row)
    prompt = prompts.setdefault(version, row["prompt"])
    before = loaded.get((row["judge"], version), row["prompt"] or "")
    words_of_row = "none" if row["prompt"] is None else repr(row["prompt"])
    if row["prompt"] != prompt:
        there = "no prompt" if prompt is None else repr(prompt)
        words = f"found {words_of_row}, but rows above of this judge and version have {there}"
        loading.add("judgments", words, line, "prompt")
    elif before != (row["prompt"] or ""):
        what = f"is {before!r}" if before else "is blank"
        words = (
            f"found {words_of_row}; allowed {what}, as in this judge’s loaded judgments of version "
        )
        loading.add("judgments", f"{words}{version}", line, "prompt")
    if row["weighted_value"] is not None and row["value"] is None:
        words = f"found {row['weighted_value']:g}; allowed is blank where there is no value"
        loading.add("judgments", words, line, "weighted_value")


def _hidden(loading, batch):
    """Return the ids of items whose judgments nobody may see: a comparison would tell them."""
    return set(withheld(loading.study, key__in={row["item"] for _, row in batch}).values())


def _compare(loading, line, row, questions, existing, hidden):
    counts = loading.counts["judgments"]
    old = [existing.get(_which(loading, row, question)) for question in questions]
    given = [name for name in COMPARED if name in loading.files["judgments"].given]
    differing = [
        (name, question.scale.written(stored[name]) if name == "value" else stored[name])
        for question, stored in zip(questions, old, strict=True)
        if stored is not None and row["item"] not in hidden
        for name in given
        if not loading.off_scale.agrees(stored, row, question, name)
    ]
    if None in old:
        counts.new += 1
        counts.judgments += old.count(None)
    elif not differing and any(_new_columns(stored, row, hidden) for stored in old):
        counts.changed += 1
    elif not differing:
        counts.unchanged += 1
    if not (differing or None in old or row["item"] in hidden):
        _compare_beside(counts, row, old)
    for name, value in differing[:1]:
        counts.changed += 1
        loading.add(
            "judgments",
            f"found {_shown(row[name])}, but this judgment is {_shown(value)} already; "
            "a judgment that was loaded does not change",
            line,
            name,
        )


def _compare_beside(counts, row, old):
    """Count what a row says otherwise beside the value; its cost is that of all it stands for."""
    rationales = [stored["rationale"] for stored in old]
    costs = [stored["cost_usd"] for stored in old if stored["cost_usd"] is not None]
    rationale = next((text for text in rationales if text != row["rationale"]), row["rationale"])
    counts.compare(row, {"rationale": rationale, "cost_usd": sum(costs) if costs else None})


def _new_columns(stored, row, hidden):
    """Return the extra columns that a stored judgment gets; None where it keeps what it has."""
    if stored is None or row["item"] in hidden:
        return None
    data = merged(stored["data"], row["data"])
    return data if data != stored["data"] else None


def _shown(value):
    if value is None:
        return "missing"
    return value if isinstance(value, str) else f"{value:g}"


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
        for question in asked.questions_of(row):
            answer = _which(loading, row, question)
            if hash(answer) in suspects and first.setdefault(answer, line) != line:
                loading.add(
                    "judgments",
                    f"the judgment of item {row['item']!r} by {row['judge']!r} on question "
                    f"{question.key!r} stands on line {first[answer]} already",
                    line,
                )


def _existing(loading, batch):
    """Return what is stored of a batch's loaded judgments, by _which."""
    judgments = Judgment.objects.filter(
        item__study=loading.study,
        item__key__in={row["item"] for _, row in batch},
        run__judge__key__in={row["judge"] for _, row in batch},
        run__in=Run.objects.from_files().filter(judge__study=loading.study),
    )
    keys = {row["question"] for _, row in batch}
    if None not in keys:
        judgments = judgments.filter(question__key__in=keys)
    which = ("item__key", "run__judge__key", "question__key", "run__version")
    names = (*COMPARED, "reason", "weighted_reason", *BESIDE, "data", "pk")
    rows = judgments.values_list(*which, *names).iterator()
    return {row[:4]: dict(zip(names, row[4:], strict=True)) for row in rows}


def what_rows_stand_for(counts):
    """Say how many judgments the new rows make; blank where each row makes one."""
    if counts.judgments == counts.new:
        return ""
    rows = f"{counts.new:,} new row{' stands' if counts.new == 1 else 's stand'}"
    return (
        f"{rows} for {counts.judgments:,} judgments, as a blank question means every question "
        "asked of the item."
    )


# Writing


def write_judgments(loading):
    """Add the new judgments to the runs that their judges have from files.

    Those that were loaded before get what is new in their extra columns.
    """
    counts = loading.counts["judgments"]
    if counts.changed:
        update(Judgment, ["data"], _changed(loading))
    if not counts.new:
        return
    runs = _runs(loading)
    names = ["run_id", "item_id", "question_id", "unit", "lead", "state", "value", "reason"]
    names += ["rationale", "cost_usd", "weighted_value", "weighted_reason", "data"]
    same = {"settled_at": timezone.now()} | loading.mark
    insert(Judgment, names, _new(loading, runs), loading.reporter("judgments"), same)
    _sum_costs(runs)


def _runs(loading):
    """Return {(judge's name, version): run} of the imported judges of the file."""
    judges = [loading.judges[key] for key in loading.judging]
    old = Run.objects.from_files().filter(judge__in=judges).select_related("judge")
    runs = {(run.judge.key, run.version): run for run in old.order_by("-pk")}
    new = [
        new_run(loading.judges[key], version, prompt)
        for key, prompts in loading.judging.items()
        for version, prompt in sorted(prompts.items())
        if (key, version) not in runs
    ]
    runs |= {(run.judge.key, run.version): run for run in Run.objects.bulk_create(new)}
    return runs


def new_run(judge, version, prompt):
    """Return an unsaved, finished run of a judge for judgments of a file."""
    now = timezone.now()
    frozen = {"kind": FROM_FILE, "judge": judge.key} | ({"prompt": prompt} if prompt else {})
    return Run(
        judge=judge,
        state=Run.State.FINISHED,
        frozen=frozen,
        settings_hash=hash_of(frozen),
        version=version,
        started_at=now,
        ended_at=now,
    )


def _changed(loading):
    """Yield (extra columns as JSON, primary key) of the stored judgments whose columns differ."""
    asked = _Asked(loading)
    for batch in batches(silent_rows(loading.files["judgments"])):
        existing, hidden = _existing(loading, batch), _hidden(loading, batch)
        for _, row in batch:
            for question in asked.questions_of(row):
                stored = existing.get(_which(loading, row, question))
                if data := _new_columns(stored, row, hidden):
                    yield json.dumps(data), stored["pk"]


def _new(loading, runs):
    asked = _Asked(loading)
    pks = {run.pk for run in runs.values()}
    last = Judgment.objects.filter(run__in=pks).values_list("run").annotate(Max("unit")).order_by()
    units = defaultdict(int, dict(last))
    look = bool(units)
    for batch in batches(silent_rows(loading.files["judgments"])):
        existing = _existing(loading, batch) if look else {}
        for _, row in batch:
            run = runs[row["judge"], _version(loading, row)].pk
            item = loading.items[row["item"]]
            questions = asked.questions_of(row)
            new = [q for q in questions if _which(loading, row, q) not in existing]
            units[run] += bool(new)
            costs = _split(row["cost_usd"], len(new))
            for lead, (question, cost) in enumerate(zip(new, costs, strict=True)):
                settled = loading.off_scale.settle(row, question)
                is_missing = settled.value is None
                yield (
                    run,
                    item,
                    question.pk,
                    units[run],
                    lead == 0,
                    Judgment.State.FAILED if is_missing else Judgment.State.DONE,
                    settled.value,
                    settled.reason or (MISSING if is_missing else ""),
                    row["rationale"],
                    cost,
                    settled.weighted_value,
                    settled.weighted_reason,
                    row["data"],
                )


def _split(cost, parts):
    """Split the cost of a row over its judgments; what rounding leaves goes to the first."""
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
