"""Time of all correlations of a large study, beside `groupby.apply` with scipy.

Run: python -m tests.bench.bench_correlation [ratings]
"""

import sys
import time
import warnings

import numpy as np
import pandas as pd
from scipy import stats

from analysis.stats.correlation.correlation import dataset_correlation, grouped_correlation
from analysis.stats.intervals.bootstrap import draw_counts

COEFFICIENTS = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}
QUESTIONS, JUDGES, CONTENTS, SYSTEMS, DRAWS = 4, 3, 16, 8, 1000
SAMPLED_GROUPS = 1500


def likert(values):
    return np.clip(np.round(values), 1, 5)


def study(ratings):
    """Reference (question, item), judges (judge, question, item), recipient and pair codes."""
    rng = np.random.default_rng(1)
    items = ratings // QUESTIONS
    pair = np.arange(items) // SYSTEMS
    quality = rng.normal(3, 1, (QUESTIONS, items))
    reference = likert(quality + rng.normal(0, 0.7, (QUESTIONS, items)))
    judges = likert(quality + rng.normal(0, 1, (JUDGES, QUESTIONS, items)))
    return reference, judges, pair // CONTENTS, pair


def cells(reference, judges):
    for judge in judges:
        for question in range(QUESTIONS):
            for coefficient in COEFFICIENTS:
                yield judge[question], reference[question], coefficient


def vectorised(reference, judges, recipient, pair, counts=None):
    """Seconds of every judge x question x coefficient x level."""
    start = time.perf_counter()
    options = {"clusters": recipient, "counts": counts}
    for x, y, coefficient in cells(reference, judges):
        dataset_correlation(x, y, coefficient, **options)
        for groups in (recipient, pair):
            grouped_correlation(x, y, groups, coefficient, **options)
    return time.perf_counter() - start


def groupby_apply(reference, judges, recipient, pair):
    """Seconds of the same by pandas and scipy; groups sampled and extrapolated linearly."""
    total = 0.0
    for x, y, coefficient in cells(reference, judges[:1]):
        correlate = COEFFICIENTS[coefficient]
        start = time.perf_counter()
        correlate(x, y)
        total += time.perf_counter() - start
        for groups in (recipient, pair):
            n_groups = int(groups.max()) + 1
            rows = groups < SAMPLED_GROUPS
            frame = pd.DataFrame({"x": x[rows], "y": y[rows], "group": groups[rows]})
            start = time.perf_counter()
            frame.groupby("group").apply(lambda g, r=correlate: r(g["x"], g["y"])[0]).mean()
            share = min(SAMPLED_GROUPS, n_groups) / n_groups
            total += (time.perf_counter() - start) / share
    return total * len(judges)


def main(ratings=1_000_000):
    reference, judges, recipient, pair = study(ratings)
    clusters = int(recipient.max()) + 1
    print(
        f"{reference.size:,} ratings, {judges.size:,} judgments, {clusters:,} recipients, "
        f"{int(pair.max()) + 1:,} pairs; {JUDGES} judges x {QUESTIONS} questions x 3 levels x 3 r"
    )
    ours = min(vectorised(reference, judges, recipient, pair) for _ in range(3))
    print(f"vectorised:      {ours:8.2f} s")
    counts = draw_counts(clusters, DRAWS, np.random.default_rng(2))
    start = time.perf_counter()
    draw_counts(clusters, DRAWS, np.random.default_rng(2))
    drawing = time.perf_counter() - start
    with_draws = min(vectorised(reference, judges, recipient, pair, counts) for _ in range(3))
    print(
        f"with {DRAWS:,} draws: {with_draws:7.2f} s, of which the draws "
        f"{with_draws - ours + drawing:.2f} s (counts once: {drawing:.2f} s)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = groupby_apply(reference, judges, recipient, pair)
    print(
        f"groupby.apply:   {theirs:8.2f} s (extrapolated from one judge, "
        f"{SAMPLED_GROUPS:,} groups a level)"
    )
    print(f"ratio:           {theirs / ours:8.1f} x")


if __name__ == "__main__":
    main(*(int(argument.replace("_", "")) for argument in sys.argv[1:]))
