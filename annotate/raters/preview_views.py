"""Preview a study as raters see it, for its researchers: nothing is saved, no place is taken."""

from csp.constants import SELF
from csp.decorators import csp_replace, csp_update
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST

from annotate.design import access, minutes
from annotate.models import Item, Session
from annotate.raters.extra_screens import screen_of
from annotate.raters.extra_views import answer_check
from annotate.raters.forms import Spot, read_answer
from annotate.raters.forms_preview import PreviewForm
from annotate.raters.preview import Shown
from annotate.raters.views import PK, UNANSWERED, rater_page
from annotate.values import languages, media

PAGES = {
    "consent": "annotate/consent.html",
    "instructions": "annotate/instructions.html",
    "thanks": "annotate/thanks.html",
    "declined": "annotate/door.html",
    "screened_out": "annotate/door.html",
    "failed_attention": "annotate/door.html",
    "full": "annotate/door.html",
    "withdrawn": "annotate/door.html",
}


@login_required
@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]  # its hint forgets the slug
def preview(request, slug):
    """Page: what to look at, how wide, and the rater's page in a frame."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = PreviewForm(Shown(study), request.GET)
    effort = minutes.effort_of(study)
    context = {"study": study, "section": "questionnaire", "form": form, "effort": effort}
    return render(request, "annotate/preview.html", context, status=400 if form.errors else 200)


def framed(view):
    """Make a page that this site's own pages may frame, for editors of the study."""

    def page(request, slug, *args, **kwargs):
        study = access.study_or_404(request.user, slug, access.EDITOR)
        languages.speak(study.language)
        return view(request, Shown(study, request.GET.get("arm", "")), *args, **kwargs)

    framed = csp_replace({"frame-ancestors": [SELF]})(xframe_options_sameorigin(rater_page(page)))
    return login_required(framed)


@framed
def start(request, shown):
    """Page: consent, instructions, or one of the last pages."""
    page = request.GET.get("show", "consent")
    if page not in PAGES:
        raise Http404("no such page of a session")
    context = {"study": shown.study, "session": shown.session, "reason": page}
    return render(request, PAGES[page], context)


@framed
@require_POST
def consent(request, shown):
    """Step: lead to the instructions, or to the page for declined consent."""
    if request.POST.get("consent") == "yes":
        return to(shown.after(Session.State.CONSENT))
    return to(f"{shown.address('session')}?show=declined")


def to(address):
    """Return a redirect after a POST."""
    return HttpResponseRedirect(address, status=303)


@framed
def item(request, shown, position):
    """Page: an item with its questions.

    A POST checks the answers as a session would, and goes on.
    """
    if request.method == "POST":
        return _leave_item(request, shown, position)
    pk = request.GET.get("item", "")
    chosen = shown.item_or_404(int(pk)) if PK.fullmatch(pk) else shown.first
    return _item_page(request, shown, _screen(shown, position, chosen), chosen)


def _screen(shown, position, item):
    place = shown.check_at(position) or shown.place(item, position)
    return screen_of(place, shown.questions)


def _item_page(request, shown, screen, item, form=None, gaps=(), status=200):
    context = screen.context([], shown.count, form, gaps)
    # A check is about none, and the walk goes on at the item after it.
    context["item"] = context["item"] or Item(pk=item.pk)
    return media.allow(render(request, "annotate/rate.html", context, status=status), shown.study)


def _leave_item(request, shown, position):
    pk = request.POST.get("item", "")
    chosen = shown.item_or_404(int(pk) if PK.fullmatch(pk) else -1)
    screen = _screen(shown, position, chosen)
    form = screen.form(request.POST)
    is_back = request.POST.get("go") == "back"
    gaps = form.gaps(screen.spots)
    if form.problems or (gaps and not is_back):
        return _item_page(request, shown, screen, chosen, form, gaps, status=422)
    if not is_back and position >= shown.count:
        return to(shown.after_items)
    step = -1 if is_back else 1
    position = max(position + step, 1)
    # A check stands between two items: its page remembers the one before it.
    stays = shown.check_at(position) if step > 0 else screen.item is None
    there = shown.neighbour(chosen, step) if not stays else chosen
    return to(f"{shown.address('session_item', position)}?item={there.pk}")


@framed
@require_POST
def answer_extra(request, shown, extra, item, question):
    """Fragment: the mark of a check; the answer is not saved."""
    return answer_check(request, screen_of(shown.check_or_404(extra), []), is_saved=False)


@framed
@require_POST
def answer(request, shown, item, question):
    """Fragment: the mark that a rater would see next to the answer, which is not saved."""
    whole, rated = shown.rated_or_404(item)
    asked_now = (
        candidate for candidate in shown.questions if candidate.applies_to_kind(rated.kind)
    )
    asked_question = next((candidate for candidate in asked_now if candidate.pk == question), None)
    if asked_question is None:
        raise Http404("no such question about this item")
    spot = Spot(asked_question, item, rated is not whole)
    try:
        parsed = read_answer(
            spot, request.POST.get(spot.name, ""), request.POST.get(spot.why_name, "")
        )
    except ValueError as error:
        return render(request, "annotate/_mark.html", {"problem": str(error)}, status=422)
    if parsed is None and asked_question.required:
        return render(request, "annotate/_mark.html", {"problem": UNANSWERED}, status=422)
    return render(request, "annotate/_mark.html", {"saved": True})
