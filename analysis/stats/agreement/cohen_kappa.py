"""Compute Cohen's kappa, plain or weighted, averaged over pairs of raters.

cohen_kappa(ratings, labels)                                    people among themselves
cohen_kappa(ratings, labels, weights="quadratic")               weighted
cohen_kappa(ratings, labels, judge=scores)                      a judge against each of them
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.pair_tables import FEWEST_COMMON_UNITS, mean_over_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose


def cohen_kappa(
    ratings: ArrayLike,
    labels: ArrayLike,
    *,
    weights: str = "plain",
    judge: ArrayLike | None = None,
    raters: Ints | None = None,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average Cohen's kappa, unweighted, over pairs of raters with two common units or more.

    1 perfect, 0 as by chance. Arguments and counts: as of mean_over_pairs. weights: "plain",
    "linear" or "quadratic" in the places of the scale. Undefined of two raters who give one and the
    same label. Raises ValueError for bad shapes, unknown weights, ratings off the scale.
    Source: Cohen (1960, 1968); the mean over pairs is Light's (1971) kappa.
    """
    disagreement = choose(WEIGHTS, weights, "weights")(len(np.asarray(labels)))

    def kappas(tables: Floats) -> Floats:
        return kappa_of_tables(tables, disagreement)

    return mean_over_pairs(
        ratings, labels, kappas, judge=judge, raters=raters, clusters=clusters, counts=counts
    )


def kappa_of_tables(tables: Floats, disagreement: Floats) -> Floats:
    """Return kappa (...) of tables of joint counts (..., K, K) under disagreement weights (K, K).

    NaN below two units, and where no disagreement is to be expected.
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    totals = rows.sum(axis=-1)
    observed = np.einsum("...ij,ij->...", tables, disagreement)
    expected = np.einsum("...i,ij,...j->...", rows, disagreement, columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = 1 - observed * totals / expected
    return np.where((totals >= FEWEST_COMMON_UNITS) & (expected > 0), kappa, np.nan)


def plain(size: int) -> Floats:
    """Return weights of disagreement (K, K): 1 for different labels, else 0."""
    return 1.0 - np.eye(size)


def linear(size: int) -> Floats:
    """Return weights of disagreement (K, K): how many places apart."""
    places = np.arange(size, dtype=np.float64)
    return np.abs(places[:, None] - places[None, :])


def quadratic(size: int) -> Floats:
    """Return weights of disagreement (K, K): the square of how many places apart."""
    return linear(size) ** 2


WEIGHTS = {"plain": plain, "linear": linear, "quadratic": quadratic}
