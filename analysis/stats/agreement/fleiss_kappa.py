"""Compute Fleiss' kappa: nominal labels, any number of raters, different raters on each unit.

fleiss_kappa(ratings, labels)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.label_shares import chance_corrected
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints


def fleiss_kappa(
    ratings: ArrayLike,
    labels: ArrayLike,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Correct agreement for ratings drawn from the labels' overall shares: 1 perfect, 0 chance.

    ratings: (units, raters), NaN = missing; labels: the whole scale; clusters: (units,).
    Where units have unequal numbers of ratings, observed agreement is the mean over units with
    two or more, and a label's share the mean of its shares within units. Estimate.n: units with
    two ratings or more. NaN where there is none, or when all ratings are equal.
    Raises ValueError for ratings off the scale and bad shapes.
    Source: Fleiss (1971), Psychological Bulletin 76; missing ratings as in Gwet (2014), ch. 2.5.
    """
    plain = np.eye(len(np.asarray(labels)))
    return chance_corrected(ratings, labels, plain, by_shares, clusters=clusters, counts=counts)


def by_shares(shares: Floats) -> Floats:
    """Return the chance (D,) that two ratings drawn from shares (D, K) are equal."""
    return (shares**2).sum(axis=1)
