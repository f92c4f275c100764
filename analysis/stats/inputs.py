"""Check the inputs of statistics: shapes, codes, missing values, scales."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SMALL_RANGE = 64
WIDE = 2**16  # codes below this are always counted in a table
LARGEST = 1e100  # sums of squares stay finite
MEAN_DIGITS = 13  # of a mean, counted from the largest value's first; what follows is rounding
FEW_DECIMALS = 9  # in which people write numbers
EXACT = 2.0**53  # below it whole numbers and their sums have no rounding
ROUNDING = 1e-9  # a mean may miss the half or the cut that it stands for by this much
MOST_DECIMALS = 300  # a power of ten beyond is no float


def as_floats(values: ArrayLike, name: str, ndim: int = 1) -> Floats:
    """Return `values` as floats of `ndim` dimensions.

    NaN is a missing value. Raises ValueError for another shape or values beyond 1e100.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension(s), found {array.ndim}")
    # No copy of what may be items by raters; fmin and fmax pass over NaN.
    ends = [end.reduce(array, axis=None) for end in (np.fmin, np.fmax)] if array.size else []
    if strange := [end for end in ends if abs(end) > LARGEST]:
        raise ValueError(f"{name}: expected values within 1e100, found {strange[0]}")
    return array


def as_codes(codes: ArrayLike, name: str, length: int) -> Ints:
    """Return whole-number codes 0, 1, ... (length,).

    Raises ValueError for another length, a negative code, or codes that are not whole.
    """
    array = np.asarray(codes)
    if array.shape != (length,):
        raise ValueError(f"{name}: expected {length} codes, found shape {array.shape}")
    if length and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: codes must be integers, found {array.dtype}")
    if length and array.min() < 0:
        raise ValueError(f"{name}: codes must not be negative, found {array.min()}")
    return array.astype(np.int64, copy=False)


def complete_pairs(x: ArrayLike, y: ArrayLike, *codes: ArrayLike | None) -> tuple[Any, ...]:
    """Return x, y and each code array, without the rows where x or y is NaN.

    x, y: (N,); codes: (N,) or None, which stays None. Raises ValueError for unequal lengths.
    """
    first, second = as_floats(x, "x"), as_floats(y, "y")
    if first.shape != second.shape:
        raise ValueError(f"x and y differ in length: {len(first)} and {len(second)}")
    checked = [None if c is None else as_codes(c, "codes", len(first)) for c in codes]
    keep = ~(np.isnan(first) | np.isnan(second))
    if keep.all():
        return first, second, *checked
    return first[keep], second[keep], *(None if c is None else c[keep] for c in checked)


def scale_codes(values: Floats) -> tuple[Floats, Ints]:
    """Return a sorted scale (K,) and the place (N,) of each value on it.

    Whole numbers within a small range need no sort; the scale may then hold unused values.
    """
    if len(values) == 0:
        return np.empty(0), np.empty(0, dtype=np.int64)
    lowest, highest = values.min(), values.max()
    if highest - lowest < SMALL_RANGE and lowest == np.floor(lowest):
        codes = (values - lowest).astype(np.int64)
        if np.array_equal(codes + lowest, values):
            return lowest + np.arange(int(highest - lowest) + 1), codes
    scale, codes = np.unique(values, return_inverse=True)
    return scale, codes.astype(np.int64, copy=False)


def used_codes(codes: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Return the codes that occur (U,), the place of each code (N,) among them, their counts (U,).

    codes: (N,), below size. As np.unique, without its sort unless the codes are few and wide.
    """
    if size > max(len(codes), WIDE):
        used, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
        return used, place.astype(np.int64, copy=False), counts
    counts = np.bincount(codes, minlength=size)
    place = np.cumsum(counts > 0, dtype=np.int64) - 1
    used = np.flatnonzero(counts)
    return used, place[codes], counts[used]


def label_codes(values: Floats, labels: ArrayLike, name: str) -> Ints:
    """Return the index (N,) of each value in `labels`, the whole scale in its order.

    Raises ValueError for a value off the scale, or for fewer than two or repeated labels.
    """
    scale = as_floats(labels, "labels")
    if len(scale) < 2 or len(np.unique(scale)) != len(scale):
        raise ValueError(f"labels: expected at least two different ones, found {scale.tolist()}")
    order = np.argsort(scale)
    place = np.minimum(np.searchsorted(scale[order], values), len(scale) - 1)
    codes = order[place]
    strange = values[scale[codes] != values]
    if len(strange):
        raise ValueError(f"{name}: {strange[0]} is not one of the labels {scale.tolist()}")
    return codes.astype(np.int64, copy=False)


def choose(options: dict[str, Any], key: str, name: str) -> Any:
    """Return `options[key]`; raises ValueError naming what is allowed."""
    if key not in options:
        raise ValueError(f"{name}: {key!r} is not one of {', '.join(options)}")
    return options[key]


def without_rounding(
    means: Floats, of: Floats | None = None, counts: Floats | Ints | int = 0
) -> Floats:
    """Make means equal that differ by no more than the rounding of their sums.

    A sum of tenths depends on the order of its terms: the means of .6, .7, .8 and of .8, .7, .6 are
    then both .7, tie, and reach a threshold of .7. of: the values that the means were made of,
    counts: of how many each. Means of whole numbers stay as they are; where the values have few
    decimals, each mean is the number nearest to the true one. Else the largest value, or without
    `of` the largest mean, says how large a difference is rounding.
    """
    values = means if of is None else of
    values = values[np.isfinite(values)]
    largest = float(np.abs(values).max(initial=0))
    if largest == 0:
        return means
    if of is not None:
        units = 10.0 ** np.arange(FEW_DECIMALS + 1)
        unit = next((u for u in units if (np.round(values * u) / u == values).all()), 0.0)
        if unit == 1:
            return means
        if 0 < largest * unit * float(np.max(counts, initial=0)) < EXACT:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.round(means * counts * unit) / (counts * unit))
    decimals = MEAN_DIGITS - 1 - int(np.floor(np.log10(largest)))
    return np.asarray(np.round(means, min(decimals, MOST_DECIMALS)), dtype=np.float64)


def mean_of_defined(values: Floats, axis: int = -1) -> Floats:
    """Average the values that are not NaN over an axis; NaN without any."""
    defined = ~np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(defined, values, 0.0).sum(axis=axis) / defined.sum(axis=axis)


def round_half_down(values: ArrayLike) -> Floats:
    """Round to whole numbers, halves down: 3.5 -> 3. NaN stays NaN."""
    return np.ceil(np.asarray(values, dtype=np.float64) - 0.5 - ROUNDING)
