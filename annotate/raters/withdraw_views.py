"""Let raters stop and withdraw: what it does, asked once, and done."""

from annotate.design import access, platform
from annotate.models import Session
from annotate.raters.views import rater_page, see_other, step_page
from annotate.sessions import withdraw as withdrawing
from annotate.taste import lists as taste


@rater_page
def withdraw(request, token):
    """Page: what withdrawing does, and whether to; a POST withdraws."""
    session = access.session_or_404(token)
    if request.method == "POST":
        withdrawing.withdraw(session)
    elif session.can_withdraw:
        context = {
            "is_ended": session.state in Session.OVER,
            "is_paid_there": bool(platform.ids_to_pay(session.rater.platform_ids)),
            "brought_taste": taste.brings(session),
        }
        return step_page(request, session, "withdraw", context)
    return see_other("session", token)
