"""Show Results: the answer in one screen, then every report by the question that it answers."""

from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from analysis.answers.moment import one_moment
from analysis.reports.disagreements.listing import with_answers
from analysis.results.leaderboard import columns_of, in_order, sorts_of
from analysis.results.summary import ways_on
from analysis.serving import wait
from analysis.serving.compute import HEADLINES
from analysis.serving.source import Source
from analysis.serving.summaries import (
    cards,
    headlines_computed,
    likert_figure,
    missing,
    no_judges,
    pages_of,
    results_computed,
    results_of,
    several_versions,
)
from annotate.design import access
from annotate.recruitment.costs import describe_cost


@login_required
@one_moment()
def index(request, slug):
    """Show the answer, the leaderboard, where they part and what would settle it."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    shown, _ = pages_of(source.reader)
    context = {"study": study, "section": "analysis", "report_pages": shown}
    if waiting := wait.awaited(source):
        return render(request, "analysis/computing.html", context | {"waiting": waiting})
    context |= _nothing(source, shown) or _everything(source, request.GET)
    status = 400 if context.get("unknown") else 200
    return render(request, "analysis/index.html", context, status=status)


def _nothing(source, shown):
    """Return the context where nothing can be said yet; None where something can."""
    lack = missing(source)
    kinds = [kind for page in shown for kind in page.kinds if not kind.needs_ratings]
    return lack and {"missing": lack, "without_ratings": kinds}


def _everything(source, asked):
    """Return the context of the whole page; asked: `sort`, the column that judges are sorted by."""
    results = results_of(source)
    sorts, sort = sorts_of(results.lines, results.questions), asked.get("sort", "")
    return {
        **_answered(source, results),
        "unknown": _unknown(asked, sorts),
        "lines": in_order(results.lines, sort),
        "columns": columns_of(results.lines),
        "sorted_by": sort if sort in sorts else "",
        "apart": _apart(source, results),
        "no_worker": source.had_no_worker,
        "no_judges": no_judges(source),
        "several_versions": several_versions(source),
        "likert": likert_figure(results),
    }


def _unknown(asked, sorts):
    """Say what the address asks for that this page does not know; blank where it knows all."""
    names = sorted(set(asked) - {"sort"})
    if names:
        return f"Found the option {', '.join(names)}; allowed is sort alone. Reports take more."
    if asked.get("sort", "") not in ("", *sorts):
        return f"Found sort={asked['sort']}; allowed are {', '.join(sorts)}."
    return ""


def _apart(source, results):
    """Return the items on which judge and people are furthest apart, with what was said."""
    if not results.apart:
        return []
    return with_answers(source.reader, results.apart, results.role)


def _answered(source, results):
    """Return the context of the answer and of what would settle it, with its price."""
    study, ratings = source.study, source.study.raters_per_item
    of_item = f"{ratings} rating{'' if ratings == 1 else 's'}"
    return {
        "results": results,
        "ways_on": ways_on(study, results, source.reader.questions),
        "price": f"One more item with {of_item} costs {describe_cost(study, ratings)}.",
        "computed": results_computed(source),
    }


@login_required
@one_moment()
def answer(request, slug):
    """Return a fragment with the answer and what would settle it, for the study's own page."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    context = {"study": study, "missing": missing(source)}
    if waiting := wait.awaited(source):
        context |= {"waiting": waiting, "heading": "The answer"}
        return render(request, "analysis/_computing_card.html", context)
    if not context["missing"]:
        context |= _answered(source, results_of(source))
    return render(request, "analysis/_study_answer.html", context)


@login_required
@one_moment()
def headlines(request, slug):
    """Return a fragment with the pages by question and each report's headline."""
    study = access.study_or_404(request.user, slug)
    source = Source(study)
    if waiting := wait.awaited(source, name=HEADLINES):
        context = {"study": study, "waiting": waiting, "heading": "More"}
        return render(request, "analysis/_computing_card.html", context)
    by_name, (shown, lacking) = cards(source), pages_of(source.reader)
    pages = [(page, _cards_of(page, by_name, source.reader)) for page in shown]
    context = {
        "study": study,
        "pages": sorted(pages, key=lambda page: not page[1][0].finding),
        "lacking": lacking,
        "computed": headlines_computed(source),
    }
    return render(request, "analysis/_headlines.html", context)


def _cards_of(page, by_name, reader):
    """Return the cards of the reports that have a page of their own, what says nothing last."""
    own = [by_name[kind.name] for kind in page.kinds if not kind.instead(reader)]
    return sorted(own, key=lambda card: not card.finding)
