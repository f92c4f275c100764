"""Whether a questionnaire may still change: not once people or judges have answered it."""

from contextlib import contextmanager

from django.db import transaction

from annotate.models import Rating, Study
from judges.models import Judgment


class Frozen(Exception):
    """There are answers to the questionnaire."""


def why_frozen(study):
    """Whose answers freeze the questionnaire, in words; empty where it may change.

    Waiting judgments count too: they point at the questions as they are.
    """
    people = Rating.objects.filter(question__study=study).exists()
    judges = Judgment.objects.filter(question__study=study).exists()
    if people and judges:
        return "raters and judges have answered it"
    if people:
        return "raters have answered it"
    return "judges have answered it, or are about to" if judges else ""


@contextmanager
def changing(study):
    """Questions of the study change within; Frozen where there are answers to them.

    The study's lock keeps other editors out. Answers point at questions, so locked questions let
    no new answer in until all is changed.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        list(study.questions.select_for_update())
        if why_frozen(study):
            raise Frozen
        yield
