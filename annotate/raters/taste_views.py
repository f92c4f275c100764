"""Show the pages on which raters pick what they like, and wait for what is made from it."""

from urllib.parse import urlencode

from django.http import HttpResponseRedirect
from django.urls import reverse

from annotate.models import Making, Session
from annotate.raters.screen_views import session_in
from annotate.raters.views import PK, rater_page, see_other, step_page
from annotate.sessions import session as sessions
from annotate.taste import lists as tastes
from annotate.taste.study import making_of, taste_of

State = Session.State
LONGEST_SEARCH = 100
CHANGES = {"add": tastes.pick, "remove": tastes.drop}


@rater_page
def pick(request, token):
    """Page: search the study's contents and pick some; a POST adds, takes away, or goes on."""
    session, elsewhere = session_in(request, token, State.TASTE)
    if elsewhere:
        return elsewhere
    if taste_of(session.study) is None:  # the researchers took it away meanwhile
        return step_page(request, session, "instructions")
    if request.method != "POST":
        return step_page(request, session, "taste", _pick_context(session, request.GET))
    for name, change in CHANGES.items():
        if name in request.POST:
            return _change(request, session, change, request.POST[name])
    if not tastes.want(session, sessions.lead_on):
        context = _pick_context(session, request.POST) | {"is_refused": True}
        return step_page(request, session, "taste", context, status=422)
    return see_other("session", token)


def _change(request, session, change, pk):
    """Add a content to the picks or take it away, and show the same search again."""
    contents = tastes.contents_of(session.study)
    content = contents.filter(pk=pk).first() if PK.fullmatch(pk) else None
    if content is not None:
        change(session, content)
    query = urlencode({"q": _searched(request.POST)})
    address = reverse("session_taste", args=[session.token])
    return HttpResponseRedirect(f"{address}?{query}#where", status=303)


def _searched(data):
    return data.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]


def _pick_context(session, data):
    """Return the context of taste.html: what is searched, what that finds, what is picked."""
    taste, text = taste_of(session.study), _searched(data)
    matching = tastes.search(session.study, text)
    chosen = tastes.picked(session)
    keys = {content.pk for content in chosen}
    return {
        "taste": taste,
        "q": text,
        "found": [(content, content.pk in keys) for content in matching[: tastes.MOST_SHOWN]],
        "has_more": len(matching) > tastes.MOST_SHOWN,
        "picked": chosen,
        "is_full": len(chosen) >= taste.most,
        "lacking": max(taste.least - len(chosen), 0),
    }


@rater_page
def wait(request, token):
    """Page: how far the rater's lists are; it makes nothing, so it may be looked at again."""
    session, elsewhere = session_in(request, token, State.WAITING)
    if elsewhere:
        return elsewhere
    session.touch()  # who looks is there, however short places are held
    making, taste = making_of(session), taste_of(session.study)
    is_wanted = making is not None and making.state == Making.State.WANTED
    context = {
        "is_settled": not is_wanted or tastes.is_overdue(making),
        "is_made": making is not None and making.state == Making.State.MADE,
        "done": len(making.lists) if making else 0,
        "all": len(taste.sources) if taste else 0,
    }
    return step_page(request, session, "waiting", context)
