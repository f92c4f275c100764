"""Leave of a study's answers those that a look may use: of the complete clusters in their order."""

from dataclasses import dataclass, replace

import numpy as np

from analysis.stats.planning.complete_clusters import complete_clusters
from annotate.stopping.clusters import cluster_by_item


@dataclass(frozen=True)
class Collected:
    """The answers of a look. clusters: how many it uses; in_order: how many the order has."""

    answers: object
    clusters: int
    in_order: int

    @property
    def is_spent(self):
        """Return whether all that the order has is collected."""
        return 0 < self.in_order == self.clusters


def collected_of(answers, plan):
    """Return the Collected of a plan; clusters outside its order wait for ever."""
    names = cluster_by_item(answers.study)
    clusters = [names.get(pk) for pk in answers.item_ids]
    present = set(clusters)
    order = [name for name in plan.order if name in present]
    place = {name: code for code, name in enumerate(order)}
    codes = np.array([place.get(name, -1) for name in clusters], dtype=np.int64)
    inside = codes >= 0
    ratings = _raters_by_item(answers, plan.role)
    t = complete_clusters(range(len(order)), codes[inside], ratings[inside], plan.raters_per_item)
    uses = inside & (codes < t)
    return Collected(_answers_about(answers, uses), t, len(order))


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
