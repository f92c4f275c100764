"""Show researchers the people of a study: raters, settings, members."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.design.outlook import outlook_of
from annotate.design.platform import platform_of
from annotate.models import Membership, Place, Session
from annotate.quality.about_raters import demographics
from annotate.studies.forms_study import MemberForm, StudyForm


@login_required
def raters(request, slug):
    """Page: who rated, how much, and the link that invites more."""
    study = access.study_or_404(request.user, slug)
    context = {
        "study": study,
        "section": "raters",
        "page": _sessions(study, request.GET.get("page")),
        "outlook": outlook_of(study),
        "states": _states(study),
        "open_places": study.places.filter(state=Place.State.OPEN).count(),
        "join_url": request.build_absolute_uri(study.join_path()),
        "platform": platform_of(study),
        "demographics": demographics(study),
        "is_owner": study.role == Membership.Role.OWNER,
    }
    return render(request, "annotate/raters.html", context)


def _sessions(study, number):
    """Return a page of the sessions, each with how much was answered."""
    sessions = study.sessions.begun().order_by("-id").values("pk")
    page = Paginator(sessions, 50).get_page(number)
    # Counted for those shown alone: grouping comes before a limit.
    shown = study.sessions.filter(pk__in=page.object_list)
    page.object_list = shown.with_answers().select_related("rater").order_by("-id")
    return page


def _states(study):
    counts = dict(
        study.sessions.begun()
        .values_list("state")
        .annotate(n=Count("id"))
        .values_list("state", "n")
    )
    return [(label, counts[state]) for state, label in Session.State.choices if state in counts]


@login_required
def settings(request, slug):
    """Page: what raters read, whether the study is open, and who may see it."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = StudyForm(request.POST or None, instance=study)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("settings", slug)
    return _settings_page(request, study, form, MemberForm(study))


def _settings_page(request, study, form, member_form):
    invalid = form.errors or member_form.errors
    if invalid:  # the form wrote into it what cannot be saved
        study.refresh_from_db()
    context = {
        "study": study,
        "section": "settings",
        "form": form,
        "outlook": outlook_of(study),
        "member_form": member_form,
        "members": study.memberships.select_related("user").order_by("id"),
        "is_owner": study.role == Membership.Role.OWNER,
    }
    return render(request, "annotate/settings.html", context, status=422 if invalid else 200)


@login_required
@require_POST
def add_member(request, slug):
    """Step: an owner gives somebody a role."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = MemberForm(study, request.POST)
    if not (form.is_valid() and form.save()):
        return _settings_page(request, study, StudyForm(instance=study), form)
    messages.success(request, "The member was added.")
    return redirect("settings", slug)


@login_required
@require_POST
def remove_member(request, slug, pk):
    """Step: an owner takes a role back; the last owner stays."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    member = get_object_or_404(study.memberships, pk=pk)
    others = study.memberships.filter(~Q(pk=pk), role=Membership.Role.OWNER)
    if member.role == Membership.Role.OWNER and not others.exists():
        messages.error(request, "A study keeps at least one owner.")
    else:
        member.delete()
        messages.success(request, f"{member.user} was removed.")
    is_gone = member.pk is None and member.user == request.user
    return redirect("studies") if is_gone else redirect("settings", slug)


def robots(request):
    """Tell search engines to stay away from all pages."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain")


def favicon(request):
    """Lead browsers that ask for an icon by its oldest address to the icon that pages name."""
    return redirect(static("icon.svg"))
