"""Measure how far an item's raters are apart on a question, for the adaptive rule."""

import numpy as np

from annotate.values.numbers import is_number
from annotate.values.wrong import quoted

USUAL = {"sd": 1.0}
MOST_SD, MOST_LABELS = 1e6, 100
WORDS = {
    "sd": "standard deviation of an item’s ratings of a question, in points of its scale",
    "labels": "different answers to a question about an item",
}


def check_spread(given):
    """Return a valid {"sd": number} or {"labels": whole number from 2}.

    ValueError says what is allowed.
    """
    allowed = "allowed is {sd: a number above 0} or {labels: a whole number from 2 to 100}"
    if not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in WORDS:
        raise ValueError(f"found {quoted(given)}; {allowed}")
    ((measure, value),) = given.items()
    if not is_number(value):
        raise ValueError(f"found {quoted(value)}; {allowed}")
    whole = measure == "sd" or (isinstance(value, int) and value >= 2)
    if not (whole and 0 < value <= (MOST_SD if measure == "sd" else MOST_LABELS)):
        raise ValueError(f"found {value!r}; {allowed}")
    return {measure: value}


def has_spread(measure, scale):
    """Return whether a scale has what is measured: an order for sd, points for labels."""
    return scale.is_ordered if measure == "sd" else scale.has_points


def spreads(measure, cells, values):
    """Return {cell: spread of its values}, of the cells with two values or more.

    cells: whole numbers (N,); values: (N,). sd: with n − 1; labels: how many are different.
    """
    order = np.argsort(cells, kind="stable")
    distinct_cells, starts, counts = np.unique(cells[order], return_index=True, return_counts=True)
    parts = np.split(values[order], starts[1:]) if len(distinct_cells) else []
    spread = _sd if measure == "sd" else _labels
    return {
        cell: spread(part)
        for cell, part, count in zip(distinct_cells.tolist(), parts, counts, strict=True)
        if count > 1
    }


def _sd(values):
    return float(np.std(values, ddof=1))


def _labels(values):
    return len(np.unique(values))
