"""Read the answers of people and judges from the database as one tidy frame.

Only here do human and automatic answers meet. `read_answers(study)` costs six queries, however
large the study is, one more where a judge is strict, one where a judge has weighted values, one
where a run flagged items and one where a question is about two lists; counting.py's
`human_answers` and judged.py's `judge_answers` are the rows behind it, which exports/tables.py
streams.
"""

import hashlib
import json
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from django.db.models import TextField, Value
from django.db.models.functions import Cast, Coalesce, NullIf

from analysis.answers.both_orders import combined, runs_with_both, ties_of
from analysis.answers.categories import category, joined, taken
from analysis.answers.counting import human_answers, who_counts
from analysis.answers.designs import held_out_of
from analysis.answers.ensembles import judges_of, weighted_names
from analysis.answers.judged import judge_answers, why_missing
from analysis.answers.row_numbers import Places
from analysis.answers.samples import samples_averaged
from analysis.answers.sums import sums
from annotate.design.splits import ALL, CHOOSE, TEST, explanation_of, split_of
from annotate.models import Item, Question
from annotate.models.rating import SURPLUS
from judges.models import Flag

HUMAN, JUDGE = "human", "judge"

# The columns of the exported scores, which exports/columns.yaml explains; the frame has those that
# reports need.
# fmt: off
COLUMNS = (
    "item", "kind", "recipient", "content", "system", "question", "source", "rater", "judge",
    "role", "run", "version", "from_file", "value", "missing_reason", "seconds", "cost_usd",
    "answered_at", "first_side", "excluded", "exclusion_reason", "weighted_value", "reason",
)
# fmt: on
# Columns of the item that are read beside the extra ones, so that they can be filtered by.
ITEM_COLUMNS = ["item", "kind", "recipient", "content", "system"]
FLAGGED = "flagged"
MORE_ITEM_COLUMNS = ["feature", "parent", "side", "position"]


@dataclass(frozen=True)
class Answers:
    """A study's answers: `table` has COLUMNS (no seconds, cost, time, reason), all of the items'.

    Ensembles have no rows in it: their values are never stored, here or in the exports.

    The categories of `item` and `question` are all items and questions in their order, so that
    their codes are row numbers of `items` and places in `questions`. `samples`: {judge: how often
    it is asked}; `held_out`: {judge: codes of the items that its examples are drawn from};
    `own_scale`: {judge: OwnScale} of those whose values are not on the question's, as BLEU's;
    `both_orders`: {judge: (pairs of lists with a verdict in both orders, of these differing)};
    `weighted`: {judge: name under which its probability-weighted values stand in the table};
    `item_ids`: primary keys of the items; `designs`: {judge: (its example, its other settings)};
    `settings`: those of the LLM judges, a dictionary each;
    `from_file`: {judge: whether its values come from a file, or no longer} where a file has such;
    `of_explanations`: {judge of explanations by their contents: (kind, its model's settings)};
    `kinds`: {judge: (its kind, what it compares texts with: the reference or the review)};
    `named`: (the judge that was named before it had judged anything, when), None without one;
    `set_aside`: names of judges that are archived or deleted: no report shows them unless it counts
    all that were ever tried; `gone`: (judge, question key) of deleted judges without answers here;
    `rating_columns`, `judgment_columns`: {column of the table: its name in the files of ratings, or
    of judgments}; a column that one of them has alone is NaN in the rows of the other;
    `beside`: what the stamp of a report's kind read, so that the report need not read it again;
    `choosing`: beside the test part's the Answers of the rest, on which things are chosen.
    """

    study: object
    table: pd.DataFrame
    items: pd.DataFrame
    questions: list
    extra_columns: list = field(default_factory=list)
    ensembles: list = field(default_factory=list)
    samples: dict = field(default_factory=dict)
    held_out: dict = field(default_factory=dict)
    own_scale: dict = field(default_factory=dict)
    both_orders: dict = field(default_factory=dict)
    weighted: dict = field(default_factory=dict)
    item_ids: list = field(default_factory=list)
    designs: dict = field(default_factory=dict)
    settings: list = field(default_factory=list)
    from_file: dict = field(default_factory=dict)
    of_explanations: dict = field(default_factory=dict)
    kinds: dict = field(default_factory=dict)
    named: tuple | None = None
    set_aside: frozenset = frozenset()
    gone: tuple = ()
    rating_columns: dict = field(default_factory=dict)
    judgment_columns: dict = field(default_factory=dict)
    beside: object = None
    choosing: "Answers | None" = None

    def select_source(self, source):
        """Return the answers of people or of judges."""
        return self.table[self.table["source"] == source]

    @property
    def answer_columns(self):
        """Return the extra columns of ratings and of judgments, as the table calls them."""
        return self.rating_columns | self.judgment_columns

    @property
    def versions(self):
        """List the questionnaire versions that have answers that count."""
        return np.unique(self.table.loc[~self.table["excluded"], "version"]).tolist()

    @property
    def judges(self):
        """List the judges with answers in the order of their runs, then the ensembles.

        Those that were set aside are left out.
        """
        table = self.select_source(JUDGE)
        names = list(table["judge"].cat.remove_unused_categories().cat.categories)
        complete = [e.name for e in self.ensembles if {*e.members} <= {*names}]
        return [name for name in (*names, *complete) if name not in self.set_aside]


def read_answers(study, version=None, part=ALL):
    """Return a study's answers, optionally of one questionnaire version or one part only."""
    return Reader(study, version, part).answers()


class Reader:
    """Read a study's small tables once; the answers and the fingerprint build on them."""

    def __init__(self, study, version=None, part=ALL):
        self.study, self.version, self.part = study, version, part

    @cached_property
    def questions(self):
        """Return the study's questions in their order."""
        return list(Question.objects.filter(study=self.study))

    @cached_property
    def item_rows(self):
        """Return the rows of the items that are in this reader's part."""
        if self.part == ALL:
            return self.every_item_row
        sides = split_of(self.study).sides(
            (key, recipient, content, parent, explanation_of(kind, data.get("explanation")))
            for _, key, kind, recipient, content, _, _, parent, *_, data in self.every_item_row
        )
        return [
            row for row, side in zip(self.every_item_row, sides, strict=True) if side == self.part
        ]

    @cached_property
    def every_item_row(self):
        """Return the rows of all items, extra columns parsed."""
        return [(*row, _extra_columns(data)) for *row, data in self.items_as_text]

    @cached_property
    def items_as_text(self):
        """Return the items, their extra columns as unparsed JSON: a kept report needs no more."""
        every = Item.objects.filter(study=self.study).order_by("pk")
        return list(
            every.values_list(
                "pk",
                "key",
                "kind",
                "recipient__key",
                "content__key",
                "system__key",
                "feature",
                "parent__key",
                "side",
                "position",
                Cast("data", TextField()),
            )
        )

    @cached_property
    def item_kinds(self):
        """Return the kinds that the study's items have, whatever the part; none is parsed."""
        return {row[2] for row in self.items_as_text}

    @cached_property
    def who_counts(self):
        """Return (sessions, surplus answers) as `counting.who_counts` does, read once."""
        return who_counts(self.study)

    @property
    def sessions(self):
        """Return {session id: (rater, role, why excluded, version)}."""
        return self.who_counts[0]

    @property
    def surplus(self):
        """Return {(session id, item id)} of answers that have no place."""
        return self.who_counts[1]

    @cached_property
    def judges(self):
        """Return the study's Judges with the runs of this version."""
        return judges_of(self.study, self.version)

    @cached_property
    def held_out(self):
        """Return {judge: ids of the items of its examples}; empty without strict judges."""
        strict = [judge for judge, (_, strict) in self.judges.asked.items() if strict]
        return held_out_of(self.study) if strict else {}

    @cached_property
    def both_orders(self):
        """Return {run id: judge} of runs in both orders; empty without a question on two lists."""
        about_lists = any(question.scale.is_about_sides for question in self.questions)
        return runs_with_both(self.study) if about_lists else {}

    @cached_property
    def weighted(self):
        """Return {judge: name of its weighted values} for judges that ask for log-probabilities."""
        judges = self.judges
        names = {*judges.runs.values(), *(ensemble.name for ensemble in judges.ensembles)}
        return weighted_names([judge for judge in judges.weighted if judge in names], names)

    @property
    def answers_of_people(self):
        """Return the answers of people that have a number, of this version."""
        every = human_answers(self.study)
        return every if self.version is None else every.filter(session__version=self.version)

    @cached_property
    def flagged(self):
        """Return primary keys of the items that a run flagged; queried only where a run did."""
        if not self.judges.flagged:
            return frozenset()
        flags = Flag.objects.filter(run__judge__study=self.study)
        return frozenset(flags.values_list("item", flat=True))

    def beside(self, part):
        """Return a reader of another part that shares the small tables already read."""
        other = copy(self)
        other.__dict__.pop("item_rows", None)
        other.part = part
        return other

    def answers(self):
        """Build the Answers: the tidy frame with everything that describes it."""
        items, extra = _items(self.item_rows, self.flagged)
        ids = [row[0] for row in self.item_rows]
        places = Places(ids, [question.pk for question in self.questions], self.part == ALL)
        people = _people(self.answers_of_people, self.sessions, self.surplus, places)
        judges, orders = self._judges(places)
        parts = [people, *judges]
        names = dict.fromkeys(name for part in parts for name in part)
        table = {
            name: joined([part[name] if name in part else _none(len(part)) for part in parts])
            for name in names
        }
        codes = table.pop("item_place").to_numpy(), table.pop("question_place").to_numpy()
        columns = {name: taken(items[name], codes[0]) for name in items.columns}
        extras = [name.removeprefix(OWN) for name in names if name.startswith(OWN)]
        own = {column_name(name, {*COLUMNS, *columns}, "answer_"): name for name in extras}
        table |= {column: table.pop(OWN + name) for column, name in own.items()}
        keys = [question.key for question in self.questions]
        columns["question"] = pd.Categorical.from_codes(codes[1], pd.Index(keys, dtype="str"))
        frame = pd.DataFrame(columns | table)
        samples = {judge: asked for judge, (asked, _) in self.judges.asked.items() if asked > 1}
        held_out = {judge: places.among(pks) for judge, pks in self.held_out.items()}
        about = self.judges
        return Answers(
            self.study,
            frame,
            items,
            self.questions,
            extra,
            about.ensembles,
            samples,
            held_out,
            own_scale=about.own,
            both_orders=orders,
            weighted=self.weighted,
            item_ids=ids,
            designs=about.designs,
            settings=about.settings,
            choosing=self.beside(CHOOSE).answers() if self.part == TEST else None,
            from_file=about.from_file,
            of_explanations=about.of_explanations,
            kinds=about.kinds,
            named=about.named,
            set_aside=frozenset(about.set_aside)
            | {self.weighted[name] for name in about.set_aside if name in self.weighted},
            gone=about.gone,
            rating_columns={new: name for new, name in own.items() if OWN + name in people},
            judgment_columns={new: name for new, name in own.items() if OWN + name in judges[0]},
        )

    def _judges(self, places):
        """Return the judges' parts of the frame, and how often the two orders disagree."""
        runs, nominal = self.judges.runs, [q.pk for q in self.questions if q.scale.is_nominal]
        rows = places.inside(_judgments(runs))
        rows, orders = combined(rows, self.both_orders, ties_of(self.questions))
        versions = self.judges.versions
        parts = [_judged(samples_averaged(rows, nominal), runs, versions, places)]
        if self.weighted:
            weighted = self.weighted
            names = {run: weighted[judge] for run, judge in runs.items() if judge in weighted}
            rows = places.inside(_judgments(runs, "weighted_value", names))
            parts.append(_judged(samples_averaged(rows, nominal), names, versions, places))
        return parts, orders

    @cached_property
    def sums(self):
        """Return counts and sums that change with every answer."""
        return sums(self.study, list(self.judges.runs))

    def fingerprint(self):
        """Return a text that changes with every answer, item, question and excluded session."""
        questions = [(question.key, question.scale_spec) for question in self.questions]
        parts = [questions, self.items_as_text, self.sessions, sorted(self.surplus), self.judges]
        parts += [self.sums, self.held_out, self.version, self.study.questionnaire_version]
        parts += [self.part, self.study.split, self.study.loads]
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _extra_columns(data):
    """Parse the JSON of a row's extra columns."""
    return {} if data == "{}" else json.loads(data)


def _items(rows, flagged=()):
    """Return the items as a frame of categorical columns, and the names of the extra ones.

    Where a run flagged items, a column FLAGGED says which, unless the study has one of that name.
    """
    names = ITEM_COLUMNS + MORE_ITEM_COLUMNS
    columns = {
        name: category([row[position] for row in rows])
        for position, name in enumerate(names, start=1)
    }
    extra = list(dict.fromkeys(name for row in rows for name in row[-1]))
    for name in extra:
        columns[column_name(name, TAKEN, "item_")] = category([row[-1].get(name) for row in rows])
    if flagged:
        columns.setdefault(FLAGGED, category(["yes" if r[0] in flagged else "no" for r in rows]))
    return pd.DataFrame(columns), [column_name(name, TAKEN, "item_") for name in extra]


TAKEN = {*COLUMNS, *MORE_ITEM_COLUMNS}


def column_name(extra, taken, before):
    """Return the frame's name of an extra column: `before` goes before a name that is taken."""
    return f"{before}{extra}" if extra in taken else extra


OWN = "own column "  # before the names of the extra columns of answers, until all parts are joined
# As they are read: a blank text where there are none, as nearly everywhere.
DATA = Coalesce(NullIf(Cast("data", TextField()), Value("{}", TextField())), Value("", TextField()))
HUMAN_TYPES = [("item", "i8"), ("question", "i8"), ("session", "i8"), ("value", "f8")]
HUMAN_TYPES += [("data", "O")]


def _people(answers, sessions, surplus, places):
    names = ["item_id", "question_id", "session_id", "value", "own"]
    rows = places.inside(_array(answers.annotate(own=DATA), names, HUMAN_TYPES))
    ids, of_session = np.unique(rows["session"], return_inverse=True)
    session_rows = [sessions[pk] for pk in ids.tolist()] + [("", "", SURPLUS, 0)] * bool(surplus)
    rater, role = (_taken_texts(session_rows, position, of_session) for position in range(2))
    reason = np.where(_among(surplus, rows), len(ids), of_session)
    why = _taken_texts(session_rows, 2, reason)
    return _table(
        places,
        rows,
        HUMAN,
        rater=rater,
        role=role,
        excluded=np.asarray(why != ""),
        exclusion_reason=why,
        version=np.array([row[3] for row in session_rows], dtype="i2")[of_session],
    )


def _among(pairs, rows):
    """Return whether each row's (session, item) is among the few given pairs."""
    if not pairs:
        return np.zeros(len(rows), dtype=bool)
    sessions, items = np.array(sorted(pairs), dtype="i8").T
    chosen = np.isin(rows["session"], sessions) & np.isin(rows["item"], items)
    chosen[chosen] = [(s, i) in pairs for s, i in rows[["session", "item"]][chosen].tolist()]
    return chosen


def _taken_texts(rows, position, places):
    """Spread the texts in one position of few rows over many places, as a categorical."""
    column = category([row[position] for row in rows])
    return pd.Categorical.from_codes(column.codes[places], column.categories)


JUDGE_TYPES = [("run", "i8"), ("item", "i8"), ("question", "i8"), ("value", "f8"), ("why", "O")]
JUDGE_TYPES += [("data", "O")]


def _judgments(runs, value="value", some=None):
    """Return the rows of these runs' answers; `some` restricts them after the latest is chosen."""
    names = ["run_id", "item_id", "question_id", value, "why", "own"]
    rows = judge_answers(runs).annotate(why=why_missing(value != "value"), own=DATA)
    return _array(rows if some is None else rows.filter(run__in=list(some)), names, JUDGE_TYPES)


def _judged(rows, runs, versions, places):
    """Build the judges' part of the frame; runs: {run: name under which its judge stands}."""
    ids, of_run = np.unique(rows["run"], return_inverse=True)
    judge_runs = [(runs[pk], pk) for pk in ids.tolist()]
    return _table(
        places,
        rows,
        JUDGE,
        judge=_taken_texts(judge_runs, 0, of_run),
        run=_taken_texts(judge_runs, 1, of_run),
        missing_reason=category(rows["why"].tolist()),
        version=np.array([versions[pk] for pk in ids.tolist()], dtype="i2")[of_run],
    )


def _array(queryset, names, types):
    """Read a queryset into a structured array, in one query; None becomes NaN."""
    return np.fromiter(queryset.values_list(*names).iterator(chunk_size=20_000), dtype=types)


def _table(places, rows, source, **columns):
    """Build the part of the frame that one source fills; columns it does not have are blank."""
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
        "version": columns.pop("version"),
        "excluded": columns.pop("excluded", np.zeros(len(rows), dtype=bool)),
    }
    table |= {name: columns.get(name, blank) for name in names}
    return pd.DataFrame(table | _own_columns(rows["data"]))


def _own_columns(texts):
    """Return {OWN + extra column: categorical} of rows, each distinct JSON parsed once."""
    codes, distinct = pd.factorize(texts)
    if not distinct.any():
        return {}
    parsed = [_extra_columns(text or "{}") for text in distinct]
    names = dict.fromkeys(name for data in parsed for name in data)
    columns = {name: category([data.get(name) for data in parsed]) for name in names}
    return {
        OWN + name: pd.Categorical.from_codes(column.codes[codes], column.categories)
        for name, column in columns.items()
    }


def _none(length):
    """Return a column of no values: its rows are of a source that has no such column."""
    return pd.Categorical.from_codes(np.full(length, -1), pd.Index([], dtype="str"))
