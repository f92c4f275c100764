"""Let owners of a study connect models to it, with keys that are stored encrypted.

All variables below these views are sensitive: an error page shows none of a request with a key.
"""

from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_POST

from annotate.design import access
from config.env import MAKE_SECRET
from judges.endpoints import keys, providers
from judges.endpoints.connect_forms import ConnectForm
from judges.endpoints.model_list import list_models
from judges.endpoints.probe import probe
from judges.models import Endpoint, Judge

WORKS = "Connected: {} replies. Make a judge with it."
FAILS = "The model is saved, but its test failed. The reason stands below."


def owners_only(view):
    """Hand the view the study of an owner; hide what the request holds from error pages."""

    @wraps(view)
    def checked(request, slug, *args, **kwargs):
        study = access.study_or_404(request.user, slug, access.OWNER)
        return view(request, study, *args, **kwargs)

    hidden = sensitive_post_parameters("api_key")(sensitive_variables()(checked))
    return login_required(never_cache(hidden))


@owners_only
def models(request, study):
    """Show the models that judges of the study may use, and the providers that can be added."""
    endpoints = Endpoint.objects.usable_by(study).select_related("secret_set_by")
    used = set(Judge.objects.filter(study=study).values_list("endpoint", flat=True))
    rows = [(endpoint, endpoint.pk in used) for endpoint in endpoints]
    context = {
        "own": [row for row in rows if row[0].study_id],
        "others": [row for row in rows if not row[0].study_id],
        "presets": providers.connectable(),
        **_page(study),
    }
    return render(request, "judges/models.html", context)


@owners_only
def model_new(request, study, provider):
    """Show or save a form for a new model; test a saved one."""
    form = ConnectForm(study, _preset_or_404(provider), request.POST or None)
    if request.method == "POST" and form.is_valid() and form.saved(request.user):
        return _tested(request, form.instance)
    return _new_page(request, study, form, provider)


@owners_only
@require_POST
def model_names(request, study, provider):
    """Fragment: which models the provider lists for a pasted key, which is not stored."""
    form = ConnectForm(study, _preset_or_404(provider), request.POST)
    return render(request, "judges/_model_names.html", _names(form))


@owners_only
def model(request, study, pk):
    """Show a model of the study and its test; save what an owner changes of it."""
    endpoint = _own_or_404(study, pk)
    form = ConnectForm(
        study, providers.connectable_at(endpoint.base_url), request.POST or None, instance=endpoint
    )
    if request.method == "POST" and form.is_valid() and form.saved(request.user):
        if form.needs_test:
            return _tested(request, endpoint)
        messages.success(request, "Saved.")
        return redirect("model", study.slug, pk)
    return _model_page(request, study, form)


@owners_only
@require_POST
def model_names_of(request, study, pk):
    """Fragment: which models the provider lists, by the stored key where none was pasted."""
    endpoint = _own_or_404(study, pk)
    preset = providers.connectable_at(endpoint.base_url)
    form = ConnectForm(study, preset, request.POST, instance=endpoint)
    return render(request, "judges/_model_names.html", _names(form))


@owners_only
@require_POST
def model_test(request, study, pk):
    """Ask the model again what it can do."""
    return _tested(request, _own_or_404(study, pk))


@owners_only
@require_POST
def model_remove(request, study, pk):
    """Remove a model of the study; where judges rest on it, remove its key alone."""
    endpoint = _own_or_404(study, pk)
    if endpoint.is_rested_on:
        keys.set_key(endpoint, "", None)
        endpoint.save(update_fields=keys.COLUMNS)
        messages.success(request, f"The key of {endpoint.key} is deleted.")
        return redirect("model", study.slug, pk)
    endpoint.delete()
    messages.success(request, f"{endpoint.key} and its key are removed.")
    return redirect("models", study.slug)


def _preset_or_404(provider):
    """Return the preset of this name, or None for an address that an operator listed."""
    if provider == providers.OTHER and settings.ENDPOINT_HOSTS:
        return None
    for described in providers.connectable():
        if described.name == provider:
            return described
    raise Http404(f"no provider {provider!r}")


def _own_or_404(study, pk):
    return get_object_or_404(Endpoint.objects.select_related("secret_set_by"), study=study, pk=pk)


def _tested(request, endpoint):
    """Test the model, and lead to its page."""
    probe(endpoint)
    if endpoint.can("model"):
        messages.success(request, WORKS.format(endpoint.model))
    else:
        messages.warning(request, FAILS)
    return redirect("model", endpoint.study.slug, endpoint.pk)


def _names(form):
    """Return the names of models that the form's address lists, or why there are none."""
    form.is_valid()  # of its fields only the address and the key matter here
    if {"base_url", "api_key"} & form.errors.keys():
        why = [word for name in ("base_url", "api_key") for word in form.errors.get(name, [])]
        return {"names": [], "why": " ".join(why)}
    names, why = list_models(form.instance, form.cleaned_data["api_key"])
    return {"names": names, "why": why}


def _page(study):
    return {
        "study": study,
        "section": "models",
        "can_keep": keys.can_keep(),
        "make_secret": MAKE_SECRET,
        "listed_hosts": settings.ENDPOINT_HOSTS,
    }


def _new_page(request, study, form, provider):
    context = {"form": form, "provider": provider, **_page(study)}
    status = 422 if form.errors else 200
    return render(request, "judges/model_new.html", context, status=status)


def _model_page(request, study, form):
    """Show a model as it is stored, with a form that may have errors."""
    endpoint = _own_or_404(study, form.instance.pk)
    try:
        keys.key_of(endpoint)
        no_key = ""
    except keys.KeyFailure as error:
        no_key = str(error)
    context = {
        "form": form,
        "endpoint": endpoint,
        "provider": providers.provider_at(endpoint.base_url),
        "no_key": no_key,
        "rested_on": form.instance.is_rested_on,
        "judges": Judge.objects.filter(study=study, endpoint=endpoint),
        **_page(study),
    }
    status = 422 if form.errors else 200
    return render(request, "judges/model.html", context, status=status)
