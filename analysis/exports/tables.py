"""Stream the tables that leave the project: memory stays flat however many rows there are.

A row is a list or tuple of texts, numbers, times and None, as JSON lines have them.
"""

import json
from itertools import groupby
from operator import itemgetter

from django.db import connection
from django.db.models import FloatField
from django.db.models.functions import Cast

from analysis.answers import counting, frame, judged
from analysis.answers.both_orders import one_verdict, runs_with_both, ties_of
from analysis.answers.samples import averaged
from analysis.exports import codebook, extras
from analysis.exports import people as people_exports
from analysis.exports.lists import lists
from analysis.exports.robustness import robustness
from analysis.exports.statements import dropped, entailments, statements
from annotate.design.splits import (
    TEST,
    is_locked,
    sides_of_items,
    split_of,
    withheld,
    without_wording,
)
from annotate.models import Item, Question, Rating, Study
from annotate.models.rating import SURPLUS
from annotate.values.numbers import plain
from judges.files.written import WrittenByJudges
from judges.models import Flag, Judgment, Material, Run
from judges.prompting.flags import rules_of

CHUNK = 5000


def rows(study, table, **options):
    """Return the header and an iterator of rows. The table of raters takes platform_ids=True."""
    return header(study, table), ROWS[table](study, **options)


def counts(study):
    """Count a table's rows without making them: {table: rows}, only for tables the page counts.

    While the test part is locked judges' tables are left out: the files are without it.
    """
    people = _of_people(study)
    shown = {
        "ratings": people["counted"] - people["surplus"],
        "items": people["all_items"],
        "sessions": people["all_sessions"],
    }
    if is_locked(study):
        return shown
    units = _units(study).count()
    return shown | {
        "judgments": units,
        "samples": Judgment.objects.judging().filter(run__judge__study=study).count(),
        "scores": people["every"] - people["in_words"] + units,
    }


def _of_people(study):
    """Return counts that indexes give, without reading an answer's place or value."""
    every = Rating.objects.filter(session__study=study)
    in_words = [question.pk for question in study.questions.all() if not question.scale.has_values]
    rows = {
        "all_items": study.items,
        "all_sessions": study.sessions,
        "every": every,
        "in_words": every.filter(question__in=in_words),
        "counted": every.of_counted_sessions(),
        "surplus": every.surplus(),
    }
    numbers = {name: counting.number_of(queryset) for name, queryset in rows.items()}
    return Study.objects.filter(pk=study.pk).values(**numbers).get()


# The keys of the rows' JSON objects, in order of appearance: read by the database, as making
# objects of a million texts takes seconds.
KEYS = """
    SELECT one.key FROM {rows} CROSS JOIN {each} WHERE {study} = %s AND item.data <> '{{}}'
    GROUP BY one.key ORDER BY MIN(item.id * 1000000 + one.{place})
"""
EACH = {
    "sqlite": {"each": "json_each(item.data) AS one", "place": "id"},
    "postgresql": {
        "each": "LATERAL jsonb_object_keys(item.data) WITH ORDINALITY AS one(key, place)",
        "place": "place",
    },
}
WITH_EXTRA = {
    "items": {"rows": "annotate_item AS item", "study": "item.study_id"},
    "ratings": {
        "rows": "annotate_rating AS item JOIN annotate_session AS session "
        "ON session.id = item.session_id",
        "study": "session.study_id",
    },
    "judgments": {
        "rows": "judges_judgment AS item JOIN judges_run AS run ON run.id = item.run_id "
        "JOIN judges_judge AS judge ON judge.id = run.judge_id AND judge.deleted_at IS NULL",
        "study": "judge.study_id",
    },
}


def extra_columns(study, table):
    """List the names of a table's extra columns, in order of appearance."""
    with connection.cursor() as cursor:
        keys = KEYS.format(**WITH_EXTRA[table], **EACH[connection.vendor])
        cursor.execute(keys, [study.pk])
        names = [name for (name,) in cursor]
    return [name for name in names if name not in codebook.TABLES[table]]


def _extra_cells(data, names):
    """Return a row's extra cells: texts and numbers as they are, lists and objects as JSON."""
    values = (data.get(name) for name in names)
    return [
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for value in values
    ]


# scores


def _scores(study):
    items = {
        pk: (study.slug, key, kind, *(link or "" for link in links))
        for pk, key, kind, *links in Item.objects.filter(study=study)
        .values_list("pk", "key", "kind", "recipient__key", "content__key", "system__key")
        .iterator(CHUNK)
    }
    sides = _sides(study, items)
    questions = Question.objects.filter(study=study).in_bulk()
    values = WrittenByJudges(study, questions.values())
    yield from _human_scores(study, items, sides, questions, values)
    yield from _judge_scores(study, items, sides, questions, values)


def _sides(study, items):
    """Return {item: its side of the test split}; blank without a split."""
    if split_of(study) is None:
        return dict.fromkeys(items, "")
    return {pk: side for pk, (_, side) in sides_of_items(study).items()}


def _human_scores(study, items, sides, questions, values):
    visits, surplus = counting.who_counts(study)
    names = ["item_id", "question_id", "session_id", "reason"]
    names += ["value", "seconds", "answered_at", "first_side"]
    answers = counting.human_answers(study).order_by("pk").values_list(*names)
    for item, question, session, reason, value, *given in answers.iterator(CHUNK):
        seconds, answered_at, first_side = given
        rater, role, why, version = visits[session]
        if (session, item) in surplus:
            why = SURPLUS
        key = questions[question].key
        who = key, frame.HUMAN, rater, "", role, "", version, None
        answer = values(key, value), "", seconds, None, answered_at, first_side
        yield *items[item], *who, *answer, bool(why), why, None, reason, sides[item]


def _judge_scores(study, items, sides, questions, values):
    runs = judged.about_runs(study)
    judges = {run: judge for run, (judge, *_) in runs.items()}
    for run, item, question, value, why, _, cost, settled_at, mean, _ in _judged(
        study, judges, questions
    ):
        judge, *version = runs[run]
        key = questions[question].key
        who = key, frame.JUDGE, "", judge, "", run, *version
        answer = values(key, value, judge), why, None, cost, settled_at, ""
        yield *items[item], *who, *answer, False, "", plain(mean), "", sides[item]


def _judged(study, runs, questions):
    """Yield (run, item, question, value, why missing, rationale, cost, time, weighted value, data).

    Samples are averaged; items of a locked test part are left out. Ordered by the unique index of
    the judgments, so that samples stand side by side.
    """
    nominal = [pk for pk, question in questions.items() if question.scale.is_nominal]
    samples = (
        judged.judge_answers(runs)
        .annotate(why=judged.why_missing(), cost=Cast("cost_usd", FloatField()))
        .order_by("run_id", "item_id", "question_id", "sample", "order")
        .values_list(
            "run_id",
            "item_id",
            "question_id",
            "value",
            "why",
            "rationale",
            "cost",
            "settled_at",
            "weighted_value",
            "data",
        )
    )
    hidden = withheld(study)
    about_lists = any(question.scale.is_about_sides for question in questions.values())
    both, ties = runs_with_both(study) if about_lists else {}, ties_of(questions.values())
    for (run, *_), group in groupby(samples.iterator(CHUNK), key=itemgetter(0, 1, 2)):
        samples = list(group)
        if samples[0][1] in hidden:
            continue
        if run in both:
            yield _with_costs(samples, one_verdict(samples, ties))
        elif len(samples) > 1:
            yield _with_costs(samples, averaged(samples, nominal))
        else:
            yield samples[0]


def _with_costs(samples, answer):
    """Return the combined answer of several samples, at what all of them cost."""
    *start, _, settled_at, _, data = answer
    costs = [sample[6] for sample in samples if sample[6] is not None]
    means = [sample[8] for sample in samples if sample[8] is not None]
    mean = sum(means) / len(means) if means else None
    return *start, sum(costs) if costs else None, settled_at, mean, data


def _units(study):
    """Return one row per (run, item, question) of the answers that count."""
    answers = judged.judge_answers(judged.judge_of_runs(study))
    return answers.order_by().values("run", "item", "question").distinct()


# The tables that can be loaded again


def _counted(study):
    return Rating.objects.for_analysis().filter(session__study=study)


def _ratings(study):
    names = [
        "item__key",
        "session__rater__key",
        "session__rater__role",
        "question__key",
        "value",
        "text",
        "data",
        "answered_at",
        "seconds",
        "reason",
        "first_side",
        "session__version",
        *(f"session__{name}" for name in people_exports.arm_columns(study)),
    ]
    extra = extra_columns(study, "ratings")
    answers = _counted(study).order_by("pk").values_list(*names).iterator(CHUNK)
    values = WrittenByJudges(study)
    for item, rater, role, question, value, text, data, *more in answers:
        answer = text if value is None else values(question, value)
        answered_at, seconds, reason, side, version, *arm = more
        given = answer, answered_at, seconds, reason, side, version
        yield item, rater, role, question, *given, *_extra_cells(data, extra), *arm


def _judgments(study):
    runs = judged.about_runs(study)
    judges = {run: judge for run, (judge, *_) in runs.items()}
    prompts = dict(Run.objects.filter(pk__in=list(runs)).values_list("pk", "frozen__prompt"))
    items = dict(Item.objects.filter(study=study).values_list("pk", "key").iterator(CHUNK))
    questions = Question.objects.filter(study=study).in_bulk()
    flags, extra = _flags(study), extra_columns(study, "judgments")
    values = WrittenByJudges(study, questions.values())
    answers = _judged(study, judges, questions)
    for run, item, question, value, _, rationale, cost, _, mean, data in answers:
        key, (judge, version, _) = questions[question].key, runs[run]
        answer = items[item], judge, key, values(key, value, judge), rationale, cost, plain(mean)
        made = prompts[run] or "", version, flags.get((run, item), "")
        yield *answer, *made, *_extra_cells(data, extra)


def _flags(study):
    """Return {(run, item): the rules that the texts in its prompt met}."""
    flags = Flag.objects.filter(run__judge__study=study).values_list("run", "item", "rules")
    return {(run, item): rules for run, item, rules in flags}


ITEM_FIELDS = [
    "key",
    "kind",
    "recipient__key",
    "content__key",
    "system__key",
    "text",
    "reference",
    "review",
    "feature",
    "parent__key",
    "side",
]


SAMPLE_FIELDS = [
    "run",
    "run__judge__key",
    "item__key",
    "question__key",
    "sample",
    "order",
    "state",
    "value",
    "reason",
    "rationale",
    "weighted_value",
    "weighted_mass",
    "weighted_reason",
    "call__model_returned",
    "call__fingerprint",
    "run__frozen__prompt",
    "run__version",
    "call",
    "call__reused_from",
    "cost",
    "settled_at",
]


def _samples(study):
    examples, hidden, values = _examples(study), withheld(study), WrittenByJudges(study)
    answers = Judgment.objects.judging().filter(run__judge__study=study)
    answers = answers.order_by("run", "unit", "pk")
    answers = answers.annotate(cost=Cast("cost_usd", FloatField()))
    for pk, *row in answers.values_list("item", *SAMPLE_FIELDS).iterator(CHUNK):
        if pk in hidden:
            continue
        run, judge, item, question, sample, order, state, value, why, rationale, *rest = row
        mean, mass, why_none, model, fingerprint, prompt, *made = rest
        keys = run, judge, item, question, sample, order, state, values(question, value, judge)
        texts = why, rationale, *examples.get((run, pk), ("", "")), plain(mean), mass, why_none
        yield *keys, *texts, *(text or "" for text in (model, fingerprint, prompt)), *made


def _examples(study):
    """Return {(run, item): (id of the example, its rater)}."""
    shown = Material.objects.filter(run__judge__study=study, example__isnull=False)
    names = ["run", "item", "example__key", "rater__key"]
    rows = shown.values_list(*names).iterator(CHUNK)
    return {(run, item): (example, rater or "") for run, item, example, rater in rows}


def _items(study):
    extra = extra_columns(study, "items")
    sides = sides_of_items(study) if split_of(study) else {}
    answers = Item.objects.filter(study=study).order_by("pk")
    names, locked = [*ITEM_FIELDS, "position", "data", "content__title"], is_locked(study)
    for row in answers.values("pk", *names).iterator(CHUNK):
        _, side = sides.get(row["pk"], ("", ""))
        if locked and side == TEST and row["kind"] == Item.Kind.STATEMENT:
            row = without_wording(row)  # noqa: PLW2901 - a judge of the test part said it
        flags = rules_of(row["text"], row["content__title"])
        texts = (row[name] or "" for name in ITEM_FIELDS)
        yield *texts, row["position"], flags, side, *_extra_cells(row["data"], extra)


def _codebook(study):
    extra = {table: extra_columns(study, table) for table in WITH_EXTRA}
    yield from codebook.column_rows(extra)
    for table, more in MORE_COLUMNS.items():
        yield from ((table, column, meaning) for column, meaning in more(study).items())
    for name, meaning in codebook.question_rows(study):
        yield "scores", name, meaning


ROWS = {
    "scores": _scores,
    "ratings": _ratings,
    "judgments": _judgments,
    "samples": _samples,
    "robustness": robustness,
    "lists": lists,
    "items": _items,
    "raters": people_exports.raters,
    "sessions": people_exports.sessions,
    "times": people_exports.times,
    "listening": people_exports.listening,
    "revisions": people_exports.revisions,
    "checks": extras.checks,
    "screens": extras.screens,
    "codes": extras.codes,
    "statements": statements,
    "dropped": dropped,
    "entailments": entailments,
    "codebook": _codebook,
}
MORE_COLUMNS = {
    "raters": people_exports.exit_columns,
    "sessions": lambda study: (
        people_exports.session_columns(study) | people_exports.exit_columns(study)
    ),
    "ratings": people_exports.arm_columns,
}


def header(study, table):
    """List a table's columns: those that all studies have, then the study's own."""
    extra = extra_columns(study, table) if table in WITH_EXTRA else []
    more = MORE_COLUMNS[table](study) if table in MORE_COLUMNS else {}
    return [*codebook.TABLES[table], *extra, *more]
