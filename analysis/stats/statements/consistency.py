"""Compute precision, recall and F1 of checked statements, with a rule for empty sides.

settled(precision, recall, generated, reference)    a Consistency, with the rule for empty sides
f1_of(precision, recall)                            harmonic means
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats, as_codes, as_floats


@dataclass(frozen=True)
class Consistency:
    """A measure of each item (I,), NaN where it is undefined.

    precision: of the generated text's statements, recall: of the reference's; f1: their harmonic
    mean, None where the measure has none. both_empty: neither side has a statement, so that all
    is undefined; one_empty: one side has none; incomplete: a statement has no score, so that what
    needs it is undefined.
    """

    precision: Floats
    recall: Floats
    f1: Floats | None
    both_empty: Flags
    one_empty: Flags
    incomplete: Flags


def f1_of(precision: ArrayLike, recall: ArrayLike) -> Floats:
    """Return the harmonic mean 2PR / (P + R) of shares (I,), in 0..1.

    0 where P + R = 0, NaN where P or R is NaN. Raises ValueError for unequal lengths, and for a
    negative value: it has no harmonic mean.
    Source: Kabongo & Guigue (2025), equations 8 and 11.
    """
    p, r = as_floats(precision, "precision"), as_floats(recall, "recall")
    if p.shape != r.shape:
        raise ValueError(f"precision and recall differ in length: {len(p)} and {len(r)}")
    if (p < 0).any() or (r < 0).any():
        raise ValueError("precision and recall: expected no negative value")
    both = p + r
    mean = 2 * p * r / np.where(both > 0, both, 1.0)
    return np.asarray(mean, dtype=np.float64)


def settled(
    precision: ArrayLike,
    recall: ArrayLike,
    generated: ArrayLike,
    reference: ArrayLike,
    *,
    is_share: bool = True,
) -> Consistency:
    """Apply the rule for empty sides to each item's precision and recall (I,).

    generated, reference: (I,) how many statements each side has. Both none: undefined. One none:
    precision, recall and F1 are 0, or undefined where 0 is not the worst (is_share false: such a
    measure has no F1 either). NaN of an item with statements on both sides: incomplete; it stays
    NaN, and so does F1. Raises ValueError for unequal lengths.
    """
    p, r = as_floats(precision, "precision"), as_floats(recall, "recall")
    n, m = as_codes(generated, "generated", len(p)), as_codes(reference, "reference", len(p))
    both_empty, one_empty = (n == 0) & (m == 0), (n == 0) != (m == 0)
    incomplete = ~both_empty & ~one_empty & (np.isnan(p) | np.isnan(r))
    p, r = (np.where(both_empty, np.nan, values) for values in (p, r))
    instead = 0.0 if is_share else np.nan
    p, r = (np.where(one_empty, instead, values) for values in (p, r))
    f1 = f1_of(p, r) if is_share else None
    return Consistency(p, r, f1, both_empty, one_empty, incomplete)
