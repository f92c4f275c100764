"""Say how recommendations and CF settle, of what check_convergence kept with the study."""

from math import nan

import numpy as np

from analysis.figures.layout import Figure, cross_table
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.reports.words import small
from judges.counterfactual.watched import CONVERGENCE

PART = "convergence"
SAME, AGREE = "same_film", "seeds_agree"
HEADINGS = {
    SAME: "Same film as before",
    AGREE: "Same film with another seed",
    "mean_change": "CF: mean change",
    "largest_difference": "CF between seeds: largest difference",
    "mean_difference": "CF between seeds: mean difference",
}


def add(work):
    """Add a row for each number of iterations and measure; none where nothing was watched.

    same_film: share of the items, over the seeds, whose first film is that after the number before;
    mean_change: mean |difference| of CF to that. seeds_agree: share of the items and other seeds
    whose first film is the first seed's; largest_difference, mean_difference: of a CF between two
    seeds, over the items.
    """
    watched = work.scores.answers.study.extra.get(CONVERGENCE)
    if not watched:
        return
    # (seeds, numbers of iterations, items)
    best, cf = np.array(watched["best"]), np.array(watched["cf"], dtype=float)
    lone = "" if len(best) > 1 else "a single seed was tried"
    for place, count in enumerate(watched["iterations"]):
        now, values = best[:, place], cf[:, place]
        first = "" if place else "the first number of iterations has none before it"
        spread, before = np.ptp(values, axis=0), max(place - 1, 0)
        numbers = {
            SAME: ((now == best[:, before]).mean(), first),
            AGREE: (nan if lone else (now[1:] == now[:1]).mean(), lone),
            "mean_change": (np.abs(values - cf[:, before]).mean(), first),
            "largest_difference": (spread.max(), lone),
            "mean_difference": (spread.mean(), lone),
        }
        for measure, (number, reason) in numbers.items():
            value = nan if reason else float(number)
            facts = {"value": value, "n": best.shape[2], "reason": reason}
            work.add(PART, measure=measure, other=str(count), **facts)


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
