"""Count the clusters that a look at unfinished collecting may use.

complete_clusters(order, clusters, ratings, m)
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import as_codes, as_floats


def complete_clusters(order: ArrayLike, clusters: ArrayLike, ratings: ArrayLike, m: int) -> int:
    """Return the length of the longest run of complete clusters from the start of the order.

    order: (G,) codes of the clusters, in the random order stored before collecting; clusters:
    (N,) code of each item; ratings: (N,) finished ratings of each item. A cluster is complete
    when every item has at least m ratings. Later complete clusters wait: `order[:result]` are the
    clusters that a look uses. Items of clusters outside the order do not count.
    Raises ValueError for a cluster that stands twice in the order or has no items, and for m < 1.
    """
    counts = as_floats(ratings, "ratings")
    codes = as_codes(clusters, "clusters", len(counts))
    stored = as_codes(order, "order", len(np.asarray(order)))
    if m < 1:
        raise ValueError(f"m: expected at least 1, got {m}")
    if len(np.unique(stored)) != len(stored):
        raise ValueError("order: expected every cluster once")
    if strangers := set(stored.tolist()) - set(codes.tolist()):
        raise ValueError(f"order: cluster {min(strangers)} has no items")
    # NaN is no rating, so an item with it is not complete.
    unfinished = set(codes[~(counts >= m)].tolist())
    is_waiting = [code in unfinished for code in stored.tolist()]
    return is_waiting.index(True) if True in is_waiting else len(is_waiting)
