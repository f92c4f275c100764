"""Read what a study asks of recipients who bring their own taste.

It stands in Study.extra as in study.yaml; annotate/files/reading/stepspec.py reads it.
"""

from dataclasses import dataclass, field

from django.db import models

from annotate.models import Making, Rater

KEY = "taste"
LEAST, MOST, LENGTH = 3, 10, 5
MINUTES = 10  # after which a set that was not made counts as failed


class By(models.TextChoices):
    """How a source finds contents for somebody who picked others."""

    NEAREST = "nearest", "Nearest contents by their attributes"
    RANDOM = "random", "Contents drawn by chance"


@dataclass(frozen=True)
class Source:
    """A source of recommendations; columns: the contents' attributes that it compares."""

    system: str
    by: str = str(By.NEAREST)
    columns: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Taste:
    """How many contents are picked, the sources of lists, and how long each list is."""

    sources: list[Source]
    least: int = LEAST
    most: int = MOST
    length: int = LENGTH


def taste_of(study):
    """Return the Taste of a study, or None."""
    data = study.extra.get(KEY)
    if not data:
        return None
    sources = [Source(**entry) for entry in data["sources"]]
    return Taste(**{**data, "sources": sources})


def has_or_had(study):
    """Return whether a study asks for taste, or did until it was taken away: then it is empty."""
    return KEY in study.extra


def is_asked(study, rater=None):
    """Return whether a rater brings their own taste: not who is a recipient of the study already.

    Who became a recipient by their picks is one whose picks are asked no more; experts rate what
    everybody rates.
    """
    if not study.extra.get(KEY):
        return False
    return rater is None or (rater.recipient_id is None and rater.role != Rater.Role.EXPERT)


def making_of(session):
    """Return the Making of a session, or None; without a query where no lists are made."""
    makings = Making.objects.filter(session=session)
    return makings.first() if has_or_had(session.study) else None
