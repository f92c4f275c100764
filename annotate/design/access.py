"""Control access: whatever a user may not see or change does not exist for them (404)."""

import json
from functools import lru_cache

from django.db.models import BigIntegerField, Exists, OuterRef, Q
from django.http import Http404

from annotate.db.sql import rows
from annotate.design.versions import as_it_was, asked
from annotate.models import Item, Membership, Place, Question, Screen, Session
from annotate.values import languages

VIEWER, EDITOR, OWNER = Membership.Role.VIEWER, Membership.Role.EDITOR, Membership.Role.OWNER
RANK = {VIEWER: 0, EDITOR: 1, OWNER: 2}


class BeingDeleted(Http404):
    """The study exists only for the worker that is deleting it."""


def study_or_404(user, slug, role=VIEWER):
    """Return the study if the user is a member with at least this role; its .role is the user's.

    A study that is being deleted is hidden from everybody; its members get BeingDeleted.
    """
    memberships = Membership.objects.filter(study__slug=slug, user=user)
    membership = memberships.select_related("study__deletion").first()
    if membership is None or RANK[membership.role] < RANK[role]:
        raise Http404("no such study for this user")
    study = membership.study
    if hasattr(study, "deletion"):
        raise BeingDeleted("the study is being deleted")
    study.role = membership.role
    study.may_edit = RANK[membership.role] >= RANK[EDITOR]
    return study


def exists_or_404(rows):
    """Raise Http404 if the rows are empty."""
    if not rows.exists():
        raise Http404("nothing of this kind for this user")


def session_or_404(token):
    """Return the session with this token, with its study and rater.

    This and the functions below begin to speak the study's language: no page can forget to.
    """
    try:
        sessions = Session.objects.select_related("study", "rater")
        session = sessions.get(token=token, study__deletion=None)
    except Session.DoesNotExist:
        raise Http404("no such session") from None
    languages.speak(session.study.language)
    return session


def place_of_session(token, **which):
    """Return the place of a session's item, with session, study, rater, item, or None."""
    places = _with_pairs(Place.objects.select_related("session__study", "session__rater", "item"))
    place = places.filter(session__token=token, session__study__deletion=None, **which).first()
    if place:
        languages.speak(place.session.study.language)
    return place


def screen_of_session(token, **which):
    """Return a screen among a session's items, with session, study, rater, item, or None.

    An abandoned session has none, as it has no places, until it is resumed.
    """
    screens = Screen.objects.select_related("session__study", "session__rater", "item__content")
    screens = screens.filter(position__isnull=False).exclude(session__state=Session.State.ABANDONED)
    screens = _with_pairs(screens).filter(session__token=token, session__study__deletion=None)
    screen = screens.filter(**which).first()
    if screen:
        languages.speak(screen.session.study.language)
    return screen


def _with_pairs(screens):
    """Annotate places or screens: has_pair_before tells of an earlier pair of lists.

    Pairs of both kinds count, so that no screen can be told from the others by it.
    """
    pairs = {
        "session": OuterRef("session"),
        "position__lt": OuterRef("position"),
        "item__kind": Item.Kind.LIST_PAIR,
    }
    earlier = [Exists(model.objects.filter(**pairs)) for model in (Place, Screen)]
    return screens.annotate(has_pair_before=earlier[0] | earlier[1])


def gold_of_session(token, item_id):
    """Return the screen of a gold item, or of the pair that the item is a part of.

    Its page saves to an item's address, so that the address does not give the gold item away.
    """
    if item_id > BigIntegerField.MAX_BIGINT:
        return None
    part = Item.objects.filter(pk=item_id).values("parent")
    which = Q(item=item_id) | Q(item__in=part)
    gold = Screen.objects.filter(which, session__token=token, kind=Screen.Kind.GOLD)
    return screen_of_session(token, pk__in=gold)


def asked_on_screen(screen, item_id):
    """Return (screen, item, questions) as asked_of_session does; None without the item."""
    item = screen and Item.objects.filter(Q(pk=screen.item_id) | Q(parent=screen.item_id))
    item = item and item.filter(pk=item_id).first()
    return (screen, item, asked(screen.session.study_id, screen.session.version)) if item else None


# A part of an item is rated at the place of the whole. The present version of a questionnaire is
# not among the kept ones, so that its sessions find none.
ASKED = """
SELECT study.language, place.id, place.session_id, place.item_id, item.kind, version.questions,
    question.id, question.key, question.scale_spec, question.required, question.applies_to,
    question.why, question.retired
FROM annotate_session session
JOIN annotate_study study ON study.id = session.study_id
JOIN annotate_item item ON item.id = %s
JOIN annotate_place place ON place.session_id = session.id
    AND place.item_id = COALESCE(item.parent_id, item.id)
JOIN annotate_question question ON question.study_id = session.study_id
LEFT JOIN annotate_questionnaireversion version
    ON version.study_id = session.study_id AND version.number = session.version
WHERE session.token = %s
    AND NOT EXISTS (SELECT 1 FROM annotate_deletion gone WHERE gone.study_id = study.id)
"""


def asked_of_session(token, item_id):
    """Return (place in a session, item, its questions): all that a save needs, by one query.

    The place of a part is that of its pair. None if the place is not there, or the study asks
    nothing.
    """
    asked_rows = item_id <= BigIntegerField.MAX_BIGINT and rows(ASKED, [item_id, token])
    if not asked_rows:
        return None
    language, pk, session_id, whole_id, kind, kept = asked_rows[0][:6]
    languages.speak(language)
    # The columns in the order of the models' fields, else values get lost.
    place = Place.from_db(None, ["id", "item_id", "session_id"], [pk, whole_id, session_id])
    item = Item.from_db(None, ["id", "kind"], [item_id, kind])
    is_part = item_id != whole_id
    place.item = Item(pk=whole_id, kind=Item.Kind.LIST_PAIR) if is_part else item
    questions = [_asked(*row[6:]) for row in asked_rows]
    if kept:
        entries = {entry["key"]: entry for entry in json.loads(kept)}
        questions = [as_it_was(q, entries[q.key]) for q in questions if q.key in entries]
    return place, item, [question for question in questions if not question.retired]


@lru_cache(maxsize=1_000)
def _asked(pk, key, scale_spec, required, applies_to, why, retired):
    # Kept by what stands in the row now, so never out of date.
    spec, kinds = json.loads(scale_spec), json.loads(applies_to)
    return Question(
        pk=pk,
        key=key,
        scale_spec=spec,
        required=required,
        applies_to=kinds,
        why=why,
        retired=retired,
    )


def make_owner(study, user):
    """Make the user an owner of the study; return the membership."""
    return Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": Membership.Role.OWNER}
    )[0]
