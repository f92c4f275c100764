"""Average a coefficient of two raters over all pairs of raters, from their tables of counts.

mean_over_pairs(ratings, labels, of_tables)     of_tables: tables (..., K, K) -> coefficients (...)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.percent_agreement import pair_clusters
from analysis.stats.agreement.rating_pairs import RatingPairs, n_different, rating_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, label_codes, mean_of_defined, used_codes
from analysis.stats.intervals.bootstrap import blocks, cluster_table, with_interval

FEWEST_COMMON_UNITS = 2


def mean_over_pairs(
    ratings: ArrayLike,
    labels: ArrayLike,
    of_tables: Callable[[Floats], Floats],
    *,
    judge: ArrayLike | None = None,
    raters: Ints | None = None,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average a coefficient, unweighted, over pairs of raters with two common units or more.

    ratings: (units, raters), NaN = missing; judge (units,): its mean with each rater. raters: as
    in rating_pairs. labels: the whole scale in order (K,), unused included. of_tables gives the
    coefficient of each table of joint counts, rows the first rater's labels. clusters: (units,).
    Estimate.n: units compared; groups: pairs of raters with two common units, in every draw the
    same; skipped: those without a coefficient. NaN when none is left. ValueError: bad shapes,
    ratings off the scale.
    Source: the mean over pairs is Light's (1971), Psychological Bulletin 76.
    """
    size = len(np.asarray(labels))
    pairs = rating_pairs(ratings, judge, raters)
    keep, rater_pair, n_pairs = _enough_in_common(pairs)
    values = pairs.first_value, pairs.second_value
    first, second = (label_codes(per_pair, labels, "ratings")[keep] for per_pair in values)
    cells, n_cells = (rater_pair * size + first) * size + second, n_pairs * size**2

    def coefficients(tables: Floats) -> Floats:
        return of_tables(tables.reshape(len(tables), n_pairs, size, size))

    def draws(clusters: Ints, counts: NDArray[Any]) -> Floats:
        table = cluster_table(clusters, counts.shape[1], cells, n_cells)
        tables = (block @ table for block in blocks(counts, n_cells))
        return np.concatenate([mean_of_defined(coefficients(drawn)) for drawn in tables])

    per_pair = coefficients(np.bincount(cells, minlength=n_cells).astype(np.float64)[None, :])
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


def _mean_over_pairs(values: Floats, n_units: int) -> Estimate:
    value, n_pairs = float(mean_of_defined(values)[0]), values.size
    reason = "both raters of each pair give one and the same label throughout"
    if n_pairs == 0:
        reason = "no two raters have two units in common"
    return Estimate(
        value,
        n=n_units,
        groups=n_pairs,
        skipped=int(np.isnan(values).sum()),
        reason=reason if np.isnan(value) else "",
    )
