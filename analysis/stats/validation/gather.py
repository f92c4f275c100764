"""Gather the people of a question from a long table of ratings.

people = gather_people(values, items, raters, n_items, clusters=contents)
people = gather_people(indicators(labels, 3), items, raters, n_items)      of a choice
"""

from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import LARGEST, Floats, Ints, as_codes
from analysis.stats.validation.errors import FLAT
from analysis.stats.validation.people import People, compact_codes


def gather_people(
    values: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    n_items: int,
    *,
    clusters: ArrayLike | None = None,
    is_sample: bool | None = None,
) -> People:
    """Gather the items that have two ratings from a long table of ratings.

    values: (N,) numbers, or (N, K) indicators of labels; a row with NaN is no rating. items,
    raters: codes (N,); ratings of one item by one rater are averaged first. clusters: codes
    (n_items,), each item its own by default. is_sample: None counts raters who are worth ten or
    more as a sample of raters. Raises ValueError for other shapes or codes.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or (np.abs(table) > LARGEST).any():
        raise ValueError("values: expected (ratings,) or (ratings, labels) within 1e100")
    item, rater = (
        as_codes(c, name, len(table)) for c, name in ((items, "items"), (raters, "raters"))
    )
    if len(item) and item.max() >= n_items:
        raise ValueError(f"items: expected codes below {n_items}, found {item.max()}")
    cluster = np.arange(n_items) if clusters is None else as_codes(clusters, "clusters", n_items)
    table, item, rater = _average_repeats(table, item, rater)
    m = np.bincount(item, minlength=n_items)
    inside = m[item] >= 2
    rows, item = compact_codes(item[inside])
    codes, rater = compact_codes(rater[inside])
    return People(
        rows=rows,
        values=table[inside],
        item=item,
        rater=rater,
        raters=codes,
        m=m[rows],
        cluster=compact_codes(cluster[rows])[1],
        is_sample=is_sample,
        n_single=int((m == 1).sum()),
        floor=FLAT * float(np.mean(table[inside] ** 2)) if inside.any() else 0.0,
    )


def indicators(codes: Ints, n_labels: int) -> Floats:
    """Return the indicator of each label (N, K) for label codes (N,); a code below 0 gives NaN."""
    table = np.zeros((len(codes), n_labels))
    table[np.arange(len(codes)), codes] = 1.0
    table[codes < 0] = nan
    return table


def _average_repeats(table: Floats, item: Ints, rater: Ints) -> tuple[Floats, Ints, Ints]:
    """Return ratings sorted by item and rater, NaN dropped, one for each item and rater."""
    present = ~np.isnan(table).any(axis=1)
    table, item, rater = table[present], item[present], rater[present]
    width = int(rater.max(initial=0)) + 1
    cell = item * width + rater
    order = np.argsort(cell, kind="stable")
    cell, table = cell[order], table[order]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    if len(starts) < len(cell):
        sizes = np.diff(starts, append=len(cell))
        table = np.add.reduceat(table, starts, axis=0) / sizes[:, None]
        cell = cell[starts]
    return table, cell // width, cell % width
