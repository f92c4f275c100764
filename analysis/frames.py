"""The one reader of the database: the answers of people and judges as one tidy frame.

Only here do human and automatic answers meet. `read(study)` costs seven queries, however large the
study is, and one more where a judge is strict; `human_answers` and `judge_answers` are the rows
behind it, which exports.py streams.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    Sum,
    Value,
    When,
)
from pandas.api.types import union_categoricals

from analysis.designs import held_out_of
from analysis.ensembles import runs_and_ensembles
from analysis.samples import samples_averaged
from annotate.models import Item, Question, Rating, Session
from annotate.models.rating import SURPLUS
from judges.models import Judgment, Run

HUMAN, JUDGE = "human", "judge"

# Every column of the exported scores, with its meaning; the frame has those that reports need.
COLUMNS = {
    "item": "Id of the item: the unit that people rate and judges score alike.",
    "kind": "Kind of the item: explanation, recommendation, list_pair, profile, statement, text.",
    "recipient": "For whom the content was recommended; blank where there is none.",
    "content": "What was recommended; blank where there is none.",
    "system": "What produced the text or the list; blank where there is none.",
    "question": "Key of the question that was answered.",
    "source": "human or judge.",
    "rater": "Pseudonym of the person who answered; blank for a judge.",
    "judge": "Name of the judge; blank for a person.",
    "role": "Role of the person: recipient, third_party or expert; blank for a judge.",
    "run": "Number of the judge's run that the value comes from: the latest one with a value.",
    "value": "The answer as a number on the question's scale; a judge's samples are averaged.",
    "missing_reason": "Why a judge has no value; blank where there is one.",
    "seconds": "People: seconds from showing the item to this answer.",
    "cost_usd": "Judges: what the answer cost, in US dollars, all samples together.",
    "answered_at": "When it was answered (UTC).",
    "first_side": "People, pairs of lists and their parts: the side (A or B) that stood first, as "
    "List 1. The value is about the sides themselves, wherever they stood.",
    "excluded": "true if the answer does not count in the analysis.",
    "exclusion_reason": "Why it does not count: the rule, the state of the session, or that the "
    "answer is surplus: the rater paused too long, and the place went to somebody else.",
}
# Columns of the item that are read beside the extra ones, so that they can be filtered by.
ITEM_COLUMNS = ["item", "kind", "recipient", "content", "system"]
MORE_ITEM_COLUMNS = ["feature", "parent", "side", "position"]


@dataclass(frozen=True)
class Answers:
    """A study's answers: `table` has COLUMNS (no seconds, cost, time) and all of the items'.

    Ensembles have no rows in it: their values are never stored, here or in the exports.

    The categories of `item` and `question` are all items and questions in their order, so that
    their codes are row numbers of `items` and places in `questions`. `samples`: {judge: how often
    it is asked}; `held_out`: {judge: codes of the items that its examples are drawn from};
    `own_scale`: judges that compute on a scale of their own, as BLEU does, whatever the question's.
    """

    study: object
    table: pd.DataFrame
    items: pd.DataFrame
    questions: list
    extra_columns: list = field(default_factory=list)
    ensembles: list = field(default_factory=list)
    samples: dict = field(default_factory=dict)
    held_out: dict = field(default_factory=dict)
    own_scale: tuple = ()

    def of(self, source):
        """The answers of people or of judges."""
        return self.table[self.table["source"] == source]

    @property
    def judges(self):
        """Names of the judges with answers, in the order of their runs; then of the ensembles."""
        table = self.of(JUDGE)
        names = list(table["judge"].cat.remove_unused_categories().cat.categories)
        return names + [each.name for each in self.ensembles if {*each.members} <= {*names}]


def read(study):
    """All answers of a study."""
    return Reader(study).answers()


class Reader:
    """Reads a study's small tables once; the answers, and whether they changed, build on them."""

    def __init__(self, study):
        self.study = study

    @cached_property
    def questions(self):
        return list(Question.objects.filter(study=self.study))

    @cached_property
    def item_rows(self):
        return list(
            Item.objects.filter(study=self.study)
            .order_by("pk")
            .values_list(
                "pk", "key", "kind", "recipient__key", "content__key", "system__key",
                "feature", "parent__key", "side", "position", "data",
            )
        )  # fmt: skip

    @cached_property
    def sessions(self):
        return exclusions(self.study)

    @cached_property
    def surplus(self):
        return surplus(self.study)

    @cached_property
    def judges(self):
        """What runs_and_ensembles says of the study's judges."""
        return runs_and_ensembles(self.study)

    @cached_property
    def held_out(self):
        strict = [judge for judge, (_, strict) in self.judges[2].items() if strict]
        return held_out_of(self.study) if strict else {}

    def answers(self):
        """The frame."""
        items, extra = _items(self.item_rows)
        ids = [row[0] for row in self.item_rows]
        places = _Places(ids, [question.pk for question in self.questions])
        people = _people(self.study, self.sessions, self.surplus, places)
        nominal = [q.pk for q in self.questions if q.scale.kind == "choice"]
        judges = _judges(self.judges[0], places, nominal)
        table = {name: _joined(people[name], judges[name]) for name in people.columns}
        codes = table.pop("item_place").to_numpy(), table.pop("question_place").to_numpy()
        columns = {name: _taken(items[name], codes[0]) for name in items.columns}
        keys = [question.key for question in self.questions]
        columns["question"] = pd.Categorical.from_codes(codes[1], pd.Index(keys, dtype="str"))
        frame = pd.DataFrame(columns | table)
        samples = {judge: asked for judge, (asked, _) in self.judges[2].items() if asked > 1}
        held_out = {judge: places.items(pks) for judge, pks in self.held_out.items()}
        ensembles = self.judges[1]
        return Answers(
            self.study, frame, items, self.questions, extra, ensembles, samples, held_out,
            own_scale=self.judges[3],
        )  # fmt: skip

    def fingerprint(self):
        """A text that changes whenever an answer, an item, a question or who counts changes."""
        ratings = Rating.objects.filter(session__study=self.study).aggregate(
            n=Count("pk"), last=Max("pk"), total=Sum("value"), at=Max("answered_at")
        )
        judgments = Judgment.objects.filter(run__in=list(self.judges[0])).aggregate(
            n=Count("value"), last=Max("pk"), total=Sum("value"), at=Max("settled_at")
        )
        questions = [(question.key, question.scale_spec) for question in self.questions]
        parts = [questions, self.item_rows, self.sessions, sorted(self.surplus), self.judges]
        parts += [ratings, judgments, self.held_out]
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _joined(people, judges):
    """One column of both sources; categoricals stay categorical, unlike under pd.concat."""
    if isinstance(people.dtype, pd.CategoricalDtype):
        return pd.Series(union_categoricals([people, judges]))
    return pd.concat([people, judges], ignore_index=True)


class _Places:
    """Row numbers of items and questions by their primary keys."""

    def __init__(self, item_ids, question_ids):
        self.item_ids, self.question_ids = np.array(item_ids, dtype="i8"), question_ids

    def items(self, ids):
        return np.searchsorted(self.item_ids, ids)

    def questions(self, ids):
        order = np.argsort(self.question_ids)
        found = np.searchsorted(self.question_ids, ids, sorter=order)
        return order[found] if len(order) else found


def _items(rows):
    """The items as a frame of categorical columns, and the names of the extra ones."""
    names = ITEM_COLUMNS + MORE_ITEM_COLUMNS
    columns = {name: _category([row[at] for row in rows]) for at, name in enumerate(names, start=1)}
    extra = list(dict.fromkeys(name for row in rows for name in row[-1]))
    for name in extra:
        columns[column_name(name)] = _category([row[-1].get(name) for row in rows])
    return pd.DataFrame(columns), [column_name(name) for name in extra]


def column_name(extra):
    """The frame's name of an extra column: "item_" before a name that is taken."""
    taken = extra in COLUMNS or extra in MORE_ITEM_COLUMNS
    return f"item_{extra}" if taken else extra


def _category(values):
    """A categorical of texts in order of appearance; None is blank."""
    texts = ["" if value is None else str(value) for value in values]
    codes, categories = pd.factorize(np.array(texts, dtype=object))
    # Without the type an empty column's categories could not be joined with texts.
    return pd.Categorical.from_codes(codes, pd.Index(categories, dtype="str"))


def _taken(column, places):
    return pd.Categorical.from_codes(column.cat.codes.to_numpy()[places], column.cat.categories)


def human_answers(study):
    """Every answer with a number that a person gave, counted or not."""
    return Rating.objects.filter(session__study=study, value__isnull=False)


def exclusions(study):
    """{session id: (rater, role, why excluded)} of all sessions; why is "" where it counts.

    Rating.objects.for_analysis() decides who counts; here and in `surplus` that gets its words,
    and a test holds them to it.
    """
    rows = Session.objects.filter(study=study)
    names = ["pk", "rater__key", "rater__role", "rater__excluded_because", "state"]
    return {
        pk: (rater, role, because or _unfinished(state))
        for pk, rater, role, because, state in rows.values_list(*names)
    }


def _unfinished(state):
    return "" if state == Session.State.COMPLETED else f"session not completed: {state}"


def surplus(study):
    """{(session id, item id)} of answers that have no place, in sessions that count."""
    answers = Rating.objects.filter(session__study=study).surplus()
    return set(answers.values_list("session_id", "item_id").distinct())


HUMAN_TYPES = [("item", "i8"), ("question", "i8"), ("session", "i8"), ("value", "f8")]


def _people(study, sessions, surplus, places):
    names = ["item_id", "question_id", "session_id", "value"]
    rows = _array(human_answers(study), names, HUMAN_TYPES)
    ids, of_session = np.unique(rows["session"], return_inverse=True)
    known = [sessions[pk] for pk in ids.tolist()] + [("", "", SURPLUS)] * bool(surplus)
    rater, role = (_taken_texts(known, at, of_session) for at in range(2))
    reason = np.where(_among(surplus, rows), len(ids), of_session)
    why = _taken_texts(known, 2, reason)
    return _table(
        places, rows, HUMAN,
        rater=rater, role=role, excluded=np.asarray(why != ""), exclusion_reason=why,
    )  # fmt: skip


def _among(pairs, rows):
    """Whether (session, item) of each row is one of few pairs."""
    if not pairs:
        return np.zeros(len(rows), dtype=bool)
    sessions, items = np.array(sorted(pairs), dtype="i8").T
    found = np.isin(rows["session"], sessions) & np.isin(rows["item"], items)
    found[found] = [(s, i) in pairs for s, i in rows[["session", "item"]][found].tolist()]
    return found


def _taken_texts(rows, at, places):
    """Column `at` of few rows, spread over many places, as a categorical."""
    column = _category([row[at] for row in rows])
    return pd.Categorical.from_codes(column.codes[places], column.categories)


def judge_of_runs(study):
    """{run id: name of its judge} of all runs: what a run settled stays, however it ended."""
    runs = Run.objects.filter(judge__study=study).order_by("pk")
    return dict(runs.values_list("pk", "judge__key"))


def judge_answers(runs):
    """The settled judgments of every judge's latest run with a value, per item and question.

    runs: {run id: judge}. A judge's settings never change between its runs, so that runs complete
    one another. Only judges with several runs are searched for newer answers.
    """
    judgments = Judgment.objects.settled().filter(run__in=list(runs))
    n_runs = Counter(runs.values())
    several = [pk for pk, judge in runs.items() if n_runs[judge] > 1]
    if not several:
        return judgments
    same = Judgment.objects.settled().filter(
        run__in=several,
        run__judge=OuterRef("run__judge"),
        item=OuterRef("item"),
        question=OuterRef("question"),
    )
    done, newer = Q(state=Judgment.State.DONE), Q(run__gt=OuterRef("run"))
    return judgments.exclude(
        Exists(same.filter(done & newer)) | (~done & Exists(same.filter(done | newer)))
    )


JUDGE_TYPES = [("run", "i8"), ("item", "i8"), ("question", "i8"), ("value", "f8"), ("why", "O")]


def _judges(runs, places, nominal):
    names = ["run_id", "item_id", "question_id", "value", "why"]
    rows = _array(judge_answers(runs).annotate(why=why_missing()), names, JUDGE_TYPES)
    rows = samples_averaged(rows, nominal)
    ids, of_run = np.unique(rows["run"], return_inverse=True)
    known = [(runs[pk], pk) for pk in ids.tolist()]
    return _table(
        places, rows, JUDGE,
        judge=_taken_texts(known, 0, of_run), run=_taken_texts(known, 1, of_run),
        missing_reason=_category(rows["why"].tolist()),
    )  # fmt: skip


def why_missing():
    """Expression: the reason of a judgment without a value, else its state in words; or ""."""
    states = [
        When(state=state, reason="", then=Value(state.label))
        for state in Judgment.State
        if state != Judgment.State.DONE
    ]
    return Case(When(state=Judgment.State.DONE, then=Value("")), *states, default=F("reason"))


def _array(queryset, names, types):
    """The rows of a queryset as a structured array, read in one query; None becomes NaN."""
    return np.fromiter(queryset.values_list(*names).iterator(chunk_size=20_000), dtype=types)


def _table(places, rows, source, **columns):
    """The part of the frame that one source fills; what it has no part in is blank."""
    blank = pd.Categorical.from_codes(
        np.zeros(len(rows), dtype=np.int8), pd.Index([""], dtype="str")
    )
    names = ["rater", "judge", "role", "run", "missing_reason", "exclusion_reason"]
    table = {
        "item_place": places.items(rows["item"]),
        "question_place": places.questions(rows["question"]),
        "source": pd.Categorical.from_codes(
            np.full(len(rows), [HUMAN, JUDGE].index(source), dtype=np.int8), [HUMAN, JUDGE]
        ),
        "value": rows["value"],
        "excluded": columns.pop("excluded", np.zeros(len(rows), dtype=bool)),
    }
    table |= {name: columns.get(name, blank) for name in names}
    return pd.DataFrame(table)
