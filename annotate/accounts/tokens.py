"""Show the user's tokens of the HTTP API: make, list, revoke."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from annotate.accounts.forms import TokenForm


@login_required
@never_cache
@sensitive_variables("secret")
def tokens(request):
    """Page: the tokens; a new token is shown in the answer that made it, and never again."""
    form, made, secret = TokenForm(request.user, request.POST or None), None, ""
    if request.method == "POST" and form.is_valid():
        made, secret = form.issue()
        form = TokenForm(request.user)
    rows = request.user.api_tokens.prefetch_related("studies")
    context = {"tokens": rows, "form": form, "made": made, "secret": secret}
    status = 422 if form.errors else 200
    return render(request, "annotate/tokens.html", context, status=status)


@login_required
@require_POST
def revoke(request, pk):
    """Step: end a token at once."""
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    token.delete()
    messages.success(request, f"The token “{token}” was revoked: it opens nothing any longer.")
    return redirect("tokens")
