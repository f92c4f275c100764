"""Lay out what two evaluators and people say of the same rows, so that nobody meets himself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.answers.scales import of_members
from analysis.options.evaluators import EACH, JUDGE, MEAN, PANEL, RATER, find_evaluator
from analysis.reports.shared.labels import LabelNotes, labels_of
from analysis.reports.shared.scores import Scores
from analysis.reports.yes_no.confusion import most_frequent
from analysis.stats.agreement.leave_one_out import mean_of_others
from analysis.stats.ensembles.combined import combined
from analysis.stats.inputs import without_rounding


class Undefined(Exception):
    """Raised with the reason why two evaluators cannot be compared on a question."""


@dataclass(frozen=True)
class Rows:
    """What is compared, by row: an item, or with “a rater” a rating.

    items (N,): the place of each row's item; first, other, people (N,): values, NaN = missing.
    """

    items: np.ndarray
    first: np.ndarray
    other: np.ndarray
    people: np.ndarray

    def kept(self, keep):
        """Return the Rows where keep (N,) is true."""
        return Rows(self.items[keep], self.first[keep], self.other[keep], self.people[keep])


class Sides:
    """The evaluators of one report: their values, and people's without their own."""

    def __init__(self, answers, options):
        self.scores, self.answers = Scores(answers, options), answers
        self._values: dict = {}

    def find(self, name):
        """Return the Named of a name that the options have checked, by whoever answered at all."""
        people = self.answers.select_source("human")
        people = people[~people["excluded"]]
        raters, roles = (sorted(people[column].unique()) for column in ("rater", "role"))
        return find_evaluator(name, self.answers.judges, raters, roles)

    @cached_property
    def labels(self):
        """Return the LabelNotes, to which `own_scale` adds panels."""
        return LabelNotes(own_scale=dict(self.scores.answers.own_scale))

    def is_measured_on_itself(self, named):
        """Return whether each rating of the reference is the evaluator, or what it has to meet."""
        reference = self.scores.options.reference
        return named.kind == EACH or (named.kind == MEAN and named.who == reference)

    def rows(self, first, other, place):
        """Return the Rows of one question; raises Undefined with the reason where there are none.

        People are the reference's mean without the ratings of both evaluators; where one is “a
        rater”, each rating is one row, and people are the others' mean; where one is the mean of
        the reference itself, it is the others' mean, and people are the rating.
        """
        scores, nominal = self.scores, self.scores.questions[place].scale.is_nominal
        inside = [named for named in (first, other) if self.is_measured_on_itself(named)]
        if len(inside) == 2:
            raise Undefined(f"{first.name} and {other.name} are not compared with the same people")
        items, values = self._pool(first, other, place)
        if not inside:
            everything = np.arange(len(scores.items))
            sides = [self.values(named, place) for named in (first, other)]
            return Rows(everything, *sides, self._summary(items, values, place))
        others = self._others(items, values, place) if nominal else mean_of_others(items, values)
        own, people = (values, others) if inside[0].kind == EACH else (others, values)
        sides = [
            own if named is inside[0] else self.values(named, place)[items]
            for named in (first, other)
        ]
        return Rows(items, *sides, people)

    def _pool(self, first, other, place):
        """Return (items, values) of the reference's ratings, without those of both evaluators."""
        scores, role = self.scores, self.scores.options.reference
        items, raters, values = scores.given(place, role)
        names = scores.raters_of(role)
        apart = {rater for named in (first, other) for rater in self._raters_in(named)}
        if not apart:
            return items, values
        stays = np.array([name not in apart for name in names], dtype=bool)[raters]
        return items[stays], values[stays]

    def _raters_in(self, named):
        """Return the raters whose ratings an evaluator is made of, but for one of the reference."""
        if named.kind == MEAN and not self.is_measured_on_itself(named):
            return self.scores.raters_of(named.who)
        return named.raters

    def _summary(self, items, values, place):
        """Return the mean of each item's ratings (items,), or the most frequent label."""
        question, n = self.scores.questions[place], len(self.scores.items)
        if question.scale.is_nominal:
            counts = _counts(items, values, question.scale, n)
            return most_frequent(counts, labels_of(question))[0]
        sizes = np.bincount(items, minlength=n)
        sums = np.bincount(items, values, minlength=n)
        means = np.divide(sums, sizes, out=np.full(n, np.nan), where=sizes > 0)
        return without_rounding(means, values, sizes)

    def _others(self, items, values, place):
        """Return for each rating the most frequent label of the item's other ratings (N,)."""
        question = self.scores.questions[place]
        counts = _counts(items, values, question.scale, len(self.scores.items))[items]
        counts[np.arange(len(values)), _places(values, question.scale)] -= 1
        return most_frequent(counts, labels_of(question))[0]

    def values(self, named, place):
        """Return an evaluator's values of one question (items,); raises Undefined as `rows`."""
        question = self.scores.questions[place]
        if named.kind == MEAN and question.scale.is_nominal:
            items, _, values = self.scores.given(place, named.who)
            return self._summary(items, values, place)
        if named.kind != PANEL:
            return self._table(named)[:, place]
        members = np.stack([self.values(member, place) for member in named.members])
        self._check_scales(named, question)
        if question.scale.is_nominal:
            return combined(members, "majority")
        return combined(members, "mean")

    def _table(self, named):
        """Return the values (items, questions) of a judge, a rater or a role's mean; read once."""
        scores = self.scores
        read = {JUDGE: scores.judge, RATER: scores.rater, MEAN: scores.role_mean}
        if named not in self._values:
            self._values[named] = read[named.kind](named.who)
        return self._values[named]

    def _check_scales(self, panel, question):
        """Note the scale of a panel's members; raises Undefined where these are on several."""
        own_scale = self.labels.own_scale
        own = [own_scale.get(m.who) if m.kind == JUDGE else None for m in panel.members]
        own = [scale if scale and scale.replaces(question.scale) else None for scale in own]
        if len(set(own)) > 1:
            raise Undefined(f"the members of {panel.name} are on different scales")
        if own[0] is not None:
            own_scale[panel.name] = of_members(own)


def _places(values, scale):
    return (values - scale.low).astype(int)


def _counts(items, values, scale, n):
    """Count how often each item got each point (n, points)."""
    size = len(scale.points)
    flat = items * size + _places(values, scale)
    return np.bincount(flat, minlength=n * size).reshape(n, size)
