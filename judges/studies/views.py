"""List studies, with those that are being deleted, and ask for a deletion."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from annotate.design import access
from annotate.models import Study
from annotate.studies import delete
from judges.models import Heartbeat
from judges.runs import nudge


@login_required
def studies(request):
    """Show the user's studies with their progress, and how far deletions are."""
    own = Study.objects.filter(memberships__user=request.user).select_related("deletion")
    rows = list(own.with_progress())
    kept = [study for study in rows if not hasattr(study, "deletion")]
    going = [study for study in rows if hasattr(study, "deletion")]
    context = {"studies": kept, **_progress(going)}
    return render(request, "judges/studies.html", context)


@login_required
def being_deleted(request):
    """Show, as a fragment, how far the deletions of the user's studies are."""
    going = list(Study.objects.being_deleted_of(request.user))
    return render(request, "judges/_being_deleted.html", _progress(going))


def _progress(going):
    alive = Heartbeat.objects.any_alive() if going else True
    return {"going": going, "worker_alive": alive}


@login_required
def delete_study(request, slug):
    """Ask once, naming what goes, and begin; the study's name has to be typed."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    if request.method == "POST" and request.POST.get("slug") == study.slug:
        delete.begin(study)
        nudge.send("judges.tasks.delete_study", study.pk)
        messages.success(request, f"{study.title} is being deleted. You may leave this page.")
        return redirect("studies")
    counts = {"items": study.items.count(), "sessions": study.sessions.count()}
    wrong = request.method == "POST"
    context = {"study": study, "section": "settings", "counts": counts, "wrong": wrong}
    return render(request, "judges/delete_study.html", context, status=422 if wrong else 200)
