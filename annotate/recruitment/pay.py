"""Compute what a platform needs when a study is paid. It names people: for owners only."""

from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Count

from annotate.design import platform
from annotate.models import Session
from annotate.sessions.session import NotNow, end_early

State = Session.State
CENT = Decimal("0.01")
# Who is asked to return their submission: they neither completed nor gave it back themselves.
UNFINISHED = (State.SCREENED_OUT, State.FAILED_ATTENTION, State.ABANDONED)
PAYMENTS = (
    "session",
    "rater",
    "role",
    "source",
    "participant",
    "visit",
    "platform_study",
    "outcome",
    "code",
    "minutes",
    "items",
    "answers",
    "started_at",
    "ended_at",
    "excluded",
    "exclusion_reason",
    "repeat_visits",
)
MTURK_APPROVAL = ("AssignmentId", "HITId", "WorkerId", "Approve", "Reject")


def visits(study):
    """Return the sessions held here, with what was answered."""
    held = study.sessions.visits().select_related("rater")
    repeats = Count("rater__repeat_visits", distinct=True)
    return held.with_answers().annotate(repeats=repeats).order_by("pk")


def payments(study):
    """Yield a row for each session, in the order of PAYMENTS."""
    for session in visits(study):
        rater, ids = session.rater, session.rater.platform_ids
        outcome = platform.OUTCOMES.get(session.state)
        yield (
            session.pk,
            rater.key,
            rater.role,
            session.source,
            platform.participant(ids)[1],
            platform.visit(ids)[1],
            ids.get("STUDY_ID") or ids.get("hitId", ""),
            session.state,
            platform.code_for(study, outcome) if outcome else "",
            _minutes(session),
            _items(session),
            session.answers,
            session.started_at.isoformat(timespec="seconds"),
            session.ended_at.isoformat(timespec="seconds") if session.ended_at else "",
            bool(rater.excluded_because),
            rater.excluded_because,
            session.repeats,
        )
    code = platform.code_for(study, platform.Outcome.TOO_LATE)
    for latecomer in _without_session(study):
        values_by_name = {
            "source": Session.Source.WEB,
            "participant": latecomer.participant,
            "visit": latecomer.visit,
            "platform_study": latecomer.task,
            "outcome": platform.Outcome.TOO_LATE,
            "code": code,
            "items": 0,
            "answers": 0,
            "started_at": latecomer.at.isoformat(timespec="seconds"),
        }
        yield tuple(values_by_name.get(name, "") for name in PAYMENTS)


def _without_session(study):
    """List the latecomers on MTurk who could not begin."""
    begun = _states_by_visit(study)
    return [latecomer for latecomer in study.latecomers.all() if latecomer.visit not in begun]


def _states_by_visit(study):
    """Return {MTurk's id of the visit: the state of its session}."""
    states = study.sessions.visits().values_list("rater__platform_ids__assignmentId", "state")
    return {visit: state for visit, state in states.order_by("pk") if visit}


def _items(session):
    """Return on how many items something was answered; of who withdrew the number is kept."""
    return session.items if session.withdrawn_items is None else session.withdrawn_items


def withdrawals(study):
    """List (rater's key, their id on the platform, minutes, items) of who withdrew."""
    return [
        (
            session.rater.key,
            platform.participant(session.rater.platform_ids)[1],
            _minutes(session),
            session.withdrawn_items,
        )
        for session in visits(study).filter(state=State.WITHDRAWN)
    ]


def _minutes(session):
    """Return the minutes from the first page to the end, or to when the rater was last seen."""
    end = session.ended_at or session.last_seen_at
    return round((end - session.started_at).total_seconds() / 60, 1)


def mturk_approval(study):
    """Yield rows of MTURK_APPROVAL; what is neither approved nor rejected is left to the owner.

    Latecomers are approved, whatever they did before: a rejection would count against them.
    """
    for session in visits(study):
        ids = session.rater.platform_ids
        if "assignmentId" in ids and session.state in platform.OUTCOMES:
            failed = session.state == State.FAILED_ATTENTION
            yield (
                ids["assignmentId"],
                ids.get("hitId", ""),
                ids.get("workerId", ""),
                "x" if session.state == State.COMPLETED else "",
                "The attention checks were failed." if failed else "",
            )
    states = _states_by_visit(study)
    for latecomer in study.latecomers.all():
        # Who found a place after all has the end of that visit, or none yet.
        if states.get(latecomer.visit, State.ABANDONED) in (*Session.BEFORE, State.ABANDONED):
            yield latecomer.visit, latecomer.task, latecomer.participant, "x", ""


def participants(study, states):
    """List the platform's ids of the people whose sessions are in these states."""
    sessions = visits(study).filter(state__in=states)
    people = (platform.participant(session.rater.platform_ids)[1] for session in sessions)
    return [person for person in people if person]


def bonuses(study, amount, everybody=False):
    """List (participant, sum): the amount for each item on which they answered something.

    Only of those who completed, unless everybody is to be paid for what they did.
    """
    sessions = visits(study) if everybody else visits(study).filter(state=State.COMPLETED)
    paid: Counter = Counter()
    for session in sessions:
        if person := platform.participant(session.rater.platform_ids)[1]:
            paid[person] += _items(session)
    sums = {who: (amount * items).quantize(CENT, ROUND_HALF_UP) for who, items in paid.items()}
    return [(person, money) for person, money in sums.items() if money >= CENT]


def take_returns(study, ids):
    """End the sessions of submissions that were returned, or ran out of time, on the platform.

    ids: of people or of visits. Returns (sessions ended, places opened, ids that did nothing).
    """
    of_id: dict = {}
    for session in visits(study):
        own = session.rater.platform_ids
        of_id.setdefault(platform.participant(own)[1], session)
        of_id.setdefault(platform.visit(own)[1], session)
    ended, opened, idle = 0, 0, []
    for given in dict.fromkeys(ids):
        try:
            opened += end_early(of_id[given], State.RETURNED)
            ended += 1
        except (KeyError, NotNow):
            idle.append(given)
    return ended, opened, idle
