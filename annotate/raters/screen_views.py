"""Show the pages of screens that are no item to rate, and save the answers of those among them."""

from django.http import HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.flow import around
from annotate.models import Screen, Session
from annotate.raters.screen_pages import AboutPage, AttentionPage, CheckPage, PracticePage
from annotate.raters.views import (
    UNANSWERED,
    answered,
    lead_on,
    mark,
    or_resumed,
    rater_page,
    see_other,
    step_page,
    to_where_it_stands,
    with_query,
)
from annotate.sessions import places, steps
from annotate.sessions import session as sessions
from annotate.values import media

State, Kind = Session.State, Screen.Kind


# Among the items: attention checks and repeats have an address of their own


@rater_page
@require_POST
def answer(request, token, screen, item, question):
    """Fragment: the mark of an answer on a screen among the items."""
    place, is_resumed = or_resumed(lambda: access.screen_of_session(token, pk=screen), token)
    if place is None or place.kind != Kind.ATTENTION:
        target = access.asked_on_screen(place, item)
        return answered(request, token, target, question, is_resumed)
    page = AttentionPage(place)
    form = page.form(request.POST)
    if form.problems:
        return mark(problem=next(iter(form.problems.values())), status=422)
    if not form.answers:
        return mark(problem=UNANSWERED, status=422)
    try:
        page.save(form)
    except sessions.NotNow:
        return lead_on(request, token)
    return mark(saved=True)


# Before and after the items


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


def _ready(request, session):
    """Return the page between the check and what follows."""
    count = len(around.practice_items(session.study))
    return step_page(request, session, "ready", {"practice": count})


@rater_page
def about(request, token, kind):
    """Page: questions about the rater; a POST saves them, and goes on if none is missing."""
    session, elsewhere = session_in(request, token, steps.ASKED_IN[kind])
    page = AboutPage(session, kind)
    if elsewhere and not _is_back(request, page):
        return _too_late(request, page) or elsewhere
    if not page.questions and kind != Kind.EXIT:  # the researchers took them away meanwhile
        return step_page(request, session, "instructions")
    if request.method != "POST":
        return step_page(request, session, "about", page.context())
    if kind == Kind.SCREENER and not page.is_current(request.POST):
        return see_other("session", token)
    form = page.form(request.POST)
    if form.is_whole or kind != Kind.SCREENER:  # of a screener no part is kept
        is_here = steps.tell(session, kind, form.answers, form.emptied, form.is_whole)
        if form.is_whole or not is_here:
            return see_other("session", token)
    return step_page(request, session, "about", page.context(form), status=422)


def _is_back(request, page):
    """Return whether somebody who went back from the instructions changes an answer."""
    session = page.session
    is_sent = request.method == "POST" and session.state == State.INSTRUCTIONS
    is_before = is_sent and page.kind == Kind.BEFORE
    return is_before and not sessions.why_closed(session.study, session.rater)


def _too_late(request, page):
    """Return where a session stands that a long pause at its exit questions has completed."""
    session = page.session
    is_sent = request.method == "POST" and page.kind == Kind.EXIT
    if not is_sent or session.state != State.COMPLETED:
        return None
    kept = {(key, answer.value) for (_, key), answer in page.stored.items()}
    sent = {(answer.question.key, answer.value) for answer in page.form(request.POST).answers}
    return to_where_it_stands(session.token, is_lost=bool(sent - kept))


@rater_page
def check(request, token):
    """Page: the comprehension check, with what was wrong before; a POST is an attempt."""
    session, elsewhere = session_in(request, token, State.CHECK)
    if elsewhere:
        return elsewhere
    made = list(session.screens.filter(kind=Kind.CHECK).prefetch_related("answers"))
    asked = around.check_of(session.study)
    if asked is None or any(attempt.passed for attempt in made):
        return _ready(request, session)
    page = CheckPage(session, asked, len(made) + 1, made[-1].judged if made else ())
    if request.method != "POST":
        return step_page(request, session, "check", page.context())
    # A reload or a second tab shows how the attempt ended.
    if page.is_current(request.POST):
        form = page.form(request.POST)
        if not form.is_whole:
            return step_page(request, session, "check", page.context(form), status=422)
        values = {answer.question.pk: answer.value for answer in form.answers}
        steps.attempt(session, page.check, page.number, values)
    return see_other("session", token)


@rater_page
def practice_next(request, token):
    """Step to the first item for practice that is not answered, or to the last one's feedback."""
    session, elsewhere = session_in(request, token, State.PRACTICE)
    if elsewhere:
        return elsewhere
    items = [item.pk for _, item in around.practice_items(session.study)]
    if not items:  # the researchers took them away meanwhile
        return _ready(request, session)
    practised = session.screens.filter(kind=Kind.PRACTICE)
    done = set(practised.values_list("item_id", flat=True))
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
    item = items[position - 1][1]
    page = PracticePage(session, items, position, places.drawn_side(session, item.pk))
    if done := session.screens.filter(kind=Kind.PRACTICE, item=item).first():
        return step_page(request, session, "practised", page.feedback(done.by_key))
    return _practise(request, session, page)


def _practise(request, session, page):
    form = page.form(request.POST) if request.method == "POST" else None
    if form and form.is_whole:
        steps.practise(session, page.item, page.answers(form))
        return see_other("session_practice", session.token, page.place.position)
    context = page.context([], page.count, form, form.gaps if form else ())
    response = step_page(request, session, "practice", context, status=422 if form else 200)
    return media.allow(response, session.study)
