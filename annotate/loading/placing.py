"""Places: how many ratings each item is to get, and which of them a file has filled."""

import hashlib
from collections import defaultdict

from django.db.models import Max

from annotate.bulk import insert, update
from annotate.loading.common import batches
from annotate.loading.ratings import HALF
from annotate.models import Place

OPEN, FILLED = str(Place.State.OPEN), str(Place.State.FILLED)


def draw(slug, key):
    """A seeded draw for an item: the same in every load, without any order of its own."""
    digest = hashlib.blake2b(f"{slug}\n{key}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def write_places(loading, pairs):
    """Every item without a parent gets its open places; ratings of the file fill places.

    pairs: sorted array of item << 32 | rater, the answers that came with this load.
    """
    items = loading.study.items.filter(parent=None).order_by("pk").values_list("pk", "key")
    raters = _raters_by_item(loading, pairs)
    touched = items.iterator() if loading.more_places else _touched(items, raters)
    sessions = {rater.pk: rater.session for rater in loading.raters.values()}
    any_before = loading.study.places.exists()
    for batch in batches(touched):
        _fill(loading.study, batch, raters, sessions, any_before)
    surplus = Place.objects.filter(study=loading.study, state=Place.State.OPEN)
    surplus.filter(number__gt=loading.study.raters_per_item).delete()


def _touched(items, raters):
    for pks in batches(raters):
        yield from items.filter(pk__in=pks)


def _raters_by_item(loading, pairs):
    """Raters by the item whose place they fill: a child's rating fills its parent's place."""
    parents = {}
    if len(pairs):
        children = loading.study.items.exclude(parent=None)
        parents = dict(children.values_list("pk", "parent_id"))
    raters = defaultdict(set)
    for pair in pairs.tolist():
        item = pair >> HALF
        raters[parents.get(item, item)].add(pair & (1 << HALF) - 1)
    return raters


def _fill(study, batch, raters, sessions, any_before):
    """Filled places for the raters of a batch of items, then open ones up to the wanted number."""
    wanted = study.raters_per_item
    highest, there, free = _there([pk for pk, _ in batch]) if any_before else ({}, (), {})
    new, filled = [], []
    for pk, key in batch:
        shuffle, number = draw(study.slug, key), highest.get(pk, 0)
        for rater in sorted(raters.get(pk, ())):
            if (pk, rater) in there:
                continue
            if free.get(pk):
                filled.append((FILLED, rater, sessions[rater], free[pk].pop()))
                continue
            number += 1
            new.append((study.pk, pk, number, shuffle, FILLED, rater, sessions[rater]))
        opened = range(number + 1, wanted + 1)
        new += [(study.pk, pk, place, shuffle, OPEN, None, None) for place in opened]
    update(Place, ["state", "rater_id", "session_id"], filled)
    names = ["study_id", "item_id", "number", "shuffle", "state", "rater_id", "session_id"]
    insert(Place, names, new)


def _there(pks):
    """What items have: highest number, (item, rater) pairs, open places with the lowest last."""
    places = Place.objects.filter(item__in=pks)
    highest = dict(places.values_list("item").annotate(Max("number")).order_by())
    raters = set(places.exclude(rater=None).values_list("item", "rater"))
    free = defaultdict(list)
    open_places = places.filter(state=Place.State.OPEN).order_by("-number")
    for item, place in open_places.values_list("item", "pk"):
        free[item].append(place)
    return highest, raters, free
