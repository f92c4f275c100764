"""Open the places that raise every item to a number of ratings: second ratings, or one more.

They are places added by hand: logged, and undone where More raters undoes them.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Sum

from annotate.design.checks import gold_keys
from annotate.models import Place, Study
from annotate.recruitment.more_raters import NotNow, log_step
from annotate.sessions import kept_places, places

MOST_RATINGS = 20  # an item, by this page


@dataclass(frozen=True)
class Lacking:
    """How many places lack, of how many items; single: of these, items with one place."""

    places: int
    items: int
    single: int


def count_lacking(study, ratings, question=None):
    """Count what raises the items of a question (of all, without one) to so many places."""
    items = _items_below(study, ratings, question)
    counts = items.aggregate(items=Count("pk"), have=Sum("many"))
    single = items.filter(many=1).count() if ratings > 1 else 0
    lacking = ratings * counts["items"] - (counts["have"] or 0)
    return Lacking(lacking, counts["items"], single)


def lacks_places(study, ratings, question):
    """Return whether an item of the question has fewer places than so many."""
    return _items_below(study, ratings, question).exists()


def count_open(study, ratings, question=None):
    """Count the places that nobody has taken yet, of the items that more places are for.

    These are the items with fewer places than so many; where none is, all items of the question.
    """
    below = _items_below(study, ratings, question)
    items = below if below.exists() else _items_with_places(study, question)
    is_open = {"state": Place.State.OPEN, "item__in": items.values("pk")}
    return study.places.filter(**is_open).count()


@transaction.atomic
def raise_ratings(study, by, ratings, question=None):
    """Open these places, and return the log's line; NotNow says why there are none."""
    if not Study.objects.select_for_update(no_key=True).get(pk=study.pk).is_open:
        raise NotNow("The study is closed for raters: open it in the settings first.")
    added = []
    for many in range(1, ratings):
        items = _items_below(study, ratings, question).filter(many=many)
        added.append((list(items.values_list("pk", flat=True)), ratings - many))
    new = [place for items, count in added for place in places.add(study, items, count)]
    step = log_step(study, new, by=by, words=f"up to {ratings} ratings per item, for the verdict")
    if step is None:
        raise NotNow(f"Every item has {ratings} places already.")
    kept_places.keep(study)
    return step


def _items_below(study, ratings, question):
    """Return the items with one place or more, but fewer than so many."""
    return _items_with_places(study, question).filter(many__lt=ratings)


def _items_with_places(study, question):
    """Return the items of a question (all, without one) with one place or more; many: how many."""
    items = study.items.with_places().exclude(key__in=gold_keys(study))
    if question is not None:
        items = items.filter(kind__in=places.kinds_asked([question]))
    return items.annotate(many=Count("places")).filter(many__gte=1)
