"""Count how often theta > 0 is shown of a judge whose theta is 0."""

from functools import partial

from analysis.stats.validation.checks import measure_level
from analysis.stats.validation.people import compare_judge
from tests.analysis.stats.validation.simulated import simulate
from tests.calibration.crowds import (
    KEPT,
    RELIABILITIES,
    SHARES,
    compute_truth,
    follow_quality,
)
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import not_above

NAME = "size"
TITLE = "Size at the boundary"
STUDIES, FEW = 1000, 15
RETENTION, LEVEL = "theta > 0 at theta = 0", "level is near at the margin"
MARGIN = 0.25
DRAWN = {"content_share": 0.3, "are_contents_drawn": True}
DESIGNS = {
    **{
        f"75 contents × 4 systems, system share {share:g}": {"system_share": share}
        for share in SHARES
    },
    "10 contents × 20": {"system_share": 0.0, **DRAWN, "contents": 10, "systems": 20},
    "30 contents × 8": {"system_share": 0.0, **DRAWN, "contents": 30, "systems": 8},
    "75 × 4, raters lenient (.2 of noise)": {"system_share": 0.0, "leniency": 0.2},
    "75 × 4, a panel of five": {"system_share": 0.0, "panel": 5},
}
SAID = "A note of the report Verdict says that checks err a little more often than their .05."


def try_boundary(options, reliability, rng):
    """Test a judge with theta = 0, and a level exactly at the margin."""
    study = simulate(rng, reliability, **options)
    truth = compute_truth(
        reliability, options["system_share"], study.by_system, options.get("content_share", 0)
    )
    judge = follow_quality(study, truth.q_of_boundary, spread=0.5)
    people = study.reference.people
    scores = judge[people.rows, None]
    level = measure_level(people, scores + truth.mean - 3 + MARGIN)
    return {
        RETENTION: compare_judge(people, scores).retention(KEPT).p_above() < 0.05,
        LEVEL: level.p_within(MARGIN) < 0.05,
    }


def experiments():
    """Return every design at every reliability."""
    return [
        Experiment(_name(design, rho), partial(try_boundary, options, rho), STUDIES, FEW)
        for design, options in DESIGNS.items()
        for rho in RELIABILITIES
    ]


def _name(design, reliability):
    return f"boundary, {design}, at {reliability}"


def tables(tallies):
    """Return the table of both tests."""
    lines = [
        Line(
            (outcome, design),
            tuple(tallies[_name(design, rho), outcome] for rho in RELIABILITIES),
            (not_above(0.05),),
            SAID,
        )
        for outcome in (RETENTION, LEVEL)
        for design in DESIGNS
    ]
    text = (
        "The judge's q is such that r = 2/3 rho exactly, on five points and with the systems as "
        f"they were drawn; its level is off by exactly {MARGIN} points. Contents that are few "
        "carry .3 of quality. The columns are reliabilities."
    )
    columns = ("test", "design", *(f"{rho:g}"[1:] for rho in RELIABILITIES))
    return [
        Table(
            "False yes of single tests where exactly nothing is to be shown", text, columns, lines
        )
    ]
