"""Preview the steps before and after the items as raters see them; nothing is stored."""

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotate.design import around
from annotate.design.splits import as_seen
from annotate.raters.preview_views import framed, to
from annotate.raters.step_screens import CheckPage, ExitPage, PracticePage, ready_context
from annotate.values import media

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
    page = ExitPage(shown.session)
    form, gaps = page.read_form(request.POST) if request.method == "POST" else (None, ())
    if form and not (form.problems or gaps):
        return to(f"{shown.address('session')}?show=thanks")
    status = 422 if form else 200
    return render(request, "annotate/exit.html", page.context(form, gaps), status=status)
