"""Compare the powers that the planner predicts with those of simulated studies."""

from dataclasses import dataclass
from functools import cache, partial
from math import ceil, sqrt

import numpy as np

from analysis.stats.planning.design import Targets, plan_items, predict_power
from analysis.stats.planning.pilot import make_pilot, states_of
from analysis.stats.planning.power import joint_power
from analysis.stats.planning.systems import items_a_system, systems_power
from analysis.stats.planning.variances import design_factor, judge_agreement, level_variance
from analysis.stats.validation.agreement import compare_judge
from analysis.stats.validation.answers import Reason
from analysis.stats.validation.gather import gather_people
from analysis.stats.validation.level import measure_level
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate
from tests.calibration.crowds import KEPT, RELIABILITIES, compute_truth, follow_quality
from tests.calibration.experiments import SEED, Experiment
from tests.calibration.false_yes import is_yes
from tests.calibration.tables import Line, Table
from tests.calibration.targets import near, not_below

NAME = "planner"
TITLE = "The planner"
STUDIES, FEW = 1000, 20
VARIANCE, FLOOR, MARGIN = 1.5, 0.10, 0.25  # of one rating, in squared points
SINGLE_CHECKS = ("agreement", "retention", "level")
CHECKS = (*SINGLE_CHECKS, "joint")
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

    def predict(self, factor=None):
        """Return the power of each check, as the planner predicts it.

        factor: the design factor, by default the one that the planner assumes.
        """
        spread = level_variance(self.rho, self.r, self.m, VARIANCE)
        targets = Targets(
            level_variance=spread,
            factor=float(design_factor(self.size)) if factor is None else factor,
            cluster_items=self.size,
        )
        power = predict_power(self.rho, self.r, self.m, self.items, targets)
        return {check: float(getattr(power, check)) for check in CHECKS}

    def predict_by_measure(self):
        """Return the power of each check with the factor that clusters have for this check."""
        factors = measure_factors(self)
        powers = {check: self.predict(factors[check])[check] for check in SINGLE_CHECKS}
        return powers | {"joint": float(joint_power(np.array(list(powers.values()))))}


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
# As many items as single ones need, where the planner would ask for more
FEWER = tuple(
    Design(rho, q, 3, items, size, icc)
    for rho, q, items, size, icc in (
        (0.3, None, 240, 10, 0.3),
        (0.3, None, 240, 10, 0.6),
        (0.3, 0.8, 150, 5, 0.3),
        (0.3, 0.8, 240, 10, 0.6),
        (0.5, None, 200, 10, 0.6),
    )
)
MANY_CLUSTERS = 20_000  # of the sample that the design factors are measured in
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
PILOTS, PLANNED_CONTENTS, PILOT_SYSTEMS = (25, 75, 150), 30, 4
PILOT_RELIABILITY, PILOT_Q = 0.3, 0.8
FORECAST, ANEW = "drawn from pilots", "collected anew"


def try_design(design, rng):
    """Test a judge in one study of normal scores."""
    agreement, level = _measure(*_simulate(design, rng, design.items), design.size)
    passed = {
        "agreement": agreement.rho.p_above() < 0.05 and agreement.rho_value >= FLOOR,
        "retention": agreement.retention(KEPT).p_above() < 0.05,
        "level": level.p_within(MARGIN) < 0.05,
    }
    return passed | {"joint": all(passed.values())}


@cache
def measure_factors(design):
    """Return the squared standard errors of clusters over those of single items, by check.

    Of one very large sample, which stands for the intraclass correlations that a pilot tells.
    """
    rng = np.random.default_rng(SEED)
    sample = _simulate(design, rng, MANY_CLUSTERS * design.size)
    squares = []
    for size in (design.size, 1):
        agreement, level = _measure(*sample, size, is_sample=False)
        quantities = agreement.rho, agreement.retention(KEPT), level
        squares.append([own.error**2 for own in quantities])
    factors = np.divide(*squares)
    return dict(zip(SINGLE_CHECKS, factors.tolist(), strict=True))


def _simulate(design, rng, n):
    """Return n items of the design: ratings, items and raters (n m,), and the judge (n,)."""
    size = design.size
    common = np.repeat(rng.normal(size=n // size), size)
    quality = sqrt(design.icc) * common + sqrt(1 - design.icc) * rng.normal(size=n)
    rated = _rate(rng, quality, design.rho, design.m)
    q = sqrt(design.rho) if design.q is None else design.q
    noise = rng.normal(size=n)
    return *rated, sqrt(VARIANCE) * (q * quality + sqrt(1 - q**2) * noise)


def _measure(ratings, items, raters, judge, size, is_sample=None):
    """Return the judge's agreement and level on clusters of so many items."""
    n = len(judge)
    people = gather_people(
        ratings, items, raters, n, clusters=np.arange(n) // size, is_sample=is_sample
    )
    scores = judge[people.rows, None]
    return compare_judge(people, scores), measure_level(people, scores).largest


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


def try_pilot(contents, rng):
    """Draw one study from a pilot, as predict_states draws 500, and collect one anew."""
    outcomes = {}
    for outcome, size in ((FORECAST, contents), (ANEW, PLANNED_CONTENTS)):
        study = simulate(rng, PILOT_RELIABILITY, 0.0, contents=size)
        judge = np.clip(follow_quality(study, PILOT_Q), FIVE.low, FIVE.high)
        if outcome == ANEW:
            outcomes[outcome] = is_yes(study.reference, judge)
            continue
        pilot = make_pilot(study.reference, judge)
        chances = np.full(pilot.people.n_clusters, 1 / pilot.people.n_clusters)
        counts = rng.multinomial(PLANNED_CONTENTS, chances, size=1)
        outcomes[outcome] = states_of(pilot, counts)[0] == Reason.MAY
    return outcomes


def experiments():
    """Return all designs of items, of systems, of five points, and of pilots."""
    designs = [
        Experiment(_name(design), partial(try_design, design), STUDIES, FEW)
        for design in (*SINGLE, *CLUSTERED, *FEWER)
    ]
    systems = [
        Experiment(_systems_name(*design), partial(try_systems, *design), STUDIES, FEW)
        for design in SYSTEMS
    ]
    points = [
        Experiment(_points_name(rho), partial(try_points, rho), STUDIES, FEW)
        for rho in RELIABILITIES
    ]
    pilots = [
        Experiment(_pilot_name(contents), partial(try_pilot, contents), STUDIES, FEW)
        for contents in PILOTS
    ]
    return [*designs, *systems, *points, *pilots]


def _name(design):
    return f"plan: {design}"


def _systems_name(rho, q, items, are_shared):
    contents = "shared contents" if are_shared else "single items"
    return f"plan of two systems: rho {rho:g}, q {q:g}, {items} items a system, {contents}"


def _points_name(reliability):
    return f"plan on five points at reliability {reliability}"


def _pilot_name(contents):
    return f"plan from a pilot of {contents} contents"


def tables(tallies):
    """Return the tables of single items, clusters, systems, five points and pilots."""
    columns = ("design", *CHECKS)
    single = [_line(design, tallies, near) for design in SINGLE]
    clustered = [_line(design, tallies, not_below) for design in CLUSTERED]
    measured = [_measured_line(design, tallies) for design in (*CLUSTERED, *FEWER)]
    return [
        Table("Predicted and simulated power: single items", SINGLE_TEXT, columns, single),
        Table("Predicted and simulated power: clusters", CLUSTERED_TEXT, columns, clustered),
        Table(
            "Predicted and simulated power: clusters, by their own design factor",
            MEASURED_TEXT,
            ("design", "design factors", *CHECKS),
            measured,
        ),
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
        Table(
            "The power that a pilot predicts",
            PILOT_TEXT,
            ("pilot", FORECAST, ANEW),
            [_pilot_line(contents, tallies) for contents in PILOTS],
        ),
    ]


def _line(design, tallies, ask):
    return Line((str(design),), *_cells(design, tallies, design.predict(), ask), DESIGN_SAYS)


def _measured_line(design, tallies):
    factors = ", ".join(f"{factor:.2f}" for factor in measure_factors(design).values())
    cells = _cells(design, tallies, design.predict_by_measure(), near)
    return Line((str(design), factors), *cells, FEW_CLUSTERS_SAY)


def _cells(design, tallies, predicted, ask):
    """Return the tallies of the checks and their targets; joint power has a lower bound only."""
    targets = tuple((not_below if check == "joint" else ask)(predicted[check]) for check in CHECKS)
    return tuple(tallies[_name(design), check] for check in CHECKS), targets


def _pilot_line(contents, tallies):
    name = _pilot_name(contents)
    forecast, anew = tallies[name, FORECAST], tallies[name, ANEW]
    target = near(forecast.share) if contents == max(PILOTS) else None
    return Line((f"{contents} × {PILOT_SYSTEMS}",), (forecast, anew), (None, target), PILOT_SAYS)


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
MEASURED_TEXT = (
    "The same studies, and some with about as many items as single ones need, against the "
    "planner's formulas with the design factor that clusters have for each check: squared standard "
    "errors with clusters over those without, in one very large sample of the design "
    f"({MANY_CLUSTERS:,} clusters, no raters as a sample). A pilot tells this factor by its "
    "intraclass correlation. Where it is below the assumed one, fewer items are enough."
)
PILOT_TEXT = (
    f"Pilots of contents × {PILOT_SYSTEMS} systems, and studies of {PLANNED_CONTENTS} × "
    f"{PILOT_SYSTEMS} on five points at reliability {PILOT_RELIABILITY:g}, a judge with q = "
    f"{PILOT_Q:g}: the share of yes in studies that are drawn from the pilots' clusters, one of "
    "each pilot, and in studies that are collected anew. A small pilot knows neither rho nor the "
    "judge well, so that what pilots predict on average lies between; that is why the planner "
    "gives a band over pilots. The target is the prediction, of the largest pilots."
)
SYSTEMS_TEXT = (
    "Normal scores with the variance of five points, systems .6 SD of quality apart, a judge "
    "without a bias on people's scale. The planner predicts that the difference is shown to be "
    "within the margin; a yes asks for more."
)
POINTS_TEXT = (
    "The planner does not predict the joint check and the rest check, which this yes includes; "
    "rho is what two raters of one item agree by on five points."
)
DESIGN_SAYS = "The planner's page says that checks pass less often below 100 items."
PILOT_SAYS = "A note of the report Plan says that what pilots predict is too low on average."
FEW_CLUSTERS_SAY = (
    "The planner asks for more clusters than these: with so few, the t distribution of the checks "
    "costs power that its normal approximation does not see."
)
POINTS_SAY = "The planner's page says that the joint check is not planned."
