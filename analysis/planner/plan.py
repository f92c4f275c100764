"""Compute what a study needs, for two to five ratings an item.

make_plan(options)              a Plan: a Design for each number of ratings an item
curve(options, m, items)        power over items, for the figure
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np

from analysis.planner.options import COMPARE_SYSTEMS, RANGE, SHARES, PlanOptions
from analysis.stats.planning.collection import plan_collection
from analysis.stats.planning.design import (
    FEWEST_CLUSTERS,
    FEWEST_ITEMS,
    FLOOR,
    Targets,
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
AGREEMENT, RETENTION, LEVEL, SYSTEM, FEWEST = "agreement", "retention", "level", "systems", "fewest"


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
    def share(self):
        """Return the share of a rater's agreement that the judge has to keep."""
        return SHARES[self.options.retention]

    @property
    def effect(self):
        """Return by how much the judge keeps more than that share; 0 or less: it does not."""
        return float(retention_effect(self.options.rho, self.judge, self.share))

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

    @property
    def rating_variance(self):
        """Return the variance of one rating; of other ranges as on five points, in proportion."""
        return usual_variance(self.scale)

    def difference_variance(self, m):
        """Return the variance of the judge less the mean of m ratings."""
        return level_variance(self.options.rho, self.judge, m, self.rating_variance)

    def targets(self, m):
        """Return what a verdict on m ratings an item asks for."""
        return Targets(
            retention=self.share,
            level_margin=self.scale.level_margin,
            level_variance=self.difference_variance(m),
            factor=self.factor,
            cluster_items=self.options.cluster_items,
        )


@dataclass(frozen=True)
class Design:
    """What one number of ratings an item takes; infinite where no number of items can decide.

    needs: {check: items that it needs}; items: of all systems together; power: least probability
    that all checks pass together, NaN where there is no number of items.
    """

    raters_per_item: int
    needs: dict
    items: float
    ratings: float
    sessions: float
    cost: float
    power: float

    @property
    def is_possible(self):
        return isfinite(self.items)

    @property
    def deciding(self):
        """Return the check that needs most items; "fewest" where a verdict needs more itself."""
        check = max(self.needs, key=self.needs.get)
        return check if self.needs[check] >= self.items else FEWEST


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
        """Return the rows of command and API; infinite where there is no number of items."""
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
    m = np.array(RATINGS_AN_ITEM)
    needs = _needs_of_systems(assumed, m) if assumed.is_comparison else _needs_of_items(assumed, m)
    items = needs.pop("items")
    collection = plan_collection(
        items,
        m,
        session_items=options.session_items,
        item_seconds=options.item_seconds,
        hourly_pay=options.hourly_pay,
        fee=options.fee / 100,
    )
    columns = zip(
        RATINGS_AN_ITEM,
        items,
        collection.ratings,
        collection.sessions,
        collection.cost,
        _joint_power(assumed, m, items),
        strict=True,
    )
    designs = [
        Design(
            raters_per_item=raters,
            needs={check: float(numbers[place]) for check, numbers in needs.items()},
            items=float(count),
            ratings=float(ratings),
            sessions=float(sessions),
            cost=float(cost),
            power=float(power),
        )
        for place, (raters, count, ratings, sessions, cost, power) in enumerate(columns)
    ]
    return Plan(assumed, designs)


def _needs_of_items(assumed, m):
    needed = plan_items(
        assumed.options.rho, assumed.judge, m, assumed.options.power, assumed.targets(m)
    )
    return {
        AGREEMENT: needed.agreement,
        RETENTION: needed.retention,
        LEVEL: needed.level,
        "items": needed.items,
    }


def _needs_of_systems(assumed, m):
    variance = assumed.difference_variance(m) * assumed.factor
    margin = assumed.scale.system_margin
    items = SYSTEMS * items_a_system(variance, margin, assumed.options.power)
    items = items if assumed.may_compare else np.full(m.shape, inf)
    return {SYSTEM: items, "items": items}


def _joint_power(assumed, m, items):
    """Return the least power of all checks together; NaN where the items are infinite."""
    counts = np.where(np.isfinite(items), items, 1.0)
    if assumed.is_comparison:
        power = _power_of_systems(assumed, m, np.maximum(counts / SYSTEMS, 1))
    else:
        targets = assumed.targets(m)
        power = predict_power(assumed.options.rho, assumed.judge, m, counts, targets).joint
    return np.where(np.isfinite(items), power, nan)


def _power_of_systems(assumed, m, items):
    if not assumed.may_compare:
        return np.zeros(items.shape)
    variance = assumed.difference_variance(m) * assumed.factor
    return systems_power(variance, items, assumed.scale.system_margin)


def curve(assumed, m, items):
    """Return the power of the check that is hardest to pass, for each number of items.

    items: an array, of all systems together; 0 below the fewest items of a verdict.
    """
    if assumed.is_comparison:
        return _power_of_systems(assumed, m, items / SYSTEMS)
    power = predict_power(assumed.options.rho, assumed.judge, m, items, assumed.targets(m))
    hardest = np.minimum(np.minimum(power.agreement, power.retention), power.level)
    return np.where(items >= fewest_items(assumed), hardest, 0.0)


def fewest_items(assumed):
    """Return the items below which a verdict says that there are too few."""
    if assumed.is_comparison:
        return SYSTEMS * FEWEST_OF_A_SYSTEM
    return max(FEWEST_ITEMS, FEWEST_CLUSTERS * assumed.options.cluster_items)


def _whole(count):
    return int(count) if count < inf else count
