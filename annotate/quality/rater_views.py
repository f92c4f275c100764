"""Show one rater: sessions, answers with their changes, exclusion by hand, deletion on request."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotate.design import access, checks
from annotate.models import Answer, ItemTime, Listening, Rating, Session
from annotate.quality.forms import ReasonForm
from annotate.quality.rules import TITLES
from annotate.quality.views import included
from annotate.sessions import exclude, steps

MOST_EXTRAS = 500
MOST_TIMES = 500  # rows; the export has all


def _rater_or_404(request, slug, pk, role=access.VIEWER):
    study = access.study_or_404(request.user, slug, role)
    rater = get_object_or_404(study.raters.select_related("recipient"), pk=pk)
    rater.study = study
    return rater


@login_required
def rater(request, slug, pk):
    """Page: everything that is known about a rater."""
    return _page(request, _rater_or_404(request, slug, pk), ReasonForm())


def _page(request, rater, form, status=200):
    page = Paginator(_ratings(rater), 100).get_page(request.GET.get("page"))
    visits = list(rater.sessions.with_answers().with_times())
    context = {
        "study": rater.study,
        "section": "raters",
        "rater": rater,
        "form": form,
        "sessions": visits,
        "around": steps.said_by(rater),
        "times": _times(rater, visits),
        "listening": _listening(rater, visits),
        "page": page,
        "rows": _with_changes(page.object_list),
        "extras": _extras(rater),
        **_exclusion(rater),
        "is_owner": rater.study.role == access.OWNER,
        "at_work": any(session.state == Session.State.RATING for session in visits),
    }
    return render(request, "annotate/rater.html", context, status=status)


def _exclusion(rater):
    exclusion = rater.exclusions.filter(ended_by=None).select_related("step").first()
    return {
        "exclusion": exclusion,
        "rule": TITLES.get(exclusion.step.rule, "") if exclusion else "",
    }


def _ratings(rater):
    ratings = Rating.objects.filter(session__rater=rater).order_by("session", "pk")
    return ratings.select_related("item", "question").prefetch_related("revisions")


def _times(rater, visits):
    if all(visit.active is None for visit in visits):
        return ()
    times = ItemTime.objects.filter(session__rater=rater).select_related("item")
    return times.order_by("session", "pk")[:MOST_TIMES]


def _listening(rater, visits):
    if all(visit.active is None for visit in visits):  # its pages report both or neither
        return ()
    rows = Listening.objects.filter(session__rater=rater).select_related("item", "content")
    return rows.order_by("session", "pk")[:MOST_TIMES]


def _extras(rater):
    """List (answer, given, expected) on extra screens, at most as many as a session can have."""
    answers = Answer.objects.among_items().filter(screen__session__rater=rater).with_first()
    answers = answers.select_related("screen", "item", "question")
    return [
        (answer, *_compared(answer))
        for answer in answers.order_by("screen__session", "screen__position", "pk")[:MOST_EXTRAS]
    ]


def _compared(answer):
    key, scale = (answer.question.key, answer.question.scale) if answer.question else ("", None)
    return checks.compared(
        answer.screen.kind, answer.screen.spec, key, answer.value, answer.text, answer.first, scale
    )


def _with_changes(ratings):
    """List (rating, its earlier versions, whether it counts) of a page of answers."""
    pks = [rating.pk for rating in ratings]
    counted = set(Rating.objects.for_analysis().filter(pk__in=pks).values_list("pk", flat=True))
    return [(rating, list(rating.revisions.all())[:-1], rating.pk in counted) for rating in ratings]


@login_required
def find_rater(request, slug):
    """Step: lead to the page of the rater with this name; owners may also give a platform's id."""
    study = access.study_or_404(request.user, slug)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    rater = study.raters.filter(key=words).first()
    if rater is None and words and study.role == access.OWNER:
        rater = study.raters.filter(participant=words).first()
    if rater is None:
        messages.warning(request, f"No rater of this study is called “{words}”.")
        return redirect("raters", slug)
    return redirect("rater", slug, rater.pk)


@login_required
@require_POST
def exclude_rater(request, slug, pk):
    """Step: an editor excludes a rater and says why."""
    rater = _rater_or_404(request, slug, pk, access.EDITOR)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, rater, form, status=422)
    given = form.cleaned_data
    try:
        exclude.exclude_by_hand(rater, request.user, given["reason"], given["reopen"])
    except exclude.NobodyLeft:
        messages.warning(request, f"{rater} is excluded already; nothing was changed.")
    else:
        messages.success(request, f"{rater} was excluded.")
    return redirect("rater", slug, pk)


@login_required
@require_POST
def include_rater(request, slug, pk):
    """Step: an editor includes a rater again, whatever excluded them."""
    rater = _rater_or_404(request, slug, pk, access.EDITOR)
    try:
        messages.success(request, included(exclude.include(rater, request.user)))
    except exclude.NobodyLeft:
        messages.warning(request, f"{rater} is not excluded; nothing was changed.")
    return redirect("rater", slug, pk)


@login_required
def delete_rater(request, slug, pk):
    """Page: ask once, naming what goes; a POST by an owner deletes the data, a tombstone stays."""
    rater = _rater_or_404(request, slug, pk, access.OWNER)
    if request.method == "POST":
        stone = exclude.forget(rater, request.user)
        messages.success(request, f"The rater and {stone.rating_count} answers were deleted.")
        return redirect("raters", slug)
    ratings = Rating.objects.filter(session__rater=rater)
    counts = {"sessions": rater.sessions.count(), "ratings": ratings.count()}
    context = {"study": rater.study, "section": "raters", "rater": rater, "counts": counts}
    return render(request, "annotate/delete_rater.html", context)
