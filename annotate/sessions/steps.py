"""Take a session through its steps before and after the items: questions, the check, practice.

Each is one transaction that locks the session first, so that a reload, a double click or a second
tab finds it done, and does it no second time.
"""

import json

from django.db import transaction
from django.db.models import Case, F, TextField, Value, When
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.design import around
from annotate.design.screener import screener_of
from annotate.models import CheckAttempt, ExitAnswer, FreedPlace, PracticeAnswer, Session
from annotate.sessions import exclude, places, quotas
from annotate.sessions.session import end_early, move

State = Session.State


@transaction.atomic
def attempt(session, check, number, values):
    """Store attempt number `number` at the check; the last wrong attempt ends the session.

    values: {question pk: value}, all of them. An attempt that was made already, or is not the
    next one, changes nothing: the page shows how it ended.
    """
    session = Session.objects.locked(session.pk)
    made = session.check_attempts.count()
    if session.state != State.CHECK or number != made + 1 or around.has_passed(session):
        return
    answers = check.judged(values)
    passed = all(answer["right"] for answer in answers)
    CheckAttempt.objects.create(session=session, number=number, answers=answers, passed=passed)
    if passed or number < check.attempts:
        _touch(session)
    else:
        end_early(session, State.SCREENED_OUT)


@transaction.atomic
def practise(session, item, answers):
    """Store the answers about a practice item; only the first attempt is kept."""
    session = Session.objects.locked(session.pk)
    if session.state == State.PRACTICE:
        row = PracticeAnswer(session=session, item=item, answers=answers)
        PracticeAnswer.objects.bulk_create([row], ignore_conflicts=True)
        _touch(session)


@transaction.atomic
def screen(session, answers):
    """Store the answers to the screener, and go on, or end the session as screened out.

    Screened out are the options that say so, and whoever finds a quota full. Locks the study before
    the session, so that sessions are counted one after the other.
    """
    quotas.wait_for_turn(session.study)
    session = Session.objects.locked(session.pk)
    if session.state != State.SCREENER:
        return
    study = session.study
    chosen = {answer.question.key: answer.question.words(answer.value) for answer in answers}
    is_out = screener_of(study).screens_out(chosen) or quotas.is_full(study, chosen)
    _keep(session, ExitAnswer.Step.SCREENER, answers, [])
    if is_out:
        end_early(session, State.SCREENED_OUT)
    else:
        move(session, around.step_after(study, State.SCREENER, session.rater))


@transaction.atomic
def answer_before(session, answers, emptied, is_whole):
    """Store the answers asked before the instructions; is_whole: none is missing, so go on.

    emptied: the questions that were left blank. False if the session is elsewhere by now. In the
    instructions, from which one can go back, whole answers are kept and the session stays there.
    """
    session = Session.objects.locked(session.pk)
    if session.state not in (State.QUESTIONS, State.INSTRUCTIONS):
        return False
    if is_whole or session.state == State.QUESTIONS:
        _keep(session, ExitAnswer.Step.BEFORE, answers, emptied)
    if is_whole and session.state == State.QUESTIONS:
        move(session, around.step_after(session.study, State.QUESTIONS, session.rater))
    else:
        _touch(session)
    return True


@transaction.atomic
def answer_exit(session, answers, emptied, is_whole):
    """Store the exit answers; is_whole: no required answer is missing, so the session is completed.

    emptied: the questions that were left blank. False if the session is elsewhere by now.
    """
    session = Session.objects.locked(session.pk)
    if session.state != State.EXIT:
        return False
    _keep(session, ExitAnswer.Step.EXIT, answers, emptied)
    if is_whole:
        move(session, State.COMPLETED)
        exclude.close_session(session)
    else:
        _touch(session)
    return True


def _keep(session, step, answers, emptied):
    """Store the answers of a step about the rater, and delete those to emptied questions."""
    keys = [question.key for question in emptied]
    ExitAnswer.objects.filter(session=session, key__in=keys).delete()
    ExitAnswer.objects.bulk_create(
        [_exit_answer(session, step, answer) for answer in answers],
        update_conflicts=True,
        unique_fields=["session", "key"],
        update_fields=["value", "text", "step", "at"],
    )


def _exit_answer(session, step, answer):
    # The words of a choice stay true when the options change later.
    text = answer.text if answer.value is None else answer.question.words(answer.value)
    key = answer.question.key
    return ExitAnswer(session=session, key=key, value=answer.value, text=text, step=step)


def _touch(session):
    Session.objects.filter(pk=session.pk).update(last_seen_at=timezone.now())


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
    rows = ExitAnswer.objects.filter(session__in=sessions)
    for pk, key in rows.values_list("session_id", "key"):
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
    """Return a rater's answers before and after the items, by one query: {table: [answers]}.

    Of those about themselves the table is the step in which they were asked.
    """
    of_rater = {"session__rater": rater}
    answers = Cast("answers", TextField())
    check = CheckAttempt.objects.filter(**of_rater).annotate(what=answers, name=Value(""))
    practice = PracticeAnswer.objects.filter(**of_rater).annotate(
        what=answers, name=F("item__key"), number=Value(0)
    )
    leaving = ExitAnswer.objects.filter(**of_rater).annotate(
        what=Case(When(text="", then=Cast("value", TextField())), default="text"),
        name=F("key"),
        number=Case(When(text="", then=1), default=0),  # whether it is a number
    )
    columns = ("table", "session_id", "number", "name", "what", "at")
    tables = [
        rows.order_by().annotate(table=table).values_list(*columns)
        for table, rows in (
            (Value("check"), check),
            (Value("practice"), practice),
            (F("step"), leaving),
        )
    ]
    about_themselves = ExitAnswer.Step.values
    answers_by_table: dict = {table: [] for table in ("check", "practice", *about_themselves)}
    for table, _, number, name, what, answered_at in sorted(tables[0].union(*tables[1:], all=True)):
        answer = what if table in about_themselves else json.loads(what)
        if table in about_themselves and number:
            answer = what.removesuffix(".0")
        answers_by_table[table].append(
            {"number": number, "name": name, "said": answer, "at": answered_at}
        )
    for attempt in answers_by_table["check"]:
        attempt["passed"] = all(part["right"] for part in attempt["said"])
    return answers_by_table
