"""Let raters stop and withdraw: what it does, asked once, and done."""

from django.shortcuts import render

from annotate.design import access, platform
from annotate.http.headers import loosen
from annotate.models import Session
from annotate.raters.preview_views import framed, to
from annotate.raters.views import rater_page, see_other
from annotate.sessions import taste
from annotate.sessions import withdraw as withdrawing


@rater_page
def withdraw(request, token):
    """Page: what withdrawing does, and whether to; a POST withdraws."""
    session = access.session_or_404(token)
    if request.method == "POST":
        withdrawing.withdraw(session)
    elif session.can_withdraw:
        response = _page(request, session)
        return loosen(response, framed_by=platform.frames_of(session.rater.platform_ids))
    return see_other("session", token)


@framed
def withdraw_in_preview(request, shown):
    """Page: the same in the preview, where nothing is stored."""
    if request.method == "POST":
        return to(f"{shown.address('session')}?show=withdrawn")
    return _page(request, shown.session)


def _page(request, session):
    context = {"study": session.study, "session": session}
    context["is_ended"] = session.state in Session.OVER
    has_ids = session.pk and platform.ids_to_pay(session.rater.platform_ids)
    context["is_paid_there"] = bool(has_ids)
    context["brought_taste"] = taste.brings(session)
    return render(request, "annotate/withdraw.html", context)
