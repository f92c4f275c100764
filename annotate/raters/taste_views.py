"""Show the pages on which raters pick what they like, and wait for what is made from it."""

import re
from urllib.parse import urlencode

from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from annotate.design import platform
from annotate.design.taste import making_of, taste_of
from annotate.http.headers import loosen
from annotate.models import Making, Session
from annotate.raters.screen_views import session_in
from annotate.raters.views import rater_page, see_other
from annotate.sessions import session as sessions
from annotate.sessions import taste as tastes

State = Session.State
PK = re.compile(r"[0-9]{1,18}")
LONGEST_SEARCH = 100
CHANGES = {"add": tastes.pick, "remove": tastes.drop}


def _page(request, session, name, context, status=200):
    context |= {"study": session.study, "session": session}
    response = render(request, f"annotate/{name}.html", context, status=status)
    return loosen(response, framed_by=platform.frames_of(session.rater.platform_ids))


@rater_page
def pick(request, token):
    """Page: search the study's contents and pick some; a POST adds, takes away, or goes on."""
    session, elsewhere = session_in(request, token, State.TASTE)
    if elsewhere:
        return elsewhere
    if taste_of(session.study) is None:  # the researchers took it away meanwhile
        return _page(request, session, "instructions", {})
    if request.method != "POST":
        return _page(request, session, "taste", pick_context(session.study, request.GET, session))
    for name, change in CHANGES.items():
        if name in request.POST:
            return _change(request, session, change, request.POST[name])
    if not tastes.want(session, sessions.move):
        context = pick_context(session.study, request.POST, session) | {"is_refused": True}
        return _page(request, session, "taste", context, status=422)
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


def pick_context(study, data, session=None):
    """Return the context of taste.html: what is searched, what that finds, what is picked."""
    taste, text = taste_of(study), _searched(data)
    matching = tastes.search(study, text)
    chosen = tastes.picked(session) if session else []
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
    tastes.touch(session)  # who looks is there, however short places are held
    return _page(request, session, "waiting", waiting_context(making_of(session), session.study))


def waiting_context(making, study):
    """Return the context of waiting.html: how many lists of how many are made."""
    is_settled = making is None or making.state != Making.State.WANTED or tastes.is_overdue(making)
    taste = taste_of(study)
    return {
        "is_settled": is_settled,
        "is_made": making is not None and making.state == Making.State.MADE,
        "done": len(making.lists) if making else 0,
        "all": len(taste.sources) if taste else 0,
    }
