"""Measure how alike two ranked lists are, for many pairs of lists at once.

first, second = as_codes_of_lists([("a b c".split(), "b a d".split()), …])
tau_topk(first, second, k)      Kendall's tau of two top-k lists, by Fagin's K
tau_common(first, second)       Kendall's tau on what both lists have
rbo(first, second)              rank-biased overlap, extrapolated
overlap(first, second, k)       share of the k places that both lists fill alike

Lists are rows (N, W) of whole numbers, one for each entry in its order; -1 fills what is behind the
end of a list, and nothing else. Strings will not do: scipy's kendalltau would compare spellings.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints

OPTIMISTIC, NEUTRAL = 0.0, 0.5  # Fagin's penalty for two entries of one list that the other lacks
PERSISTENCE = 0.9
NONE = -1
BLOCK_CELLS = 2**22  # comparisons of entries held at once

Entries = Sequence[Hashable]


def as_codes_of_lists(pairs: Iterable[tuple[Entries, Entries]]) -> tuple[Ints, Ints]:
    """Write pairs of lists of names as two arrays (N, W): equal names, equal numbers."""
    both = list(pairs)
    numbers: dict[Hashable, int] = {}
    width = max((len(ranking) for pair in both for ranking in pair), default=0)
    arrays = np.full((2, len(both), width), NONE, dtype=np.int64)
    for row, pair in enumerate(both):
        for side, entries in enumerate(pair):
            codes = [numbers.setdefault(entry, len(numbers)) for entry in entries]
            arrays[side, row, : len(codes)] = codes
    return arrays[0], arrays[1]


def has_repeats(lists: Ints) -> Flags:
    """Return whether each list (N, W) has an entry twice: (N,)."""
    ordered = np.sort(lists, axis=1)
    return ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).any(axis=1)


def lengths_of(lists: Ints) -> Ints:
    """Count the entries of each list (N, W): (N,)."""
    lengths: Ints = (lists != NONE).sum(axis=1)
    return lengths


def tau_topk(first: Ints, second: Ints, k: int, p: float = NEUTRAL) -> Floats:
    """Compute Kendall's tau of top-k lists: 1 - 2 K / (k² + k(k - 1)/2), of each pair (N,).

    K is Fagin's K^(p): one for each two entries that the lists order differently, also where one
    list says so only by leaving an entry out; p (0: optimistic, 1/2: neutral) for two entries that
    one list has and the other lacks both of. 1 for equal lists, -1 for disjoint ones at p = 1/2,
    more at p = 0, for the denominator stays the neutral form's; a reversed top 5 has 0.43.
    NaN where a list has not exactly k entries, or one of them twice. Raises ValueError for arrays
    of different shapes, k below 1, p outside 0..1.
    Source: Fagin, Kumar & Sivakumar (2003), Comparing Top k Lists, SIAM J. Discrete Math. 17.
    """
    first, second = _checked(first, second)
    if k < 1 or not 0 <= p <= 1:
        raise ValueError(f"expected k from 1 on and p within 0..1, found {k} and {p}")
    distances = _in_blocks(_fagin, first, second, p)
    tau: Floats = 1 - 2 * distances / (k * k + k * (k - 1) / 2)
    whole = (lengths_of(first) == k) & (lengths_of(second) == k)
    return np.where(whole & ~has_repeats(first) & ~has_repeats(second), tau, np.nan)


def _fagin(first: Ints, second: Ints, p: float) -> Floats:
    """Return K^(p) of lists without repeats."""
    there, back = _places(first, second), _places(second, first)
    shared = (there < first.shape[1]).sum(axis=1)
    only_first, only_second = lengths_of(first) - shared, lengths_of(second) - shared
    # An entry that the other list lacks counts as behind all of it, so inversions say both cases.
    inversions = _inversions(there, first != NONE)
    omitted = _inversions(back, second != NONE) - _inversions(back, back < second.shape[1])
    unknown = only_first * (only_first - 1) / 2 + only_second * (only_second - 1) / 2
    return np.asarray(inversions + omitted + only_first * only_second + p * unknown)


def tau_common(first: Ints, second: Ints) -> Floats:
    """Compute Kendall's tau (N,) over the entries that both lists have, in -1..1.

    NaN where fewer than two entries are in both; repeats count where they first stand.
    Raises ValueError for arrays of different shapes.
    Source: Kendall (1938), Biometrika 30, on the intersection.
    """
    first, second = (_without_repeats(lists) for lists in _checked(first, second))
    return _in_blocks(_tau_of_common, first, second)


def _tau_of_common(first: Ints, second: Ints) -> Floats:
    there = _places(first, second)
    both = there < first.shape[1]
    shared = both.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = 1 - 2 * _inversions(there, both) / (shared * (shared - 1) / 2)
    return np.where(shared > 1, tau, np.nan)


def overlap(first: Ints, second: Ints, k: int) -> Floats:
    """Return |A ∩ B| / k (N,), in 0..1: k also for a shorter list; entries beyond k do not count.

    Raises ValueError for arrays of different shapes, k below 1.
    """
    first, second = (_without_repeats(lists)[:, :k] for lists in _checked(first, second))
    if k < 1:
        raise ValueError(f"k: expected 1 or more, found {k}")

    def shared(lists: Ints, others: Ints) -> Floats:
        return np.asarray((_places(lists, others) < lists.shape[1]).sum(axis=1) / k)

    return _in_blocks(shared, first, second)


def rbo(first: Ints, second: Ints, p: float = PERSISTENCE) -> Floats:
    """Compute rank-biased overlap (N,), extrapolated, in 0..1, of lists of any two lengths.

    p: persistence; the larger, the more the lower places weigh. Equal lists have 1 at any length.
    The sum cut off at their end would be 1 - p^k instead: 0.41 of two equal lists of five at 0.9.
    NaN where a list is empty; repeats count where they first stand.
    Raises ValueError for arrays of different shapes, p not between 0 and 1.
    Source: Webber, Moffat & Zobel (2010), ACM Trans. Inf. Syst. 28(4), equation 32.
    """
    first, second = (_without_repeats(lists) for lists in _checked(first, second))
    _check_persistence(p)
    return _in_blocks(_extrapolated, first, second, p)


def _extrapolated(first: Ints, second: Ints, p: float) -> Floats:
    ends = np.stack([lengths_of(first), lengths_of(second)])
    short, long = ends.min(axis=0)[:, None], ends.max(axis=0)[:, None]
    shared, depth = _overlap_by_depth(first, second), np.arange(1, first.shape[1] + 1)
    at_short = np.take_along_axis(shared, np.maximum(short - 1, 0), axis=1)
    at_long = np.take_along_axis(shared, np.maximum(long - 1, 0), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        behind = np.where(depth > short, at_short * (depth - short) / (short * depth), 0)
        seen = np.where(depth <= long, (shared / depth + behind) * p**depth, 0).sum(axis=1)
        rest = ((at_long - at_short) / long + at_short / short) * p**long
        value = (1 - p) / p * seen + rest[:, 0]
    return np.where(short[:, 0] > 0, np.clip(value, 0, 1), np.nan)


def _overlap_by_depth(first: Ints, second: Ints) -> Floats:
    """Count the entries that the first d of both lists share: (N, W), d = 1, 2, …"""
    n, width = first.shape
    there = _places(first, second)
    rows, place = np.nonzero(there < width)
    deeper = np.maximum(place, there[rows, place])
    counts = np.bincount(rows * width + deeper, minlength=n * width).reshape(n, width)
    return np.cumsum(counts, axis=1).astype(np.float64)


def _checked(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    first_lists, second_lists = np.asarray(first), np.asarray(second)
    if first_lists.ndim != 2 or first_lists.shape != second_lists.shape:
        raise ValueError(
            f"expected two arrays (N, W), found {first_lists.shape} and {second_lists.shape}"
        )
    if not (
        np.issubdtype(first_lists.dtype, np.integer)
        and np.issubdtype(second_lists.dtype, np.integer)
    ):
        raise ValueError("expected whole numbers for entries, found others")
    if first_lists.shape[1] == 0:
        return np.full((len(first_lists), 1), NONE), np.full((len(first_lists), 1), NONE)
    return first_lists, second_lists


def _check_persistence(p: float) -> None:
    if not 0 < p < 1:
        raise ValueError(f"p: expected a number between 0 and 1, found {p}")


def _without_repeats(lists: Ints) -> Ints:
    """Return the lists with each entry where it first stands, and no gaps."""
    if not has_repeats(lists).any():
        return lists
    unique = np.full_like(lists, NONE)
    for place, row in enumerate(lists):
        kept = list(dict.fromkeys(row[row != NONE].tolist()))
        unique[place, : len(kept)] = kept
    return unique


def _places(first: Ints, second: Ints) -> Ints:
    """Return the place of each entry of the first list in the second (N, W); W if it has none."""
    same = (first[:, :, None] == second[:, None, :]) & (first != NONE)[:, :, None]
    return np.where(same.any(axis=2), same.argmax(axis=2), first.shape[1])


def _inversions(places: Ints, counted: Flags) -> Ints:
    """Count pairs of counted entries (N, W) that these places put in reverse: (N,)."""
    width = places.shape[1]
    earlier = np.arange(width)[:, None] < np.arange(width)[None, :]
    both = counted[:, :, None] & counted[:, None, :] & earlier
    inverted: Ints = ((places[:, :, None] > places[:, None, :]) & both).sum(axis=(1, 2))
    return inverted


def _in_blocks(measure: Callable[..., Floats], first: Ints, second: Ints, *more: float) -> Floats:
    """Return the measure of each pair of lists, computed block by block."""
    values = [measure(*block, *more) for block in _blocks(first, second)]
    return np.concatenate(values) if values else np.empty(0)


def _blocks(first: Ints, second: Ints) -> Iterator[tuple[Ints, Ints]]:
    step = max(1, BLOCK_CELLS // max(1, first.shape[1] ** 2))
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]
