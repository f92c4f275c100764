"""Arrange a report's answers as arrays: items × questions for every evaluator and reference.

Rows are the items that the options leave in; columns are the study's questions; NaN is missing.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.answers.overlap import overlaps, texts_of
from analysis.options.choices import ALL
from analysis.options.common import HIDE
from analysis.reports.shared.given import Given
from analysis.stats.ensembles.combined import combined
from analysis.stats.ensembles.learned_weights import (
    learned_elsewhere,
    learned_weights,
    nothing_learned,
)
from analysis.stats.inputs import without_rounding
from analysis.stats.intervals.bootstrap import draw_counts
from annotate.models import Rater
from annotate.values.texts import as_text
from judges.models import Judge

LEARNED = Judge.Rule.LEARNED
MOST_SINGLE_RATERS = 12
SAME = 1e-12  # a judge's values that differ by less, relative to their size, differ by rounding


@dataclass(frozen=True)
class Evaluator:
    """A judge, one rater or the mean of a role, with the reference it is compared with."""

    name: str
    kind: str
    values: np.ndarray
    reference: np.ndarray
    rater: str = ""  # whose ratings stay out of the reference

    @property
    def judge(self):
        """Return the judge's name; blank for people."""
        return self.name if self.kind == "judge" else ""

    @property
    def facts(self):
        """Return whose number it is, for an Entry."""
        return {"judge": self.judge, "kind": self.kind}


class Scores:
    """Included answers as arrays.

    `items`: frame of the items left in; `place`: the row in it of each of the answers' items, −1 of
    an item left out. What an option leaves out counts in no report, as if it had never been in
    the study. `whole`: the answers before any was left out.
    """

    drawn_by = ""  # a column of items

    def __init__(self, answers, options):
        self.whole, self.answers = answers, _left_in(answers, options)
        answers = self.answers
        self.options = options
        keep = _kept(answers, options)
        self.items = answers.items[keep].reset_index(drop=True)
        self.item_ids = [pk for pk, kept in zip(answers.item_ids, keep, strict=True) if kept]
        self.questions = answers.questions
        self.place = place = np.where(keep, np.cumsum(keep) - 1, -1)
        table = answers.table[~answers.table["excluded"].to_numpy()]
        if options.weighted == HIDE and answers.weighted:
            table = table[~table["judge"].isin(answers.weighted.values()).to_numpy()]
        table = table[keep[table["item"].cat.codes.to_numpy()]]
        cells = place[table["item"].cat.codes.to_numpy()] * len(self.questions)
        cells = cells + table["question"].cat.codes.to_numpy()
        human = (table["source"] == "human").to_numpy()
        self._people = _Part(table[human], cells[human], "rater")
        self._judges = _Part(table[~human], cells[~human], "judge")
        self._learned: dict = {}
        roles = self._people.table.drop_duplicates("rater")
        self.role_of = dict(zip(roles["rater"].astype(str), roles["role"].astype(str), strict=True))

    @cached_property
    def choosing(self):
        """Return the Scores of the choose part, if these are of the test part; else None."""
        return self.answers.choosing and Scores(self.answers.choosing, self.options)

    def takes(self, data, columns):
        """Return whether the conditions leave in an answer with these extra columns.

        columns: the answers' `rating_columns` or `judgment_columns`. For what is read beside them.
        """
        return all(
            (as_text(data.get(columns[column])) == value) == is_wanted
            for column, value, is_wanted in _conditions(self.options)
            if column in columns
        )

    @property
    def shape(self):
        """Return (items, questions), the shape of an evaluator's values."""
        return len(self.items), len(self.questions)

    @cached_property
    def item_ranks(self):
        """Return each item's place by its key (items,), so that no draw depends on their order."""
        return np.argsort(np.argsort(self.items["item"].astype(str).to_numpy()))

    @property
    def raters(self):
        """Return the names of the raters with included ratings, sorted."""
        return sorted(self.role_of)

    @property
    def judges(self):
        """Return the names of chosen judges with settled judgments, by run; then of ensembles.

        Judges that were set aside are never among them.
        """
        chosen, set_aside = self.options.judges, self.answers.set_aside
        kept = [name for name in self.every_judge if name not in set_aside]
        return [name for name in kept if not chosen or name in chosen]

    @property
    def every_judge(self):
        """Return the names of all judges and ensembles, also of those that were set aside."""
        return [*self._judges.names, *self.ensembles]

    @cached_property
    def ensembles(self):
        """Return {name: Ensemble} of those whose members all have settled judgments."""
        names = set(self._judges.names)
        return {
            ensemble.name: ensemble
            for ensemble in self.answers.ensembles
            if {*ensemble.members} <= names
        }

    @property
    def roles(self):
        """Return the roles with included ratings, in the order of Rater.Role."""
        return [role for role in Rater.Role.values if role in self.role_of.values()]

    def raters_of(self, role, without=()):
        """Return the names of the raters of a role, or of all, but for some."""
        own = [rater for rater in self.raters if role in (ALL, self.role_of[rater])]
        return [rater for rater in own if rater not in without]

    def rater(self, name):
        """Return one rater's ratings (items, questions)."""
        return _means(*self._people.answers_of(name), self.shape)

    def judge(self, name):
        """Return one judge's values (items, questions), filled in where the options ask for it.

        What the judge was never asked stays missing, whatever the options say.
        """
        if name in self.ensembles:
            return self._combined(name, self.judge)
        values, filled = self.unfilled(name), self.options.missing_judgment
        if filled is not None:
            values = np.where(self._gaps(values) & self._asked(name), filled, values)
        return self.apart(name, values)

    def unfilled(self, name):
        """Return one judge's values (items, questions), with its gaps."""
        if name in self.ensembles:
            return self._combined(name, self.unfilled)
        return self.apart(name, _tied(_means(*self._judges.answers_of(name), self.shape)))

    def answered(self, name):
        """Return the places of the questions that a judge has values of, nothing filled in."""
        return np.flatnonzero(~np.isnan(self.unfilled(name)).all(axis=0))

    def held_out(self, name):
        """Return whether a judge's examples are drawn from each item (items,).

        For an ensemble: those of any member. There it is not compared with anybody, and nothing is
        filled in.
        """
        members = self.ensembles[name].members if name in self.ensembles else [self.sampled(name)]
        codes = [code for member in members for code in self.answers.held_out.get(member, [])]
        places = self.place[np.array(codes, dtype=np.intp)]
        is_held_out = np.zeros(len(self.items), dtype=bool)
        is_held_out[places[places >= 0]] = True
        return is_held_out

    def sampled(self, name):
        """Map a weighted-score name back to its judge's name; leave any other name as it is."""
        sampled = {weighted: judge for judge, weighted in self.answers.weighted.items()}
        return sampled.get(name, name)

    def apart(self, name, values):
        """Blank the values (items, …) of the items that the judge's examples are drawn from."""
        held_out = self.held_out(name)
        return np.where(held_out[:, None], np.nan, values) if held_out.any() else values

    def _combined(self, name, values_of):
        """Return an ensemble's values (items, questions): NaN where a member's is."""
        ensemble = self.ensembles[name]
        members = np.stack([values_of(member) for member in ensemble.members])
        if ensemble.rule == LEARNED:
            values = np.stack([learned.values for learned in self.learned(name, values_of)], axis=1)
        else:
            values = combined(members, ensemble.rule)
        nominal = [question.scale.is_nominal for question in self.questions]
        values[:, nominal] = combined(members[:, :, nominal], "majority")
        return values

    def learned(self, name, values_of=None):
        """Return the Learned of each question, of an ensemble with learned weights."""
        values_of = values_of or self.judge
        key = name, values_of.__name__
        if key not in self._learned:
            learn = self._learned_elsewhere if self.choosing else self._learned_here
            self._learned[key] = [learn(*key, place) for place in range(len(self.questions))]
        return self._learned[key]

    def _to_learn_from(self, name, values_of, place):
        """Return members' values (members, items), ratings (items,) and clusters (items,)."""
        values = getattr(self, values_of)
        members = [values(member)[:, place] for member in self.ensembles[name].members]
        return np.stack(members), self.role_mean(self.options.reference)[:, place], self.clusters

    def _learned_here(self, name, values_of, place):
        rng = np.random.default_rng(self.options.seed)
        return learned_weights(*self._to_learn_from(name, values_of, place), rng)

    def _learned_elsewhere(self, name, values_of, place):
        """Apply the weights of the choose part; none if a member has no value there."""
        members, *_ = self._to_learn_from(name, values_of, place)
        others = self.choosing
        if name not in others.ensembles:
            return nothing_learned(members, "the choose part lacks a member")
        return learned_elsewhere(*others._to_learn_from(name, values_of, place), members)

    def judge_gaps(self, name):
        """Count (missing, of these never asked) over all items and the questions of their kind."""
        members = self.ensembles[name].members if name in self.ensembles else [name]
        asked = np.all([self._asked(member) for member in members], axis=0)
        gaps = self._gaps(self.unfilled(name)) & ~self.held_out(name)[:, None]
        return int(gaps.sum()), int((gaps & ~asked).sum())

    def _asked(self, name):
        asked = np.zeros(self.shape, dtype=bool)
        asked.flat[self._judges.answers_of(name)[0]] = True
        return asked

    def _gaps(self, values):
        return np.isnan(values) & self.applies

    def reference(self, without=None):
        """Return the reference role's mean included ratings (items, questions), filled or NaN.

        without: a rater whose own ratings stay out. Then nothing is filled in: an item that only
        this rater rated has a reference, which cannot be compared with itself.
        """
        filled = self.options.missing_reference
        mean = self.role_mean(self.options.reference, {without})
        return mean if filled is None or without else np.where(self._gaps(mean), filled, mean)

    def role_mean(self, role, without=()):
        """Return the mean of the included ratings of a role, or of all (items, questions).

        without: raters whose ratings stay out, here and in what follows.
        """
        return _means(*self._people.answers_of(*self.raters_of(role, without)), self.shape)

    def narrow(self, place, role):
        """Return the ratings of `ratings` as a Given, small where there are hundreds of raters."""
        return Given.from_ratings(*self.given(place, role), len(self.items))

    def ratings(self, place, role):
        """Return the ratings of one question by the raters of a role (items, raters)."""
        columns = np.full((len(self.items), len(self.raters_of(role))), np.nan)
        items, raters, values = self.given(place, role)
        columns[items, raters] = values
        return columns

    def given(self, place, role, without=()):
        """Return (item, rater, value) of one question's ratings by the raters of a role, as arrays.

        Items by their place in `items`, raters by theirs in `raters_of(role, without)`.
        """
        parts = [self._of_question(place, name) for name in self.raters_of(role, without)]
        sizes = np.array([len(cells) for cells, _ in parts], dtype=np.intp)
        raters = np.repeat(np.arange(len(parts)), sizes)
        cells = [cells for cells, _ in parts] or [np.empty(0, dtype=np.intp)]
        values = [values for _, values in parts] or [np.empty(0)]
        return np.concatenate(cells), raters, np.concatenate(values)

    def label_counts(self, place, role, without=()):
        """Count how many raters of a role gave each point of a choice (items, points)."""
        scale = self.questions[place].scale
        cells, values = self._of_question(place, *self.raters_of(role, without))
        flat = cells * len(scale.points) + (values - scale.low).astype(int)
        counts = np.bincount(flat, minlength=len(self.items) * len(scale.points))
        return counts.reshape(len(self.items), len(scale.points))

    def _of_question(self, place, *raters):
        cells, values = self._people.answers_of(*raters)
        chosen = cells % len(self.questions) == place
        return cells[chosen] // len(self.questions), values[chosen]

    @cached_property
    def applies(self):
        """Return whether each question is asked of each item's kind (items, questions)."""
        kinds = self.items["kind"]
        columns = [
            np.asarray(kinds.isin(question.applies_to or kinds.cat.categories))
            for question in self.questions
        ]
        return np.stack(columns, axis=1) if columns else np.ones(self.shape, dtype=bool)

    def codes(self, column):
        """Return the code of each item's value in a column (items,); -1 where it is blank."""
        return _codes(self.items[column])

    @cached_property
    def recipients(self):
        """Return the recipient code of each item; -1 without a recipient."""
        return _codes(self.items["recipient"])

    @cached_property
    def systems(self):
        """Return the system code of each item; -1 without a system."""
        return _codes(self.items["system"])

    @cached_property
    def overlaps(self):
        """Return ROUGE-1 of each item's text with its reference; None without references."""
        keys = self.items["item"].astype(str).to_numpy()
        return overlaps(self.texts, keys, self.answers.study.language)

    @cached_property
    def texts(self):
        """Return {item: (its text, its reference)} of the study."""
        return texts_of(self.answers.study)

    @cached_property
    def pairs(self):
        """Return the code of each item's (recipient, content); a blank is a value of its own."""
        return pd.factorize(
            pd.MultiIndex.from_arrays([_all_codes(self.items[c]) for c in ("recipient", "content")])
        )[0]

    @cached_property
    def clusters(self):
        """Return each item's cluster, for the bootstrap: its recipient, else content, else itself.

        Before these comes its value of the column `drawn_by`, where a report has set one.
        """
        return self._clusters_by(
            [*([self.drawn_by] if self.drawn_by else []), "recipient", "content"]
        )

    @cached_property
    def content_clusters(self):
        """Return each item's cluster where systems are compared: its content, else its recipient.

        An item without both is a cluster of its own.
        """
        return self._clusters_by(["content", "recipient"])

    def _clusters_by(self, columns):
        codes = [_codes(self.items[name]) for name in columns]
        has = [code >= 0 for code in codes]
        kind = np.select(has, [*range(len(has))], len(has))
        code = np.select(has, codes, np.arange(len(self.items)))
        return pd.factorize(pd.MultiIndex.from_arrays([kind, code]))[0]

    @cached_property
    def counts(self):
        """Return the bootstrap's draws, shared by a report's numbers; None without intervals."""
        if not self.options.draws or not len(self.items):
            return None
        rng = np.random.default_rng(self.options.seed)
        return draw_counts(int(self.clusters.max()) + 1, self.options.draws, rng)

    def resampling(self, rows=slice(None)):
        """Return the clusters= and counts= for a statistic of the items `rows`."""
        if self.counts is None:
            return {}
        return {"clusters": self.clusters[rows], "counts": self.counts}


class _Part:
    """One source's rows sorted by rater or judge, so that each has a contiguous slice."""

    def __init__(self, table, cells, who):
        codes = table[who].cat.codes.to_numpy()
        order = np.argsort(codes, kind="stable")
        self.table = table
        self.cells, self.values = cells[order], table["value"].to_numpy()[order]
        present, starts = np.unique(codes[order], return_index=True)
        stops = np.append(starts[1:], len(codes))[: len(starts)]
        categories = table[who].cat.categories
        self.slices = {
            str(categories[code]): slice(start, stop)
            for code, start, stop in zip(present, starts, stops, strict=True)
        }

    @property
    def names(self):
        return list(self.slices)

    def answers_of(self, *names):
        """Return the cells and values of these raters or judges."""
        parts = [self.slices[name] for name in names if name in self.slices]
        if not parts:
            return self.cells[:0], self.values[:0]
        if len(parts) == len(self.slices):
            return self.cells, self.values
        cells = np.concatenate([self.cells[part] for part in parts])
        return cells, np.concatenate([self.values[part] for part in parts])


def _left_in(answers, options):
    """Leave out answers by their own columns; a source without such a column keeps its answers."""
    table = answers.table
    keep = np.ones(len(table), dtype=bool)
    for column, value, is_wanted in _conditions(options):
        if column in answers.answer_columns:
            cells = table[column]
            keep &= (cells.isna() | ((cells == value) == is_wanted)).to_numpy()
    return answers if keep.all() else replace(answers, table=table[keep])


def _kept(answers, options):
    """Return which items the conditions on items leave in."""
    keep = np.ones(len(answers.items), dtype=bool)
    for column, value, is_wanted in _conditions(options):
        if column not in answers.answer_columns:
            keep &= _has(answers.items, column, value) == is_wanted
    return keep


def _conditions(options):
    """Return (column, value, whether it is wanted) of every condition."""
    pairs = (options.only, True), (options.exclude, False)
    return [(*pair, is_wanted) for conditions, is_wanted in pairs for pair in conditions]


def _has(items, column, value):
    """Return which items have the value; without the column every item has ""."""
    if column not in items:
        return np.full(len(items), value == "")
    return (items[column] == value).to_numpy()


def _means(cells, values, shape):
    """Return the mean of the values in each cell (items, questions); NaN where there is none.

    Means of decimals are rounded, so that equal ones tie.
    """
    defined = ~np.isnan(values)
    size = shape[0] * shape[1]
    sums = np.bincount(cells[defined], values[defined], minlength=size)
    counts = np.bincount(cells[defined], minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0).reshape(shape)
    counts, values = counts.reshape(shape), values[defined]
    question = cells[defined] % shape[1] if len(values) else cells[:0]
    for place in np.unique(question[values != np.floor(values)]):
        means[:, place] = without_rounding(
            means[:, place], values[question == place], counts[:, place]
        )
    return means


def _tied(values):
    """Make values equal that differ by rounding alone.

    2pr / (p + r) is .05 in two ways, which must tie in ranks and share a bin.
    """
    if (np.isnan(values) | (values == np.floor(values))).all():
        return values
    distinct, places = np.unique(values, return_inverse=True)
    apart = np.diff(distinct, prepend=-np.inf) > SAME * np.abs(distinct)
    first = np.maximum.accumulate(np.where(apart, np.arange(len(distinct)), 0))
    first = np.where(np.isnan(distinct), np.arange(len(distinct)), first)
    return distinct[first][places].reshape(values.shape)


def _all_codes(column):
    return column.cat.codes.to_numpy()


def _codes(column):
    """Return category codes; -1 for blank."""
    codes = _all_codes(column).astype(np.int64)
    blank = column.cat.categories == ""
    return np.where(np.isin(codes, np.flatnonzero(blank)), -1, codes)
