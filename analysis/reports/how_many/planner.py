"""Compute what a study needs before there are any data, and say it in plain words."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np

from analysis.reports.base import Report
from analysis.reports.how_many.options import COMPARE_SYSTEMS, ONE_END, RANGE, SHARES, PlanOptions
from analysis.reports.how_many.prices import Prices
from analysis.reports.how_many.tables import RATINGS_PER_ITEM
from analysis.reports.how_many.words import say, say_all
from analysis.stats.planning.planning import (
    FEWEST_OF_A_SYSTEM,
    FLOOR,
    LENGTH_COLUMNS,
    Targets,
    design_factor,
    fewest_items,
    items_a_system,
    judge_agreement,
    level_margin,
    level_variance,
    plan_items,
    predict_power,
    retention_effect,
    systems_power,
    usual_variance,
)
from analysis.stats.validation.criteria import FEWEST_RATERS, Scale

SYSTEMS = 2  # that are compared


@dataclass(frozen=True)
class Plan:
    """What the options come to: what 2, 3, 4 and 5 ratings per item take."""

    options: PlanOptions

    @property
    def is_comparison(self):
        return self.options.use == COMPARE_SYSTEMS

    @property
    def judge(self):
        """Return the correlation of the judge with one rating."""
        return float(judge_agreement(self.options.rho, self.options.judge))

    @property
    def may_compare(self):
        """Say whether raters agree enough, and the judge follows them, to compare systems."""
        return self.options.rho > FLOOR and self.judge > 0

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
        """Return the items, of all systems together, that have the chance aimed at; else inf."""
        options = self.options
        if not self.is_comparison:
            return plan_items(options.rho, self.judge, m, options.power, self.targets)
        if not self.may_compare:
            return inf
        margin = self.scale.system_margin
        return SYSTEMS * float(items_a_system(self._differences(m), margin, options.power))

    def checks(self, m, items):
        """Return the Power of every check of a verdict on items."""
        return predict_power(self.options.rho, self.judge, m, items, self.targets)

    def power(self, m, items):
        """Return the chance of a yes (items,), 0 below the fewest items of a verdict."""
        if not self.is_comparison:
            return self.checks(m, items).joint
        if not self.may_compare:
            return np.zeros(np.shape(items))
        a_system = np.maximum(np.asarray(items) / SYSTEMS, 1)
        return systems_power(self._differences(m), a_system, self.scale.system_margin)

    def _differences(self, m):
        """Return the variance of the judge less the mean of m ratings, with its clusters."""
        variance = level_variance(self.options.rho, self.judge, m, usual_variance(self.scale))
        return variance * design_factor(self.options.cluster_items)

    @cached_property
    def rows(self):
        """Return a row for each number of ratings per item; inf where no items are enough."""
        options = self.options
        asked, of_work = options.as_dict(), (options.item_seconds, options.hourly_pay)
        prices = Prices(options.session_items, *of_work, options.fee / 100)
        rows = []
        for m in RATINGS_PER_ITEM:
            items = self.items(m)
            counts = {"items": items, **prices.collect(items, m)}
            if isfinite(items):
                counts |= {name: int(counts[name]) for name in ("items", "ratings", "sessions")}
            power = float(self.power(m, items)) if isfinite(items) else nan
            about = {name: asked[name] for name in ("use", "rho", "judge")}
            rows.append({**about, "raters_per_item": m, **counts, "power": power})
        return rows

    @property
    def cheapest(self):
        """Return the row that costs least, then takes fewest ratings; None where none decides."""
        possible = [row for row in self.rows if isfinite(row["items"])]
        return min(possible, key=lambda row: (row["cost"], row["ratings"]), default=None)

    def hardest(self, row):
        """Return what decides most in a row's study, in words."""
        if not isfinite(row["items"]):
            return say("hardest", "never")
        if self.is_comparison:
            return say("hardest", "systems")
        if row["items"] <= self.fewest:
            return say("hardest", "fewest")
        return say("hardest", self.checks(row["raters_per_item"], row["items"]).hardest)

    def as_report(self):
        """Return the plan as a Report, which is written as text, CSV or JSON like any other."""
        report = Report("plan", "", self.options.as_dict(), notes=notes(self))
        report.verdict = sentences(self)
        for row in self.rows:
            report.add(row)
        return report


def sentences(plan):
    """Return the answer: the cheapest study, or why none can decide."""
    row = plan.cheapest
    if row is None:
        return [say("planner", "never"), *reasons(plan)]
    cases = ["decides_systems", "yes_systems"] if plan.is_comparison else ["decides", "yes"]
    if row["sessions"] < FEWEST_RATERS:
        cases.append("few_raters")
    shown = {"a_system": row["items"] // SYSTEMS, "hardest": plan.hardest(row)}
    return say_all("planner", cases, row=row, **shown)


def reasons(plan):
    """Return why no number of items is enough, each reason with what would help."""
    options = plan.options
    kept = retention_effect(options.rho, plan.judge, SHARES[options.retention])
    cases = {
        "floor": options.rho <= FLOOR,
        "against_people": plan.is_comparison and plan.judge <= 0,
        "too_weak": not plan.is_comparison and kept <= 0,
    }
    return say_all("planner", [case for case in cases if cases[case]] or ["billion"], plan=plan)


def notes(plan):
    """Return what the plan assumes and what it does not cover."""
    options, cases = plan.options, ["yes", "known", "leniency", "simulated"]
    if plan.is_comparison:
        cases = ["system_margin", "pair", "unplanned"]
    cases += ["raters", "one_rating", "variance"]
    cases += ["one_end"] if options.answers == ONE_END else []
    cases += ["clusters"] if options.cluster_items > 1 else []
    return say_all(
        "planner",
        [f"note_{case}" for case in cases],
        plan=plan,
        taken_out=LENGTH_COLUMNS + options.systems,
        of_scale="in proportion to 5 points" if options.scale == RANGE else "as is usual",
        factor=design_factor(options.cluster_items),
    )
