"""Preview the steps before and after the items as raters see them; nothing is stored."""

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotate.design import around
from annotate.design.screener import screener_of
from annotate.design.splits import as_seen
from annotate.design.taste import taste_of
from annotate.models import Session
from annotate.raters.preview_views import framed, to
from annotate.raters.step_screens import (
    CheckPage,
    ExitPage,
    PracticePage,
    QuestionsPage,
    ScreenerPage,
    ready_context,
)
from annotate.raters.taste_views import CHANGES, pick_context
from annotate.values import media

State = Session.State
ATTEMPTS = {str(number) for number in range(1, around.MOST_ATTEMPTS + 1)}


@framed
@require_POST
def begin(request, shown):
    """Step: lead to the check, to practice, or to the first item, whichever comes next."""
    after = request.POST.get("after")
    if not after and around.check_of(shown.study):
        return to(shown.address("session_check"))
    if after != "practice" and around.practice_items(shown.study):
        return to(shown.address("session_practice", 1))
    return to(shown.address("session_item", 1))


@framed
def screener(request, shown):
    """Page: the screener; a POST leads on, or shows the end; no quota is full."""
    page = ScreenerPage(shown.session)
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form is None or form.problems or gaps:
        status = 422 if form else 200
        return render(request, "annotate/screener.html", page.context(form, gaps), status=status)
    chosen = {answer.question.key: answer.question.words(answer.value) for answer in form.answers}
    if not screener_of(shown.study).screens_out(chosen):
        return to(shown.after(State.SCREENER))
    shown.session.stopped_in = State.SCREENER
    context = {"study": shown.study, "session": shown.session, "reason": State.SCREENED_OUT.value}
    return render(request, "annotate/door.html", context)


@framed
def questions_before(request, shown):
    """Page: the questions before the instructions; a POST leads to these."""
    page = QuestionsPage(shown.session)
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form and not (form.problems or gaps):
        return to(f"{shown.address('session')}?show=instructions")
    status = 422 if form else 200
    return render(request, "annotate/questions.html", page.context(form, gaps), status=status)


@framed
def taste(request, shown):
    """Page: what raters pick from; nothing is picked here, and a POST to go on leads on.

    It leads on too where the study asks nobody to pick anything.
    """
    if taste_of(shown.study) is None:
        return to(shown.after(State.TASTE))
    is_sent = request.method == "POST"
    if is_sent and not CHANGES.keys() & request.POST.keys():
        return to(shown.after(State.TASTE))
    context = pick_context(shown.study, request.POST if is_sent else request.GET)
    context |= {"study": shown.study, "session": shown.session}
    return render(request, "annotate/taste.html", context)


@framed
def waiting(request, shown):
    """Page: a rater's lists are being made; none here. It leads on where none are asked."""
    wanted = taste_of(shown.study)
    if wanted is None:
        return to(shown.after(State.WAITING))
    context = {"study": shown.study, "session": shown.session, "done": 0}
    return render(request, "annotate/waiting.html", context | {"all": len(wanted.sources)})


@framed
def check(request, shown):
    """Page: the check; the form alone remembers how many attempts were made."""
    asked = around.check_of(shown.study)
    if asked is None:
        raise Http404("this study has no comprehension check")
    sent = request.POST.get("attempt", "1")
    page = CheckPage(shown.session, asked, int(sent) if sent in ATTEMPTS else 1)
    if request.method != "POST":
        return render(request, "annotate/check.html", page.context())
    return _attempt(request, shown, page)


def _attempt(request, shown, page):
    form, gaps = page.read_form(request.POST)
    if form.problems or gaps:
        return render(request, "annotate/check.html", page.context(form, gaps), status=422)
    values = {answer.question.pk: answer.value for answer in form.answers}
    answers = page.check.judged(values)
    if all(row["right"] for row in answers):
        return render(request, "annotate/ready.html", ready_context(shown.session))
    if page.number >= page.check.attempts:
        return to(f"{shown.address('session')}?show=screened_out")
    following = CheckPage(shown.session, page.check, page.number + 1, answers)
    return render(request, "annotate/check.html", following.context())


@framed
def practice(request, shown, position=1):
    """Page: an item for practice; a POST shows how its answers compare."""
    items = around.practice_items(shown.study)
    if not 1 <= position <= len(items):
        raise Http404("no such item for practice")
    as_seen(shown.study, [item for _, item in items])
    page = PracticePage(shown.session, items, position)
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form and not (form.problems or gaps):
        return render(request, "annotate/practised.html", page.feedback(page.answers(form)))
    response = render(
        request, "annotate/practice.html", page.context(form, gaps), status=422 if form else 200
    )
    return media.allow(response, shown.study)


@framed
def exit_questions(request, shown):
    """Page: the exit questions; a POST leads to the last page."""
    page = ExitPage(shown.session, shown.count)
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form and not (form.problems or gaps):
        return to(f"{shown.address('session')}?show=thanks")
    status = 422 if form else 200
    return render(request, "annotate/exit.html", page.context(form, gaps), status=status)
