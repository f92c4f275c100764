"""List the measures of agreement: what each is called, takes, means on which scale, and its source.

A new measure is an entry of MEASURES, in the order of pages.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.gwet_ac import gwet_ac
from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.kendall_w import kendall_w
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.agreement.scott_pi import scott_pi
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints

LABELS, VALUES = "labels", "values"
NOMINAL, ORDINAL, INTERVAL = "nominal", "ordinal", "interval"
MOST_LABELS = 11  # more make a coefficient of tables slow


@dataclass(frozen=True)
class Rated:
    """Ratings of one question, to be measured.

    ratings: (units, raters), NaN = missing; points: the scale's labels (K,), none on a scale
    without; judge (units,): whose pairs with the raters count alone; raters: whose each rating is,
    as in rating_pairs. resampling: clusters= and counts= of an interval, empty without.
    """

    ratings: Floats
    points: list[float] = field(default_factory=list)
    judge: Floats | None = None
    raters: Ints | None = None
    resampling: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure:
    """A measure of agreement.

    takes: LABELS, values rounded to the points of the scale, or VALUES as they are; metric: what
    counts as apart, NOMINAL labels, ORDINAL ranks or INTERVAL differences: a scale says which it
    has; pairs: whether it compares a judge with each rater; complete:
    whether it takes only units that every rater rated; most_points: of a scale, None = any number.
    """

    key: str
    label: str
    function: Callable[[Rated], Estimate]
    metric: str
    formula: str
    source: str
    takes: str = LABELS
    pairs: bool = False
    complete: bool = False
    most_points: int | None = None

    def estimate(self, rated: Rated) -> Estimate:
        """Measure the agreement of ratings; undefined on a scale with too many points."""
        if self.most_points and len(rated.points) > self.most_points:
            points = f"the scale has {len(rated.points)} points"
            most = f"tables of two raters take at most {self.most_points}"
            return Estimate(np.nan, reason=f"{points}, {most}")
        return self.function(rated)


PERCENT = "percent: share of agreeing pairs of ratings, over all pairs on all items."
ALPHA = (
    "Krippendorff's α = 1 − observed / expected disagreement; distance δ² nominal "
    "1[c ≠ k], interval (c − k)², ordinal (Σ n_g from c to k − (n_c + n_k)/2)²."
)
KAPPA = "Cohen's κ over the whole scale: plain, linear or quadratic weights."
BY_SHARES = (
    "Fleiss' κ, AC1 and AC2 = (p − e) / (1 − e): p the mean over items of the (weighted) share "
    "of agreeing pairs; with π_k the mean share of label k, e = Σ π_k² for Fleiss' κ and "
    "Σw / (q (q − 1)) · Σ π_k (1 − π_k) for AC over q labels; quadratic weights "
    "w = 1 − (places apart / (q − 1))²."
)
ICC = (
    "ICC in McGraw and Wong's forms (1), (A) and (C), of one rater and of the mean of k; "
    "with unequal k, ICC(1) takes k₀ = (N − Σk²/N)/(n − 1)."
)
CONCORDANCE = (
    "Kendall's W = 12 S / (m² (n³ − n) − m Σ (t³ − t)): S the squared deviations of the rank "
    "sums of n items by m raters, t the sizes of ties."
)


def _alpha(metric: str, takes: str = LABELS) -> Measure:
    return Measure(
        f"alpha_{metric}",
        f"Krippendorff's α, {metric}",
        lambda rated: krippendorff_alpha(rated.ratings, metric, **rated.resampling),
        metric,
        ALPHA,
        "Krippendorff (2011)",
        takes=takes,
    )


def _kappa(key: str, label: str, weights: str, metric: str) -> Measure:
    def function(rated: Rated) -> Estimate:
        return cohen_kappa(
            rated.ratings,
            rated.points,
            weights=weights,
            judge=rated.judge,
            raters=rated.raters,
            **rated.resampling,
        )

    source = "Cohen (1960, 1968); Light (1971)"
    return Measure(key, label, function, metric, KAPPA, source, pairs=True, most_points=MOST_LABELS)


def _gwet(key: str, label: str, weights: str, metric: str) -> Measure:
    def function(rated: Rated) -> Estimate:
        return gwet_ac(rated.ratings, rated.points, weights=weights, **rated.resampling)

    return Measure(key, label, function, metric, BY_SHARES, "Gwet (2008, 2014)")


def _icc(form: str, label: str) -> Measure:
    return Measure(
        f"icc_{form.lower().replace(',', '_')}",
        label,
        lambda rated: icc(rated.ratings, form, **rated.resampling),
        INTERVAL,
        ICC,
        "McGraw & Wong (1996)",
        takes=VALUES,
        complete=not form.startswith("1"),
    )


MEASURES = {
    measure.key: measure
    for measure in [
        Measure(
            "percent",
            "percent agreement",
            lambda rated: percent_agreement(rated.ratings, judge=rated.judge, **rated.resampling),
            NOMINAL,
            PERCENT,
            "Gwet (2014)",
            pairs=True,
        ),
        _alpha(NOMINAL),
        _alpha(ORDINAL),
        _alpha(INTERVAL, VALUES),
        _kappa("kappa", "Cohen's κ", "plain", NOMINAL),
        _kappa("kappa_linear", "Cohen's κ, linear", "linear", ORDINAL),
        _kappa("kappa_quadratic", "Cohen's κ, quadratic", "quadratic", ORDINAL),
        Measure(
            "scott_pi",
            "Scott's π",
            lambda rated: scott_pi(
                rated.ratings,
                rated.points,
                judge=rated.judge,
                raters=rated.raters,
                **rated.resampling,
            ),
            NOMINAL,
            "Scott's π = (p − e) / (1 − e) of two raters, e = Σ π_k², π_k the share of label k in "
            "both raters' labels together; mean over pairs of raters.",
            "Scott (1955)",
            pairs=True,
            most_points=MOST_LABELS,
        ),
        Measure(
            "fleiss_kappa",
            "Fleiss' κ",
            lambda rated: fleiss_kappa(rated.ratings, rated.points, **rated.resampling),
            NOMINAL,
            BY_SHARES,
            "Fleiss (1971)",
        ),
        _gwet("ac1", "Gwet's AC1", "plain", NOMINAL),
        _gwet("ac2_quadratic", "Gwet's AC2, quadratic", "quadratic", ORDINAL),
        _icc("1,1", "ICC(1)"),
        _icc("A,1", "ICC(A,1)"),
        _icc("C,1", "ICC(C,1)"),
        _icc("1,k", "ICC(k)"),
        _icc("A,k", "ICC(A,k)"),
        _icc("C,k", "ICC(C,k)"),
        Measure(
            "kendall_w",
            "Kendall's W",
            lambda rated: kendall_w(rated.ratings, **rated.resampling),
            INTERVAL,
            CONCORDANCE,
            "Kendall & Gibbons (1990)",
            takes=VALUES,
            complete=True,
        ),
    ]
}
