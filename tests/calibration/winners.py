"""Count wrong winners of two systems after a yes, and false differences of many judges."""

from functools import partial
from itertools import combinations
from math import sqrt

import numpy as np

from analysis.stats.comparison.max_t import max_t
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate
from tests.calibration.crowds import RELIABILITIES
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import most, not_above

NAME = "winners"
TITLE = "Comparing systems and judges"
STUDIES, FEW = 600, 15
Q = 0.8
APART = (0.2, 0.6)  # SDs of quality between the systems
BIASES = (0.0, 0.15, 0.3, 0.5)  # points for the worse system
SIZES = (75, 150, 300)  # items of a system
MANY = 600  # of a system, beyond which nothing is tried
YES, WRONG = "all systems: yes", "all systems: yes, and a wrong winner"
PAIR, PAIR_WRONG = "the pair: yes", "the pair: yes, and a wrong winner"
WARNED = "warning that it favours one"
JUDGES, DRAWS, FAMILY_STUDIES = 10, 999, 1000
CLUSTERS = (100, 400)
ANY = "any of 45 differences called"


def try_winner(apart, bias, size, reliability, rng):
    """Ask whether a judge that favours the worse of two systems may compare them."""
    study = simulate(rng, reliability, (apart / 2) ** 2, contents=size, systems=2)
    noise = study.rng.normal(size=len(study.quality)) * sqrt(1 / Q**2 - 1)
    worse = int(study.by_system.argmin())
    judge = 3 + sqrt(reliability) * (study.quality + noise) + bias * (study.system == worse)
    people = study.reference.people
    rows = people.rows
    comparison = compare_systems(people, judge[rows], study.system[rows], FIVE)
    (pair,) = comparison.pairs
    is_wrong = pair.judge.value * (study.by_system[1] - study.by_system[0]) < 0
    yes = comparison.answer == "yes"
    pair_yes = pair.decide(0.05, 1)[0] == "yes"
    return {
        YES: yes,
        WRONG: yes and is_wrong,
        PAIR: pair_yes,
        PAIR_WRONG: pair_yes and is_wrong,
        WARNED: comparison.favoured,
    }


def try_family(n_clusters, rng):
    """Test all differences of ten judges that agree equally well with people."""
    n, size = n_clusters * 3, 3
    quality = rng.normal(size=n)
    answers = 0.6 * quality + 0.8 * rng.normal(size=(JUDGES + 1, n))
    products = np.concatenate([answers, answers**2, answers[:-1] * answers[-1]])
    sums = products.reshape(len(products), n_clusters, size).sum(axis=2)
    chosen = rng.integers(n_clusters, size=(DRAWS, n_clusters))
    counts = np.stack([np.bincount(row, minlength=n_clusters) for row in chosen])
    values, draws = (_correlations(c @ sums.T / n) for c in (np.ones((1, n_clusters)), counts))
    first, second = np.array(list(combinations(range(JUDGES), 2))).T
    result = max_t((values[:, first] - values[:, second])[0], draws[:, first] - draws[:, second])
    return {ANY: bool((result.p <= 0.05).any())}


def _correlations(means):
    """Return the correlations (B, judges) with the last of the answers, from means (B, sums)."""
    first, square, product = np.split(means, [JUDGES + 1, 2 * JUDGES + 2], axis=1)
    variance = square - first**2
    covariance = product - first[:, :-1] * first[:, -1:]
    return covariance / np.sqrt(variance[:, :-1] * variance[:, -1:])


def experiments():
    """Return all pairs of systems, and the families of judges."""
    pairs = [
        Experiment(_name(*design), partial(try_winner, *design), STUDIES, FEW)
        for design in designs()
    ]
    families = [
        Experiment(f"max-T, {clusters} clusters", partial(try_family, clusters), FAMILY_STUDIES, 20)
        for clusters in CLUSTERS
    ]
    return [*pairs, *families]


def designs():
    """Return (SDs apart, bias, items of a system, reliability) of every design."""
    sizes = [(a, b, size, 0.3) for a in APART for b in BIASES for size in SIZES]
    crowds = [(0.2, b, MANY, rho) for b in BIASES for rho in RELIABILITIES]
    return [*sizes, *crowds]


def _name(apart, bias, size, reliability):
    return f"two systems {apart} apart, bias {bias}, {size} items, at {reliability}"


def _asked(outcome, bias):
    """Return what is asked of the warning of a judge without a bias: a false alarm; else None."""
    return not_above(0.05) if outcome == WARNED and not bias else None


def tables(tallies):
    """Return the tables of winners by size and by reliability, and of families."""
    by_size, by_reliability = [], []
    for outcome, target in (
        (YES, None),
        (WRONG, most(0.01)),
        (PAIR, None),
        (PAIR_WRONG, most(0.01)),
        (WARNED, None),
    ):
        for apart in APART:
            for bias in BIASES:
                labels = outcome, f"{apart:g}"[1:], f"{bias:g}".removeprefix("0") or "0"
                cells = tuple(tallies[_name(apart, bias, size, 0.3), outcome] for size in SIZES)
                by_size.append(Line(labels, cells, (_asked(outcome, bias) or target,)))
        for bias in BIASES:
            labels = outcome, f"{bias:g}".removeprefix("0") or "0"
            names = [_name(0.2, bias, MANY, rho) for rho in RELIABILITIES]
            cells = tuple(tallies[name, outcome] for name in names)
            by_reliability.append(Line(labels, cells, (_asked(outcome, bias) or target,)))
    families = [
        Line(
            (ANY, f"{clusters} clusters"),
            (tallies[f"max-T, {clusters} clusters", ANY],),
            (not_above(0.05),),
            FAMILY_SAYS,
        )
        for clusters in CLUSTERS
    ]
    sizes = tuple(f"{size} items" for size in SIZES)
    return [
        Table(
            "A wrong winner of two systems, by items",
            f"{WINNERS} Reliability is .3; the columns are items of each system.",
            ("may it compare", "SDs apart", "bias", *sizes),
            by_size,
        ),
        Table(
            "A wrong winner of two systems, by reliability",
            f"{WINNERS} The systems are .2 SD apart, with {MANY} items each; the columns are "
            "reliabilities.",
            ("may it compare", "bias", *(f"{rho:g}"[1:] for rho in RELIABILITIES)),
            by_reliability,
        ),
        Table(
            "Differences of judges that do not differ",
            f"The step-down max-T test of all differences of {JUDGES} equal judges' correlations "
            f"with people, {DRAWS} draws of clusters of three items: the share of studies in "
            "which any difference has an adjusted p of at most .05.",
            ("what", "clusters", "share"),
            families,
        ),
    ]


WINNERS = (
    "A judge with q = .8 on people's scale adds a bias, in points, to the worse of two systems, "
    "which are so many SDs of quality apart. The winner is wrong where the judge's mean is "
    "higher for the worse system and the answer is yes. "
    "*All systems* is the report's row on all systems, *the pair* its row on this pair. The "
    "warning says that the judge favours a system against people; without a bias it is false."
)
FAMILY_SAYS = (
    "A note of the report Differences says how often this happens with 100 clusters, and with 400."
)
