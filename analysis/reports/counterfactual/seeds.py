"""Say how far recommendations and counterfactual scores follow from the seed of the model.

Read from the columns that a study made with several seeds has (judges/counterfactual/surveys).
"""

import numpy as np
import pandas as pd

from analysis.answers.ensembles import RECIPE
from analysis.figures.layout import Table, cross_table
from analysis.reports.words import small
from judges.models import Judge

PART = "seeds"
RECOMMENDED, LARGEST, TYPICAL = "recommended", "largest_difference", "mean_sd"
HEADINGS = {LARGEST: "Largest difference", TYPICAL: "Mean standard deviation"}
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
    used, recommending = _lists(items[SEEDS]), _lists(items[RECOMMENDED_BY])
    for seed in dict.fromkeys(seed for seeds in used for seed in seeds):  # the study's own is first
        asked = [seed in seeds for seeds in used]
        n_films = sum(seed in seeds for seeds in recommending)
        work.add(PART, measure=RECOMMENDED, other=seed, value=float(n_films), n=sum(asked))
    for score, prefix in SCORES.items():
        names = [f"{prefix}_{spread}" for spread in ("min", "max", "sd")]
        if len(items) and {*names} <= {*items.columns}:
            low, high, sd = (
                pd.to_numeric(items[own].astype(str), errors="coerce") for own in names
            )
            for measure, values, of in ((LARGEST, high - low, "max"), (TYPICAL, sd, "mean")):
                n = int(values.notna().sum())
                reason = "" if n else "no item has this score of several seeds"
                value = float(getattr(values, of)())
                work.add(PART, score=score, measure=measure, value=value, n=n, reason=reason)


def _lists(column):
    """Return the seeds that each cell of a column names."""
    return [[seed for seed in text.split("|") if seed.isdigit()] for text in column.astype(str)]


def judge_seeds(work):
    """Say in words how far the study's scores follow from its seed, if several were tried."""
    rows = [row for row in work.report.rows if row["part"] == PART]
    tried = [row for row in rows if row["measure"] == RECOMMENDED]
    if not tried[1:]:
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
    kinds_and_recipes = work.scores.answers.of_explanations.values()
    place = RECIPE.index("iterations")
    iterations = {recipe[place] for kind, recipe in kinds_and_recipes if kind == Judge.Kind.CF}
    why = "its model has not converged"
    if len(iterations) == 1 and (number := iterations.pop()):
        why = f"{number} iterations are too few"
    is_trusted = np.mean([row["value"] / row["n"] for row in others]) >= TRUSTED
    judged = "the seed matters little" if is_trusted else f"these scores hang on the seed, {why}"
    yield f"{words}: {judged}."


def tables(entries):
    """Yield the table of the films that each seed recommends, and of how far scores move."""
    if entries:
        rows = [entry.row for entry in entries]
        films = [row for row in rows if row["measure"] == RECOMMENDED]
        lines = [(f"seed {row['other']}", [f"{row['value']:.0f} of {row['n']:,}"]) for row in films]
        caption = "Seeds: films of the study that the model of each seed recommends."
        yield Table(caption, ["Films recommended"], lines, [], "Model")
        cells = {
            (row["score"], HEADINGS[row["measure"]]): small(row["value"])
            for row in rows
            if row["score"]
        }
        caption = "Seeds: how far the score of an explanation moves from seed to seed."
        yield cross_table(caption, "Score", cells, [*HEADINGS.values()])
