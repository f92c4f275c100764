"""Leave of a study's answers those that a look may use: of the complete clusters in their order."""

from dataclasses import dataclass, replace

import numpy as np

from analysis.stats.planning.confidence_sequence import FIRST_LOOK
from analysis.stats.planning.stopping import complete_clusters
from annotate.stopping.clusters import cluster_by_item, items_in_order


@dataclass(frozen=True)
class Collected:
    """The answers of a look. clusters: how many it uses; in_order: how many the order has.

    lacking: how many of the first 50 clusters are incomplete, lacking_ratings: what they lack;
    later_items: added after the plan was fixed; gone_items: of the order, and rated no more.
    """

    answers: object
    clusters: int
    in_order: int
    lacking: int
    lacking_ratings: int
    later_items: int
    gone_items: int

    @property
    def is_spent(self):
        """Return whether all that the order has is collected."""
        return 0 < self.in_order == self.clusters

    @property
    def is_early(self):
        """Return whether the first look is still to come."""
        return self.clusters < FIRST_LOOK


def collected_of(answers, plan):
    """Return the Collected of a plan; items outside its order wait for ever."""
    rated = cluster_by_item(answers.study)
    frozen = plan.items or items_in_order(plan.order, rated)
    place = {pk: code for code, items in enumerate(frozen) for pk in items}
    codes = np.array(
        [place.get(pk, -1) if pk in rated else -1 for pk in answers.item_ids], dtype=np.int64
    )
    inside = codes >= 0
    # A part of a study has not all clusters of the order: count on without the others.
    present, ranks = np.unique(codes[inside], return_inverse=True)
    ratings, m = _raters_by_item(answers, plan.role)[inside], plan.raters_per_item
    t = complete_clusters(ranks, ratings, m)
    uses = inside.copy()
    uses[inside] = ranks < t
    missing = np.maximum(m - ratings, 0) * (ranks < FIRST_LOOK)
    return Collected(
        _answers_about(answers, uses),
        t,
        len(present),
        lacking=len(np.unique(ranks[missing > 0])),
        lacking_ratings=int(missing.sum()),
        later_items=len(rated.keys() - place.keys()),
        gone_items=len(place.keys() - rated.keys()),
    )


def _raters_by_item(answers, role):
    """Count the people (items,) whose answers to an item count: of this role, of all if blank."""
    table = answers.table
    is_counted = (table["source"] == "human").to_numpy() & ~table["excluded"].to_numpy()
    if role:
        is_counted &= (table["role"] == role).to_numpy()
    counts = table[is_counted]
    raters = counts[["item", "rater"]].drop_duplicates()
    return np.bincount(raters["item"].cat.codes, minlength=len(answers.items)).astype(np.float64)


def _answers_about(answers, uses):
    """Leave the ratings of some items, flagged (items,), and all judgments."""
    table = answers.table
    is_used = uses[table["item"].cat.codes.to_numpy()]
    return replace(answers, table=table[is_used | (table["source"] != "human").to_numpy()])
