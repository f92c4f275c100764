"""Take a session through its steps before and after the items: questions, the check, practice.

Each is one transaction that locks the session first, so that a reload, a double click or a second
tab finds it done, and does it no second time.
"""

from django.db import transaction
from django.db.models import F

from annotate.flow import around, quotas
from annotate.flow.screener import screener_of
from annotate.models import Answer, FreedPlace, Screen, Session
from annotate.sessions import exclude, places
from annotate.sessions.answers import write
from annotate.sessions.session import end_early, lead_on, move

State, Kind = Session.State, Screen.Kind
# The step in which raters are asked about themselves, by the kind of screen.
ASKED_IN = {Kind.SCREENER: State.SCREENER, Kind.BEFORE: State.QUESTIONS, Kind.EXIT: State.EXIT}


@transaction.atomic
def attempt(session, check, number, values):
    """Store attempt number `number` at the check; the last wrong attempt ends the session.

    values: {question pk: value}, all of them. An attempt that was made already, or is not the
    next one, changes nothing: the page shows how it ended.
    """
    session = Session.objects.locked(session.pk)
    made = session.screens.filter(kind=Kind.CHECK).count()
    if session.state != State.CHECK or number != made + 1 or around.has_passed(session):
        return
    answers = [
        Answer(
            key=str(question.pk),
            value=values[question.pk],
            text=question.option_text(values[question.pk]),
            passed=question.is_right(values[question.pk]),
        )
        for question in check.questions
    ]
    asked = {"questions": [question.text for question in check.questions]}
    passed = all(answer.passed for answer in answers)
    write(
        Screen(session=session, kind=Kind.CHECK, number=number, spec=asked, passed=passed), answers
    )
    if passed or number < check.attempts:
        session.touch()
    else:
        end_early(session, State.SCREENED_OUT)


@transaction.atomic
def practise(session, item, answers):
    """Store the answers, under keys, about a practice item; only the first attempt is kept."""
    session = Session.objects.locked(session.pk)
    if session.state != State.PRACTICE:
        return
    if not session.screens.filter(kind=Kind.PRACTICE, item=item).exists():
        write(Screen(session=session, kind=Kind.PRACTICE, item=item), answers)
    session.touch()


@transaction.atomic
def tell(session, kind, answers, emptied=(), is_whole=True):
    """Store what a rater tells about themselves, and go on if nothing required is missing.

    emptied: [(0, question)] left blank; is_whole: none of the required is missing. Returns False
    if the session is elsewhere by now. The screener locks the study before the session, so that
    sessions are counted one after the other. In the instructions, from which one can go back to
    the questions before, whole answers are kept and the session stays there.
    """
    if kind == Kind.SCREENER:
        quotas.wait_for_turn(session.study)
    session = Session.objects.locked(session.pk)
    is_back = kind == Kind.BEFORE and session.state == State.INSTRUCTIONS
    if session.state != ASKED_IN[kind] and not is_back:
        return False
    is_out = kind == Kind.SCREENER and _is_out(session.study, answers)
    if is_whole or not is_back:
        _keep(session, kind, answers, emptied)
    if is_back or not is_whole:
        session.touch()
    elif is_out:
        end_early(session, State.SCREENED_OUT)
    elif kind == Kind.EXIT:
        move(session, State.COMPLETED)
        exclude.close_session(session)
    else:
        lead_on(session)
    return True


def _is_out(study, answers):
    """Return whether an option that was chosen screens out, or a quota of them is full."""
    chosen = {answer.question.key: answer.question.words(answer.value) for answer in answers}
    return screener_of(study).screens_out(chosen) or quotas.is_full(study, chosen)


def _keep(session, kind, answers, emptied):
    rows = []
    for answer in answers:
        # The words of a choice stay true when the options change later.
        text = answer.text if answer.value is None else answer.question.words(answer.value)
        rows.append(Answer(key=answer.question.key, value=answer.value, text=text))
    # A question may have moved here from another step since: one answer to it stays.
    keys = [row.key for row in rows] + [question.key for _, question in emptied]
    told = Answer.objects.about_raters().filter(screen__session=session, key__in=keys)
    told.exclude(screen__kind=kind).delete()
    screen = session.screens.filter(kind=kind).first() or Screen(session=session, kind=kind)
    if rows or screen.pk:
        write(screen, rows, [(None, None, question.key) for _, question in emptied])


def settle_quiet(now):
    """Complete or abandon sessions that are quiet for too long at their exit questions.

    A session without a missing required exit answer is completed, so that no rating is lost; the
    others are abandoned: their places open, and a rater who comes back goes on at the exit
    questions. Returns (completed, abandoned).
    """
    is_quiet = places.quiet(now, [State.EXIT])
    if not is_quiet:
        return 0, 0
    with transaction.atomic():
        # Locked first, as places.release_expired does.
        sessions = Session.objects.filter(is_quiet, state=State.EXIT).order_by("pk")
        locked = sessions.select_for_update(skip_locked=True, of=("self",))
        whole, lacking = _by_gaps(list(locked.select_related("study", "rater")))
        Session.objects.filter(pk__in=[completed.pk for completed in whole]).update(
            state=State.COMPLETED, ended_at=F("last_seen_at")
        )
        for session in whole:
            if session.rater.excluded_because:
                exclude.close_session(session)
        Session.objects.filter(pk__in=lacking).update(state=State.ABANDONED, stopped_in=State.EXIT)
        # Else an undone exclusion would fill places for who may never come back.
        FreedPlace.objects.filter(session__in=lacking).delete()
        places.release(lacking)
    return len(whole), len(lacking)


def _by_gaps(sessions):
    """Split sessions by their required exit answers: (the whole sessions, ids of the others)."""
    answered: dict = {}
    rows = Answer.objects.about_raters().filter(screen__session__in=sessions)
    for pk, key in rows.values_list("screen__session_id", "key"):
        answered.setdefault(pk, set()).add(key)
    whole, lacking = [], []
    for session in sessions:
        required = {question.key for question in around.exit_of(session.study) if question.required}
        if required <= answered.get(session.pk, set()):
            whole.append(session)
        else:
            lacking.append(session.pk)
    return whole, lacking


def said_by(rater):
    """Return {"check", "practice", "about": Screens} before and after a rater's items.

    about: those about the rater, the screener first.
    """
    screens = Screen.objects.filter(session__rater=rater, position=None).select_related("item")
    by_kind: dict = {kind: [] for kind in Kind}
    for screen in screens.prefetch_related("answers"):
        by_kind[screen.kind].append(screen)
    told = [screen for kind in Screen.ABOUT_RATER for screen in by_kind[kind]]
    about = [screen for screen in told if screen.answers.all()]
    return {"check": by_kind[Kind.CHECK], "practice": by_kind[Kind.PRACTICE], "about": about}
