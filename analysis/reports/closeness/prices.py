"""Price an evaluator's answers to each item, for the comparison of costs."""

import numpy as np

from analysis.answers.spending import NOTHING
from analysis.options.evaluators import EACH, JUDGE, PANEL, RATER
from analysis.reports.closeness.sides import Rows, Undefined
from analysis.reports.cost.report import cost_by_item
from annotate.design.payment import USD, pay_of

ITEMS = 1000


def price_rows(sides, first, other):
    """Return the Rows of what 1,000 items cost with both, an item a row; raises Undefined."""
    pay, n = pay_of(sides.answers.study), len(sides.scores.items)
    parts = [member for named in (first, other) for member in named.members or (named,)]
    if pay and pay.currency != USD and len({member.kind == JUDGE for member in parts}) > 1:
        raise Undefined(f"judges are paid in {USD}, people in {pay.currency}")
    both = [_price(sides, named, pay) * ITEMS for named in (first, other)]
    return Rows(sides.scores, None, np.arange(n), *both, np.zeros(n))


def _price(sides, named, pay):
    """Return what the evaluator's answers to each item cost (items,); NaN where not asked."""
    if named.kind == PANEL:
        return np.sum([_price(sides, member, pay) for member in named.members], axis=0)
    if named.kind == JUDGE:
        return _of_judge(sides, named.who)
    scores = sides.scores
    if pay is None:
        raise Undefined("the study does not say what a session pays (Settings)")
    a_rating = pay.amount / scores.answers.study.items_per_session
    if named.kind in (EACH, RATER):
        return np.full(len(scores.items), a_rating)
    given = [~np.isnan(scores.rater(rater)).all(axis=1) for rater in scores.raters_of(named.who)]
    raters = sum(given, start=np.zeros(len(scores.items)))
    return a_rating * np.where(raters > 0, raters, np.nan)


def _of_judge(sides, name):
    """Return a judge's cost of each item; an ensemble costs what its members cost."""
    scores = sides.scores
    if name in scores.ensembles:
        members = scores.ensembles[name].members
        return np.sum([_of_judge(sides, member) for member in members], axis=0)
    spent = sides.spent.get(scores.sampled(name), NOTHING)
    if spent.unknown:
        raise Undefined(f"the cost of {name} is not known: {spent.unknown}")
    return cost_by_item(scores, spent)["cost"]
