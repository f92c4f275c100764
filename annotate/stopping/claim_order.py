"""Let raters fill the places of a study with a stopping plan in the order of its clusters.

A claim takes the first places of all items before the second ones, and among these the lowest
`shuffle` (annotate/sessions/places.py). So the clusters at the start of the order get their last
ratings first, and a look need not wait for the end of collecting.
"""

from itertools import chain

from django.db.models import F

from annotate.db.bulk import among
from annotate.models import Place

BLOCK = 25  # clusters whose items stay shuffled, so that a session holds items of many
DRAWS = 2**16  # values that are left of an item's own draw within its block
MOST = 2**15 - 1  # blocks that fit into the column beside these


def put_places_in_order(items_by_cluster):
    """Draw the places of a plan's items again, block by block: [[primary key]] in its order."""
    for start in range(0, len(items_by_cluster), BLOCK):
        items = chain.from_iterable(items_by_cluster[start : start + BLOCK])
        first = min(start // BLOCK, MOST) * DRAWS
        Place.objects.filter(item__in=among(items)).update(shuffle=F("shuffle") % DRAWS + first)
