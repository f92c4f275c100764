"""Add places to some items: because somebody wants more raters, or because their raters disagree.

Both add places (places.add) and a line to the log, in one transaction that locks the study first.
The adaptive rule looks at ratings alone: judges are not known here. It runs every minute, never
while an answer is saved.
"""

import numpy as np
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.utils import timezone

from annotate.files.loading.common import batches
from annotate.files.loading.placing import drop_open
from annotate.models import AddedPlace, ExtraPlaces, Item, Place, Rating, Session, Study
from annotate.sessions import kept_places, places
from annotate.values.spread import USUAL, has_spread, spreads

MOST_AT_ONCE = 20  # places an item, and items of one click times these stay within a page
HALF = 32
BATCH = 2000  # items whose ratings are read at once
AT_WORK = (Session.State.RATING, Session.State.EXIT)
NEARLY = 1e-9  # a standard deviation may miss a round number by a rounding error


class NotNow(Exception):
    """Nobody could take the places: the study is closed; or no item can get any."""


@transaction.atomic
def send(study, by, items, count, words=""):
    """Give each of these items, or a part's whole, count more places; return the log's line."""
    if not Study.objects.select_for_update(no_key=True).get(pk=study.pk).is_open:
        raise NotNow("The study is closed for raters: open it in the settings first.")
    wholes = Item.objects.filter(study=study, pk__in=items)
    wholes = {parent or pk for pk, parent in wholes.values_list("pk", "parent")}
    step = log_step(study, places.add(study, wholes, count), by=by, words=words)
    if step is None:
        raise NotNow(f"None of these items can get more places; {places.MOST:,} is the most.")
    kept_places.keep(study, sorted(wholes))
    return step


def log_step(study, added, by=None, **fields):
    """Log new places, and return the log's line; None without new places."""
    if not added:
        return None
    step = ExtraPlaces.objects.create(
        study=study,
        by=by,
        by_name=by.get_username() if by else "",
        place_count=len(added),
        item_count=len({place.item_id for place in added}),
        **fields,
    )
    AddedPlace.objects.bulk_create(
        AddedPlace(step=step, item_id=place.item_id, place=place) for place in added
    )
    return step


@transaction.atomic
def undo(step, by):
    """Take back a line's places that are still open, and return how many. Raters at work stay."""
    Study.objects.select_for_update(no_key=True).get(pk=step.study_id)
    gone = drop_open(Place.objects.filter(added__step=step))
    if gone:
        ExtraPlaces.objects.filter(pk=step.pk).update(
            undone_at=timezone.now(),
            undone_by_name=by.get_username(),
            undone_count=F("undone_count") + gone,
        )
    return gone


def log(study):
    """Return the lines of the log, each with how many of its places are open."""
    is_open = Count("added", filter=Q(added__place__state=Place.State.OPEN))
    return study.extra_places.annotate(still_open=is_open).order_by("-pk")


# The adaptive rule


def tend():
    """Apply the rule to every open study that has it, where a session ended since the last look."""
    for study in Study.objects.filter(state=Study.State.OPEN, raters_per_item_max__gt=0):
        key, stamp = f"adapted-{study.pk}", _stamp(study)
        if cache.get(key) != stamp:
            adapt(study)
            cache.set(key, stamp)


def _stamp(study):
    """Return a value that changes when sessions end, raters are excluded or the rule changes."""
    seen = study.sessions.aggregate(
        done=Count("pk", filter=Q(state=Session.State.COMPLETED)),
        last=Max("ended_at"),
        out=Count("pk", filter=~Q(rater__excluded_because="")),
    )
    return repr((seen, study.raters_per_item_max, study.adaptive_from, study.loads))


def adapt(study):
    """Give one more place to each item whose raters are all done and disagree.

    Ratings of excluded raters do not count. No item gets more than raters_per_item_max places,
    those added by hand among them. Returns the log's line; None where nothing was added.
    """
    ((measure, least),) = (study.adaptive_from or USUAL).items()
    items = [
        item
        for batch in batches(list(_done(study)), BATCH)
        for item in _disagreeing(study, batch, measure, least)
    ]
    if not items:
        return None
    words = f"raters disagree: {'standard deviation' if measure == 'sd' else 'different answers'}"
    with transaction.atomic():
        most = study.raters_per_item_max
        added = places.add(study, items, 1, cap=most, only_whole=True)
        kind = ExtraPlaces.Kind.ADAPTIVE
        return log_step(study, added, kind=kind, words=f"{words} of {least:g} or more")


def _done(study):
    """Return the items below the cap whose places are all filled by raters who are done.

    An item whose place somebody took back is left alone.
    """
    waiting = ~Q(places__state=Place.State.FILLED) | Q(places__session__state__in=AT_WORK)
    taken_back = AddedPlace.objects.filter(
        item__study=study, step__kind=ExtraPlaces.Kind.ADAPTIVE, place=None
    )
    counted = study.items.with_places().annotate(
        many=Count("places"), waiting=Count("places", filter=waiting)
    )
    done = counted.filter(many__gt=0, many__lt=study.raters_per_item_max, waiting=0)
    done = done.exclude(pk__in=taken_back.values("item"))
    return done.order_by("pk").values_list("pk", flat=True)


def _disagreeing(study, items, measure, least):
    """Return the items whose, or whose parts', ratings of a question differ by least or more."""
    scales = {question.pk: question.scale for question in study.questions.all()}
    questions = [pk for pk, scale in scales.items() if has_spread(measure, scale)]
    answers = Rating.objects.for_analysis().filter(question__in=questions, value__isnull=False)
    answers = answers.filter(Q(item__in=items) | Q(item__parent__in=items)).with_shown_item()
    rows = list(answers.values_list("item", "question", "value", "shown_item"))
    wholes = {item: whole for item, _, _, whole in rows}
    cells = np.array([item << HALF | question for item, question, *_ in rows], dtype=np.int64)
    spread_by_cell = spreads(measure, cells, np.array([value for _, _, value, _ in rows]))
    return {
        wholes[cell >> HALF] for cell, spread in spread_by_cell.items() if spread >= least - NEARLY
    }
