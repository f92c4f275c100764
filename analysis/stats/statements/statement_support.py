"""Compute St2Exp: which statements of one text the other text supports, one by one.

statement_support((items, verdicts), (items, verdicts), n_items)    precision, recall, F1 an item
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats, Ints, as_codes, as_floats
from analysis.stats.statements.consistency import Consistency, settled

Side = tuple[ArrayLike, ArrayLike]


def statement_support(generated: Side, reference: Side, n_items: int) -> Consistency:
    """Compute the share of each item's statements that the other text supports, in 0..1.

    generated: (items (N,), verdicts (N,)), a row a statement of the generated text: the place of
    its item, and 1 where the reference supports it, 0 where not; a mean of several people is a
    share between. reference: (items (M,), verdicts (M,)) of the reference's statements against the
    generated text. Precision = mean over an item's generated statements, recall = mean over its
    reference statements, F1 = their harmonic mean. A verdict that is NaN makes its item
    incomplete: NaN. Empty sides: see `consistency.settled`. Raises ValueError for verdicts
    outside 0..1 and for places that are none of the n_items.
    Source: Kabongo & Guigue (2025), equations 6 to 8.
    """
    (n, precision), (m, recall) = (
        _shares(*side, name, n_items)
        for side, name in ((generated, "generated"), (reference, "reference"))
    )
    return settled(precision, recall, n, m)


def _shares(items: ArrayLike, verdicts: ArrayLike, name: str, n_items: int) -> tuple[Ints, Floats]:
    """Return (statements, share supported) of each item; NaN without a statement or with a gap."""
    values = as_floats(verdicts, f"{name} verdicts")
    places = as_codes(items, f"{name} items", len(values))
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"{name} verdicts: expected values within 0..1")
    if len(places) and places.max() >= n_items:
        raise ValueError(f"{name} items: place {places.max()} is none of {n_items}")
    counts = np.bincount(places, minlength=n_items)
    sums = np.bincount(places, values, minlength=n_items)
    return counts, sums / np.where(counts > 0, counts, np.nan)
