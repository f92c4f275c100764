"""Show the page that makes a study of films and ratings."""

from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from judges.counterfactual import maker
from judges.counterfactual.forms import SurveysForm


@login_required
def surveys_new(request):
    """Page: the two files and the numbers. What they hold is shown before a worker begins."""
    given = (request.POST, request.FILES) if request.method == "POST" else ()
    form = SurveysForm(*given)
    if form.is_valid():
        return redirect(maker.receive(request.user, form.files_given, form.plan))
    status = 422 if form.is_bound else 200
    return render(request, "judges/surveys_new.html", {"form": form}, status=status)
