"""Which of many p-values to believe, whatever their dependence.

benjamini_yekutieli(p, level)
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags

LEVEL = 0.05


def benjamini_yekutieli(p: ArrayLike, level: float = LEVEL) -> Flags:
    """Reject the k smallest of the m p-values of each row, k the largest with p_(k) <= k q / (m H).

    p: (..., m); H = 1 + 1/2 + ... + 1/m. NaN is no test: it does not count in m and is never
    rejected. Returns flags (..., m). Raises ValueError for values outside 0..1.
    Source: Benjamini & Yekutieli (2001), Annals of Statistics 29, theorem 1.3.
    """
    values = np.asarray(p, dtype=np.float64)
    if ((values < 0) | (values > 1)).any():
        raise ValueError("p: expected values within 0..1")
    if values.shape[-1] == 0:
        return np.zeros(values.shape, dtype=bool)
    tests = (~np.isnan(values)).sum(axis=-1, keepdims=True)
    ranks = np.arange(1, values.shape[-1] + 1)
    harmonic = np.concatenate([[1.0], np.cumsum(1 / ranks)])[tests]
    order = np.argsort(values, axis=-1)  # NaN last
    ordered = np.take_along_axis(values, order, axis=-1)
    below = ordered <= ranks * level / (np.maximum(tests, 1) * harmonic)
    last = np.where(below, ranks, 0).max(axis=-1, keepdims=True)
    rejected = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(rejected, order, ranks <= last, axis=-1)
    return rejected
