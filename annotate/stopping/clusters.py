"""Draw the order in which clusters of items count at a look.

A cluster is the unit of the analysis: a recipient's items, else a content's, else a single item.
"""

from random import Random

from annotate.design import splits
from annotate.design.checks import gold_keys
from annotate.models import Item


def cluster_by_item(study):
    """Return {primary key: id of its cluster} of the items that get places."""
    rated = Item.objects.filter(study=study).with_places().exclude(key__in=gold_keys(study))
    return splits.unit_by_item(study, pk__in=rated.values("pk"))


def draw_order(study, seed):
    """Return the ids of the study's clusters, shuffled by the seed."""
    clusters = sorted(set(cluster_by_item(study).values()))
    Random(seed).shuffle(clusters)
    return clusters


def items_in_order(order, cluster_by_item):
    """Return for each cluster of an order the primary keys of its items: [[primary key]]."""
    items = {cluster: [] for cluster in order}
    for pk, cluster in cluster_by_item.items():
        if cluster in items:
            items[cluster].append(pk)
    return list(items.values())
