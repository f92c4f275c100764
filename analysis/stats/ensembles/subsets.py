"""Measure how closely the mean of every subset of several judges follows a reference.

memberships(5)                                  which of 31 subsets holds which judge
subset_coefficients(x, y, members, "pearson")   r of each subset's mean with y
winner_elsewhere(inside, others, among)         the best subset, on data it was not chosen on
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.inputs import Flags, Floats, Ints, choose

BLOCK_ROWS = 2_000_000  # rows of all subsets that are looked at at once


def memberships(n: int) -> Flags:
    """Flag which of n judges each of the 2^n - 1 subsets holds (subsets, n): the smallest first."""
    sizes = range(1, n + 1)
    members = [chosen for size in sizes for chosen in combinations(range(n), size)]
    flags = np.zeros((len(members), n), dtype=bool)
    for place, chosen in enumerate(members):
        flags[place, list(chosen)] = True
    return flags


def subset_coefficients(
    x: Floats,
    y: Floats,
    members: Flags,
    coefficient: str,
    groups: Ints | None = None,
    undefined_as_zero: bool = False,
) -> Floats:
    """Correlate the mean of each subset's judges with the reference: r (subsets,), in -1..1.

    x: (judges, N), y: (N,), both without NaN; members: (subsets, judges). With groups (N,) r is the
    unweighted mean of the groups' coefficients, undefined ones left out or counted as 0. NaN where
    a side is constant, and where no group has a coefficient.
    Raises ValueError for an unknown coefficient or shapes that do not fit.
    Source: "Large Language Models as Evaluators for Recommendation Explanations" (RecSys 2024),
    figure 4: every subset of every size, unweighted means.
    """
    return mean_of_groups(
        coefficients_by_group(x, y, members, coefficient, groups), undefined_as_zero
    )


def coefficients_by_group(
    x: Floats, y: Floats, members: Flags, coefficient: str, groups: Ints | None = None
) -> Floats:
    """Return r of each subset in each group present (subsets, groups), as subset_coefficients."""
    correlate = choose(COEFFICIENTS, coefficient, "coefficient").of_rows
    if x.ndim != 2 or x.shape[1:] != y.shape or members.shape[1:] != x.shape[:1]:
        raise ValueError(
            f"subsets: found x {x.shape}, y {y.shape}, members {members.shape}; expected "
            "(judges, N), (N,), (subsets, judges)"
        )
    group = np.zeros(len(y), dtype=np.int64) if groups is None else groups
    n_groups = int(group.max(initial=0)) + 1
    weights = members / members.sum(axis=1, keepdims=True)
    step = max(1, BLOCK_ROWS // max(len(y), 1))
    parts = [weights[start : start + step] for start in range(0, len(weights), step)]
    r = [_of_block(part @ x, y, group, n_groups, correlate) for part in parts]
    table = np.concatenate(r) if r else np.zeros((0, n_groups))
    return table[:, np.bincount(group, minlength=n_groups) > 0]


def _of_block(
    values: Floats, y: Floats, groups: Ints, n_groups: int, correlate: Callable[..., Floats]
) -> Floats:
    """Return r of each row of values (S, N) with y in each group (S, G)."""
    n = len(values)
    if not values.size:
        return np.full((n, n_groups), np.nan)
    codes = (np.arange(n)[:, None] * n_groups + groups).ravel()
    # Means that differ only by the order of their sums are ties.
    flat = np.round(values, 12).ravel()
    return correlate(flat, np.tile(y, n), codes, n * n_groups).reshape(n, n_groups)


def mean_of_groups(table: Floats, undefined_as_zero: bool) -> Floats:
    """Average each row (S, G) over its defined cells; NaN without any."""
    defined = ~np.isnan(table)
    counted = np.full(len(table), table.shape[1]) if undefined_as_zero else defined.sum(axis=1)
    sums = np.where(defined, table, 0.0).sum(axis=1)
    usable = defined.any(axis=1)
    return np.divide(sums, counted, out=np.full(len(table), np.nan), where=usable)


class Elsewhere(NamedTuple):
    """The best subset chosen on other data: its value on each fold, its place (-1: no subset)."""

    values: Floats
    chosen: Ints


def winner_elsewhere(inside: Floats, others: Floats, among: Flags) -> Elsewhere:
    """Return each fold's value (F,) of the subset that was best on the other folds.

    inside, others: (F, S) the value of each subset on a fold, and on all others; among: (S,) the
    subsets that may be chosen. NaN where none has a value on either side.
    """
    values, chosen = np.full(len(inside), np.nan), np.full(len(inside), -1)
    looks = np.where(among, others, np.nan)
    for fold in np.flatnonzero(~np.isnan(looks).all(axis=1)):
        chosen[fold] = int(np.nanargmax(looks[fold]))
        values[fold] = inside[fold][chosen[fold]]
    return Elsewhere(values, chosen)


def folds_of(clusters: Ints, n_folds: int, rng: np.random.Generator) -> Ints:
    """Assign each row (N,) a fold 0 .. n_folds - 1: whole clusters, as evenly as possible."""
    present, codes = np.unique(clusters, return_inverse=True)
    order = rng.permutation(len(present))
    fold = np.empty(len(present), dtype=np.int64)
    fold[order] = np.arange(len(present)) % n_folds
    return fold[codes]
