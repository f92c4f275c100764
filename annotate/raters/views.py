"""Show the rater's pages: joining, a session, its items, its answers.

No page needs a cookie or a token against forged requests: the address itself is the authority.
"""

import re
from contextlib import suppress
from functools import lru_cache, wraps
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.defaults import page_not_found

from annotate.db import busy
from annotate.design import access, disclosure, minutes, platform, versions
from annotate.design.platform import OUTCOMES, Outcome
from annotate.http.headers import loosen
from annotate.models import Place, Screen, Session, Study
from annotate.raters import preview
from annotate.raters.forms import Spot, read_answer, read_shown_at
from annotate.raters.screen_pages import page_of
from annotate.raters.screens import ItemPage
from annotate.sessions import answers, browsers, hurry, listening, screens, timing
from annotate.sessions import session as sessions
from annotate.values import languages, media

State = Session.State
OUTDATED = gettext_lazy("This page is out of date. Please reload it.")
UNANSWERED = gettext_lazy("This question needs an answer.")
PK = re.compile(r"[0-9]{1,18}")


def rater_page(view):
    """Make a rater's page: no cache keeps it, no search engine finds it, no address leaks.

    In the language of its study from where the view finds it (design/access.py), never after.
    """

    @wraps(view)
    def page(request, *args, **kwargs):
        with translation.override(languages.ENGLISH):
            is_preview = False
            try:
                is_preview = preview.is_preview(request.user, **kwargs)
                response = view(request, *args, **kwargs)
            except Http404 as error:
                response = page_not_found(request, error, "annotate/lost.html")
            except Exception as error:  # raised again unless the database is only busy
                request.spoken = translation.get_language()  # for the page of the fault
                response = busy.page(request, error, "annotate/busy.html")
                # Whose session it is was not found out; all that can be done here is to try again.
                loosen(response, framed_by=platform.MTURK_FRAMES)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex"
        return preview.frame(response) if is_preview else response

    return csrf_exempt(page)


def see_other(name, *args):
    """Lead the browser on to another page, whatever it sent."""
    return HttpResponseRedirect(reverse(name, args=args), status=303)


def with_query(address, query):
    """Add to an address what its page is to say; templates/rater_base.html says away and lost."""
    return f"{address}?{urlencode(query)}" if query else address


def step_page(request, session, name, context=None, status=200):
    """Return a page of a session, which MTurk may show in a frame."""
    context = {"study": session.study, "session": session} | (context or {})
    return _framed(render(request, f"annotate/{name}.html", context, status=status), session)


def _framed(response, session, posts_to=""):
    """Let MTurk show the page in a frame, if the rater came from there; return the response."""
    frames = platform.frames_of(session.rater.platform_ids)
    return loosen(response, posts_to=posts_to, framed_by=frames)


# Reasons why nobody can go on, with what the platform may have a code for.
LATE = dict.fromkeys(("closed", "full", "finished"), Outcome.TOO_LATE)


def _door(request, study, reason, session=None, ids=None):
    """Page for raters who cannot go on here: why, and what to do."""
    outcome = LATE.get(reason) or OUTCOMES.get(reason)
    return _last_page(request, "door", study, session, outcome, ids, reason=reason)


def _last_page(request, name, study, session, outcome, ids=None, **context):
    """Return a page with the way back to the platform, if there is one for this outcome."""
    end = platform.end_of(study, outcome, session, ids) if outcome else platform.End()
    if outcome == Outcome.TOO_LATE and end.fields:
        platform.record_late(study, session.rater.platform_ids if session else ids)
    context |= {"study": study, "session": session, "end": end}
    context["platform"] = platform.platform_of(study).name
    response = render(request, f"annotate/{name}.html", context)
    if session:
        return _framed(response, session, end.site)
    return loosen(response, posts_to=end.site if end.fields else "")


@rater_page
def join(request, slug):
    """Page: what the study is, and whether to take part. Opening it begins nothing."""
    study = get_object_or_404(Study, slug=slug, deletion=None)
    languages.speak(study.language)
    arrival = platform.arrival(study, request.GET)
    return loosen(_arrive(request, study, arrival), framed_by=arrival.frames)


def _arrive(request, study, arrival):
    earlier, is_same_visit = platform.earlier_visit(study, arrival.ids)
    if is_same_visit:
        return see_other("session", earlier.token)
    if earlier:
        platform.record_repeat(earlier, arrival.ids)
        return _door(request, study, "twice")
    if closed := arrival.problem or sessions.why_closed(study):
        return _door(request, study, closed, ids=arrival.ids)
    if arrival.is_preview:
        return _preview(request, study)
    return _ask_consent(request, study, arrival.ids)


def _ask_consent(request, study, ids):
    choice = request.POST.get("consent")
    notice = disclosure.notice_for(study) if choice in ("yes", "no") else None
    if notice is None or _was_told_less(request, notice):
        context = {"study": study, "is_changed": notice is not None}
        return render(request, "annotate/consent.html", context)
    try:
        session = sessions.begin_visit(study, ids, choice == "yes", notice.told)
        browsers.note(session, request)
        return see_other("session", session.token)
    except sessions.NotNow:  # it began between the look and the write: the page tells which way
        return HttpResponseRedirect(request.get_full_path(), status=303)


def _was_told_less(request, notice):
    """Tell whether somebody agrees to a page that named other programs than it would now."""
    is_same = request.POST.get("told", "") == notice.mark
    return request.POST.get("consent") == "yes" and not is_same


def _preview(request, study):
    """Return MTurk's preview: what there is to do, before a worker accepts it. Nothing is saved."""
    (item,) = preview.choose_items(study, 1)
    place = Place(item=item, session=Session(study=study), position=1, first_side="A")
    screen = ItemPage(place, versions.asked(study))
    context = {"study": study, "session": place.session}
    context |= screen.context([], max(minutes.count_pages(study), 1))
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
        is_lost = not (study.is_open or session.items_done_at)
        gone = session.state == State.ABANDONED and is_lost
        return _door(request, study, "closed" if gone else session.state, session)
    if session.state in Session.BEFORE and (closed := sessions.why_closed(study, session.rater)):
        return _door(request, study, closed, session)
    if session.state in STEPS:
        address = reverse(STEPS[session.state], args=[token])
        return HttpResponseRedirect(with_query(address, request.GET), status=303)
    return step_page(request, session, session.state)  # consent, instructions


# The pages of annotate/raters/screen_views.py.
STEPS = {
    State.SCREENER: "session_screener",
    State.QUESTIONS: "session_questions",
    State.TASTE: "session_taste",
    State.CHECK: "session_check",
    State.PRACTICE: "session_practice_next",
    State.WAITING: "session_waiting",
    State.EXIT: "session_exit",
}


@rater_page
@require_POST
def leave(request, token):
    """Step: lead back to the platform, whose address tells how the visit ended."""
    session = access.session_or_404(token)
    outcome = OUTCOMES.get(session.state)
    if session.state in (*Session.BEFORE, State.ABANDONED):  # who finds no place any more
        outcome = LATE.get(sessions.why_lost(session))
    end = platform.end_of(session.study, outcome, session) if outcome else platform.End()
    if end.address and not end.fields:
        return HttpResponseRedirect(end.address, status=303)
    return see_other("session", token)


@rater_page
@require_POST
def consent(request, token):
    """Step: the owner of a personal link consents or declines."""
    session = access.session_or_404(token)
    choice = request.POST.get("consent")
    notice = disclosure.notice_for(session.study, session.rater)
    can_choose = choice in ("yes", "no") and session.state == State.CONSENT
    if can_choose and _was_told_less(request, notice):
        address = reverse("session", args=[token])
        return HttpResponseRedirect(f"{address}?changed=1", status=303)
    if can_choose:
        # A double click: the other one was first.
        with suppress(sessions.NotNow):
            sessions.consent(session, choice == "yes", notice.told)
            browsers.note(session, request)
    return see_other("session", token)


@rater_page
@require_POST
def begin(request, token):
    """Step: claim the items, for the first time or after a long pause."""
    session = access.session_or_404(token)
    if session.state not in (*Session.BEFORE, State.ABANDONED):
        return see_other("session", token)
    if not (session.study.is_open or session.items_done_at):
        return _door(request, session.study, "closed", session)
    step = sessions.resume if session.state == State.ABANDONED else sessions.begin
    if step(session):
        return to_where_it_stands(token)
    closed = sessions.why_closed(session.study, session.rater)  # opens what nobody holds any more
    if not closed and step(session):
        return to_where_it_stands(token)
    return _door(request, session.study, closed or "full", session)


def to_where_it_stands(token, is_away=False, is_lost=False):
    """Redirect to the item at once, a request less than by the session's own address.

    is_away: a long pause has just ended, and its page was somebody else's by then; is_lost: so was
    what the page sent. Both are said there.
    """
    state, current = Session.objects.values_list("state", "current").get(token=token)
    name, *position = ("session_item", current) if state == State.RATING else ("session",)
    address = reverse(name, args=[token, *position])
    query = {name: 1 for name, is_true in (("away", is_away), ("lost", is_lost)) if is_true}
    return HttpResponseRedirect(with_query(address, query), status=303)


@rater_page
def item(request, token, position):
    """Page: one item with its questions. A POST saves all its answers and goes on or back."""
    if request.method == "POST":
        return _leave_item(request, token)
    place = access.place_of_session(token, position=position)
    place = place or access.screen_of_session(token, position=position)
    session = place.session if place else access.session_or_404(token)
    if session.state != State.RATING:
        return see_other("session", token)
    if place is None and position != session.current:  # another tab went on with other items
        return see_other("session", token)
    if place is None:
        return _first_screen(session)
    return _item_page(request, page_of(place))


def _first_screen(session):
    """Redirect to the first screen that is left; the one on which the session stood is gone."""
    rows = (*session.places.all(), *session.screens.among_items())
    left = [row.position for row in rows]
    if not left:
        raise Http404("no item is left in this session")
    sessions.go_to(session, min(left))
    return see_other("session_item", session.token, min(left))


def or_resumed(find, token, sent=None):
    """Return (find()'s result, False); if there is none, resume an abandoned session, look again.

    A rater who answers after a long pause gets the place of the sent item back if it is open, else
    (None, whether the session was resumed).
    """
    screen = find()
    if screen is not None:
        return screen, False
    session = access.session_or_404(token)
    can_resume = session.state == State.ABANDONED and session.study.is_open
    is_resumed = can_resume and sessions.resume(session, sent)
    return (find() if is_resumed else None), is_resumed


def _item_page(request, page, form=None, gaps=(), status=200):
    """Return the page of an item, with what was typed if it is sent back."""
    session = page.place.session
    context = page.context(page.stored(), screens.count_of(session), form, gaps)
    context["hurried"] = hurry.MARK in request.GET
    return media.allow(step_page(request, session, "rate", context, status), session.study)


def _pk(data, name):
    raw = data.get(name, "")
    return int(raw) if PK.fullmatch(raw) else 0


def _sent_from(token, data):
    """Return the place, or the screen among the items, whose page sent this."""
    item, screen = _pk(data, "item"), _pk(data, "screen")
    if screen:
        return access.screen_of_session(token, pk=screen)
    return access.place_of_session(token, item__id=item) or access.gold_of_session(token, item)


def _leave_item(request, token):
    """Save what the page sent, then show the next item, the item before, or what is missing."""
    item = _pk(request.POST, "item")
    place, is_resumed = or_resumed(lambda: _sent_from(token, request.POST), token, item)
    if place is None:
        return to_where_it_stands(token, is_resumed, _is_lost(token, request.POST))
    if isinstance(place, Place):
        timing.keep(place, timing.parse_report(request.POST), timezone.now())
        listening.keep(place, listening.parse_reports(request.POST), timezone.now())
    try:
        return _save_page(request, page_of(place))
    except sessions.NotNow:
        return to_where_it_stands(token, is_lost=_is_lost(token, request.POST))


def _save_page(request, page):
    form = page.form(request.POST)
    is_back = request.POST.get("go") == "back"
    gaps = page.save(form)
    gaps += [(item_id, question) for item_id, question in form.emptied if question.required]
    gaps += form.only_why()
    if form.problems or (gaps and not is_back):
        return _item_page(request, page, form, gaps, status=422)
    if not is_back and answers.has_ended(page.place):
        return see_other("session", page.place.session.token)
    return _go(page.place, -1 if is_back else 1, hurry.mark(page.place, form.shown_at))


def _is_lost(token, data):
    """Tell whether a page that is not the session's any more sent what is not stored."""
    session = access.session_or_404(token)
    item = session.study.items.filter(pk=_pk(data, "item")).first()
    if item is None or data.get("screen"):
        return _has_answer(data)
    questions = versions.asked(session.study_id, session.version)
    screen = ItemPage(Place(session=session, item=item), questions)
    form = screen.form(data)
    sent = {(*_told(answer), answer.question.pk) for answer in form.answers}
    kept = {(*_told(stored), stored.question_id) for stored in screen.stored()}
    return bool(sent - kept or form.problems or form.only_why())


def _told(answer):
    return answer.item_id, answer.value, answer.text, answer.reason


def _has_answer(data):
    return any(name.startswith("q") and value.strip() for name, value in data.items())


def _go(place, step, mark=""):
    session, position = place.session, max(place.position + step, 1)
    if position > screens.count_of(session):
        position = sessions.finish(session)
        if position is None:
            return see_other("session", session.token)
    sessions.go_to(session, position)
    address = reverse("session_item", args=[session.token, position])
    return HttpResponseRedirect(address + mark, status=303)


@rater_page
@require_POST
def answer(request, token, item, question):
    """Fragment: the question's mark: that the answer is saved, or what is wrong with it."""
    target, is_resumed = or_resumed(
        lambda: (
            access.asked_of_session(token, item)
            or access.asked_on_screen(access.gold_of_session(token, item), item)
        ),
        token,
        item,
    )
    return answered(request, token, target, question, is_resumed)


def answered(request, token, target, pk, is_resumed):
    """Save an answer at a place, or on another screen with an item, and return its mark.

    target: (the place or screen, item, questions), or None where it is not the session's any more.
    """
    place, item, every = target or (None, None, [])
    of_item = (asked for asked in every if asked.pk == pk and asked.applies_to_kind(item.kind))
    question = next(of_item, None)
    if question is None:
        return lead_on(request, token, is_resumed)
    try:
        return _save_one(request, place, every, Spot(question, item.pk, item.pk != place.item_id))
    except ValueError as error:
        return mark(problem=str(error), status=422)
    except sessions.NotNow:
        return lead_on(request, token)


def _save_one(request, place, every, spot):
    data = request.POST
    answer = read_answer(spot, data.get(spot.name, ""), data.get(spot.why_name, ""))
    emptied = [] if answer else [(spot.item_id, spot.question)]
    save = answers.save if isinstance(place, Screen) else sessions.save_answers
    shown_at = read_shown_at(data.get("shown", ""))
    save(place, every, [answer] if answer else [], shown_at, emptied)
    if answer is None and spot.question.required:
        return mark(problem=UNANSWERED, status=422)
    return mark(saved=True)


def lead_on(request, token, is_resumed=False):
    """Return a mark that leads the whole page on: it is not the session's any more."""
    response = mark(problem=OUTDATED, status=409)
    response["HX-Redirect"] = to_where_it_stands(token, is_resumed, _has_answer(request.POST)).url
    return response


def mark(status=200, **context):
    """Return the fragment that tells whether an answer is saved, or what is wrong with it."""
    if context == {"saved": True}:
        return HttpResponse(_saved(translation.get_language()))
    # Without the request: the fragment needs nothing of what context processors find out.
    return HttpResponse(render_to_string("annotate/_mark.html", context), status=status)


@lru_cache(maxsize=100)
def _saved(_language):
    return render_to_string("annotate/_mark.html", {"saved": True})
