"""Say how recommendations and CF settle, of what check_convergence kept with the study."""

import numpy as np

from judges.counterfactual.watched import CONVERGENCE

PART = "convergence"
SAME, AGREE = "same_film", "seeds_agree"
CHANGE, LARGEST, TYPICAL = "mean_change", "largest_difference", "mean_difference"
MEASURES = (SAME, AGREE, CHANGE, LARGEST, TYPICAL)
FIRST = "the first number of iterations has none before it"
LONE = "a single seed was tried"


def add(work):
    """Add a row for each number of iterations and measure; none where nothing was watched."""
    watched = work.scores.answers.study.extra.get(CONVERGENCE)
    if not watched:
        return
    best, cf = np.array(watched["best"]), np.array(watched["cf"], dtype=float)
    for place, count in enumerate(watched["iterations"]):
        for measure, (value, reason) in measured(best, cf, place).items():
            work.add(
                PART,
                measure=measure,
                other=str(count),
                value=value,
                n=best.shape[2],
                reason=reason,
            )


def measured(best, cf, place):
    """Compute {measure: (value, why there is none)} after one number of iterations.

    best, cf: (seeds, numbers of iterations, items). same_film: share of the items, over the seeds,
    whose first film is that after the number before; mean_change: mean |difference| of CF to that.
    seeds_agree: share of the items and other seeds whose first film is the first seed's;
    largest_difference, mean_difference: of a CF between two seeds, over the items.
    """
    now, values = best[:, place], cf[:, place]
    no_value = np.nan, FIRST
    spread = np.ptp(values, axis=0)
    is_lone = len(now) == 1
    return {
        SAME: (float((now == best[:, place - 1]).mean()), "") if place else no_value,
        AGREE: (np.nan, LONE) if is_lone else (float((now[1:] == now[:1]).mean()), ""),
        CHANGE: (float(np.abs(values - cf[:, place - 1]).mean()), "") if place else no_value,
        LARGEST: (np.nan, LONE) if is_lone else (float(spread.max()), ""),
        TYPICAL: (np.nan, LONE) if is_lone else (float(spread.mean()), ""),
    }


def notes(report):
    """Write a note on what was watched."""
    rows = [row for row in report.rows if row["part"] == PART]
    if rows:
        yield (
            f"Convergence: {rows[0]['n']:,} explanations, drawn by a seed, when check_convergence "
            "was last run for this study. same_film and mean_change compare with the number of "
            "iterations before; seeds_agree is the share of the films that stand first with the "
            "first seed and with another too; differences are of a CF between two seeds."
        )
