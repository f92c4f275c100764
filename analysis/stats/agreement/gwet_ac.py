"""Compute Gwet's AC1 and AC2, which stay high where nearly everything gets one label.

gwet_ac(ratings, labels)                            AC1
gwet_ac(ratings, labels, weights="quadratic")       AC2
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.label_shares import chance_corrected
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints, choose


def gwet_ac(
    ratings: ArrayLike,
    labels: ArrayLike,
    *,
    weights: str = "plain",
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Correct agreement for raters who guess on hard units only: 1 perfect, 0 as by chance.

    ratings: (units, raters), NaN = missing; labels: the whole scale in its order, as its length
    enters the formula. weights: "plain" (AC1), "quadratic" or "ordinal" (AC2) in the places of
    the scale. clusters: (units,). Estimate.n: units with two ratings or more. NaN where there is
    none; 1 where all ratings are equal, as chance is then 0. Raises ValueError for ratings off the
    scale, bad shapes.
    Source: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61; weights
    and missing ratings: Gwet (2014), Handbook of Inter-Rater Reliability, ch. 3.4 and 4.4.
    """
    size = len(np.asarray(labels))
    agreement = choose(WEIGHTS, weights, "weights")(size)
    scale = agreement.sum() / max(size * (size - 1), 1)

    def by_guessing(shares: Floats) -> Floats:
        return scale * (shares * (1 - shares)).sum(axis=1)

    return chance_corrected(
        ratings, labels, agreement, by_guessing, clusters=clusters, counts=counts
    )


def plain(size: int) -> Floats:
    """Return weights of agreement (K, K): 1 for equal labels, else 0."""
    return np.eye(size)


def quadratic(size: int) -> Floats:
    """Return weights of agreement (K, K): 1 - (places apart / most places apart)^2."""
    return 1 - (_apart(size) / max(size - 1, 1)) ** 2


def ordinal(size: int) -> Floats:
    """Return weights of agreement (K, K): 1 - pairs of labels from k to l / pairs of all labels.

    With a places apart there are a (a + 1) / 2 such pairs. Gwet's, not Krippendorff's, "ordinal".
    """
    apart = _apart(size)
    return 1 - apart * (apart + 1) / max(size * (size - 1), 1)


def _apart(size: int) -> Floats:
    places = np.arange(size, dtype=np.float64)
    return np.abs(places[:, None] - places[None, :])


WEIGHTS = {"plain": plain, "quadratic": quadratic, "ordinal": ordinal}
