"""Compute what a study needs, for two to five ratings an item.

make_plan(options)              a Plan: a Design for each number of ratings an item
assumed.power(m, items)         that all checks are passed, over items, for the figure
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np

from analysis.planner.options import COMPARE_SYSTEMS, ONE_END, RANGE, SHARES, PlanOptions
from analysis.stats.planning.collection import plan_collection
from analysis.stats.planning.design import (
    FLOOR,
    Targets,
    fewest_items,
    level_margin,
    plan_items,
    predict_power,
)
from analysis.stats.planning.systems import FEWEST as FEWEST_OF_A_SYSTEM
from analysis.stats.planning.systems import items_a_system, systems_power
from analysis.stats.planning.variances import (
    design_factor,
    judge_agreement,
    level_variance,
    retention_effect,
    usual_variance,
)
from analysis.stats.validation.criteria import Scale

RATINGS_AN_ITEM = (2, 3, 4, 5)
SYSTEMS = 2  # that are compared
AGREEMENT, RETENTION, KNOWN, LEVEL = "agreement", "retention", "known", "level"
SYSTEM, FEWEST = "systems", "fewest"


@dataclass(frozen=True)
class Assumed:
    """What the options say, in the numbers that statistics take."""

    options: PlanOptions

    @property
    def is_comparison(self):
        return self.options.use == COMPARE_SYSTEMS

    @property
    def judge(self):
        """Return the correlation of the judge with one rating."""
        return float(judge_agreement(self.options.rho, self.options.judge))

    @property
    def effect(self):
        """Return by how much the judge keeps more than its share; 0 or less: it does not."""
        share = SHARES[self.options.retention]
        return float(retention_effect(self.options.rho, self.judge, share))

    @property
    def may_compare(self):
        """Say whether raters agree enough, and the judge follows them, to compare systems."""
        return self.options.rho > FLOOR and self.judge > 0

    @property
    def factor(self):
        """Return by how much clusters raise the variance."""
        return float(design_factor(self.options.cluster_items))

    @property
    def scale(self):
        if self.options.scale == RANGE:
            return Scale(0, self.options.scale_range, step=None)
        return Scale(1, int(self.options.scale))

    @cached_property
    def targets(self):
        """Return what a verdict asks for, and how the items come."""
        options, variance = self.options, usual_variance(self.scale)
        return Targets(
            retention=SHARES[options.retention],
            level_margin=level_margin(self.scale, variance),
            rating_variance=variance,
            cluster_items=options.cluster_items,
            session_items=options.session_items,
            known=options.known,
            groups=options.systems,
            points=5 if options.scale == RANGE else int(options.scale),
            is_skewed=options.answers == ONE_END,
        )

    @property
    def fewest(self):
        """Return the items below which a verdict says that there are too few."""
        return SYSTEMS * FEWEST_OF_A_SYSTEM if self.is_comparison else fewest_items(self.targets)

    def items(self, m):
        """Return the items, of all systems together, that have the power asked for; else inf."""
        options = self.options
        if not self.is_comparison:
            return plan_items(options.rho, self.judge, m, options.power, self.targets).items
        if not self.may_compare:
            return inf
        margin = self.scale.system_margin
        return SYSTEMS * float(items_a_system(self._differences(m), margin, options.power))

    def power(self, m, items):
        """Return the power (items,), of all checks together; 0 below the fewest of a verdict."""
        if not self.is_comparison:
            return self.checks(m, items).joint
        if not self.may_compare:
            return np.zeros(np.shape(items))
        a_system = np.maximum(np.asarray(items) / SYSTEMS, 1)
        return systems_power(self._differences(m), a_system, self.scale.system_margin)

    def checks(self, m, items):
        """Return the Power of every check of a verdict on items."""
        return predict_power(self.options.rho, self.judge, m, items, self.targets)

    def hardest(self, m, items):
        """Return the check that is most often failed; "fewest" where a verdict needs more items."""
        if self.is_comparison:
            return SYSTEM
        if items <= self.fewest:
            return FEWEST
        power = self.checks(m, items)
        names = (AGREEMENT, RETENTION, KNOWN, LEVEL)
        return min(names, key=lambda name: float(getattr(power, name)))

    def _differences(self, m):
        """Return the variance of the judge less the mean of m ratings, with its clusters."""
        variance = usual_variance(self.scale)
        return level_variance(self.options.rho, self.judge, m, variance) * self.factor


@dataclass(frozen=True)
class Design:
    """What one number of ratings an item takes; infinite where no number of items can decide.

    items: of all systems together; power: probability that all checks pass together, NaN where
    there is no number of items; hardest: the check that is most often failed then.
    """

    raters_per_item: int
    items: float
    ratings: float
    sessions: float
    cost: float
    power: float
    hardest: str

    @property
    def is_possible(self):
        return isfinite(self.items)


@dataclass(frozen=True)
class Plan:
    """The designs that a study may choose from."""

    assumed: Assumed
    designs: list

    @property
    def cheapest(self):
        """Return the possible design that costs least, then takes fewest ratings; else None."""
        possible = [design for design in self.designs if design.is_possible]
        return min(possible, key=lambda design: (design.cost, design.ratings), default=None)

    @cached_property
    def rows(self):
        """Return the rows of the command; infinite where there is no number of items."""
        options = self.assumed.options.as_dict()
        shared = {name: options[name] for name in ("use", "rho", "judge")}
        return [
            shared
            | {
                "raters_per_item": design.raters_per_item,
                "items": _whole(design.items),
                "ratings": _whole(design.ratings),
                "sessions": _whole(design.sessions),
                "cost": design.cost,
                "power": design.power,
            }
            for design in self.designs
        ]


def make_plan(options):
    """Plan the study that the options describe, with 2, 3, 4 and 5 ratings an item."""
    assumed = Assumed(options)
    return Plan(assumed, [_design(assumed, m) for m in RATINGS_AN_ITEM])


def _design(assumed, m):
    items, options = assumed.items(m), assumed.options
    taken = plan_collection(
        items,
        m,
        session_items=options.session_items,
        item_seconds=options.item_seconds,
        hourly_pay=options.hourly_pay,
        fee=options.fee / 100,
    )
    numbers = (float(taken.ratings), float(taken.sessions), float(taken.cost))
    if not isfinite(items):
        return Design(m, items, *numbers, nan, "")
    return Design(m, items, *numbers, float(assumed.power(m, items)), assumed.hardest(m, items))


def _whole(count):
    return int(count) if count < inf else count
