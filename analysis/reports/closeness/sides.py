"""Lay out what two evaluators and people say of the same rows, so that nobody meets himself."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.answers.scales import of_members
from analysis.answers.spending import spending
from analysis.options.evaluators import EACH, JUDGE, MEAN, PANEL, find_evaluator
from analysis.reports.cost.report import cost_of
from analysis.reports.shared.labels import LabelNotes, labels_of
from analysis.reports.shared.scores import Scores
from analysis.reports.yes_no.confusion import most_frequent
from analysis.stats.agreement.leave_one_out import mean_of_others
from analysis.stats.ensembles.combined import combined
from annotate.design.payment import USD, pay_of

ITEMS = 1000  # whose costs are compared


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

    def without_gaps(self):
        """Return the Rows where nothing is missing."""
        keep = ~np.isnan([self.first, self.other, self.people]).any(axis=0)
        names = "items", "first", "other", "people"
        return replace(self, **{name: getattr(self, name)[keep] for name in names})


def find(answers, name):
    """Return the Named of a name that the options have checked, by whoever answered at all."""
    people = answers.select_source("human")
    people = people[~people["excluded"]]
    raters, roles = (sorted(people[column].unique()) for column in ("rater", "role"))
    return find_evaluator(name, answers.judges, raters, roles)


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

    def is_measured_on_itself(self, named):
        """Return whether each rating of the reference is the evaluator, or what it has to meet."""
        reference = self.scores.options.reference
        return named.kind == EACH or (named.kind == MEAN and named.who == reference)

    def prices(self, first, other):
        """Return the Rows of what 1,000 items cost with both, an item a row; raises Undefined."""
        pay, n = pay_of(self.answers.study), len(self.scores.items)
        parts = [member for named in (first, other) for member in named.members or (named,)]
        if pay and pay.currency != USD and len({member.kind == JUDGE for member in parts}) > 1:
            raise Undefined(f"judges are paid in {USD}, people in {pay.currency}")
        both = [self._price(named, pay) * ITEMS for named in (first, other)]
        return Rows(self.scores, None, np.arange(n), *both, np.zeros(n))

    def _price(self, named, pay):
        """Return what the evaluator's answers to each item cost (items,); NaN where not asked."""
        scores = self.scores
        if named.kind == PANEL:
            return np.sum([self._price(member, pay) for member in named.members], axis=0)
        if named.kind == JUDGE:
            costs, unknown = cost_of(scores, self.spent, named.who)
            for name, why in unknown.items():
                raise Undefined(f"the cost of {name} is not known: {why}")
            return costs["cost"]
        if pay is None:
            raise Undefined("the study does not say what a session pays (Settings)")
        raters = np.ones(len(scores.items))
        if named.kind == MEAN:
            own = [~np.isnan(scores.rater(rater)) for rater in scores.raters_of(named.who)]
            raters = sum((gave.any(axis=1) for gave in own), start=np.zeros(len(scores.items)))
        rate = pay.amount / scores.answers.study.items_per_session
        return rate * np.where(raters > 0, raters, np.nan)

    def rows(self, first, other, place):
        """Return the Rows of one question; raises Undefined with the reason where there are none.

        People are the reference's mean without the ratings of both evaluators; where one is “a
        rater”, each rating is one row, and people are the others' mean; where one is the mean of
        the reference itself, it is the others' mean, and people are the rating.
        """
        scores, role = self.scores, self.scores.options.reference
        question, own, without = scores.questions[place], None, set()
        inside = [named for named in (first, other) if self.is_measured_on_itself(named)]
        if len(inside) == 2:
            raise Undefined(f"{first.name} and {other.name} are not compared with the same people")
        for named in (first, other):
            is_other_mean = named.kind == MEAN and named not in inside
            without |= {*(scores.raters_of(named.who) if is_other_mean else named.raters)}
        if not inside:
            rows, people = np.arange(len(scores.items)), self._mean(place, role, without)
        else:
            rows, _, own = scores.given(place, role, without)
            if question.scale.is_nominal:
                counts = scores.label_counts(place, role, without)[rows]
                counts[np.arange(len(own)), (own - question.scale.low).astype(int)] -= 1
                people = most_frequent(counts, labels_of(question))[0]
            else:
                people = mean_of_others(rows, own)
            if inside[0].kind == MEAN:
                own, people = people, own
        sides = [
            own if named in inside else self.values(named, place)[rows] for named in (first, other)
        ]
        return Rows(scores, question, rows, *sides, people)

    def _mean(self, place, role, without=()):
        """Return the mean of each item's ratings (items,), or the most frequent label."""
        question = self.scores.questions[place]
        if question.scale.is_nominal:
            counts = self.scores.label_counts(place, role, without)
            return most_frequent(counts, labels_of(question))[0]
        return self.scores.role_mean(role, without)[:, place]

    def values(self, named, place):
        """Return an evaluator's values of one question (items,); raises Undefined as `rows`."""
        scores, question = self.scores, self.scores.questions[place]
        if named.kind == MEAN:
            return self._mean(place, named.who)
        if named.kind == PANEL:
            members = np.stack([self.values(member, place) for member in named.members])
            self._check_scales(named, question)
            return combined(members, "majority" if question.scale.is_nominal else "mean")
        if named not in self._tables:
            read = scores.judge if named.kind == JUDGE else scores.rater
            self._tables[named] = read(named.who)
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
