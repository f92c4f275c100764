"""Show the rater's pages before and after the items: questions, the check, practice."""

from django.http import Http404
from django.shortcuts import render

from annotate.design import access, around, platform
from annotate.http.headers import loosen
from annotate.models import Session
from annotate.raters.step_screens import (
    CheckPage,
    ExitPage,
    PracticePage,
    QuestionsPage,
    ScreenerPage,
    ready_context,
)
from annotate.raters.views import rater_page, see_other
from annotate.sessions import extras, places, steps
from annotate.sessions import session as sessions
from annotate.values import media

State = Session.State


def _page(request, session, name, context, status=200):
    response = render(request, f"annotate/{name}.html", context, status=status)
    return loosen(response, framed_by=platform.frames_of(session.rater.platform_ids))


def session_in(token, state):
    """Return (the session, whether it is at that step and may go on)."""
    session = access.session_or_404(token)
    # What is typed is not lost by a pause.
    paused = session.state == State.ABANDONED and session.stopped_in == state
    if paused and state in around.FIRST and sessions.resume(session):
        session = access.session_or_404(token)
    here = session.state == state
    # Nothing is held for who has no items yet; who has rated them finishes whatever happened.
    return session, here and (
        state == State.EXIT or not sessions.why_closed(session.study, session.rater)
    )


@rater_page
def screener(request, token):
    """Page: the screener; a POST with all its answers tells whether the visit goes on."""
    session, is_here = session_in(token, State.SCREENER)
    if not is_here:
        return see_other("session", token)
    page = ScreenerPage(session)
    if not page.questions:  # the researchers took them away meanwhile
        return _page(request, session, "instructions", {"study": session.study, "session": session})
    if request.method != "POST":
        return _page(request, session, "screener", page.context())
    if page.is_current(request.POST):
        form, gaps = page.read_form(request.POST)
        if form.problems or gaps:
            return _page(request, session, "screener", page.context(form, gaps), status=422)
        steps.screen(session, form.answers)
    return see_other("session", token)


def _is_back(request, session):
    """Return whether somebody who went back from the instructions changes an answer."""
    is_sent = request.method == "POST" and session.state == State.INSTRUCTIONS
    return is_sent and not sessions.why_closed(session.study, session.rater)


@rater_page
def questions_before(request, token):
    """Page: the questions before the instructions; a POST saves them, and goes on if it can."""
    session, is_here = session_in(token, State.QUESTIONS)
    if not (is_here or _is_back(request, session)):
        return see_other("session", token)
    page = QuestionsPage(session, session.exit_answers.all())
    if not page.questions:  # the researchers took them away meanwhile
        return _page(request, session, "instructions", {"study": session.study, "session": session})
    if request.method != "POST":
        return _page(request, session, "questions", page.context())
    form, gaps = page.read_form(request.POST)
    is_whole = not (form.problems or gaps)
    emptied = [question for _, question in form.emptied]
    if steps.answer_before(session, form.answers, emptied, is_whole) and not is_whole:
        return _page(request, session, "questions", page.context(form, gaps), status=422)
    return see_other("session", token)


@rater_page
def check(request, token):
    """Page: the comprehension check, with what was wrong before; a POST is an attempt."""
    session, is_here = session_in(token, State.CHECK)
    if not is_here:
        return see_other("session", token)
    made = list(session.check_attempts.all())
    asked = around.check_of(session.study)
    if asked is None or any(attempt.passed for attempt in made):
        return _page(request, session, "ready", ready_context(session))
    page = CheckPage(session, asked, len(made) + 1, made[-1].answers if made else ())
    if request.method != "POST":
        return _page(request, session, "check", page.context())
    return _attempt(request, session, page)


def _attempt(request, session, page):
    """Store an attempt of a current page only: a reload or a second tab shows how it ended."""
    if page.is_current(request.POST):
        form, gaps = page.read_form(request.POST)
        if form.problems or gaps:
            return _page(request, session, "check", page.context(form, gaps), status=422)
        values = {answer.question.pk: answer.value for answer in form.answers}
        steps.attempt(session, page.check, page.number, values)
    return see_other("session", session.token)


@rater_page
def practice_next(request, token):
    """Step to the first item for practice that is not answered, or to the last one's feedback."""
    session, is_here = session_in(token, State.PRACTICE)
    if not is_here:
        return see_other("session", token)
    items = [item.pk for _, item in around.practice_items(session.study)]
    if not items:  # the researchers took them away meanwhile
        return _page(request, session, "ready", ready_context(session))
    done = set(session.practice_answers.values_list("item_id", flat=True))
    left = [position for position, pk in enumerate(items, 1) if pk not in done]
    return see_other("session_practice", token, left[0] if left else len(items))


@rater_page
def practice(request, token, position):
    """Page: one item for practice; once it is answered, how the answers compare."""
    session, is_here = session_in(token, State.PRACTICE)
    if not is_here:
        return see_other("session", token)
    items = around.practice_items(session.study)
    if not 1 <= position <= len(items):
        raise Http404("no such item for practice")
    page = PracticePage(
        session, items, position, places.drawn_side(session, items[position - 1][1].pk)
    )
    done = session.practice_answers.filter(item=page.item).first()
    if done:
        return _page(request, session, "practised", page.feedback(done.answers))
    return _practise(request, session, page)


def _practise(request, session, page):
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form and not (form.problems or gaps):
        steps.practise(session, page.item, page.answers(form))
        return see_other("session_practice", session.token, page.position)
    status = 422 if form else 200
    response = _page(request, session, "practice", page.context(form, gaps), status)
    return media.allow(response, session.study)


@rater_page
def exit_questions(request, token):
    """Page: the exit questions; a POST saves them, and completes the session if it can."""
    session, is_here = session_in(token, State.EXIT)
    if not is_here:
        return see_other("session", token)
    page = ExitPage(session, extras.count_of(session), session.exit_answers.all())
    if request.method != "POST":
        return _page(request, session, "exit", page.context())
    form, gaps = page.read_form(request.POST)
    is_whole = not (form.problems or gaps)
    emptied = [question for _, question in form.emptied]
    if steps.answer_exit(session, form.answers, emptied, is_whole) and not is_whole:
        return _page(request, session, "exit", page.context(form, gaps), status=422)
    return see_other("session", token)
