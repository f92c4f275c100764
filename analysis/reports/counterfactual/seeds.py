"""Say how far recommendations and counterfactual scores follow from the seed of the model.

Read from the columns that a study made with several seeds has (judges/counterfactual/surveys).
"""

import numpy as np
import pandas as pd

from analysis.answers.ensembles import RECIPE
from judges.models import Judge

PART = "seeds"
RECOMMENDED, LARGEST, TYPICAL = "recommended", "largest_difference", "mean_sd"
SEEDS, RECOMMENDED_BY = "seeds", "recommended_by_seeds"
SCORES = {"CF": "cf", "CF-A": "cf_a"}
# Of the recommended films, the share that another seed's model has to recommend too, on average.
# On MovieLens-small other seeds recommend 42 to 71 % of the films after 20 iterations, and 96 to
# 100 % after 200: a line anywhere between tells a model that converged from one that did not.
TRUSTED = 0.9


def add(work):
    """Add how many films each other seed recommends, and how far scores move over the seeds."""
    items = work.scores.items
    if not {SEEDS, RECOMMENDED_BY} <= {*items.columns}:
        return
    items = items[[bool(seeds) for seeds in _lists(items[SEEDS])]]
    if not len(items):
        return
    used, recommending = _lists(items[SEEDS]), _lists(items[RECOMMENDED_BY])
    for seed in dict.fromkeys(seed for seeds in used for seed in seeds):  # the study's own is first
        asked = [seed in seeds for seeds in used]
        n_films = sum(seed in seeds for seeds in recommending)
        work.add(PART, measure=RECOMMENDED, other=seed, value=float(n_films), n=sum(asked))
    for score, prefix in SCORES.items():
        _add_spread(work, items, score, prefix)


def _add_spread(work, items, score, prefix):
    """Add the largest difference of a score between two seeds, and its mean SD over seeds."""
    names = [f"{prefix}_{spread}" for spread in ("min", "max", "sd")]
    if not {*names} <= {*items.columns}:
        return
    low, high, sd = (pd.to_numeric(items[name].astype(str), errors="coerce") for name in names)
    for measure, values in ((LARGEST, (high - low).max()), (TYPICAL, sd.mean())):
        n = int((high - low).notna().sum() if measure == LARGEST else sd.notna().sum())
        reason = "" if n else "no item has this score of several seeds"
        work.add(PART, score=score, measure=measure, value=float(values), n=n, reason=reason)


def _lists(column):
    """Return the seeds that each cell of a column names."""
    return [[seed for seed in text.split("|") if seed.isdigit()] for text in column.astype(str)]


def verdict(work):
    """Say in words how far the study's scores follow from its seed, if several were tried."""
    rows = [row for row in work.report.rows if row["part"] == PART]
    tried = [row for row in rows if row["measure"] == RECOMMENDED]
    if len(tried) < 2:  # noqa: PLR2004 - a first seed and another
        return
    first, *others = tried
    counts = ", ".join(f"{row['value']:.0f}" for row in others)
    names = ", ".join(row["other"] for row in others)
    words = (
        f"Of {first['n']:,} films recommended with seed {first['other']}, {counts} are recommended "
        f"with {'seed' if len(others) == 1 else 'seeds'} {names}"
    )
    moves = [row for row in rows if row["measure"] == LARGEST and not np.isnan(row["value"])]
    if moves:
        largest = max(moves, key=lambda row: row["value"])
        words += f"; {largest['score']} moves by up to {largest['value']:.2f}"
    yield f"{words}: {_judged(work, others)}."


def _judged(work, others):
    """Judge the model by the share of films that the other seeds recommend too."""
    share = np.mean([row["value"] / row["n"] for row in others])
    if share >= TRUSTED:
        return "the seed matters little"
    iterations = _iterations(work)
    why = f"{iterations} iterations are too few" if iterations else "its model has not converged"
    return f"these scores hang on the seed, {why}"


def _iterations(work):
    """Return the iterations by which the study's judge CF trains; None where there is none."""
    place = RECIPE.index("iterations")
    iterations = {
        recipe[place]
        for kind, recipe in work.scores.answers.of_explanations.values()
        if kind == Judge.Kind.CF
    }
    return iterations.pop() if len(iterations) == 1 else None


def notes(report):
    """Write a note on how these numbers are made and when a study is trusted, or are missing."""
    if any(row["part"] == PART for row in report.rows):
        yield (
            "Seeds: recommended counts the items whose film the model of that seed recommends; "
            "largest_difference is that of one explanation's score between two seeds, mean_sd the "
            "mean of its standard deviations over the seeds. Scores count as following from the "
            f"ratings if the other seeds recommend at least {TRUSTED:.0%} of the films, on "
            "average. The study's judges score with the first seed alone."
        )
    elif report.rows:
        yield (
            "Seeds: no numbers, as the items have no column seeds. How far CF follows from the "
            "seed of its model is unknown then; make_counterfactual_study --seeds 5 makes a study "
            "that says it."
        )
