"""The tables that leave the project, as streams: memory stays flat however many rows there are.

A table's rows are tuples of parts. A part is what the form of the file makes of some cells that
stand side by side, texts, numbers, times and None: what many rows share is made once. Every text is
cleaned, so that a CSV cell cannot act as a formula, while JSON lines keep texts as they are.
"""

import json
from itertools import groupby
from operator import itemgetter

from django.db.models import Count, F, FloatField, Value
from django.db.models.functions import Cast

from analysis import codebook, csvlines, frames, people_exports
from analysis.samples import averaged
from annotate.models import Item, Question, Rating, Session
from annotate.models.rating import SURPLUS
from judges.models import Judgment, Material

CHUNK = 5000


def rows(study, table, clean, cells, **options):
    """The header and an iterator of rows, tuples of parts; cells(*cells) makes a part.

    The table of raters takes platform_ids=True.
    """
    return HEADERS[table](study), ROWS[table](study, _Cleaner(clean), cells, **options)


def counts(study):
    """{table: how many rows it has}, without making them; none where the page does not say."""
    units = _units(study).count()
    return {
        "ratings": _counted(study).count(),
        "judgments": units,
        "samples": Judgment.objects.filter(run__judge__study=study).count(),
        "items": study.items.count(),
        "sessions": study.sessions.count(),
        "scores": frames.human_answers(study).count() + units,
    }


class _Cleaner:
    """Applies a function to texts; equal texts become one object, so that keys take no memory."""

    def __init__(self, clean):
        self.clean, self.known = clean, {"": "", None: ""}

    def __call__(self, text):
        return "" if text is None else self.clean(text)

    def key(self, text):
        """A text that stands in many rows."""
        if text not in self.known:
            self.known[text] = self.clean(text)
        return self.known[text]


def number(value):
    """4 for 4.0; every other number as it is."""
    return int(value) if value is not None and value.is_integer() else value


def extra_columns(study):
    """Names of the items' extra columns, in order of appearance."""
    names = {}
    for data in study.items.order_by("pk").values_list("data", flat=True).iterator(CHUNK):
        names.update(dict.fromkeys(data))
    return list(names)


# scores


def _scores(study, clean, cells):
    items = {
        pk: cells(study.slug, clean(key), kind, *map(clean.key, links))
        for pk, key, kind, *links in Item.objects.filter(study=study)
        .values_list("pk", "key", "kind", "recipient__key", "content__key", "system__key")
        .iterator(CHUNK)
    }
    questions = Question.objects.filter(study=study).in_bulk()
    yield from _human_scores(study, clean, cells, items, questions)
    yield from _judge_scores(study, clean, cells, items, questions)


def _human_scores(study, clean, cells, items, questions):
    asked = {pk: cells(each.key, frames.HUMAN) for pk, each in questions.items()}
    sessions = {
        pk: (cells(clean.key(rater), "", role, ""), cells(bool(why), clean.key(why)))
        for pk, (rater, role, why) in frames.exclusions(study).items()
    }
    surplus, is_surplus = frames.surplus(study), cells(True, SURPLUS)
    for item, question, session, answer in _human_answers(study, cells):
        who, counts = sessions[session]
        if (session, item) in surplus:
            counts = is_surplus
        yield items[item], asked[question], who, answer, counts


def _human_answers(study, cells):
    """(item, question, session, the part value to first_side)"""
    answers = frames.human_answers(study).order_by("pk")
    keys = ["item_id", "question_id", "session_id"]
    if csvlines.written_by_database(cells):
        value, seconds = csvlines.Number("value"), csvlines.Float("seconds")
        at = csvlines.Time("answered_at")
        part = csvlines.written(value, Value(""), seconds, Value(""), at, F("first_side"))
        yield from answers.annotate(part=part).values_list(*keys, "part").iterator(CHUNK)
        return
    names = [*keys, "value", "seconds", "answered_at", "first_side"]
    for *pks, value, seconds, at, side in answers.values_list(*names).iterator(CHUNK):
        yield *pks, cells(number(value), "", seconds, None, at, side)


def _judge_scores(study, clean, cells, items, questions):
    judges = frames.judge_of_runs(study)
    asked = {pk: cells(each.key, frames.JUDGE, "") for pk, each in questions.items()}
    who = {run: cells(clean.key(judge), "", run) for run, judge in judges.items()}
    counts = cells(False, "")
    for run, item, question, value, why, _, cost, at in _judged(judges, questions):
        answer = cells(number(value), clean(why), None, cost, at, "")
        yield items[item], asked[question], who[run], answer, counts


def _judged(runs, questions):
    """(run, item, question, value, why missing, rationale, cost, time), samples averaged.

    Ordered by the unique index of the judgments, so that samples stand side by side.
    """
    nominal = [pk for pk, question in questions.items() if question.scale.kind == "choice"]
    samples = (
        frames.judge_answers(runs)
        .annotate(why=frames.why_missing(), cost=Cast("cost_usd", FloatField()))
        .order_by("run_id", "item_id", "question_id", "sample", "order")
        .values_list(
            "run_id", "item_id", "question_id", "value", "why", "rationale", "cost", "settled_at"
        )
    )
    for _, group in groupby(samples.iterator(CHUNK), key=itemgetter(0, 1, 2)):
        samples = list(group)
        yield _with_costs(samples, nominal) if len(samples) > 1 else samples[0]


def _with_costs(samples, nominal):
    """The mean of the samples, at what all of them cost."""
    *start, _, at = averaged(samples, nominal)
    costs = [sample[6] for sample in samples if sample[6] is not None]
    return *start, sum(costs) if costs else None, at


def _units(study):
    """One row per (run, item, question) of the answers that count."""
    answers = frames.judge_answers(frames.judge_of_runs(study))
    return answers.order_by().values("run", "item", "question").distinct()


# The tables that can be loaded again


def _counted(study):
    return Rating.objects.for_analysis().filter(session__study=study)


def _ratings(study, clean, cells):
    names = [
        "item__key", "session__rater__key", "session__rater__role", "question__key", "value",
        "text", "answered_at", "seconds", "reason", "first_side",
    ]  # fmt: skip
    answers = _counted(study).order_by("pk").values_list(*names).iterator(CHUNK)
    for item, rater, role, question, value, text, at, seconds, reason, side in answers:
        answer = clean(text) if value is None else number(value)
        keys = clean.key(item), clean.key(rater), role, question
        yield (cells(*keys, answer, at, seconds, clean(reason), side),)


def _judgments(study, clean, cells):
    judges = frames.judge_of_runs(study)
    items = dict(Item.objects.filter(study=study).values_list("pk", "key").iterator(CHUNK))
    questions = Question.objects.filter(study=study).in_bulk()
    for run, item, question, value, _, rationale, cost, _ in _judged(judges, questions):
        keys = clean.key(items[item]), clean.key(judges[run]), questions[question].key
        yield (cells(*keys, number(value), clean(rationale), cost),)


ITEM_FIELDS = [
    "key", "kind", "recipient__key", "content__key", "system__key", "text", "reference", "review",
    "feature", "parent__key", "side",
]  # fmt: skip


SAMPLE_FIELDS = [
    "run", "run__judge__key", "item__key", "question__key", "sample", "order", "state", "value",
    "reason", "rationale", "call__model_returned", "cost", "settled_at",
]  # fmt: skip


def _samples(study, clean, cells):
    examples = _examples(study)
    answers = Judgment.objects.filter(run__judge__study=study).order_by("run", "unit", "pk")
    answers = answers.annotate(cost=Cast("cost_usd", FloatField()))
    for pk, *row in answers.values_list("item", *SAMPLE_FIELDS).iterator(CHUNK):
        run, judge, item, question, sample, order, state, value, why, rationale, *rest = row
        keys = run, clean.key(judge), clean.key(item), question, sample, order, state
        example, rater = examples.get((run, pk), ("", ""))
        said = clean(why), clean(rationale), clean.key(example), clean.key(rater)
        model, cost, at = rest
        yield (cells(*keys, number(value), *said, clean.key(model), cost, at),)


def _examples(study):
    """{(run, item): (id of the example, its rater)}"""
    shown = Material.objects.filter(run__judge__study=study, example__isnull=False)
    names = ["run", "item", "example__key", "rater__key"]
    return {(run, item): rest for run, item, *rest in shown.values_list(*names).iterator(CHUNK)}


def _items(study, clean, cells):
    extra = extra_columns(study)
    answers = Item.objects.filter(study=study).order_by("pk")
    for *texts, position, data in answers.values_list(*ITEM_FIELDS, "position", "data").iterator(
        CHUNK
    ):
        more = (_extra(data.get(name), clean) for name in extra)
        yield (cells(*map(clean, texts), position, *more),)


def _extra(value, clean):
    """An extra cell: texts cleaned, numbers as they are, lists and objects as JSON."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def _sessions(study, clean, cells):
    sessions = Session.objects.filter(study=study).order_by("pk")
    names = [
        "pk", "rater__key", "rater__role", "state", "source", "rater__excluded_because",
        "answers", "started_at", "last_seen_at", "ended_at",
    ]  # fmt: skip
    counted = sessions.annotate(answers=Count("ratings"))
    for pk, rater, role, state, source, why, *more in counted.values_list(*names).iterator(CHUNK):
        yield (cells(pk, clean(rater), role, state, source, bool(why), clean(why), *more),)


def _codebook(study, clean, cells):
    for row in codebook.column_rows(extra_columns(study)):
        yield (cells(*map(clean, row)),)
    for question in study.questions.all():
        meaning = codebook.question_meaning(question)
        yield (cells("scores", clean(f"question = {question.key}"), clean(meaning)),)


def _header(table):
    return lambda study: list(codebook.TABLES[table])


ROWS = {
    "scores": _scores,
    "ratings": _ratings,
    "judgments": _judgments,
    "samples": _samples,
    "items": _items,
    "raters": people_exports.raters,
    "sessions": _sessions,
    "revisions": people_exports.revisions,
    "codebook": _codebook,
}
HEADERS = {table: _header(table) for table in ROWS} | {
    "items": lambda study: [*codebook.ITEMS, *extra_columns(study)]
}
