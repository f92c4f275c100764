"""Who may see and change what. Everything that is not theirs does not exist: 404."""

import json
from functools import lru_cache

from django.db.models import BigIntegerField
from django.http import Http404

from annotate.models import Item, Membership, Place, Question, Session
from annotate.statements import rows

VIEWER, EDITOR, OWNER = Membership.Role.VIEWER, Membership.Role.EDITOR, Membership.Role.OWNER
RANK = {VIEWER: 0, EDITOR: 1, OWNER: 2}


def study_or_404(user, slug, role=VIEWER):
    """The study, if the user is a member with at least this role; its .role is the user's."""
    membership = (
        Membership.objects.filter(study__slug=slug, user=user).select_related("study").first()
    )
    if membership is None or RANK[membership.role] < RANK[role]:
        raise Http404("no such study for this user")
    study = membership.study
    study.role = membership.role
    study.may_edit = RANK[membership.role] >= RANK[EDITOR]
    return study


def session_or_404(token):
    """The session whose address this is, with its study and rater."""
    try:
        return Session.objects.select_related("study", "rater").get(token=token)
    except Session.DoesNotExist:
        raise Http404("no such session") from None


def place_of_session(token, **which):
    """The place of a session's item, with session, study, rater, item; None if it is not there."""
    places = Place.objects.select_related("session__study", "session__rater", "item")
    return places.filter(session__token=token, **which).first()


# A part of an item is rated at the place of the whole.
ASKED = """
SELECT place.id, place.session_id, place.item_id, item.kind,
    question.id, question.scale_spec, question.required, question.applies_to
FROM annotate_session session
JOIN annotate_item item ON item.id = %s
JOIN annotate_place place ON place.session_id = session.id
    AND place.item_id = COALESCE(item.parent_id, item.id)
JOIN annotate_question question ON question.study_id = session.study_id
WHERE session.token = %s
"""


def asked_of_session(token, item_id):
    """(its place in a session, the item, all questions of the study): what a save needs, no more.

    The place of a part is that of its pair. None if the place is not there, or the study asks
    nothing.
    """
    found = item_id <= BigIntegerField.MAX_BIGINT and rows(ASKED, [item_id, token])
    if not found:
        return None
    pk, session_id, whole_id, kind = found[0][:4]
    # The columns in the order of the models' fields, else values get lost.
    place = Place.from_db(None, ["id", "item_id", "session_id"], [pk, whole_id, session_id])
    item = Item.from_db(None, ["id", "kind"], [item_id, kind])
    is_part = item_id != whole_id
    place.item = Item(pk=whole_id, kind=Item.Kind.LIST_PAIR) if is_part else item
    return place, item, [_asked(*row[4:]) for row in found]


@lru_cache(maxsize=1_000)
def _asked(pk, scale_spec, required, applies_to):
    # Kept by what stands in the row now, so never out of date.
    scale_spec, applies_to = json.loads(scale_spec), json.loads(applies_to)
    return Question(pk=pk, scale_spec=scale_spec, required=required, applies_to=applies_to)


def make_owner(study, user):
    """The user owns the study from now on."""
    return Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": Membership.Role.OWNER}
    )[0]
