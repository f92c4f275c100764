"""Let operators list, make, edit and test endpoints; other users get 404."""

from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from judges.endpoints.forms import EndpointForm
from judges.endpoints.probe import probe
from judges.models import Endpoint


def operators_only(view):
    """Raise 404 for users who may not change endpoints under Administration either."""

    @wraps(view)
    def checked(request, *args, **kwargs):
        if not (request.user.is_staff and request.user.has_perm("judges.change_endpoint")):
            raise Http404("no such page for this user")
        return view(request, *args, **kwargs)

    return login_required(checked)


@operators_only
def endpoints(request):
    """Show the endpoints of all studies, with what their last test found."""
    return render(
        request, "judges/endpoints.html", {"endpoints": Endpoint.objects.of_installation()}
    )


@operators_only
def endpoint_new(request):
    """Show or save a form for a new endpoint."""
    return _edited(request, Endpoint(), "Made. Test it now: a few tiny calls show what it can do.")


@operators_only
@never_cache
def endpoint(request, pk):
    """Show or save an endpoint's settings, and show its test."""
    return _edited(request, get_object_or_404(Endpoint.objects.of_installation(), pk=pk), "Saved.")


@operators_only
@require_POST
def endpoint_test(request, pk):
    """Make a few tiny calls; keep and show what they found."""
    endpoint = get_object_or_404(Endpoint.objects.of_installation(), pk=pk)
    had_schema = endpoint.json_schema
    probe(endpoint)
    messages.success(request, "Tested. What was found stands below.")
    if had_schema and not endpoint.json_schema:
        messages.warning(request, "It does not enforce JSON schemas, so that setting is off now.")
    return redirect("endpoint", pk)


def _edited(request, endpoint, words):
    """Show the page of an endpoint; redirect to it once a valid form was saved."""
    form = EndpointForm(request.POST or None, instance=endpoint)
    if request.method == "POST" and form.is_valid():
        messages.success(request, words)
        return redirect("endpoint", form.save().pk)
    context = {"form": form, "endpoint": endpoint, "name": form.initial.get("key", "")}
    return render(request, "judges/endpoint.html", context, status=422 if form.errors else 200)
