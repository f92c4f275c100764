"""Compare the powers that the planner predicts with those of simulated studies."""

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

import numpy as np

from analysis.stats.planning.design import Targets, plan_items, predict_power
from analysis.stats.planning.systems import items_a_system, systems_power
from analysis.stats.planning.variances import design_factor, judge_agreement, level_variance
from analysis.stats.validation.agreement import compare_judge
from analysis.stats.validation.gather import gather_people
from analysis.stats.validation.level import measure_level
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate
from tests.calibration.crowds import KEPT, RELIABILITIES, compute_truth
from tests.calibration.experiments import Experiment
from tests.calibration.false_yes import is_yes
from tests.calibration.tables import Line, Table
from tests.calibration.targets import near, not_below

NAME = "planner"
TITLE = "The planner"
STUDIES, FEW = 1000, 20
VARIANCE, FLOOR, MARGIN = 1.5, 0.10, 0.25  # of one rating, in squared points
CHECKS = ("agreement", "retention", "level", "joint")
WITHIN, YES = "within the margin", "yes"
RATED = "300 items by three raters, equal to one rater"


@dataclass(frozen=True)
class Design:
    """A planned study: agreement of two raters, quality of the judge (None: equal to a rater)."""

    rho: float
    q: float | None
    m: int
    items: int
    size: int = 1  # items of a cluster
    icc: float = 0.0  # of quality in a cluster

    def __str__(self):
        judge = "equal" if self.q is None else f"q {self.q:g}"
        clusters = f", clusters of {self.size}, ICC {self.icc:g}" if self.size > 1 else ""
        return f"rho {self.rho:g}, {judge}, {self.items} × {self.m}{clusters}"

    @property
    def r(self):
        """Return the agreement of the judge with one rater."""
        return float(judge_agreement(self.rho, self.q))

    def predict(self):
        """Return the power of each check, as the planner predicts it."""
        spread = level_variance(self.rho, self.r, self.m, VARIANCE)
        targets = Targets(
            level_variance=spread,
            factor=float(design_factor(self.size)),
            cluster_items=self.size,
        )
        power = predict_power(self.rho, self.r, self.m, self.items, targets)
        return {check: float(getattr(power, check)) for check in CHECKS}


def planned(rho, q, m, size=1, icc=0.0):
    """Return the design of the smallest number of items that gives every check a power of .8."""
    r = float(judge_agreement(rho, q))
    targets = Targets(
        level_variance=level_variance(rho, r, m, VARIANCE),
        factor=float(design_factor(size)),
        cluster_items=size,
    )
    items = float(plan_items(rho, r, m, targets=targets).items)
    return Design(rho, q, m, ceil(items / size) * size, size, icc)


SINGLE = (
    *(planned(rho, None, 3) for rho in (0.2, 0.3, 0.5)),
    *(planned(rho, 0.8, 3) for rho in (0.2, 0.3, 0.5)),
    *(planned(0.3, None, m) for m in (2, 5)),
    *(Design(0.3, None, 3, 100), Design(0.3, 0.7, 3, 50), Design(0.1, 0.7, 3, 300)),
)
CLUSTERED = tuple(
    planned(rho, q, 3, size, icc)
    for rho, q in ((0.3, None), (0.3, 0.8), (0.5, None))
    for size, icc in ((5, 0.3), (10, 0.3), (10, 0.6))
)
# (rho, q, items a system, whether both systems have the same contents)
SPREADS = {
    (rho, q): float(level_variance(rho, judge_agreement(rho, q), 3, VARIANCE))
    for rho, q in ((0.3, 0.8), (0.5, 0.8))
}
SYSTEMS = tuple(
    (rho, q, items, are_shared)
    for (rho, q), spread in SPREADS.items()
    for items in (75, 150, int(items_a_system(spread)), 400)
    for are_shared in (False, True)
)
WIDE = 0.6  # SDs of quality between two systems


def try_design(design, rng):
    """Test a judge in one study of normal scores."""
    n, size = design.items, design.size
    common = np.repeat(rng.normal(size=n // size), size)
    quality = sqrt(design.icc) * common + sqrt(1 - design.icc) * rng.normal(size=n)
    ratings, items, raters = _rate(rng, quality, design.rho, design.m)
    people = gather_people(ratings, items, raters, n, clusters=np.arange(n) // size)
    q = sqrt(design.rho) if design.q is None else design.q
    noise = rng.normal(size=n)
    scores = (sqrt(VARIANCE) * (q * quality + sqrt(1 - q**2) * noise))[people.rows, None]
    agreement = compare_judge(people, scores)
    passed = {
        "agreement": agreement.rho.p_above() < 0.05 and agreement.rho_value >= FLOOR,
        "retention": agreement.retention(KEPT).p_above() < 0.05,
        "level": measure_level(people, scores).p_within(MARGIN) < 0.05,
    }
    return passed | {"joint": all(passed.values())}


def _rate(rng, quality, rho, m):
    """Return ratings, items and raters of a crowd of raters of ten items; normal scores."""
    n = len(quality)
    items = np.concatenate([rng.permutation(n) for _ in range(m)])
    latent = sqrt(rho) * quality[items] + sqrt(1 - rho) * rng.normal(size=n * m)
    return sqrt(VARIANCE) * latent, items, np.arange(n * m) // 10


def try_systems(rho, q, size, are_shared, rng):
    """Compare two systems by an unbiased judge that answers on people's scale."""
    n = 2 * size
    system = np.arange(n) % 2
    own = rng.normal(size=n)
    ratings, items, raters = _rate(rng, own, rho, 3)
    clusters = np.arange(n) // 2 if are_shared else np.arange(n)
    apart = sqrt(VARIANCE * rho) * WIDE * system
    people = gather_people(ratings + apart[items], items, raters, n, clusters=clusters)
    noise = rng.normal(size=n)
    judge = sqrt(VARIANCE) * (q * own + sqrt(1 - q**2) * noise) + apart
    rows = people.rows
    comparison = compare_systems(people, judge[rows], system[rows], FIVE)
    return {WITHIN: comparison.pairs[0].p_within < 0.05, YES: comparison.answer == "yes"}


def try_points(reliability, rng):
    """Ask the whole verdict about a judge that is one more rater, on five points."""
    study = simulate(rng, reliability, 0.0)
    return {YES: is_yes(study.reference, study.draw_rating(reliability))}


def experiments():
    """Return all designs of items, of systems, and of five points."""
    designs = [
        Experiment(_name(design), partial(try_design, design), STUDIES, FEW)
        for design in (*SINGLE, *CLUSTERED)
    ]
    systems = [
        Experiment(_systems_name(*design), partial(try_systems, *design), STUDIES, FEW)
        for design in SYSTEMS
    ]
    points = [
        Experiment(_points_name(rho), partial(try_points, rho), STUDIES, FEW)
        for rho in RELIABILITIES
    ]
    return [*designs, *systems, *points]


def _name(design):
    return f"plan: {design}"


def _systems_name(rho, q, items, are_shared):
    contents = "shared contents" if are_shared else "single items"
    return f"plan of two systems: rho {rho:g}, q {q:g}, {items} items a system, {contents}"


def _points_name(reliability):
    return f"plan on five points at reliability {reliability}"


def tables(tallies):
    """Return the tables of single items, clusters, systems and five points."""
    columns = ("design", *CHECKS)
    single = [_line(design, tallies, near) for design in SINGLE]
    clustered = [_line(design, tallies, not_below) for design in CLUSTERED]
    return [
        Table("Predicted and simulated power: single items", SINGLE_TEXT, columns, single),
        Table("Predicted and simulated power: clusters", CLUSTERED_TEXT, columns, clustered),
        Table(
            "Predicted and simulated power: two systems",
            SYSTEMS_TEXT,
            ("design", WITHIN, "yes on both systems"),
            [_systems_line(design, tallies) for design in SYSTEMS],
        ),
        Table(
            "Predicted and simulated power: the whole verdict on five points",
            POINTS_TEXT,
            ("design", "yes"),
            [_points_line(rho, tallies) for rho in RELIABILITIES],
        ),
    ]


def _line(design, tallies, ask):
    predicted = design.predict()
    targets = tuple((not_below if check == "joint" else ask)(predicted[check]) for check in CHECKS)
    cells = tuple(tallies[_name(design), check] for check in CHECKS)
    return Line((str(design),), cells, targets, DESIGN_SAYS)


def _systems_line(design, tallies):
    rho, q, items, _ = design
    name = _systems_name(*design)
    target = near(float(systems_power(SPREADS[rho, q], items)))
    label = name.removeprefix("plan of two systems: ")
    return Line((label,), (tallies[name, WITHIN], tallies[name, YES]), (target, None), DESIGN_SAYS)


def _points_line(reliability, tallies):
    truth = compute_truth(reliability)
    spread = level_variance(truth.rho, truth.rho, 3, truth.variance)
    power = predict_power(truth.rho, truth.rho, 3, 300, Targets(level_variance=spread))
    label = f"observed rho {truth.rho:.2f}, {RATED}"
    cells = (tallies[_points_name(reliability), YES],)
    return Line((label,), cells, (not_below(float(power.joint)),), POINTS_SAY)


SINGLE_TEXT = (
    "Normal scores; *q* is the judge's correlation with what raters share, *equal* a judge like "
    "one rater; items × ratings an item. The first eight designs are those that the planner "
    "proposes for a power of .8 of every check. Joint, of all checks together, is predicted by a "
    "lower bound. The target is the planner's prediction."
)
CLUSTERED_TEXT = (
    "As above; the planner assumes that clusters cost a factor of 1 + .1 (items of a cluster − "
    "1), where the quality of items of a cluster has the ICC given. The predictions should not "
    "be above what comes."
)
SYSTEMS_TEXT = (
    "Normal scores with the variance of five points, systems .6 SD of quality apart, a judge "
    "without a bias on people's scale. The planner predicts that the difference is shown to be "
    "within the margin; a yes asks for more."
)
POINTS_TEXT = (
    "The planner does not predict the checks beyond systems and length, which this yes includes; "
    "rho is what two raters of one item agree by on five points."
)
DESIGN_SAYS = "The planner's page says that checks pass less often below 100 items."
POINTS_SAY = "The planner's page says that checks within groupings and of length are not planned."
