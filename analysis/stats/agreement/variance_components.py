"""Estimate variances of raters, recipients, systems ... in unbalanced crossed designs.

usable_factors(codes, n)                which factors can be told apart, and why others cannot
variance_components(values, codes)      MINQUE(0) estimates, the residual last
shares(components)                      parts of their sum, negative ones counted as 0
generalisability(unit, rater, residual, k)      what the mean of k raters is worth

MINQUE(0) is unbiased in any crossed design: one small linear system, and no iteration that might
not converge.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from analysis.stats.inputs import Floats, Ints

SINGULAR = 1e-9  # least eigenvalue of the equations in correlation form


def usable_factors(codes: Mapping[str, Ints], n: int) -> tuple[list[str], dict[str, str]]:
    """Name the factors whose variance n ratings can estimate, and why others cannot be estimated.

    codes: {name: (n,) codes}, in the order of precedence; -1 is a level of its own.
    """
    kept: dict[bytes, str] = {}
    reasons: dict[str, str] = {}
    for name, levels in codes.items():
        present, first, plain = np.unique(levels, return_index=True, return_inverse=True)
        n_levels = len(present)
        partition = first[plain].tobytes()
        if n_levels < 2:
            reasons[name] = "there is only one" if n_levels else "there is no rating"
        elif n_levels == n:
            reasons[name] = "each has one rating, so it is not told apart from the residual"
        elif partition in kept:
            reasons[name] = f"it is not told apart from the {kept[partition]}"
        else:
            kept[partition] = name
    return list(kept.values()), reasons


def variance_components(values: Floats, codes: list[Ints]) -> Floats:
    """Estimate the variances (F + 1,) of F crossed random factors and, last, of the residual.

    values: (N,), without NaN; codes: F arrays (N,). Model: y = mean + Σ effects + residual, all
    independent. Equates ||Z_i'(y - ȳ)||² and Σ(y - ȳ)² with their expectations and solves; this
    is MINQUE with a-priori weights 0, unbiased in any design, and equal to the analysis of
    variance where the design is balanced. An estimate may be negative. Unit: that of y, squared.
    NaN below two ratings, and where factors cannot be told apart.
    Source: Rao (1971), Journal of Multivariate Analysis 1; Hartley, Rao & LaMotte (1978),
    Biometrics 34, 233-242.
    """
    n = len(values)
    unknown = np.full(len(codes) + 1, np.nan)
    if n < 2:
        return unknown
    plain = [np.unique(levels, return_inverse=True)[1] for levels in codes]
    sizes = [np.bincount(levels) for levels in plain]
    equations = _equations(plain, sizes, n)
    scale = np.sqrt(np.diag(equations))
    if (scale <= 0).any():
        return unknown
    if np.linalg.eigvalsh(equations / np.outer(scale, scale))[0] < SINGULAR:
        return unknown
    centred = values - values.mean()
    forms = [float((np.bincount(levels, centred) ** 2).sum()) for levels in plain]
    return np.asarray(np.linalg.solve(equations, [*forms, float(centred @ centred)]))


def _equations(codes: list[Ints], sizes: list[Ints], n: int) -> Floats:
    """Return the expected quadratic forms per unit of each variance: (F + 1, F + 1)."""
    last = len(codes)
    table = np.empty((last + 1, last + 1))
    table[last, last] = n - 1
    squares = [float(own @ own) for own in sizes]
    for i in range(last):
        table[i, last] = table[last, i] = n - squares[i] / n
        table[i, i] = squares[i] - 2 * float((sizes[i] ** 3).sum()) / n + squares[i] ** 2 / n**2
        for j in range(i + 1, last):
            together = sparse.coo_array(
                (np.ones(n), (codes[i], codes[j])), shape=(len(sizes[i]), len(sizes[j]))
            ).tocsr()
            shared = float((together.data**2).sum())
            cross = float(sizes[i] @ (together @ sizes[j]))
            both = squares[i] * squares[j]
            table[i, j] = table[j, i] = shared - 2 * cross / n + both / n**2
    return table


def shares(components: Floats) -> Floats:
    """Return each variance's share (F,) of their sum, negative counted as 0; NaN if all are 0."""
    truncated = np.maximum(components, 0.0)
    total = truncated.sum()
    return truncated / total if total > 0 else np.full(len(components), np.nan)


class Generalisability(NamedTuple):
    """How far a mean of k raters stands for all raters, in 0..1, for two kinds of designs.

    relative: the same raters rate every unit; absolute: each unit has raters of its own.
    """

    relative: float
    absolute: float


def generalisability(unit: float, rater: float, residual: float, k: int) -> Generalisability:
    """Compute how far the mean of k raters stands for the mean of all raters: 0..1.

    unit / (unit + residual/k) and unit / (unit + (rater + residual)/k) of variances, negative ones
    counted as 0. NaN where all are 0. Raises ValueError for k below 1.
    Source: Brennan (2001), Generalizability Theory, ch. 2: the coefficients Eρ² and Φ.
    """
    if k < 1:
        raise ValueError(f"generalisability: expected one rater or more, found {k}")
    unit, rater, residual = max(unit, 0.0), max(rater, 0.0), max(residual, 0.0)

    def ratio(error: float) -> float:
        return unit / (unit + error / k) if unit + error > 0 else float("nan")

    return Generalisability(ratio(residual), ratio(rater + residual))
