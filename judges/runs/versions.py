"""Decide whether a questionnaire's version may change: not once people or judges answered it."""

from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q

from annotate.design import versions
from annotate.models import Answer, Rating, Study
from annotate.studies.edit import follow_questions
from judges.models import Judgment


class Frozen(Exception):
    """There are answers to the present version of the questionnaire."""


def why_frozen(study):
    """Say whose answers freeze the present version; empty where it may change.

    Waiting judgments count too: they point at the questions as they are.
    """
    version = study.questionnaire_version
    rated = Rating.objects.filter(session__study=study, session__version=version)
    sessions = {"screen__session__study": study, "screen__session__version": version}
    extra = Answer.objects.among_items().filter(**sessions).order_by().values("pk")
    people = rated.order_by().values("pk").union(extra, all=True).exists()
    judges = Judgment.objects.filter(question__study=study, run__version=version).exists()
    if people and judges:
        return "raters and judges have answered them"
    if people:
        return "raters have answered them"
    return "judges have answered them, or are about to" if judges else ""


def answered_keys(study):
    """Return the keys of the questions that have answers of any version."""
    of_people = Exists(Rating.objects.filter(question=OuterRef("pk")))
    of_extras = Exists(Answer.objects.filter(question=OuterRef("pk")))
    of_judges = Exists(Judgment.objects.filter(question=OuterRef("pk")))
    answered = study.questions.filter(Q(of_people) | Q(of_extras) | Q(of_judges))
    return set(answered.values_list("key", flat=True))


def settled_keys(study):
    """Return the keys of questions that every new version keeps, with their values' meaning."""
    return versions.kept_keys(study) | answered_keys(study)


def _locked(study):
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


@contextmanager
def changing(study):
    """Lock the study while one editor changes questions; raise Frozen where there are answers.

    Nothing waits for raters: a rater with the old words on the screen may answer a moment later
    anyway, so the page says when raters are at work.
    """
    try:
        with transaction.atomic():
            locked = _locked(study)
            if why_frozen(locked):
                raise Frozen
            yield locked
    except IntegrityError:
        # The first answer came between the look and the commit: the question cannot go.
        raise Frozen from None


@transaction.atomic
def begin_version(study, user):
    """Begin a new version of frozen questions. False if they may change anyway."""
    locked = _locked(study)
    if not why_frozen(locked):
        return False
    versions.begin(locked, user)
    return True


def give_up_version(study):
    """Return to the version before. Frozen if somebody has answered; False if there is none."""
    with changing(study) as locked:
        if not versions.may_give_up(locked):
            return False
        # A save that is under way comes before, and freezes, or after.
        begun = locked.sessions.filter(version=locked.questionnaire_version)
        list(begun.select_for_update().order_by("pk").values_list("pk"))
        if why_frozen(locked):
            raise Frozen
        versions.give_up(locked)
        follow_questions(locked)
    return True


def judgments_by_version(study):
    """Return {version: how many judgments its runs have}."""
    rows = Judgment.objects.filter(run__judge__study=study, question__isnull=False)
    rows = rows.order_by().values_list("run__version")
    return dict(rows.annotate(n=Count("pk")))
