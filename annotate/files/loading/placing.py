"""Give items their places: open places for raters, and filled ones for a file's ratings."""

import hashlib
from collections import Counter, defaultdict
from itertools import count, islice

import numpy as np
from django.db import transaction
from django.db.models import Case, When, Window
from django.db.models.functions import RowNumber

from annotate.db.bulk import among, insert, update
from annotate.design.checks import gold_keys
from annotate.files.loading.common import batches
from annotate.files.loading.ratings import HALF
from annotate.models import Place
from annotate.sessions import kept_places

ITEMS = 4000  # whose places are looked at together
OPEN, FILLED = str(Place.State.OPEN), str(Place.State.FILLED)
PLACE = ("study_id", "item_id", "number", "shuffle", "state", "rater_id", "session_id")


def draw(slug, key):
    """Draw a number for an item, the same in every load and without any order."""
    digest = hashlib.blake2b(f"{slug}\n{key}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def write_places(loading, pairs):
    """Give every item without a parent its open places, and fill places with the file's ratings.

    pairs: sorted array of item << 32 | rater, the answers that came with this load.
    """
    pairs = _pairs_of_places(loading, pairs)
    insert(Place, PLACE, _new_places(loading, pairs))
    _drop_surplus(loading.study)
    drop_open(loading.study.places.filter(item__key__in=gold_keys(loading.study)))
    kept_places.settle(loading.study)


@transaction.atomic
def want_raters(study):
    """Adjust places to the study's raters_per_item: add missing places, drop surplus open places.

    What somebody holds or has filled stays. Call it with the study locked.
    """
    give_places(study, study.items.with_places())
    _drop_surplus(study)
    kept_places.settle(study)


def give_places(study, items):
    """Add the places that these items lack of the study's number; gold items get none."""
    some = items.exclude(key__in=gold_keys(study)).order_by("pk").values_list("pk", "key")
    insert(Place, PLACE, _lacking(study, some.iterator()))


def _lacking(study, items):
    """Yield the values of the places that items lack."""
    for batch in batches(items):
        places = Place.objects.filter(item__in=[pk for pk, _ in batch])
        there, counted = defaultdict(set), Counter()
        for pk, number, added in places.values_list("item_id", "number", "added"):
            there[pk].add(number)
            counted[pk] += added is None
        for pk, key in batch:
            shuffle = draw(study.slug, key)
            free = (number for number in count(1) if number not in there[pk])
            for number in islice(free, max(study.raters_per_item - counted[pk], 0)):
                yield study.pk, pk, number, shuffle, OPEN, None, None


def _drop_surplus(study):
    """Drop open places beyond an item's number of places; places that raters have count first.

    Places that somebody asked for in addition stay, and do not count.
    """
    taken_first = Case(When(state=OPEN, then=1), default=0), "number"
    place = Window(RowNumber(), partition_by="item", order_by=taken_first)
    own = study.places.filter(added=None)
    # An item with more places has one of a higher number; mostly none has, which is found quickly.
    larger = own.filter(number__gt=study.raters_per_item).values("item")
    ranked = own.filter(item__in=larger).annotate(place_of_item=place)
    too_many = ranked.filter(place_of_item__gt=study.raters_per_item).values("pk")
    # Again where one was claimed meanwhile: another one is beyond the number then.
    while drop_open(study.places.filter(pk__in=too_many)):
        pass


def drop_open(places):
    """Delete the open places among these, and return how many; what is being claimed stays.

    Locked and looked at once more before they go: a DELETE by primary keys would take what a claim
    has taken meanwhile, and its rater would lose the item. Call it in a transaction.
    """
    is_open = places.filter(state=OPEN).select_for_update(of=("self",))
    going = list(is_open.order_by("pk").values_list("pk", flat=True))
    for some in batches(going):
        Place.objects.filter(pk__in=some).delete()
    return len(going)


def _pairs_of_places(loading, pairs):
    """Map pairs to the items that have places, sorted: a child's rating fills its parent's."""
    children = loading.study.items.exclude(parent=None) if len(pairs) else ()
    parents = np.array(list(children.values_list("pk", "parent_id")) if len(pairs) else [])
    if not len(parents):
        return pairs
    parents = parents[parents[:, 0].argsort()]
    items, raters = pairs >> HALF, pairs & (1 << HALF) - 1
    positions = np.searchsorted(parents[:, 0], items).clip(max=len(parents) - 1)
    items = np.where(parents[positions, 0] == items, parents[positions, 1], items)
    return np.unique(items << HALF | raters)


def _new_places(loading, pairs):
    """Yield the places to add, item by item; existing open places are filled on the way."""
    items = loading.study.items.filter(parent=None).without_outdated().without_made()
    items = items.order_by("pk").values_list("pk", "key")
    touched = items.iterator() if loading.more_places else _touched(items, pairs)
    sessions = {rater.pk: rater.session for rater in loading.raters.values()}
    any_before = loading.study.places.exists()
    for batch in batches(touched, ITEMS):
        yield from _fill(loading.study, batch, _raters(batch, pairs), sessions, any_before)


def _touched(items, pairs):
    """Return the rated items, read by one query, as the check has read all keys."""
    pks = np.unique(pairs >> HALF).tolist()
    rated = set(pks)
    items_in_range = items.filter(pk__range=(pks[0], pks[-1])).iterator()
    return (item for item in items_in_range if item[0] in rated)


def _raters(batch, pairs):
    """Return the raters of each item of a batch, in their order."""
    if not len(pairs):
        return [()] * len(batch)
    pks = np.array([pk for pk, _ in batch])
    starts, ends = np.searchsorted(pairs, (pks << HALF, pks + 1 << HALF))
    raters = pairs & (1 << HALF) - 1
    return [raters[start:end].tolist() for start, end in zip(starts, ends, strict=True)]


def _fill(study, batch, raters, sessions, any_before):
    """Yield filled places for the raters of a batch of items, then open places up to the number."""
    gold = gold_keys(study)
    pks, is_filling = [pk for pk, _ in batch], any(map(len, raters))
    highest, there, free = _there(pks, is_filling) if any_before else ({}, (), {})
    filled = []
    for (pk, key), its_raters in zip(batch, raters, strict=True):
        came = iter([rater for rater in its_raters if (pk, rater) not in there])
        places = reversed(free.get(pk, ()))
        filled += [
            (FILLED, r, sessions[r], None, place) for place, r in zip(places, came, strict=False)
        ]
        number = highest.get(pk, 0)
        rows = [(FILLED, rater, sessions[rater]) for rater in came]
        wanted = 0 if key in gold else study.raters_per_item
        rows += [(OPEN, None, None)] * (wanted - number - len(rows))
        shuffle = draw(study.slug, key) if rows else 0
        for place_number, row in enumerate(rows, number + 1):
            yield study.pk, pk, place_number, shuffle, *row
    update(Place, ["state", "rater_id", "session_id", "kept_for_id"], filled)


def _there(pks, is_filling):
    """Return items' places: highest number, (item, rater) pairs, open places with the lowest last.

    Open places are read only if some are to be filled: while they are locked nobody can claim them.
    """
    highest: dict[int, int] = {}
    raters, free = set(), defaultdict(list)
    places = Place.objects.filter(item__in=among(pks)).order_by("-number")
    if is_filling:
        # Locked, so that a claim at the same time takes others.
        is_open = places.filter(state=OPEN).select_for_update()
        for pk, item in is_open.values_list("pk", "item_id"):
            free[item].append(pk)
    for item, number, rater in places.values_list("item_id", "number", "rater_id"):
        highest.setdefault(item, number)
        if rater is not None:
            raters.add((item, rater))
    return highest, raters, free
