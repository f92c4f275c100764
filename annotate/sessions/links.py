"""Make personal links: one for each rater, whose session waits at the consent page."""

import secrets

from django.db import transaction

from annotate.models import Rater, Session
from annotate.models.item import MADE_HERE
from annotate.models.rater import session_token
from annotate.sessions import kept_places

Role = Rater.Role


class Taken(Exception):
    """Some of the names belong to raters of the study already; args hold them."""


def new_names(count):
    """Make count random pseudonyms for raters who have no name."""
    return [f"rater-{secrets.token_hex(5)}" for _ in range(count)]


@transaction.atomic
def make(study, raters):
    """Make a link for each (name, role, recipient or None), and return how many.

    If a name is taken, Taken is raised and no link is made.
    """
    type(study).objects.select_for_update(no_key=True).get(pk=study.pk)
    names = [name for name, _role, _recipient in raters]
    taken = study.raters.filter(key__in=names).values_list("key", flat=True)
    if taken:
        raise Taken(*taken)
    made = Rater.objects.bulk_create(
        Rater(study=study, key=name, role=role, recipient=recipient)
        for name, role, recipient in raters
    )
    Session.objects.bulk_create(
        Session(study=study, rater=rater, token=session_token(), source=Session.Source.LINK)
        for rater in made
    )
    kept_places.keep(study)
    return len(made)


def for_recipients(study):
    """List what `make` needs for every recipient who has items but no link of their own."""
    linked = study.sessions.filter(source=Session.Source.LINK).exclude(rater__recipient=None)
    waiting = study.recipients.filter(items__parent=None, items__isnull=False).distinct()
    waiting = waiting.exclude(pk__in=linked.values("rater__recipient"))
    waiting = waiting.exclude(data__has_key=MADE_HERE)  # they came without a link
    names = set(study.raters.values_list("key", flat=True))
    return [
        (_free(recipient.key, names), Role.RECIPIENT, recipient)
        for recipient in waiting.order_by("key")
    ]


def _free(name, names):
    """Return the recipient's name, with a random suffix if a rater already has it."""
    return f"{name[:180]}-{secrets.token_hex(3)}" if name in names else name


def of_study(study):
    """Return the sessions of personal links, in the order they were made."""
    return study.sessions.filter(source=Session.Source.LINK).select_related(
        "rater", "rater__recipient"
    )


@transaction.atomic
def withdraw(session):
    """Take back an unused link; return False if somebody has consented or declined meanwhile."""
    hold(session.rater)
    if not Session.objects.filter(pk=session.pk, state=Session.State.CONSENT).exists():
        return False
    session.rater.delete()
    return True


def hold(rater):
    """Lock a rater who is about to be deleted; nothing is kept or stored for them meanwhile.

    A row that came to refer to them between the look and the end would be in the way.
    """
    # Sessions before their rater, as an exclusion locks them.
    for rows in (Session.objects.filter(rater=rater.pk), Rater.objects.filter(pk=rater.pk)):
        list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
