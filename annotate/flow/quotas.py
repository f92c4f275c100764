"""Count the quotas of a study's screener, so that no quota takes one session too many.

A session is counted from the moment in which its answers to the screener are stored. Whoever comes
to be counted, by the screener or after a long pause, locks the study before their session, counts,
and is counted before anybody else counts. What a session gives up is free as soon as it has ended.
"""

from django.db.models import Count, Q

from annotate.flow.screener import screener_of
from annotate.models import Answer, Screen, Session, Study

State = Session.State
# The states of sessions that a quota counts: those that run, and those that completed.
COUNTED = (
    State.QUESTIONS,
    State.TASTE,
    State.INSTRUCTIONS,
    State.CHECK,
    State.PRACTICE,
    State.WAITING,
    State.RATING,
    State.EXIT,
    State.COMPLETED,
)
# Who has rated all items finishes whatever happens, so keeps the room.
IS_COUNTED = Q(screen__session__state__in=COUNTED) | Q(
    screen__session__state=State.ABANDONED, screen__session__items_done_at__isnull=False
)


def wait_for_turn(study):
    """Let nobody else of a study with quotas come to be counted until this transaction ends."""
    if screener_of(study).quotas:
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def list_counts(study, quotas=None):
    """Return (quota, how many sessions it counts) of these quotas, or of all of a study.

    Excluded raters are not counted, as their places are open to others.
    """
    quotas = screener_of(study).quotas if quotas is None else quotas
    if not quotas:
        return []
    answers = Answer.objects.filter(
        IS_COUNTED,
        screen__session__study=study,
        screen__session__rater__excluded_because="",
        screen__kind=Screen.Kind.SCREENER,
        key__in={quota.question for quota in quotas},
    )
    rows = answers.order_by().values_list("key", "text").annotate(n=Count("pk"))
    chosen = [({key: option}, n) for key, option, n in rows]
    return [(quota, sum(n for choice, n in chosen if quota.covers(choice))) for quota in quotas]


def is_full(study, chosen):
    """Return whether a quota that covers {key: option} counts as many sessions as it takes."""
    covering = [quota for quota in screener_of(study).quotas if quota.covers(chosen)]
    return any(count >= quota.most for quota, count in list_counts(study, covering))


def is_full_for(session):
    """Return whether a session that is not counted now finds no room in a quota of its answers."""
    if session.items_done_at:  # it is counted still
        return False
    answers = Answer.objects.filter(screen__session=session, screen__kind=Screen.Kind.SCREENER)
    return is_full(session.study, dict(answers.values_list("key", "text")))
