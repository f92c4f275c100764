"""Count how often the intervals that the product prints hold the truth."""

from functools import partial
from math import isnan

from analysis.stats.validation.checks import measure_level
from analysis.stats.validation.people import compare_judge, worth_in_raters
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate
from tests.calibration.crowds import (
    KEPT,
    RELIABILITIES,
    compare_without,
    compute_truth,
    follow_quality,
)
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import between

NAME = "coverage"
TITLE = "Coverage of intervals"
STUDIES, FEW = 1000, 10
Q, SPREAD, FAVOUR = 0.8, 0.5, 0.2
LENGTH_SHOWN = "rho beyond the length"
ONE_SIDED = ("worth, lower", "worth, upper", "share proven")
INTERVALS = (
    *("rho", "r", "theta", "level", "rho within systems", LENGTH_SHOWN, "difference of systems"),
    *ONE_SIDED,
)
DRAWN = {"content_share": 0.3, "are_contents_drawn": True}
DESIGNS = {
    "75 contents × 4, systems .4": {"system_share": 0.4},
    "30 contents × 4, systems .2": {"system_share": 0.2, "contents": 30},
    "30 contents × 10, contents .3": {
        "system_share": 0.2,
        **DRAWN,
        "contents": 30,
        "systems": 10,
    },
    "75 × 4, raters lenient (.2 of noise)": {"system_share": 0.2, "leniency": 0.2},
    "75 × 4, a panel of five": {"system_share": 0.2, "panel": 5},
}
SAID = "A note of the report Verdict says that it is about .93 to .97 in simulated studies."
BOUNDS_SAY = (
    "A note of the report Verdict says, where raters agree by less than .20, that these bounds are "
    "on the safe side."
)


def try_intervals(options, reliability, rng):
    """Ask which intervals of one study hold what they estimate."""
    study = simulate(rng, reliability, **options)
    truth = compute_truth(
        reliability, options["system_share"], study.by_system, options.get("content_share", 0)
    )
    judge = follow_quality(study, Q, SPREAD) + FAVOUR * (study.system == 0)
    plain = judge - FAVOUR * (study.system == 0)
    people = study.reference.people
    scores = plain[people.rows, None]
    agreement = compare_judge(people, scores)
    quantities = {
        "rho": (agreement.rho, truth.rho),
        "r": (agreement.r, truth.agreement(Q)),
        "theta": (agreement.retention(KEPT), truth.retention(Q)),
        "level": (measure_level(people, scores).largest, 3 - truth.mean),
        "rho within systems": (
            compare_without(study, "system", scores).rho,
            truth.rho_within,
        ),
        LENGTH_SHOWN: (compare_without(study, "length", scores).rho, truth.rho_beyond_length),
        "difference of systems": _offset(study, judge[people.rows], truth, options),
    }
    outcomes = {
        name: abs(own.value - value) <= own.reach(0.025)
        for name, (own, value) in quantities.items()
    }
    return outcomes | _bounds(agreement, truth)


def _offset(study, judge, truth, options):
    """Return the first pair's offset of judge less people, and what it is in truth."""
    people, share = study.reference.people, options["system_share"]
    pair = compare_systems(people, judge, study.system[people.rows], FIVE).pairs[0]
    scores = SPREAD * Q * share**0.5 * study.by_system
    offsets = scores - truth.by_system
    return pair.offset, offsets[pair.second] - offsets[pair.first] - FAVOUR


def _bounds(agreement, truth):
    """Say whether the one-sided bounds of worth, and of the share proven, hold; None: no bound."""
    r, rho = truth.agreement(Q), truth.rho
    worth = worth_in_raters(r, rho)
    low, high, share = agreement.least_worth(), agreement.most_worth(), agreement.share_proven()
    return {
        "worth, lower": None if isnan(low) else low <= worth,
        "worth, upper": None if isnan(high) else high >= worth,
        "share proven": None if isnan(share) else share <= r / rho,
    }


def experiments():
    """Return every design at every reliability."""
    return [
        Experiment(_name(design, rho), partial(try_intervals, options, rho), STUDIES, FEW)
        for design, options in DESIGNS.items()
        for rho in RELIABILITIES
    ]


def _name(design, reliability):
    return f"coverage, {design}, at {reliability}"


def tables(tallies):
    """Return the table of all intervals."""
    lines = [
        Line(
            (interval, design),
            tuple(tallies[_name(design, rho), interval] for rho in RELIABILITIES),
            (between(0.93, 0.97),),
            BOUNDS_SAY if interval in ONE_SIDED else SAID,
        )
        for interval in INTERVALS
        for design in DESIGNS
    ]
    text = (
        "Of a judge with q = .8, unrounded; for the difference of two systems it adds .2 points "
        "to the first. Worth and the share proven have one-sided 95 % bounds, all others "
        "two-sided 95 % intervals. The columns are reliabilities. A bound that is undefined "
        "(raters who do not agree significantly have no share proven) is not counted."
    )
    columns = ("interval", "design", *(f"{rho:g}"[1:] for rho in RELIABILITIES))
    return [Table("Shares of 95 % intervals that hold the truth", text, columns, lines)]
