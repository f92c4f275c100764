"""Make the lists of a rater who brings their own taste, while they wait in their session.

A worker takes a set for LEASE seconds. It writes what was picked as the history of a new recipient,
the list of each source, then the items: each step is a transaction of its own that finds what was
done before, so that a set whose worker was killed is gone on with, and nothing is made twice. Each
step locks the session first, as a withdrawal does, and stops where the set is gone.
"""

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotate.models import (
    Content,
    Interaction,
    Item,
    Making,
    Rater,
    Recipient,
    Session,
    Study,
    System,
)
from annotate.models.item import MADE_HERE
from annotate.sessions.order import seeded
from annotate.taste import lists as tastes
from annotate.taste.study import By, taste_of
from judges.methods.recommend.nearest import attributes_of, rank_nearest
from judges.runs import nudge

log = logging.getLogger(__name__)
LEASE = 60  # seconds after which a set that a worker took counts as lost
NOTHING = "The source {} found nothing for these picks."


class CannotMake(Exception):
    """The set cannot be made, and why."""


class Gone(Exception):
    """The set is not wanted any more."""


def ask(pk):
    """Tell a worker that a set of lists is wanted."""
    nudge.send("judges.tasks.make_lists", pk)


def _free():
    lost = timezone.now() - timedelta(seconds=LEASE)
    wanted = Making.objects.filter(state=Making.State.WANTED, session__study__preview_of=None)
    return wanted.filter(Q(taken_at=None) | Q(taken_at__lt=lost))


def find_waiting():
    """Return the ids of sets that no worker has, the oldest first; those that are late fail."""
    for making in _free().order_by("wanted_at"):
        if tastes.is_overdue(making):
            tastes.fail(making.pk, tastes.LATE)
    return list(_free().order_by("wanted_at").values_list("pk", flat=True))


def make(pk):
    """Make a set of lists, unless somebody else does; note it where it cannot be made."""
    if not _free().filter(pk=pk).update(taken_at=timezone.now()):
        return
    try:
        write_history(pk)
        for source in _taste(pk).sources:
            write_list(pk, source)
        write_items(pk)
    except CannotMake as problem:
        tastes.fail(pk, str(problem))
        log.warning("set of lists %s could not be made", pk)
    except Gone:
        log.info("set of lists %s is not wanted any more", pk)


def _taste(pk):
    study = Study.objects.filter(sessions__makings=pk).first()
    if study is None:
        raise Gone
    return _asked(study)


def _asked(study):
    taste = taste_of(study)
    if taste is None:
        raise CannotMake("The study asks for no taste any more.")
    return taste


def _locked(pk):
    """Lock the session of a set; return the set, which is still wanted, with its session."""
    session = Session.objects.filter(makings=pk).select_for_update(of=("self",)).first()
    wanted = Making.objects.filter(pk=pk, state=Making.State.WANTED)
    making = wanted.select_related("session__study", "session__rater", "recipient").first()
    if session is None or making is None or session.state in Session.OVER:
        raise Gone
    return making


@transaction.atomic
def write_history(pk):
    """Make the rater a recipient, whose history is what they picked."""
    making = _locked(pk)
    if making.recipient:
        return
    session = making.session
    recipient = Recipient.objects.create(
        study=session.study, key=_free_key(session), data={MADE_HERE: True}
    )
    Interaction.objects.bulk_create(
        Interaction(
            study=session.study,
            recipient=recipient,
            content=pick.content,
            data={MADE_HERE: True},
        )
        for pick in session.picks.select_related("content")
    )
    Rater.objects.filter(pk=session.rater_id).update(recipient=recipient, role=Rater.Role.RECIPIENT)
    making.recipient = recipient
    making.save(update_fields=["recipient"])


def _free_key(session):
    """Return the id of the new recipient; one that was loaded may have the usual one."""
    key = f"own-{session.rater.key}"
    is_taken = Recipient.objects.filter(study=session.study, key=key).exists()
    return f"{key}-{session.pk}" if is_taken else key


def write_list(pk, source):
    """Write the list of one source, unless it is there; the rater's page waits for no ranking."""
    with transaction.atomic():
        making = _locked(pk)
    if source.system in making.lists:
        return
    recommended = recommend(making, source)
    with transaction.atomic():
        making = _locked(pk)
        making.lists.setdefault(source.system, recommended)
        making.save(update_fields=["lists"])


def recommend(making, source):
    """Return the keys of the contents that a source recommends, best first."""
    session = making.session
    rng = seeded(session, f"taste {source.system}")
    liked = set(making.recipient.interactions.values_list("content__key", flat=True))
    rows = tastes.contents_of(session.study).order_by("key")
    length = taste_of(session.study).length
    if source.by == By.RANDOM:
        others = [key for key in rows.values_list("key", flat=True) if key not in liked]
        keys = rng.sample(others, min(length, len(others)))
    else:
        attributes = {
            row["key"]: attributes_of(row, source.columns)
            for row in rows.values("key", "show", "data").iterator()
        }
        keys = rank_nearest(liked, attributes, length, rng)
    if not keys:
        raise CannotMake(NOTHING.format(source.system))
    return keys


@transaction.atomic
def write_items(pk):
    """Write the items of a set that has all its lists, and note that it is made.

    Two lists are a pair, whose first is the list A; the contents of one stand each by itself.
    """
    # Locked before the session, as whoever excludes the rater locks them.
    Study.objects.select_for_update(no_key=True, of=("self",)).filter(sessions__makings=pk).first()
    making = _locked(pk)
    study, taste = making.session.study, _asked(making.session.study)
    lists = [(source.system, making.lists.get(source.system, [])) for source in taste.sources]
    keys = {key for _, contents in lists for key in contents}
    contents = dict(Content.objects.filter(study=study, key__in=keys).values_list("key", "pk"))
    for system, recommended in lists:  # sources and contents may have changed meanwhile
        if not any(key in contents for key in recommended):
            raise CannotMake(NOTHING.format(system))
    pair = _pair(making) if len(lists) > 1 else None
    for side, (system, recommended) in zip("AB", lists, strict=False):
        row, _ = System.objects.get_or_create(study=study, key=system)
        Item.objects.bulk_create(
            _item(
                making,
                f"{side}-{position}",
                kind=Item.Kind.RECOMMENDATION,
                content_id=contents[key],
                system=row,
                parent=pair,
                side=side if pair else "",
                position=position,
            )
            for position, key in enumerate(recommended, start=1)
            if key in contents
        )
    Study.objects.filter(pk=study.pk).update(loads=F("loads") + 1)
    tastes.finish(pk)


def _pair(making):
    pair = _item(making, "pair", kind=Item.Kind.LIST_PAIR)
    pair.save()
    return pair


def _item(making, name, **fields):
    return Item(
        study=making.session.study,
        key=f"{making.recipient.key}-{name}",
        recipient=making.recipient,
        data={MADE_HERE: True},
        **fields,
    )
