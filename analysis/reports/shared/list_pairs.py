"""Compare pairs of lists: which systems made their sides, and what their parts add up to."""

import numpy as np
import pandas as pd

TIE = "tie"  # the label, in any case
SIDES = ("A", "B")


def tie_of(question):
    """Return the value that stands for a tie; None if the question is no choice of two lists."""
    if not question.scale.is_nominal or len(question.scale.points) != 3:
        return None
    ties = [value for value, label in question.scale.points if label.strip().lower() == TIE]
    return ties[0] if ties else None


def values_of_sides(question):
    """Return the values that name list A and list B: by their labels, else in their order."""
    by_label = {label.strip(): value for value, label in question.scale.points}
    if {*SIDES} <= {*by_label}:
        return tuple(float(by_label[side]) for side in SIDES)
    tie = tie_of(question)
    return tuple(float(value) for value, _ in question.scale.points if value != tie)


def systems_of_sides(scores):
    """Return codes (items, 2) of the system of each side, -1 if unknown or several; and names.

    A side's system is that of its parts, also of parts left out of the comparison.
    """
    items = scores.answers.items
    rows, pairs, sides = _parts(scores, items)
    names = [str(name) for name in items["system"].cat.categories]
    codes = items["system"].cat.codes.to_numpy().astype(np.int64)[rows]
    lowest = np.full((len(scores.items), 2), len(names))
    highest = np.full((len(scores.items), 2), -1)
    np.minimum.at(lowest, (pairs, sides), codes)
    np.maximum.at(highest, (pairs, sides), codes)
    blank = [code for code, name in enumerate(names) if not name]
    return np.where((lowest == highest) & ~np.isin(lowest, blank), lowest, -1), names


def verdicts_of_parts(scores, chosen, question):
    """Return the list (items,) with more chosen parts; a tie where they are equal.

    chosen: (items,) 1 or 0, NaN = unknown. NaN where a part is unknown or a side has no parts.
    """
    rows, pairs, sides = _parts(scores, scores.items)
    sums, sizes = np.zeros((2, len(scores.items), 2))
    np.add.at(sums, (pairs, sides), chosen[rows])
    np.add.at(sizes, (pairs, sides), 1)
    complete = (sizes > 0).all(axis=1) & ~np.isnan(sums).any(axis=1)
    more = np.sign(np.where(complete, sums[:, 0] - sums[:, 1], 0)).astype(int)
    first, second = values_of_sides(question)
    by_sign = np.array([tie_of(question), first, second], dtype=float)  # 0, 1 and -1
    return np.where(complete, by_sign[more], np.nan)


def _parts(scores, items):
    """Return (rows of `items` that are parts, their pairs among the scores' items, their sides)."""
    parents = pd.Index(scores.items["item"].astype(str)).get_indexer(items["parent"].astype(str))
    side = items["side"].astype(str).to_numpy()
    rows = np.flatnonzero((parents >= 0) & np.isin(side, SIDES))
    return rows, parents[rows], (side[rows] == SIDES[1]).astype(int)
