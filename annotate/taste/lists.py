"""Let raters pick what they like, and give them what was made from it.

A session has a set of lists that are made for it, or none: the database lets nobody want a second
one. What makes them is told after the commit, writes the items, and calls finish or fail. The items
get their places when the session goes on to rate them, all of which it holds at once, so
that nobody else ever rates them.
"""

from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.module_loading import import_string

from annotate.models import Content, Interaction, Item, Making, Pick, Place, Recipient, Session
from annotate.models.item import MADE_HERE
from annotate.taste.study import (
    MINUTES,
    has_or_had,
    is_asked,
    making_of,
    taste_of,
)

State = Session.State
MOST_SHOWN = 30  # contents that a search finds
LATE = "not made in time"


def contents_of(study):
    """Return the contents among which raters pick: those that have a title."""
    return Content.objects.filter(study=study.origin_id).exclude(title="")


def search(study, text):
    """List the contents whose title or show has all of these words, MOST_SHOWN and one more.

    Without words the first ones of the alphabet.
    """
    contents = contents_of(study)
    for word in text.split():
        contents = contents.filter(Q(title__icontains=word) | Q(show__icontains=word))
    return list(contents.order_by("title", "pk")[: MOST_SHOWN + 1])


def picked(session):
    """List the contents that a session has picked, in their order."""
    picks = session.picks.select_related("content")
    return [pick.content for pick in picks]


@transaction.atomic
def pick(session, content):
    """Add a content to the picks; one too many, or one that was picked, changes nothing."""
    session = Session.objects.locked(session.pk)
    if _may_pick(session) and session.picks.count() < taste_of(session.study).most:
        Pick.objects.bulk_create([Pick(session=session, content=content)], ignore_conflicts=True)
    session.touch()


@transaction.atomic
def drop(session, content):
    """Take a content from the picks."""
    session = Session.objects.locked(session.pk)
    if _may_pick(session):
        session.picks.filter(content=content).delete()
    session.touch()


def _may_pick(session):
    is_here = session.state == State.TASTE and taste_of(session.study)
    return bool(is_here) and making_of(session) is None


def want(session, lead_on):
    """Want lists from the picks, and lead on; False if there are too few picks or too many.

    lead_on: sessions.lead_on, which stands above. Who makes the lists only judges know, so the
    setting TASTE_MAKER names it. A second press, or a second tab, finds the session gone on.
    """
    with transaction.atomic():
        session = Session.objects.locked(session.pk)
        if session.state != State.TASTE:
            return True
        taste = taste_of(session.study)
        if taste and making_of(session) is None:
            if not taste.least <= session.picks.count() <= taste.most:
                return False
            if session.study.preview_of_id:  # it goes on with the items that the study has
                Making.objects.create(session=session, state=Making.State.MADE)
            else:
                making = Making.objects.create(session=session)
                transaction.on_commit(partial(import_string(settings.TASTE_MAKER), making.pk))
        lead_on(session)
    return True


def brings_items(study, kinds, rater=None):
    """Return whether lists can be made for this rater, or for somebody new; None: they rate others.

    kinds: of items that have a question. There have to be enough contents to pick from.
    """
    if is_asked(study, rater):
        taste = taste_of(study)
        is_pair = len(taste.sources) > 1
        wanted = Item.Kind.LIST_PAIR if is_pair else Item.Kind.RECOMMENDATION
        return wanted in kinds and len(contents_of(study)[: taste.least]) == taste.least
    if rater is None or not has_or_had(study):
        return None
    states = (*Session.BEFORE, State.ABANDONED)
    makings = Making.objects.filter(session__state__in=states)
    return True if makings.filter(session__rater=rater).exists() else None


def is_overdue(making):
    """Return whether a set that is wanted was not made in time."""
    late = timezone.now() - timedelta(minutes=MINUTES)
    return making.state == Making.State.WANTED and making.wanted_at < late


def has_failed(session):
    """Return whether the session's lists could not be made; those that are overdue fail now."""
    making = making_of(session)
    if making is not None and is_overdue(making):
        fail(making.pk, LATE)
        making.refresh_from_db()
    return making is not None and making.state == Making.State.FAILED


def fail(pk, why):
    """Note that a set could not be made, unless it was made."""
    _end(pk, state=Making.State.FAILED, why=why[:300])


def finish(pk):
    """Note that a set is made, unless it has failed."""
    return _end(pk, state=Making.State.MADE)


def _end(pk, **fields):
    wanted = Making.objects.filter(pk=pk, state=Making.State.WANTED)
    return bool(wanted.update(ended_at=timezone.now(), **fields))


def list_counts(study):
    """Return ([(state in words, how many sets of lists)], why the last one failed) of a study.

    Nothing is counted of a study that asks for no taste.
    """
    if taste_of(study) is None:
        return [], ""
    makings = Making.objects.filter(session__study=study)
    counts = dict(makings.order_by().values_list("state").annotate(n=Count("pk")))
    failed = makings.filter(state=Making.State.FAILED).order_by("-ended_at")
    why = failed.values_list("why", flat=True).first() if counts.get(Making.State.FAILED) else ""
    return [(state.label, counts.get(state, 0)) for state in Making.State], why or ""


def remove_brought(sessions):
    """Delete what the raters of these sessions brought, and take away the places of their items.

    The items and the recipient go as soon as no judge is at work on them (gone_recipients).
    """
    makings = Making.objects.filter(session__in=sessions, recipient__isnull=False)
    recipients = list(makings.values_list("recipient", flat=True))
    Interaction.objects.filter(recipient__in=recipients).delete()
    Place.objects.filter(item__recipient__in=recipients).delete()


def gone_recipients(study_id):
    """Return the recipients of whom nothing is left but items: they withdrew, or were deleted."""
    made = Recipient.objects.filter(study=study_id, load=None, data__has_key=MADE_HERE)
    return made.exclude(pk__in=Making.objects.filter(recipient__isnull=False).values("recipient"))


def made_items(session):
    """Return the items that were made for a session and that stand alone."""
    if session.rater.recipient_id is None:
        return Item.objects.none()
    items = Item.objects.filter(study=session.study_id, recipient=session.rater.recipient_id)
    return items.filter(parent=None, data__has_key=MADE_HERE)


def brings(session):
    """Return whether all that the study has of this rater's taste is what they pick here."""
    if session.rater.recipient_id:
        return MADE_HERE in session.rater.recipient.data
    return session.picks.exists()


def open_places(session):
    """Give each item that was made for a session the place that this session takes.

    Call it in the transaction that claims them.
    """
    if making_of(session) is None:
        return
    Place.objects.bulk_create(
        [
            Place(study=session.study, item=item, number=1, shuffle=item.pk)
            for item in made_items(session).filter(places=None)
        ]
    )


def close_places(session):
    """Take away the open places of what was made for a session that is over: nobody takes them."""
    if making_of(session) is not None:
        Place.objects.filter(item__in=made_items(session), state=Place.State.OPEN).delete()


def count_of_items(session):
    """Return how many items a session rates: all that were made for it, or the study's number."""
    if making_of(session) is None or session.study.preview_of_id:
        return session.study.items_per_session
    return made_items(session).count()
