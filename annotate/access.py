"""Who may see and change what. Everything that is not theirs does not exist: 404."""

from django.http import Http404

from annotate.models import Membership, Place, Session

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
    """The place of a session's item, with session, study and item; None if it is not there."""
    places = Place.objects.select_related("session__study", "item")
    return places.filter(session__token=token, **which).first()


def make_owner(study, user):
    """The user owns the study from now on."""
    return Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": Membership.Role.OWNER}
    )[0]
