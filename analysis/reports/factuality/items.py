"""What the report on factual consistency is about: explanations, their statements, their values.

Reads beside the frame, each in one query: what is known of items without statement items, the
probabilities of NLI models, and the texts of the explanations.
"""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd
from django.db.models import CharField, Value

from analysis.reports.shared.scores import Scores
from annotate.files.loading.common import batches
from annotate.models import Item
from annotate.models.item import OUTDATED, WITHHELD
from judges.models import Entailment, Extraction, Grain, Side, Statement
from judges.statements.counts import SIDES, StatementSets
from judges.statements.ground_truth import wrapped
from judges.statements.items import DIRECTION, EXPLANATION

FROM_FILE = "entailments.csv"
DOMAINS = ("domain", "dataset", "category")
GENERATED, REFERENCE = str(Side.GENERATED), str(Side.REFERENCE)
UNKNOWN = -1
MOST_ITEMS = 2000  # named in one query
STATEMENTS, READ, MATRICES = "statements", "read", "matrices"


class Beside:
    """What is read beside the answers, each in one query. Its text changes with what is loaded."""

    def __init__(self, study):
        self.study = study

    def __str__(self):
        return f"load {self.study.loads}"  # the hash of the answers has the statements

    @cached_property
    def _there(self):
        """Which of statements, sides read and matrices there are, in one query."""
        first, *more = (
            model.objects.filter(item__study=self.study)
            .order_by()
            .values_list(Value(name, CharField()))
            .distinct()
            for model, name in ((Statement, STATEMENTS), (Extraction, READ), (Entailment, MATRICES))
        )
        return {name for (name,) in first.union(*more)}

    @cached_property
    def sets(self):
        return StatementSets(self.study if {STATEMENTS, READ} & self._there else None)

    @cached_property
    def _texts_and_practice(self):
        items = Item.objects.filter(study=self.study).order_by()
        return list(items.values_list("pk", "text", "is_practice"))

    @cached_property
    def practice(self):
        """The items that raters practise with, which no number is about."""
        return {pk for pk, _, is_practice in self._texts_and_practice if is_practice}

    @cached_property
    def withheld(self):
        """The items of a file whose study withheld what they say: nobody here can tell what."""
        return {pk for pk, text, _ in self._texts_and_practice if text == WITHHELD}

    @cached_property
    def texts(self):
        """{item: text}, of statement items too."""
        return {pk: text for pk, text, _ in self._texts_and_practice}

    def said(self, pks):
        """(item, side, statement as it is checked) of these items; a query for 2,000 of them."""
        rows = Statement.objects.speaking(self.study).order_by()
        for some in batches(pks, MOST_ITEMS):
            for one in rows.filter(item__in=some):
                if text := wrapped(one.said, one.feels, self.study.language):
                    yield one.item_id, one.side, text

    @cached_property
    def matrices(self):
        """{(evaluator, grain): {item: (generated, reference, forward, backward, their texts)}}"""
        if MATRICES not in self._there:
            return {}
        rows = Entailment.objects.counting().filter(item__study=self.study).order_by("run_id", "pk")
        found: dict = {}
        for judge, grain, item, *matrix in rows.values_list(
            "run__judge__key",
            "grain",
            "item",
            "n_generated",
            "n_reference",
            "forward",
            "backward",
            "generated",
            "reference",
        ):
            found.setdefault((judge or FROM_FILE, grain), {})[item] = matrix
        return found


@dataclass(frozen=True)
class Statements:
    """Statement items (S,): their row in `items`, −1 of one that the choice of items leaves out;
    the place of their explanation; what they are and say.
    """

    rows: np.ndarray
    places: np.ndarray
    sides: np.ndarray
    topics: np.ndarray
    sentiments: np.ndarray
    texts: np.ndarray

    def where(self, chosen):
        """Some of them, by a mask or by their numbers."""
        return Statements(*(getattr(self, one.name)[chosen] for one in fields(self)))


class Explained:
    """The explanations that a report is about, (E,) of everything; `rows`: theirs in `items`.

    all_statements: their Statements; statements: those that the choice of items leaves in.
    withheld: how many statement items do not count, as a file does not tell what they say.
    """

    def __init__(self, answers, options):
        self.scores = Scores(answers, options)
        self.beside = answers.beside or Beside(answers.study)
        self.items = self.scores.items
        found, named = self._statements(answers)
        kinds, keys = self._column("kind"), self._column("item")
        is_one = np.isin(keys, list(set(named))) & (self._column(EXPLANATION) == "")
        is_one = (kinds == Item.Kind.EXPLANATION) | (is_one & (kinds != Item.Kind.STATEMENT))
        is_one |= self._read(kinds == Item.Kind.TEXT)
        self.rows = np.flatnonzero(is_one & ~self._are(self.beside.practice))
        place = {key: at for at, key in enumerate(keys[self.rows])}
        found.places[:] = [place.get(name, UNKNOWN) for name in named]
        self.all_statements = found.where(found.places != UNKNOWN)
        self.statements = self.all_statements.where(self.all_statements.rows >= 0)

    def _statements(self, answers):
        """(Statements without a place yet, the keys of their explanations) of a study's items."""
        items, ids = answers.items, np.array(answers.item_ids, dtype=np.int64)
        sides = pd.Series(_column(items, DIRECTION)).map(SIDES)
        are = (_column(items, "kind") == Item.Kind.STATEMENT) & (_column(items, OUTDATED) == "")
        are &= sides.notna().to_numpy()
        withheld = are & np.isin(ids, list(self.beside.withheld))
        self.withheld = int((withheld & (self.scores.place >= 0)).sum())
        at = np.flatnonzero(are & ~withheld)
        about = [_column(items, name)[at] for name in ("topic", "sentiment")]
        texts = np.array([self.beside.texts[pk] for pk in ids[at]], dtype=object)
        found = Statements(
            self.scores.place[at],
            np.zeros(len(at), dtype=np.int64),
            sides.to_numpy()[at],
            *about,
            texts,
        )
        return found, _column(items, EXPLANATION)[at]

    def _are(self, pks):
        """Whether each item is one of these."""
        return np.isin(np.array(self.scores.item_ids, dtype=np.int64), list(pks))

    def _read(self, chosen):
        """Which of the chosen items have statements, or were compared by an NLI model."""
        beside = self.beside
        compared = {pk for rows in beside.matrices.values() for pk in rows}
        stated = {pk for pk in beside.sets.found if beside.sets.of(pk, {}).is_stated}
        return chosen & self._are(compared | stated)

    def _column(self, name):
        return _column(self.items, name)

    def __len__(self):
        return len(self.rows)

    @cached_property
    def ids(self):
        return [self.scores.item_ids[row] for row in self.rows]

    @cached_property
    def sizes(self):
        """How many statements the sides of each have (E, 2), left in or not; −1: unknown."""
        compared = [self._of_matrices.get(pk, (UNKNOWN, UNKNOWN)) for pk in self.ids]
        compared = np.array(compared, dtype=np.int64).reshape(-1, 2)
        return np.where(self._stated == UNKNOWN, compared, self._stated)

    @cached_property
    def _stated(self):
        """The same by the statements alone, whatever the choice of items leaves of them."""
        every = self.all_statements
        counts = np.zeros((len(self), 2), dtype=np.int64)
        np.add.at(counts, (every.places, (every.sides == REFERENCE).astype(int)), 1)
        found, made = np.full((len(self), 2), UNKNOWN), set(every.sides)
        for at, (pk, (n, m)) in enumerate(zip(self.ids, counts.tolist(), strict=True)):
            known = self.beside.sets.of(pk, {GENERATED: n, REFERENCE: m}, made)
            if known.sizes:
                found[at] = known.sizes
            elif not known.is_stated:  # a study may have items of one side only
                found[at] = n or UNKNOWN, m or UNKNOWN
        return found

    def is_earlier(self, at, matrix):
        """Whether a matrix of statements is of others than the explanation has now."""
        n, m, *_, generated, reference = matrix
        now, stated = self._texts_now[at], self._stated[at]
        return any((stated != UNKNOWN) & (stated != (n, m))) or any(
            now.get(side) and any(texts) and now[side] != sorted(texts)
            for side, texts in ((GENERATED, generated), (REFERENCE, reference))
        )

    @cached_property
    def _texts_now(self):
        """[{side: texts of its statement items, by the alphabet}] of each."""
        found, every = [{} for _ in self.rows], self.all_statements
        for text, place, side in zip(every.texts, every.places, every.sides, strict=True):
            found[place].setdefault(side, []).append(text)
        return [{side: sorted(texts) for side, texts in sides.items()} for sides in found]

    @cached_property
    def said(self):
        """[{side: texts of its statements}] of each, as far as they are known.

        Those of its statement items; else of runs and people, since an explanation with an empty
        side has none; else as an NLI model saw them.
        """
        found = [dict(sides) for sides in self._texts_now]
        lacking = [
            {
                side
                for side, n in zip((GENERATED, REFERENCE), sizes, strict=True)
                if n > 0 and side not in sides
            }
            for sizes, sides in zip(self.sizes, found, strict=True)
        ]
        at_of = {pk: at for at, pk in enumerate(self.ids) if lacking[at]}
        for pk, side, text in self.beside.said(at_of):
            if side in lacking[at_of[pk]]:
                found[at_of[pk]].setdefault(side, []).append(text)
        for (_, grain), rows in self.beside.matrices.items():
            for pk in at_of.keys() & rows.keys() if grain == Grain.STATEMENT else ():
                for side, texts in zip((GENERATED, REFERENCE), rows[pk][-2:], strict=True):
                    if texts and side in lacking[at_of[pk]]:
                        found[at_of[pk]].setdefault(side, texts)
        return found

    @cached_property
    def _of_matrices(self):
        """{item: (generated, reference)} of what an NLI model compared, wherever that was."""
        return {
            item: matrix[:2]
            for (_, grain), rows in self.beside.matrices.items()
            if grain == Grain.STATEMENT
            for item, matrix in rows.items()
        }

    @property
    def are_known(self):
        """Whether the statements of both sides are known (E,)."""
        return (self.sizes != UNKNOWN).all(axis=1)

    @property
    def is_half_known(self):
        """Whether one side has statements and nothing is known of the other (E,)."""
        return (self.sizes == UNKNOWN).sum(axis=1) == 1

    @cached_property
    def clusters(self):
        return self.scores.clusters[self.rows]

    def resampling(self):
        return self.scores.resampling(self.rows)

    @cached_property
    def pairs(self):
        """Code of (recipient, content) (E,), within which systems are compared."""
        return self.scores.pairs[self.rows]

    @cached_property
    def contents(self):
        """Code of the content of each (E,), −1 without one."""
        return _coded(self._column("content")[self.rows])[1]

    @cached_property
    def is_paired(self):
        """Whether anything is known of recipient or content of each (E,)."""
        known = [self._column(name)[self.rows] != "" for name in ("recipient", "content")]
        return np.logical_or(*known)

    @cached_property
    def systems(self):
        """(names, code of each (E,), −1 without a system)."""
        return _coded(self._column("system")[self.rows])

    @cached_property
    def domains(self):
        """The same of the column DOMAINS that the items have; no names where they have none."""
        for name in DOMAINS:
            if name in self.items:
                return _coded(self._column(name)[self.rows])
        return [], np.full(len(self), -1)

    @cached_property
    def texts(self):
        return [self.beside.texts.get(pk, "") for pk in self.ids]

    @cached_property
    def features(self):
        return self._column("feature")[self.rows]

    @property
    def has_statements(self):
        """Whether anything of factual consistency is there to be told."""
        pks = set(self.ids)
        kept = any(pks & found.keys() for found in self.beside.matrices.values())
        return bool(len(self.statements.rows) or kept or self.are_known.any())


def _column(items, name):
    """A column of a frame of items, blank where it has none."""
    if name not in items:
        return np.full(len(items), "", dtype=object)
    return items[name].astype(object).to_numpy()


def _coded(values):
    names = sorted({value for value in values if value})
    return names, pd.Index(names, dtype=object).get_indexer(values).astype(np.int64)
