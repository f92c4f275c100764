"""Lay out what two evaluators and people say of the same rows, so that nobody meets himself."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.answers.scales import of_members
from analysis.answers.spending import spending
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

    question: None of costs; items (N,): the place of each row's item; first, other, people (N,):
    values, NaN = missing.
    """

    scores: Scores
    question: object
    items: np.ndarray
    first: np.ndarray
    other: np.ndarray
    people: np.ndarray

    @property
    def resampling(self):
        return self.scores.resampling(self.items)

    def counted(self, first, other, people):
        """Return the Rows with other values."""
        return replace(self, first=first, other=other, people=people)

    def without_gaps(self):
        """Return the Rows where nothing is missing."""
        columns = np.stack([self.first, self.other, self.people])
        keep = ~np.isnan(columns).any(axis=0)
        return replace(self.counted(*columns[:, keep]), items=self.items[keep])


class Sides:
    """The evaluators of one report: their values, and people's without their own.

    labels: LabelNotes, to whose own scales panels are added.
    """

    def __init__(self, answers, options):
        self.scores, self.answers = Scores(answers, options), answers
        self.labels = LabelNotes(own_scale=dict(self.scores.answers.own_scale))
        self._tables: dict = {}

    @cached_property
    def spent(self):
        """Return what each judge's calls cost, as `spending`; read once."""
        return spending(self.answers.study, self.scores.options.version)

    def find(self, name):
        """Return the Named of a name that the options have checked, by whoever answered at all."""
        people = self.answers.select_source("human")
        people = people[~people["excluded"]]
        raters, roles = (sorted(people[column].unique()) for column in ("rater", "role"))
        return find_evaluator(name, self.answers.judges, raters, roles)

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
        scores, question = self.scores, self.scores.questions[place]
        inside = [named for named in (first, other) if self.is_measured_on_itself(named)]
        if len(inside) == 2:
            raise Undefined(f"{first.name} and {other.name} are not compared with the same people")
        items, ratings = self._ratings_of_others(first, other, place)
        if not inside:
            sides = [self.values(named, place) for named in (first, other)]
            people = self._summary(items, ratings, question)
            return Rows(scores, question, np.arange(len(people)), *sides, people)
        if question.scale.is_nominal:
            counts = self._counts(items, ratings, question)[items]
            counts[np.arange(len(ratings)), (ratings - question.scale.low).astype(int)] -= 1
            others = most_frequent(counts, labels_of(question))[0]
        else:
            others = mean_of_others(items, ratings)
        own, people = (ratings, others) if inside[0].kind == EACH else (others, ratings)
        sides = [
            own if named is inside[0] else self.values(named, place)[items]
            for named in (first, other)
        ]
        return Rows(scores, question, items, *sides, people)

    def _ratings_of_others(self, first, other, place):
        """Return (items, values) of the reference's ratings, without those of both evaluators."""
        scores, role, own = self.scores, self.scores.options.reference, set()
        for named in (first, other):
            is_other_mean = named.kind == MEAN and not self.is_measured_on_itself(named)
            own |= {*(scores.raters_of(named.who) if is_other_mean else named.raters)}
        items, raters, values = scores.given(place, role)
        stays = np.array([name not in own for name in scores.raters_of(role)], dtype=bool)[raters]
        return items[stays], values[stays]

    def _summary(self, items, values, question):
        """Return the mean of each item's ratings (items,), or the most frequent label."""
        if question.scale.is_nominal:
            return most_frequent(self._counts(items, values, question), labels_of(question))[0]
        n = len(self.scores.items)
        sizes, sums = np.bincount(items, minlength=n), np.bincount(items, values, minlength=n)
        means = np.divide(sums, sizes, out=np.full(n, np.nan), where=sizes > 0)
        return without_rounding(means, values, sizes)

    def _counts(self, items, values, question):
        """Count how often each item got each point of a choice (items, points)."""
        n, size = len(self.scores.items), len(question.scale.points)
        flat = items * size + (values - question.scale.low).astype(int)
        return np.bincount(flat, minlength=n * size).reshape(n, size)

    def values(self, named, place):
        """Return an evaluator's values of one question (items,); raises Undefined as `rows`."""
        scores, question = self.scores, self.scores.questions[place]
        if named.kind == MEAN and question.scale.is_nominal:
            items, _, values = scores.given(place, named.who)
            return self._summary(items, values, question)
        if named.kind == PANEL:
            members = np.stack([self.values(member, place) for member in named.members])
            self._check_scales(named, question)
            return combined(members, "majority" if question.scale.is_nominal else "mean")
        if named not in self._tables:
            read = {JUDGE: scores.judge, RATER: scores.rater, MEAN: scores.role_mean}
            self._tables[named] = read[named.kind](named.who)
        return self._tables[named][:, place]

    def _check_scales(self, panel, question):
        """Note the scale of a panel's members; raises Undefined where these are on several."""
        own_scale = self.labels.own_scale
        own = [own_scale.get(m.who) if m.kind == JUDGE else None for m in panel.members]
        own = [scale if scale and scale.replaces(question.scale) else None for scale in own]
        if len(set(own)) > 1:
            raise Undefined(f"the members of {panel.name} are on different scales")
        if own[0] is not None:
            own_scale[panel.name] = of_members(own)
