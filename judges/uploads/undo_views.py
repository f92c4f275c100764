"""List the loads of a study, and take one back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.shortcuts import get_object_or_404, redirect, render

from annotate.design import access
from judges.uploads import undo

SHOWN = 200
IN_USE = "Nothing was undone: somebody began to use what it brought meanwhile. Look again."


@login_required
def loads(request, slug):
    """List what was loaded, the newest first."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    rows = study.file_loads.all()[:SHOWN]
    context = {"study": study, "section": "bring_into", "loads": rows}
    return render(request, "judges/loads.html", context)


@login_required
def undo_load(request, slug, pk):
    """Show what undoing a load takes away, and do it; nothing brings it back."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    load = get_object_or_404(study.file_loads, pk=pk)
    if request.method == "POST":
        _undo(request, load)
        return redirect("loads", slug)
    preview = None if load.undone_at else undo.preview(load)
    context = {"study": study, "section": "bring_into", "load": load, "preview": preview}
    return render(request, "judges/undo_load.html", context)


def _undo(request, load):
    try:
        undone = undo.undo(load, request.user)
    except IntegrityError:
        messages.error(request, IN_USE)
        return
    if undone is None:
        messages.warning(request, "It was undone already.")
    else:
        messages.success(request, "The load was undone.")
