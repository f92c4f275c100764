"""Load what factual consistency is about: explanations, their statements, their probabilities.

Each query is read once in addition to the frame: what is known of items without statement items,
the probabilities of NLI models, and the texts of the explanations.
"""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd

from annotate.files.loading.common import batches
from annotate.models import Item
from annotate.models.item import OUTDATED, WITHHELD
from judges.models import Entailment, Grain, Side, Statement
from judges.statements.counts import SIDES, StatementSets
from judges.statements.ground_truth import wrapped
from judges.statements.items import DIRECTION, EXPLANATION

FROM_FILE = "entailments.csv"
DOMAINS = ("domain", "dataset", "category")
GENERATED, REFERENCE = str(Side.GENERATED), str(Side.REFERENCE)
MATRIX = ("n_generated", "n_reference", "forward", "backward", "generated", "reference")
UNKNOWN = -1
MOST_ITEMS = 2000  # named in one query


class Beside:
    """Reads what the report needs in addition to the answers, each in one query.

    Its text changes with what is loaded.
    """

    def __init__(self, study):
        self.study = study

    def __str__(self):
        return f"load {self.study.loads}"  # the hash of the answers has the statements

    @cached_property
    def sets(self):
        return StatementSets(self.study)

    @cached_property
    def items(self):
        """Return {item: (text, whether raters practise with it)}, of statement items too."""
        rows = Item.objects.filter(study=self.study).order_by()
        return {pk: about for pk, *about in rows.values_list("pk", "text", "is_practice")}

    def statement_texts(self, pks):
        """Yield (item, side, statement as it is checked); a query for 2,000 items."""
        rows = Statement.objects.speaking(self.study).order_by()
        for some in batches(pks, MOST_ITEMS):
            for statement in rows.filter(item__in=some):
                if text := wrapped(statement.said, statement.feels, self.study.language):
                    yield statement.item_id, statement.side, text

    @cached_property
    def matrices(self):
        """Return {(evaluator, grain): {item: (n, m, forward, backward, two lists of texts)}}.

        n: how many generated statements; m: how many of the reference; the texts in this order too.
        """
        rows = Entailment.objects.counting().filter(item__study=self.study).order_by("run_id", "pk")
        matrices: dict = {}
        about = rows.values_list("run__judge__key", "grain", "item", *MATRIX)
        for judge, grain, item, *matrix in about:
            matrices.setdefault((judge or FROM_FILE, grain), {})[item] = matrix
        return matrices


@dataclass(frozen=True)
class Statements:
    """Statement items (S,), and the explanations they belong to.

    rows: their row in `items`, −1 of an item that the choice of items leaves out; places: the place
    of their explanation.
    """

    rows: np.ndarray
    places: np.ndarray
    sides: np.ndarray
    topics: np.ndarray
    sentiments: np.ndarray
    texts: np.ndarray

    def where(self, chosen):
        """Return some of the statements, by a mask or by their numbers."""
        return Statements(*(getattr(self, field.name)[chosen] for field in fields(self)))


class Explained:
    """The explanations that a report is about, (E,) of everything; `rows`: theirs in `items`.

    all_statements: their Statements; statements: those that the choice of items leaves in.
    withheld: how many statement items do not count, as a file does not tell what they say.
    ids: primary keys; features: that each should name, blank without one; pairs: codes of
    (recipient, content), within which systems are compared; is_paired: whether either is known;
    contents: their codes, −1 without; systems, domains: (names, codes, −1 without one), domains by
    the first column of DOMAINS that the items have.
    """

    def __init__(self, scores):
        self.scores, answers = scores, scores.whole
        self.beside = answers.beside or Beside(answers.study)
        self.items = self.scores.items
        statements, named = self._statements(answers)
        kinds, keys = self._column("kind"), self._column("item")
        is_one = np.isin(keys, list(set(named))) & (self._column(EXPLANATION) == "")
        is_one = (kinds == Item.Kind.EXPLANATION) | (is_one & (kinds != Item.Kind.STATEMENT))
        is_one |= self._read(kinds == Item.Kind.TEXT)
        texts = self.beside.items
        # No number is about items that raters practise with.
        is_one &= ~self._are(pk for pk, (_, is_practice) in texts.items() if is_practice)
        self.rows = rows = np.flatnonzero(is_one)
        place = {key: number for number, key in enumerate(keys[rows])}
        statements.places[:] = [place.get(name, UNKNOWN) for name in named]
        self.all_statements = statements.where(statements.places != UNKNOWN)
        self.statements = self.all_statements.where(self.all_statements.rows >= 0)
        self.ids = [self.scores.item_ids[row] for row in rows]
        self.texts = [texts[pk][0] if pk in texts else "" for pk in self.ids]
        self.features = self._column("feature")[rows]
        self.clusters, self.pairs = self.scores.clusters[rows], self.scores.pairs[rows]
        contents, recipients = (self._column(name)[rows] for name in ("content", "recipient"))
        self.is_paired = (contents != "") | (recipients != "")
        _, self.contents = _coded(contents)
        self.systems = _coded(self._column("system")[rows])
        domain = next((name for name in DOMAINS if name in self.items), DOMAINS[0])
        self.domains = _coded(self._column(domain)[rows])

    def _statements(self, answers):
        """Return (Statements without a place yet, the keys of their explanations) of all items."""
        items, ids = answers.items, np.array(answers.item_ids, dtype=np.int64)
        sides = pd.Series(_column(items, DIRECTION)).map(SIDES)
        are = (_column(items, "kind") == Item.Kind.STATEMENT) & (_column(items, OUTDATED) == "")
        are &= sides.notna().to_numpy()
        texts = self.beside.items
        withheld = are & np.isin(ids, [pk for pk, (text, _) in texts.items() if text == WITHHELD])
        self.withheld = int((withheld & (self.scores.place >= 0)).sum())
        rows = np.flatnonzero(are & ~withheld)
        about = [_column(items, name)[rows] for name in ("topic", "sentiment")]
        about.append(np.array([texts[pk][0] for pk in ids[rows]], dtype=object))
        places = self.scores.place[rows], np.zeros(len(rows), dtype=np.int64)
        statements = Statements(*places, sides.to_numpy()[rows], *about)
        return statements, _column(items, EXPLANATION)[rows]

    def _are(self, pks):
        """Return whether each item is among these primary keys."""
        return np.isin(np.array(self.scores.item_ids, dtype=np.int64), list(pks))

    def _read(self, chosen):
        """Return which of the chosen items have statements, or were compared by an NLI model."""
        beside = self.beside
        compared = {pk for rows in beside.matrices.values() for pk in rows}
        stated = {
            pk for pk in beside.sets.counts_by_item if beside.sets.count_sides(pk, {}).is_stated
        }
        return chosen & self._are(compared | stated)

    def _column(self, name):
        return _column(self.items, name)

    def __len__(self):
        return len(self.rows)

    @cached_property
    def sizes(self):
        """Return how many statements each side has (E, 2), left in or not; −1: unknown."""
        compared = {}  # {item: (generated, reference)} of what an NLI model compared, anywhere
        for (_, grain), rows in self.beside.matrices.items():
            if grain == Grain.STATEMENT:
                compared |= {item: matrix[:2] for item, matrix in rows.items()}
        compared = [compared.get(pk, (UNKNOWN, UNKNOWN)) for pk in self.ids]
        compared = np.array(compared, dtype=np.int64).reshape(-1, 2)
        return np.where(self._stated == UNKNOWN, compared, self._stated)

    @cached_property
    def _stated(self):
        """Return the sizes by the statements alone, whatever the choice of items leaves in."""
        every = self.all_statements
        counts = np.zeros((len(self), 2), dtype=np.int64)
        np.add.at(counts, (every.places, (every.sides == REFERENCE).astype(int)), 1)
        sizes, made = np.full((len(self), 2), UNKNOWN), set(every.sides)
        for place, (pk, (n, m)) in enumerate(zip(self.ids, counts.tolist(), strict=True)):
            statement_set = self.beside.sets.count_sides(pk, {GENERATED: n, REFERENCE: m}, made)
            if statement_set.sizes:
                sizes[place] = statement_set.sizes
            elif not statement_set.is_stated:  # a study may have items of one side only
                sizes[place] = n or UNKNOWN, m or UNKNOWN
        return sizes

    def is_earlier(self, place, matrix):
        """Return whether a matrix compared other statements than the explanation has now."""
        n, m, *_, generated, reference = matrix
        now, stated = self._texts_now[place], self._stated[place]
        return any((stated != UNKNOWN) & (stated != (n, m))) or any(
            now.get(side) and any(texts) and now[side] != sorted(texts)
            for side, texts in ((GENERATED, generated), (REFERENCE, reference))
        )

    @cached_property
    def _texts_now(self):
        """Return [{side: texts of its statement items, sorted}] of each explanation."""
        texts_by_place, every = [{} for _ in self.rows], self.all_statements
        for text, place, side in zip(every.texts, every.places, every.sides, strict=True):
            texts_by_place[place].setdefault(side, []).append(text)
        return [{side: sorted(texts) for side, texts in sides.items()} for sides in texts_by_place]

    @cached_property
    def statement_texts(self):
        """Return [{side: texts of its statements}] of each explanation, as far as they are known.

        The texts of its statement items; else those of runs and people, since an explanation with
        an empty side has no items; else those that an NLI model compared.
        """
        texts_by_place = [dict(sides) for sides in self._texts_now]
        lacking = [
            {
                side
                for side, n in zip((GENERATED, REFERENCE), sizes, strict=True)
                if n > 0 and side not in sides
            }
            for sizes, sides in zip(self.sizes, texts_by_place, strict=True)
        ]
        place_of = {pk: place for place, pk in enumerate(self.ids) if lacking[place]}
        for pk, side, text in self.beside.statement_texts(place_of):
            if side in lacking[place_of[pk]]:
                texts_by_place[place_of[pk]].setdefault(side, []).append(text)
        for (_, grain), rows in self.beside.matrices.items():
            for pk in place_of.keys() & rows.keys() if grain == Grain.STATEMENT else ():
                for side, texts in zip((GENERATED, REFERENCE), rows[pk][-2:], strict=True):
                    if texts and side in lacking[place_of[pk]]:
                        texts_by_place[place_of[pk]].setdefault(side, texts)
        return texts_by_place

    @property
    def are_known(self):
        """Return whether the statements of both sides are known (E,)."""
        return (self.sizes != UNKNOWN).all(axis=1)

    @property
    def is_half_known(self):
        """Return whether one side has statements and nothing is known of the other (E,)."""
        return (self.sizes == UNKNOWN).sum(axis=1) == 1

    def resampling(self):
        """Return the clusters= and counts= that the bootstrap takes for the explanations."""
        return self.scores.resampling(self.rows)

    @property
    def has_statements(self):
        """Return whether the study has any statements or matrices of these explanations."""
        pks = set(self.ids)
        kept = any(pks & matrix_of_item.keys() for matrix_of_item in self.beside.matrices.values())
        return bool(len(self.statements.rows) or kept or self.are_known.any())


def _column(items, name):
    """Return a column of a frame of items, blank if it has no such column."""
    if name not in items:
        return np.full(len(items), "", dtype=object)
    return items[name].astype(object).to_numpy()


def _coded(values):
    names = sorted({value for value in values if value})
    return names, pd.Index(names, dtype=object).get_indexer(values).astype(np.int64)
