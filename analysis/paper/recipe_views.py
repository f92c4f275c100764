"""Show the recipes of papers: whether a study can follow them, their tables, and the files."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analysis.answers.moment import one_moment
from analysis.paper.recipe_asked import computed, read_asked, table_asked
from analysis.paper.recipe_page import choices_of, parts_of
from analysis.recipes.registry import RECIPES
from analysis.serving import tables, wait
from analysis.serving.compute import RECIPE
from analysis.serving.source import Source
from analysis.serving.summaries import pages_of
from annotate.design import access

WRITERS = {"csv": tables.as_csv, "md": tables.as_markdown}
TYPES = {"csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


@login_required
@one_moment()
def recipes(request, slug):
    """List the recipes, or show the table of the one that the address names."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    context = {"study": study, "section": "analysis", "is_paper": True}
    context["report_pages"] = pages_of(source.reader)[0]
    if not request.GET:
        return render(request, "analysis/paper/recipes.html", context | _list(study))
    try:
        asked = read_asked(study, request.GET)
    except ValueError as error:
        context |= _list(study) | {"wrong": error}
        return render(request, "analysis/paper/recipes.html", context, status=400)
    context |= _frame(study, asked)
    if waiting := wait.awaited(source, None, asked.query, RECIPE):
        return render(request, "analysis/paper/recipe.html", context | {"waiting": waiting})
    return render(request, "analysis/paper/recipe.html", context | _table(source, asked))


def _list(study):
    """Return the context of the list: each recipe with what the study lacks for it."""
    return {"listed": [(recipe, recipe.lacks(study)) for recipe in RECIPES.values()]}


def _frame(study, asked):
    """Return the context of a recipe's page without its table."""
    choices = choices_of(study, asked)
    return {
        "recipe": asked.recipe,
        "lacks": asked.recipe.lacks(study),
        "choices": choices,
        "n_with_judge": sum(bool(choice.name) for choice in choices),
        "judges_query": asked.query.urlencode(),
    }


def _table(source, asked):
    """Return the context of a recipe's table."""
    report = table_asked(source, asked)
    return {
        "report": report,
        "parts": parts_of(asked.recipe, report),
        "computed": computed(source, asked),
        "no_worker": source.had_no_worker,
    }


@login_required
@one_moment()
def recipe_file(request, slug, paper, form):
    """Send a recipe's table as the command writes it; lead to its page while it is computed."""
    study = access.study_or_404(request.user, slug)
    if form not in WRITERS or paper not in RECIPES:
        raise Http404("no such recipe or format")
    source, data = Source(study), request.GET.copy()
    data["paper"] = paper
    try:
        asked = read_asked(study, data)
    except ValueError as error:
        return HttpResponse(str(error), "text/plain", status=400)
    if wait.awaited(source, None, asked.query, RECIPE):
        return redirect(f"{reverse('recipes', args=[slug])}?{asked.query.urlencode()}")
    response = HttpResponse(WRITERS[form](table_asked(source, asked)), TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="{slug}-{paper}.{form}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
