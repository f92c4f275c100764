"""Price an evaluator's answers to each item, for the comparison of costs."""

from functools import cached_property

import numpy as np

from analysis.answers.spending import NOTHING, spending
from analysis.options.evaluators import EACH, JUDGE, PANEL, RATER
from analysis.reports.compare.sides import Rows, Undefined
from analysis.reports.cost.report import cost_by_item
from annotate.design.payment import USD, pay_of

ITEMS = 1000


class Prices:
    """What 1,000 items cost, by item; the calls of judges are read once."""

    def __init__(self, sides):
        self.sides, self.scores = sides, sides.scores

    @cached_property
    def spent(self):
        return spending(self.scores.answers.study, self.scores.options.version)

    def rows(self, first, other):
        """Return the Rows of both evaluators' costs, an item a row; raises Undefined as Sides."""
        scores = self.scores
        self._check_currency(first, other)
        both = [self._price(named) * ITEMS for named in (first, other)]
        everything = np.arange(len(scores.items))
        return Rows(everything, *both, np.zeros(len(everything)))

    def _price(self, named):
        """Return what the evaluator's answers to each item cost (items,); NaN where not asked."""
        if named.kind == PANEL:
            return np.sum([self._price(member) for member in named.members], axis=0)
        if named.kind == JUDGE:
            return self._of_judge(named.who)
        pay = pay_of(self.scores.answers.study)
        if pay is None:
            raise Undefined("the study does not say what a session pays (Settings)")
        a_rating = pay.amount / self.scores.answers.study.items_per_session
        if named.kind in (EACH, RATER):
            return np.full(len(self.scores.items), a_rating)
        return a_rating * self._raters_of_items(named.who)

    def _raters_of_items(self, role):
        """Count the raters of a role of each item (items,); NaN where there is none."""
        scores = self.scores
        seen = np.zeros(len(scores.items))
        for rater in scores.raters_of(role):
            seen += ~np.isnan(scores.rater(rater)).all(axis=1)
        return np.where(seen > 0, seen, np.nan)

    def _of_judge(self, name):
        """Return a judge's cost of each item; an ensemble costs what its members cost."""
        scores = self.scores
        if name in scores.ensembles:
            members = scores.ensembles[name].members
            return np.sum([self._of_judge(member) for member in members], axis=0)
        spent = self.spent.get(scores.sampled(name), NOTHING)
        if spent.unknown:
            raise Undefined(f"the cost of {name} is not known: {spent.unknown}")
        return cost_by_item(scores, spent)["cost"]

    def _check_currency(self, first, other):
        pay = pay_of(self.scores.answers.study)
        parts = [member for named in (first, other) for member in named.members or (named,)]
        kinds = {member.kind == JUDGE for member in parts}
        if pay and pay.currency != USD and len(kinds) > 1:
            raise Undefined(f"judges are paid in {USD}, people in {pay.currency}")
