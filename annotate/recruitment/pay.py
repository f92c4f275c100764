"""What a platform wants to know when a study is paid. It names people: for owners only."""

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
    """The sessions held here, with what was answered."""
    held = study.sessions.visits().select_related("rater")
    repeats = Count("rater__repeat_visits", distinct=True)
    return held.with_answers().annotate(repeats=repeats).order_by("pk")


def payments(study):
    """One row a session, in the order of PAYMENTS."""
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
            session.items,
            session.answers,
            session.started_at.isoformat(timespec="seconds"),
            session.ended_at.isoformat(timespec="seconds") if session.ended_at else "",
            bool(rater.excluded_because),
            rater.excluded_because,
            session.repeats,
        )
    code = platform.code_for(study, platform.Outcome.TOO_LATE)
    for one in _without_session(study):
        said = {
            "source": Session.Source.WEB,
            "participant": one.participant,
            "visit": one.visit,
            "platform_study": one.task,
            "outcome": platform.Outcome.TOO_LATE,
            "code": code,
            "items": 0,
            "answers": 0,
            "started_at": one.at.isoformat(timespec="seconds"),
        }
        yield tuple(said.get(name, "") for name in PAYMENTS)


def _without_session(study):
    """Who came too late on MTurk, before they could begin."""
    begun = _states_by_visit(study)
    return [one for one in study.latecomers.all() if one.visit not in begun]


def _states_by_visit(study):
    """{MTurk's id of the visit: the state of its session}"""
    found = study.sessions.visits().values_list("rater__platform_ids__assignmentId", "state")
    return {visit: state for visit, state in found.order_by("pk") if visit}


def _minutes(session):
    """From the first page to the end, or to when they were last seen."""
    end = session.ended_at or session.last_seen_at
    return round((end - session.started_at).total_seconds() / 60, 1)


def mturk_approval(study):
    """Rows of MTURK_APPROVAL. Who is neither approved nor rejected here is left to the owner.

    Who came too late is approved, whatever they did before: a rejection would count against them.
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
    for one in study.latecomers.all():
        # Who found a place after all has the end of that visit, or none yet.
        if states.get(one.visit, State.ABANDONED) in (*Session.BEFORE, State.ABANDONED):
            yield one.visit, one.task, one.participant, "x", ""


def participants(study, states):
    """The platform's ids of the people whose sessions are in these states."""
    found = visits(study).filter(state__in=states)
    people = (platform.participant(session.rater.platform_ids)[1] for session in found)
    return [person for person in people if person]


def bonuses(study, amount, everybody=False):
    """[(participant, sum)]: the amount for each item on which they answered something.

    Only of those who completed, unless everybody is to be paid for what they did.
    """
    found = visits(study) if everybody else visits(study).filter(state=State.COMPLETED)
    paid: Counter = Counter()
    for session in found:
        if person := platform.participant(session.rater.platform_ids)[1]:
            paid[person] += session.items
    sums = {who: (amount * items).quantize(CENT, ROUND_HALF_UP) for who, items in paid.items()}
    return [(person, money) for person, money in sums.items() if money >= CENT]


def take_returns(study, ids):
    """Submissions that were returned, or ran out of time, on the platform: their sessions end.

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
