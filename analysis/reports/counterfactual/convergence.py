"""Say how recommendations and CF settle, of what check_convergence kept with the study."""

from math import nan

import numpy as np

from analysis.figures.layout import Figure, cross_table
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.reports.words import notes_beside, small
from judges.counterfactual.watched import CONVERGENCE

say = notes_beside(__file__, "counterfactual")

PART = "convergence"
SAME, AGREE = "same_film", "seeds_agree"
HEADINGS = {
    SAME: "Same film as before",
    AGREE: "Same film with another seed",
    "mean_change": "CF: mean change",
    "largest_difference": "CF between seeds: largest difference",
    "mean_difference": "CF between seeds: mean difference",
}
FIRST = "the first number of iterations has none before it"
LONE = "a single seed was tried"


def add(work):
    """Add a row for each number of iterations and measure; none where nothing was watched."""
    watched = work.scores.answers.study.extra.get(CONVERGENCE)
    if not watched:
        return
    best, cf = np.array(watched["best"]), np.array(watched["cf"], dtype=float)
    for place, count in enumerate(watched["iterations"]):
        for measure, (value, reason) in _measure(best, cf, place).items():
            facts = {"value": value, "n": best.shape[2], "reason": reason}
            work.add(PART, measure=measure, other=str(count), **facts)


def _measure(best, cf, place):
    """Compute {measure: (value, why there is none)} after one number of iterations.

    best, cf: (seeds, numbers of iterations, items). same_film: share of the items, over the seeds,
    whose first film is that after the number before; mean_change: mean |difference| of CF to that.
    seeds_agree: share of the items and other seeds whose first film is the first seed's;
    largest_difference, mean_difference: of a CF between two seeds, over the items.
    """
    now, values = best[:, place], cf[:, place]
    spread = np.ptp(values, axis=0)
    same = change = agree = largest = typical = nan
    if place:
        same = (now == best[:, place - 1]).mean()
        change = np.abs(values - cf[:, place - 1]).mean()
    if len(now) > 1:
        agree, largest, typical = (now[1:] == now[:1]).mean(), spread.max(), spread.mean()
    numbers = zip(HEADINGS, (same, agree, change, largest, typical), strict=True)
    first, lone = "" if place else FIRST, "" if len(now) > 1 else LONE
    reasons = first, lone, first, lone, lone
    return {
        measure: (float(value), reason)
        for (measure, value), reason in zip(numbers, reasons, strict=True)
    }


def list_notes(report):
    """Write a note on what was watched."""
    rows = [row for row in report.rows if row["part"] == PART]
    if rows:
        yield say("convergence", n=rows[0]["n"])


def figures(entries):
    """Draw how many films stay, and agree between seeds, over the iterations."""
    rows = [entry.row for entry in entries]
    if rows:
        shown = {SAME: "same film as before", AGREE: "same film with another seed"}
        points: dict = {measure: [] for measure in shown}
        for row in rows:
            if row["measure"] in points:
                points[row["measure"]].append((int(row["other"]), row["value"], nan, nan))
        drawn = zip(shown.values(), JUDGE_COLOURS, points.values(), strict=False)
        caption = (
            f"Convergence: share of the films that stand first, of {rows[0]['n']:,} explanations, "
            "over the iterations of the model."
        )
        plot = series([*drawn], "Iterations", "Share of films", [0, 1.02])
        yield Figure(PART, caption, plot)


def tables(entries):
    """Yield the table of films and scores over the iterations."""
    if entries:
        cells = {
            (f"{e.row['other']} iterations", e.row["measure"]): small(e.row["value"])
            for e in entries
        }
        caption = (
            "Convergence: share of the films that stand first which stay, from one number of "
            "iterations to the next and from seed to seed, and how far CF moves."
        )
        table = cross_table(caption, "Model", cells, [*HEADINGS])
        table.headings = [*HEADINGS.values()]
        yield table
