"""Show the rater's pages before and after the items: questions, the check, practice."""

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from annotate.design import access, around, platform
from annotate.http.headers import loosen
from annotate.models import Answer, Screen, Session
from annotate.raters.step_screens import (
    CheckPage,
    ExitPage,
    PracticePage,
    QuestionsPage,
    ScreenerPage,
    ready_context,
)
from annotate.raters.views import rater_page, see_other, to_where_it_stands, with_query
from annotate.sessions import extras, places, steps
from annotate.sessions import session as sessions
from annotate.values import media

State, Kind = Session.State, Screen.Kind


def _about(session):
    return Answer.objects.about_raters().filter(screen__session=session)


def _page(request, session, name, context, status=200):
    response = render(request, f"annotate/{name}.html", context, status=status)
    return loosen(response, framed_by=platform.frames_of(session.rater.platform_ids))


def session_in(request, token, state):
    """Return (session, None) if it is at that step and may go on, else (session, where it is)."""
    session = access.session_or_404(token)
    # What is typed is not lost by a pause.
    was_away = session.state == State.ABANDONED
    paused_here = was_away and session.stopped_in == state
    if paused_here and state in (*around.FIRST, State.EXIT) and sessions.resume(session):
        session = access.session_or_404(token)
    # Nothing is held for who has no items yet; who has rated them finishes whatever happened.
    is_here = session.state == state
    is_closed = (
        is_here and state != State.EXIT and sessions.why_closed(session.study, session.rater)
    )
    if is_here and not is_closed:
        return session, None
    # Of two clicks on one button the second finds the step done, and loses nothing.
    is_lost = bool(request.POST) and bool(was_away or is_closed)
    is_back = was_away and session.state != State.ABANDONED
    return session, to_where_it_stands(token, is_back, is_lost)


@rater_page
def screener(request, token):
    """Page: the screener; a POST with all its answers tells whether the visit goes on."""
    session, elsewhere = session_in(request, token, State.SCREENER)
    if elsewhere:
        return elsewhere
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
    session, elsewhere = session_in(request, token, State.QUESTIONS)
    if elsewhere and not _is_back(request, session):
        return elsewhere
    page = QuestionsPage(session, _about(session))
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
    session, elsewhere = session_in(request, token, State.CHECK)
    if elsewhere:
        return elsewhere
    made = list(session.screens.filter(kind=Kind.CHECK).prefetch_related("answers"))
    asked = around.check_of(session.study)
    if asked is None or any(attempt.passed for attempt in made):
        return _page(request, session, "ready", ready_context(session))
    page = CheckPage(session, asked, len(made) + 1, made[-1].judged if made else ())
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
    session, elsewhere = session_in(request, token, State.PRACTICE)
    if elsewhere:
        return elsewhere
    items = [item.pk for _, item in around.practice_items(session.study)]
    if not items:  # the researchers took them away meanwhile
        return _page(request, session, "ready", ready_context(session))
    done = set(session.screens.filter(kind=Kind.PRACTICE).values_list("item_id", flat=True))
    left = [position for position, pk in enumerate(items, 1) if pk not in done]
    position = left[0] if left else len(items)
    address = reverse("session_practice", args=[token, position])
    return HttpResponseRedirect(with_query(address, request.GET), status=303)


@rater_page
def practice(request, token, position):
    """Page: one item for practice; once it is answered, how the answers compare."""
    session, elsewhere = session_in(request, token, State.PRACTICE)
    if elsewhere:
        return elsewhere
    items = around.practice_items(session.study)
    if not 1 <= position <= len(items):  # the researchers took some away meanwhile
        return see_other("session", token)
    page = PracticePage(
        session, items, position, places.drawn_side(session, items[position - 1][1].pk)
    )
    done = session.screens.filter(kind=Kind.PRACTICE, item=page.item).first()
    if done:
        return _page(request, session, "practised", page.feedback(done.by_key))
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
    session, elsewhere = session_in(request, token, State.EXIT)
    page = ExitPage(session, extras.count_of(session), _about(session))
    form, gaps = page.read_form(request.POST)
    if elsewhere and request.method == "POST" and session.state == State.COMPLETED:
        # A long pause completes the session, unless a required answer is missing.
        kept = {(stored.question_id, stored.value) for stored in page.stored}
        sent = {(answer.question.key, answer.value) for answer in form.answers}
        return to_where_it_stands(token, is_lost=bool(sent - kept))
    if elsewhere:
        return elsewhere
    if request.method != "POST":
        return _page(request, session, "exit", page.context())
    is_whole = not (form.problems or gaps)
    emptied = [question for _, question in form.emptied]
    if steps.answer_exit(session, form.answers, emptied, is_whole) and not is_whole:
        return _page(request, session, "exit", page.context(form, gaps), status=422)
    return see_other("session", token)
