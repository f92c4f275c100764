"""Whether a questionnaire may still change: not once people or judges have answered it."""

from contextlib import contextmanager

from django.db import IntegrityError, transaction

from annotate.models import Rating, Study
from judges.models import Judgment


class Frozen(Exception):
    """There are answers to the questionnaire."""


def why_frozen(study):
    """Whose answers freeze the questions, in words; empty where they may change.

    Waiting judgments count too: they point at the questions as they are.
    """
    people = Rating.objects.filter(question__study=study).exists()
    judges = Judgment.objects.filter(question__study=study).exists()
    if people and judges:
        return "raters and judges have answered them"
    if people:
        return "raters have answered them"
    return "judges have answered them, or are about to" if judges else ""


@contextmanager
def changing(study):
    """Questions change within, by one editor at a time; Frozen where there are answers.

    Nothing waits for raters: who has the old words on the screen may answer a moment later anyway,
    so the page says when raters are at work.
    """
    try:
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            if why_frozen(study):
                raise Frozen
            yield
    except IntegrityError:
        # The first answer came between the look and the commit: the question cannot go.
        raise Frozen from None
