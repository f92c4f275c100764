"""Let raters stop and withdraw: what it does, asked once, and done."""

from django.shortcuts import render

from annotate.design import access, platform
from annotate.http.headers import loosen
from annotate.models import Session
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


def _page(request, session):
    context = {"study": session.study, "session": session}
    context["is_ended"] = session.state in Session.OVER
    context["is_paid_there"] = bool(platform.ids_to_pay(session.rater.platform_ids))
    context["brought_taste"] = taste.brings(session)
    return render(request, "annotate/withdraw.html", context)
