"""Compare the powers that the planner predicts with those of simulated studies."""

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from scipy.special import ndtri

from analysis.stats.planning.planning import (
    Targets,
    expect_as_in,
    forecast,
    items_a_system,
    judge_agreement,
    level_margin,
    level_variance,
    predict_power,
    systems_power,
)
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import gather_evidence, gather_reference
from analysis.stats.validation.people import gather_people
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, draw_means
from tests.calibration.attacks import SCALES, is_yes
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import between, near, not_below

NAME = "planner"
TITLE = "The planner"
STUDIES, FEW = 1000, 20
VARIANCE = 1.5  # of one rating, in squared points
WITHIN, YES = "within the margin", "yes"
LENIENCY, OF_LENGTH, TOPICS = 0.1, 0.16, 5  # shares; groups that say nothing
GRID = ndtri((np.arange(400) + 0.5) / 400)


@dataclass(frozen=True)
class Design:
    """A planned study of 4 systems × 5 topics, q of the judge (None: equal to a rater).

    scale: of SCALES; reliability: before ratings are rounded, by default where two raters agree by
    .30; each: ratings of a rater; share: of systems in quality; contents: items of a content, 0
    for none.
    """

    scale: str = "five points"
    q: float | None = None
    items: int = 300
    m: int = 3
    each: int = 10
    share: float = 0.0
    reliability: float = 0.0
    contents: int = 0

    def __str__(self):
        judge = "equal" if self.q is None else f"q {self.q:g}"
        more = f", reliability {self.reliability:g}" if self.reliability else ""
        more += f", systems {self.share:g}" if self.share else ""
        more += f", contents of {self.contents}" if self.contents else ""
        return f"{self.scale}, {judge}, {self.items} × {self.m}, sessions of {self.each}{more}"

    @property
    def latent(self):
        return self.reliability or SCALES[self.scale][1]

    def predict(self):
        """Return the power of all checks together, as the planner predicts it."""
        (scale, answer), rel = SCALES[self.scale][0], self.latent
        answers = answer(sqrt(rel) * GRID[:, None] + sqrt(1 - rel) * GRID)
        variance, means = float(answers.var()), answers.mean(axis=1)
        rho = float(means.var()) / variance
        targets = Targets(
            level_margin=level_margin(scale, variance),
            rating_variance=variance,
            session_items=self.each,
            cluster_items=self.contents or 1,
            known=self.share + (1 - self.share) * OF_LENGTH,
            groups=4 * TOPICS,
            points=round(scale.range) + 1,
            is_skewed=self.scale in ("five points, skewed", "two points, a quarter"),
        )
        judge = float(judge_agreement(rho, self.q and _shared(answer, self.q, means)))
        return float(predict_power(rho, judge, self.m, self.items, targets).joint)


def _shared(answer, q, means):
    """Return how a judge's answers correlate with what raters share, which steps make less."""
    judge = answer(q * GRID[:, None] + sqrt(1 - q**2) * GRID)
    together = float(np.cov(judge.mean(axis=1), means, bias=True)[0, 1])
    return together / sqrt(float(judge.var()) * float(means.var()))


DESIGNS = (
    *(Design(scale, each=each) for scale in SCALES for each in (10, 30)),
    *(
        Design(scale, 0.8, 100, each=each)
        for scale in ("two points, a quarter", "five points", "five points, skewed")
        for each in (10, 30)
    ),
    *(Design(share=0.2), Design(q=0.8, items=150, share=0.4)),
    *(Design(items=600, reliability=0.22), Design(items=100, reliability=0.55)),
    *(Design(items=400, m=2), Design(items=200, m=5)),
)
CLUSTERED = tuple(Design(contents=size, q=q) for size in (4, 10) for q in (None, 0.8))
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
HOLDS = "the band holds the chance"
# (design of the pilot, items that are planned, chance of a yes there, of 250 to 400 studies)
PILOTS = (
    (Design(items=150), 300, 0.816),
    (Design(), 300, 0.816),
    (Design(q=0.8, items=100), 100, 0.598),
    (Design(items=150, share=0.2), 300, 0.748),
)


def make_study(design, rng):
    """Simulate a study: its reference, and its judge's answers."""
    (scale, answer), rel, n = SCALES[design.scale][0], design.latent, design.items
    place, own = np.arange(n), rng.normal(size=n)
    length = sqrt(OF_LENGTH) * own + sqrt(1 - OF_LENGTH) * rng.normal(size=n)
    groupings = {"system": place % 4, "topic": place // 4 % TOPICS}
    clusters = place // design.contents if design.contents else place
    if design.contents:
        groupings["content"] = clusters
    quality = sqrt(1 - design.share) * own
    quality += sqrt(design.share) * draw_means(rng, 4)[groupings["system"]]
    items = np.concatenate([rng.permutation(n) for _ in range(design.m)])
    raters = np.arange(n * design.m) // design.each
    noise = sqrt(LENIENCY) * rng.normal(size=raters.max() + 1)[raters]
    noise += sqrt(1 - LENIENCY) * rng.normal(size=n * design.m)
    ratings = answer(sqrt(rel) * quality[items] + sqrt(1 - rel) * noise)
    lengths = np.round(np.exp(6 + 0.5 * length))
    reference = gather_reference(
        *(ratings, items, raters, n, scale),
        groupings=groupings,
        lengths=lengths,
        clusters=clusters,
    )
    noise = rng.normal(size=n)
    if design.q is None:
        return reference, answer(sqrt(rel) * quality + sqrt(1 - rel) * noise)
    latent = design.q * quality + sqrt(1 - design.q**2) * noise
    return reference, answer(latent)


def try_design(design, rng):
    """Ask the whole verdict about a judge in one study."""
    return {YES: is_yes(*make_study(design, rng))}


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


def try_pilot(design, items, chance, rng):
    """Forecast from one pilot the chance of a yes with so many items."""
    reference, judge = make_study(design, rng)
    judge = np.clip(judge, reference.scale.low, reference.scale.high)
    evidence = gather_evidence(reference, judge)
    at = forecast(expect_as_in(evidence, Criteria(), design.m), evidence.n, [items])
    return {HOLDS: at.low[0] <= chance <= at.high[0], "too low": at.high[0] < chance}


def experiments():
    """Return all designs of items, of systems, and of pilots."""
    designs = [
        Experiment(_name(design), partial(try_design, design), STUDIES, FEW)
        for design in (*DESIGNS, *CLUSTERED)
    ]
    systems = [
        Experiment(_systems_name(*design), partial(try_systems, *design), STUDIES, FEW)
        for design in SYSTEMS
    ]
    pilots = [
        Experiment(_pilot_name(*pilot[:2]), partial(try_pilot, *pilot), STUDIES, FEW)
        for pilot in PILOTS
    ]
    return [*designs, *systems, *pilots]


def _name(design):
    return f"plan: {design}"


def _systems_name(rho, q, items, are_shared):
    contents = "shared contents" if are_shared else "single items"
    return f"plan of two systems: rho {rho:g}, q {q:g}, {items} items a system, {contents}"


def _pilot_name(design, items):
    return f"plan of {items} items from a pilot: {design}"


def tables(tallies):
    """Return the tables of single items, clusters, systems and pilots."""

    def lines(designs, ask):
        return [
            Line((str(d),), (tallies[_name(d), YES],), (ask(d.predict()),), DESIGN_SAYS)
            for d in designs
        ]

    return [
        Table(
            "Predicted and simulated power: the whole verdict",
            DESIGN_TEXT,
            ("design", YES),
            lines(DESIGNS, near),
        ),
        Table(
            "Predicted and simulated power: clusters",
            CLUSTERED_TEXT,
            ("design", YES),
            lines(CLUSTERED, not_below),
        ),
        Table(
            "Predicted and simulated power: two systems",
            SYSTEMS_TEXT,
            ("design", WITHIN, "yes on both systems"),
            [_systems_line(design, tallies) for design in SYSTEMS],
        ),
        Table(
            "The chance that a pilot predicts",
            PILOT_TEXT,
            ("pilot", "items", HOLDS, "too low"),
            [_pilot_line(*pilot, tallies) for pilot in PILOTS],
        ),
    ]


def _pilot_line(design, items, chance, tallies):
    name = _pilot_name(design, items)
    cells = tuple(tallies[name, outcome] for outcome in (HOLDS, "too low"))
    return Line((str(design), str(items)), cells, (between(0.75, 0.85), None), PILOT_SAYS)


def _systems_line(design, tallies):
    rho, q, items, _ = design
    name = _systems_name(*design)
    target = near(float(systems_power(SPREADS[rho, q], items)))
    label = name.removeprefix("plan of two systems: ")
    return Line((label,), (tallies[name, WITHIN], tallies[name, YES]), (target, None), DESIGN_SAYS)


DESIGN_TEXT = (
    "4 systems × 5 topics, a quality that correlates .4 with the length, raters whose leniency is "
    "a tenth of the noise; *q* is the judge's correlation with quality, *equal* a judge like one "
    "rater; items × ratings per item. Two raters agree by .30 unless a reliability is given. The "
    "target is the planner's prediction that all checks are passed."
)
CLUSTERED_TEXT = (
    "The same, where the items of a content are one cluster. The planner assumes that clusters "
    "cost a factor of 1 + .1 (items of a cluster − 1), and here they have nothing in common: the "
    "prediction should not be above what comes."
)
PILOT_TEXT = (
    "Whether the band that the report Plan gives holds the chance of a yes that studies of so many "
    "items have, and whether all of it is too low. It is made to hold it in four of five pilots."
)
SYSTEMS_TEXT = (
    "Normal scores with the variance of five points, systems .6 SD of quality apart, a judge "
    "without a bias on people's scale. The planner predicts that the difference is shown to be "
    "within the margin; a yes asks for more."
)
DESIGN_SAYS = "The planner's page says how near predictions came."
PILOT_SAYS = "A note of the report Plan says how often its bands hold the chance."
