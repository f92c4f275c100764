"""Save answers on extra screens that have their own address: attention checks and repeats."""

from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.models import Screen
from annotate.raters.extra_screens import CheckScreen
from annotate.raters.views import UNANSWERED, answered, lead_on, mark, or_resumed, rater_page
from annotate.sessions import session


@rater_page
@require_POST
def answer(request, token, extra, item, question):
    """Fragment: the mark of an answer on an extra screen."""
    screen, is_resumed = or_resumed(lambda: access.extra_of_session(token, pk=extra), token)
    if screen and screen.kind == Screen.Kind.ATTENTION:
        return answer_check(request, CheckScreen(screen))
    return answered(request, token, access.asked_of_extra(screen, item), question, is_resumed)


def answer_check(request, screen):
    """Return the mark of the answer to an attention check."""
    form = screen.form(request.POST)
    if form.problems:
        return mark(problem=next(iter(form.problems.values())), status=422)
    try:
        if form.answers:
            screen.save(form)
    except session.NotNow:
        return lead_on(request, screen.place.session.token)
    if not form.answers:
        return mark(problem=UNANSWERED, status=422)
    return mark(saved=True)
