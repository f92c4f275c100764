"""Compute Cohen's kappa, plain or weighted, averaged over pairs of raters.

cohen_kappa(ratings, labels)                                    people among themselves
cohen_kappa(ratings, labels, weights="quadratic")               weighted
cohen_kappa(ratings, labels, judge=scores)                      a judge against each of them
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.percent_agreement import pair_clusters
from analysis.stats.agreement.rating_pairs import RatingPairs, n_different, rating_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose, label_codes, used_codes
from analysis.stats.intervals.bootstrap import blocks, cluster_table, with_interval

FEWEST_COMMON_UNITS = 2


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

    1 perfect, 0 as by chance. ratings: (units, raters), NaN = missing; judge (units,): its mean
    with each rater. raters: as in rating_pairs. labels: the whole scale in order, unused included.
    weights: "plain", "linear" or "quadratic" in the places of the scale. clusters: (units,).
    Estimate.n: units compared; groups: pairs of raters with two common units, in every draw the
    same; skipped: those of one and the same label. NaN when none is left. ValueError: bad shapes,
    ratings off the scale.
    Source: Cohen (1960, 1968); the mean over pairs is Light's (1971) kappa.
    """
    disagreement = choose(WEIGHTS, weights, "weights")(len(np.asarray(labels)))
    pairs = rating_pairs(ratings, judge, raters)
    keep, rater_pair, n_pairs = _enough_in_common(pairs)
    size = len(disagreement)
    values = pairs.first_value, pairs.second_value
    first, second = (label_codes(per_pair, labels, "ratings")[keep] for per_pair in values)
    cells, n_cells = (rater_pair * size + first) * size + second, n_pairs * size**2

    def kappas(tables: Floats) -> Floats:
        return kappa_of_tables(tables.reshape(len(tables), n_pairs, size, size), disagreement)

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        table = cluster_table(clusters, counts.shape[1], cells, n_cells)
        tables = (block @ table for block in blocks(counts, n_cells))
        return np.concatenate([_mean_of_defined(kappas(drawn)) for drawn in tables])

    per_pair = kappas(np.bincount(cells, minlength=n_cells).astype(np.float64)[None, :])
    estimate = _mean_over_pairs(per_pair, n_different(pairs.unit[keep]))
    clusters = pair_clusters(clusters, ratings, pairs.unit[keep])
    return with_interval(estimate, clusters, counts, draws)


def _enough_in_common(pairs: RatingPairs) -> tuple[NDArray[np.bool_], Ints, int]:
    """Return which pairs of ratings to keep, the code of their two raters, and how many codes."""
    size = int(pairs.second.max(initial=0)) + 1
    used, code, common = used_codes(pairs.first * size + pairs.second, size**2)
    keep = common[code] >= FEWEST_COMMON_UNITS
    kept, rater_pair, _ = used_codes(code[keep], len(used))
    return keep, rater_pair, len(kept)


def _mean_over_pairs(kappas: Floats, n_units: int) -> Estimate:
    value, n_pairs = float(_mean_of_defined(kappas)[0]), kappas.size
    reason = "both raters of each pair give one and the same label throughout"
    if n_pairs == 0:
        reason = "no two raters have two units in common"
    return Estimate(
        value,
        n=n_units,
        groups=n_pairs,
        skipped=int(np.isnan(kappas).sum()),
        reason=reason if np.isnan(value) else "",
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


def _mean_of_defined(kappas: Floats) -> Floats:
    """Average the values that are not NaN over the last axis (D, P) -> (D,); NaN without any."""
    defined = ~np.isnan(kappas)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(defined, kappas, 0.0).sum(axis=-1) / defined.sum(axis=-1)


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
