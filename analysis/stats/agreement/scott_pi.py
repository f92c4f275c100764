"""Compute Scott's pi, averaged over pairs of raters.

scott_pi(ratings, labels)                   people among themselves
scott_pi(ratings, labels, judge=scores)     a judge against each of them
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.agreement.cohen_kappa import kappa_of_tables, plain
from analysis.stats.agreement.pair_tables import mean_over_pairs
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Floats, Ints


def scott_pi(
    ratings: ArrayLike,
    labels: ArrayLike,
    *,
    judge: ArrayLike | None = None,
    raters: Ints | None = None,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Average Scott's pi, unweighted, over pairs of raters with two common units or more.

    1 perfect, 0 as by chance, chance being two draws from both raters' labels together. Arguments
    and counts: as of mean_over_pairs. Undefined of two raters who give one and the same label.
    Raises ValueError for bad shapes and ratings off the scale.
    Source: Scott (1955), Public Opinion Quarterly 19, 321-325.
    """
    disagreement = plain(len(np.asarray(labels)))

    def pis(tables: Floats) -> Floats:
        return kappa_of_tables((tables + tables.swapaxes(-1, -2)) / 2, disagreement)

    return mean_over_pairs(
        ratings, labels, pis, judge=judge, raters=raters, clusters=clusters, counts=counts
    )
