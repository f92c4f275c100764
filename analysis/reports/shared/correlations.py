"""Correlate evaluators with the reference at the dataset, user, pair and system level."""

from itertools import product

import numpy as np

from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.correlation.correlation import (
    dataset_correlation,
    grouped_correlation,
    system_correlation,
)
from analysis.stats.estimate import Estimate

LEVELS = ("dataset", "user", "pair", "system")
GROUPED = ("user", "pair")  # levels that are means over groups
OF_LEVEL = {"user": "recipient", "system": "system"}
LABELS = {key: coefficient.label for key, coefficient in COEFFICIENTS.items()}
PARTS = [f"{coefficient} {level}" for coefficient, level in product(COEFFICIENTS, LEVELS)]
AVERAGE = "average"  # in the place of a question


def comparable(scores):
    """Return the places of the questions with an order and with different reference values."""
    return [
        place
        for place, (question, values) in enumerate(
            zip(scores.questions, scores.reference().T, strict=True)
        )
        if question.scale.is_ordered and len(np.unique(values[~np.isnan(values)])) > 1
    ]


def question_notes(scores, places):
    """Write a note on the questions that have no correlation, if there are any."""
    left_out = [q.key for place, q in enumerate(scores.questions) if place not in places]
    if not left_out:
        return []
    return [
        f"No correlation for {', '.join(left_out)}: the scale has no order, nobody of the "
        "reference answered, or all reference values are equal."
    ]


def groups_of(scores, level):
    """Return the group of each item (items,), -1 without one; None at the dataset level."""
    groups = {"user": scores.recipients, "pair": scores.pairs, "system": scores.systems}
    return groups.get(level)


def correlate(scores, evaluator, place, level, coefficient):
    """Return the Estimate of one evaluator's correlation for one question at one level."""
    x, y = evaluator.values[:, place], evaluator.reference[:, place]
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    return correlate_rows(scores, x[rows], y[rows], rows, level, coefficient)


def correlate_rows(scores, x, y, items, level, coefficient):
    """Return the Estimate of the correlation of x and y (N,) at one level.

    items (N,): the place of each pair's item, where an item may stand several times.
    """
    groups = groups_of(scores, level)
    if groups is None:
        return dataset_correlation(x, y, coefficient, **scores.resampling(items))
    if not (groups >= 0).any():
        return Estimate(np.nan, groups=0, skipped=0, reason=f"no item has a {OF_LEVEL[level]}")
    has_group = groups[items] >= 0
    x, y, items = x[has_group], y[has_group], items[has_group]
    resampling = scores.resampling(items)
    if level == "system":
        return system_correlation(x, y, groups[items], coefficient, **resampling)
    undefined = scores.options.undefined
    return grouped_correlation(x, y, groups[items], coefficient, undefined=undefined, **resampling)
