"""The rater's pages: joining, a session, its items, its answers.

No page needs a cookie or a token against forged requests: the address itself is the authority.
"""

import re
from contextlib import suppress
from functools import wraps

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.defaults import page_not_found

from annotate import access, media, platforms, sessions
from annotate.forms import ItemForm, Spot, read_answer, read_shown_at
from annotate.headers import loosen
from annotate.models import Rating, Session, Study
from annotate.platforms import OUTCOMES, Outcome
from annotate.previewing import Shown
from annotate.screens import Screen

State = Session.State
PK = re.compile(r"[0-9]{1,18}")


def rater_page(view):
    """Kept by no cache, found by no search engine, its address told to nobody."""

    @wraps(view)
    def page(request, *args, **kwargs):
        try:
            response = view(request, *args, **kwargs)
        except Http404 as error:
            response = page_not_found(request, error)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex"
        return response

    return csrf_exempt(page)


def _to(name, *args):
    return HttpResponseRedirect(reverse(name, args=args), status=303)


def _framed(response, session, posts_to=""):
    """The response; MTurk shows the pages of who came from there in a frame."""
    frames = platforms.frames_of(session.rater.platform_ids)
    return loosen(response, posts_to=posts_to, framed_by=frames)


# Reasons why nobody can go on, with what the platform may have a code for.
LATE = dict.fromkeys(("closed", "full", "finished"), Outcome.TOO_LATE)


def _door(request, study, reason, session=None):
    """Page for everybody who cannot go on here: why, and what to do."""
    outcome = LATE.get(reason) or OUTCOMES.get(reason)
    return _last_page(request, "door", study, session, outcome, reason=reason)


def _last_page(request, name, study, session, outcome, **context):
    """A page with the way back to the platform, if there is one for this outcome."""
    end = platforms.end_of(study, outcome, session) if outcome else platforms.End()
    context |= {"study": study, "session": session, "end": end}
    context["platform"] = platforms.platform_of(study).name
    response = render(request, f"annotate/{name}.html", context)
    return _framed(response, session, end.site) if session else response


@rater_page
def join(request, slug):
    """Page: what the study is, and whether to take part. Opening it writes nothing."""
    study = get_object_or_404(Study, slug=slug)
    arrival = platforms.arrival(study, request.GET)
    return loosen(_arrive(request, study, arrival), framed_by=arrival.frames)


def _arrive(request, study, arrival):
    earlier, is_same_visit = platforms.earlier_visit(study, arrival.ids)
    if is_same_visit:
        return _to("session", earlier.token)
    if earlier:
        platforms.record_repeat(earlier, arrival.ids)
        return _door(request, study, "twice")
    if closed := arrival.problem or sessions.why_closed(study):
        return _door(request, study, closed)
    if arrival.is_preview:
        return _preview(request, study)
    return _ask_consent(request, study, arrival.ids)


def _ask_consent(request, study, ids):
    choice = request.POST.get("consent")
    if choice not in ("yes", "no"):
        return render(request, "annotate/consent.html", {"study": study})
    try:
        return _to("session", sessions.begin_visit(study, ids, choice == "yes").token)
    except sessions.NotNow:  # it began between the look and the write: the page tells which way
        return HttpResponseRedirect(request.get_full_path(), status=303)


def _preview(request, study):
    """MTurk's preview: what there is to do, before anybody accepts it. Nothing is saved."""
    shown = Shown(study)
    screen = Screen(shown.place(shown.first, 1), shown.questions)
    context = screen.context([], shown.count)
    return media.allow(render(request, "annotate/task_preview.html", context), study)


@rater_page
def session(request, token):
    """Page: where the rater stands; a reload or another device goes on here."""
    session = access.session_or_404(token)
    study = session.study
    if session.state == State.RATING:
        return redirect("session_item", token, session.current)
    if session.state == State.COMPLETED:
        return _last_page(request, "thanks", study, session, Outcome.COMPLETE)
    if session.state in (State.ABANDONED, *Session.OVER):
        gone = session.state == State.ABANDONED and not study.is_open
        return _door(request, study, "closed" if gone else session.state, session)
    if session.state == State.INSTRUCTIONS and (closed := sessions.why_closed(study)):
        return _door(request, study, closed, session)
    context = {"study": study, "session": session}
    response = render(request, f"annotate/{TEMPLATES[session.state]}", context)
    return _framed(response, session)


TEMPLATES = {State.CONSENT: "consent.html", State.INSTRUCTIONS: "instructions.html"}


@rater_page
@require_POST
def leave(request, token):
    """Step: back to the platform, whose address tells how the visit ended."""
    session = access.session_or_404(token)
    outcome = OUTCOMES.get(session.state)
    end = platforms.end_of(session.study, outcome, session) if outcome else platforms.End()
    if end.address and not end.fields:
        return HttpResponseRedirect(end.address, status=303)
    return _to("session", token)


@rater_page
@require_POST
def consent(request, token):
    """Step: the owner of a personal link consents or declines."""
    session = access.session_or_404(token)
    choice = {"yes": State.INSTRUCTIONS, "no": State.DECLINED}.get(request.POST.get("consent"))
    if choice and session.state == State.CONSENT:
        # A double click: the other one was first.
        with suppress(sessions.NotNow):
            sessions.move(session, choice)
    return _to("session", token)


@rater_page
@require_POST
def begin(request, token):
    """Step: the items are claimed, for the first time or after a long pause."""
    session = access.session_or_404(token)
    if session.state not in (State.INSTRUCTIONS, State.ABANDONED):
        return _to("session", token)
    if not session.study.is_open:
        return _door(request, session.study, "closed", session)
    step = sessions.resume if session.state == State.ABANDONED else sessions.begin
    if step(session):
        return _to("session", token)
    return _door(request, session.study, sessions.why_closed(session.study) or "full", session)


@rater_page
def item(request, token, position):
    """Page: one item with its questions. A POST saves all its answers and goes on or back."""
    if request.method == "POST":
        return _leave_item(request, token)
    place = access.place_of_session(token, position=position)
    session = place.session if place else access.session_or_404(token)
    if session.state != State.RATING:
        return _to("session", token)
    if place is None:
        raise Http404("no such item in this session")
    return _item_page(request, _screen(place))


def _or_resumed(find, token):
    """What find() found; a rater who answers after a long pause gets it back if it is open."""
    found = find()
    if found is None and _resumed(access.session_or_404(token)):
        found = find()
    if found is None:
        raise Http404("no such item in this session")
    return found


def _resumed(session):
    return session.state == State.ABANDONED and session.study.is_open and sessions.resume(session)


def _screen(place):
    return Screen(place, list(place.session.study.questions.all()))


def _item_page(request, screen, form=None, gaps=(), status=200):
    """The page of an item, as typed where it was sent back."""
    session, items = screen.place.session, [screen.item, *screen.parts]
    ratings = Rating.objects.filter(session=session, item__in=items)
    context = screen.context(ratings, session.places.count(), form, gaps)
    response = render(request, "annotate/rate.html", context, status=status)
    return media.allow(_framed(response, session), session.study)


def _leave_item(request, token):
    """Save what the page sent, then show the next item, the one before, or what is missing."""
    item = request.POST.get("item", "")
    pk = int(item) if PK.fullmatch(item) else 0
    place = _or_resumed(lambda: access.place_of_session(token, item__id=pk), token)
    screen = _screen(place)
    form = ItemForm(screen.spots, request.POST)
    is_back = request.POST.get("go") == "back"
    try:
        gaps = sessions.save_answers(
            place, screen.questions, form.answers, form.shown_at, form.emptied
        )
        gaps += [(item_id, question) for item_id, question in form.emptied if question.required]
        if form.problems or (gaps and not is_back):
            return _item_page(request, screen, form, gaps, status=422)
        return _go(place, -1 if is_back else 1)
    except sessions.NotNow:
        return _to("session", token)


def _go(place, step):
    session, position = place.session, max(place.position + step, 1)
    if position > session.places.count():
        position = sessions.finish(session)
        if position is None:
            return _to("session", session.token)
    sessions.go_to(session, position)
    return _to("session_item", session.token, position)


@rater_page
@require_POST
def answer(request, token, item, question):
    """Fragment: the question's mark: that the answer is saved, or what is wrong with it."""
    place, item, every = _or_resumed(lambda: access.asked_of_session(token, item), token)
    question = next((q for q in every if q.pk == question), None)
    if question is None or not question.applies_to_kind(item.kind):
        raise Http404("no such question about this item")
    spot = Spot(question, item.pk, item.pk != place.item_id)
    try:
        answer = read_answer(spot, request.POST.get(spot.name, ""))
        shown_at = read_shown_at(request.POST.get("shown", ""))
        emptied = [] if answer else [(item.pk, question)]
        sessions.save_answers(place, every, [answer] if answer else [], shown_at, emptied)
    except ValueError as error:
        return _mark(problem=str(error), status=422)
    except sessions.NotNow:
        return _mark(problem="This page is out of date. Please reload it.", status=409)
    if answer is None and question.required:
        return _mark(problem="This question needs an answer.", status=422)
    return _mark(saved=True)


def _mark(status=200, **context):
    # Without the request: the fragment needs nothing of what context processors find out.
    return HttpResponse(render_to_string("annotate/_mark.html", context), status=status)
