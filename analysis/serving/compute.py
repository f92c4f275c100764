"""Compute in a worker what a page waits for: see wait.py."""

from datetime import timedelta
from functools import partial

from django.core.cache import caches
from django.http import QueryDict
from django.utils import timezone
from django.utils.module_loading import import_string

from analysis.answers.moment import one_moment
from analysis.reports.registry import REPORTS
from analysis.serving.source import LARGEST_KEPT, ReportForm, Source, is_kept, report_of
from analysis.serving.summaries import (
    cards,
    has_cards,
    has_results,
    missing,
    results_of,
)
from annotate.models import Study
from judges.models import Computation
from judges.models.worker import STALE_AFTER
from judges.runs.renew import renewed

RENEWED_EVERY = 5  # seconds
FORGET_AFTER = timedelta(days=1)
TOO_LARGE = (
    f"The result is too large to be kept: it has more than {LARGEST_KEPT:,} rows, or more bytes "
    "than this installation keeps of all results, or than its disk has room for. Ask for fewer "
    "items, judges or questions."
)
State = Computation.State
# What a Computation is of where it is of no report.
RESULTS, HEADLINES, PAPER, RECIPE = "", "headlines", "paper", "recipe"
# By their paths: (whether it is kept, what makes and keeps it), each of a source and a query.
BY_PATH = {
    PAPER: ("analysis.paper.build.is_kept", "analysis.paper.build.paper_of"),
    RECIPE: ("analysis.paper.recipe_asked.is_kept", "analysis.paper.recipe_asked.make"),
}


def is_there(source, kind, query, name=RESULTS):
    """Return whether the page can show at once the report, or what keeps it from being made.

    name: RESULTS, HEADLINES or one of BY_PATH, where the kind is None.
    """
    if kind is None and name in BY_PATH:
        return import_string(BY_PATH[name][0])(source, query)
    if not source.has("choices"):
        return False
    if kind is None:
        return has_cards(source) if name == HEADLINES else has_results(source)
    form = ReportForm(query, source, kind)
    return not _is_complete(source, form, kind) or is_kept(source, form, kind)


def _is_complete(source, form, kind):
    """Return whether there is a report to compute; else the page says at once what is wrong."""
    return form.is_valid() and bool(form.chosen) and not missing(source, form.options(), kind)


def compute(pk):
    """Compute what the row asks for, unless another worker does or has."""
    now = timezone.now()
    if not Computation.objects.claim(pk, now):
        return
    row = Computation.objects.select_related("study").get(pk=pk)
    try:
        with renewed(partial(_renew, pk), RENEWED_EVERY, f"computation {pk}"), one_moment():
            is_kept_now = _compute(row)
    except Exception as error:  # whatever it is: its page says so, and the log has the rest
        _settle(row, f"{type(error).__name__}: {error}"[:500])
        raise
    else:
        _settle(row, "" if is_kept_now else TOO_LARGE)


def _settle(row, reason):
    """Mark the computation as done, or failed for a reason; delete forgotten computations too.

    Where the study was deleted meanwhile, nothing of it is kept.
    """
    state, now = State.FAILED if reason else State.DONE, timezone.now()
    mine = Computation.objects.filter(pk=row.pk)
    is_kept_row = mine.update(state=state, reason=reason, finished_at=now)
    if not is_kept_row and not Study.objects.filter(pk=row.study_id).exists():
        caches["reports"].forget(row.study_id)
    Computation.objects.forgotten(now - FORGET_AFTER).delete()


def _compute(row):
    """Compute the result; return whether it is kept now, for others to read."""
    query = QueryDict(row.query)
    source = Source(row.study, query)
    if row.report == RESULTS:
        results_of(source)
        return has_results(source)
    if row.report == HEADLINES:
        cards(source)
        return has_cards(source)
    if row.report in BY_PATH:
        import_string(BY_PATH[row.report][1])(source, query)
        return is_there(source, None, query, row.report)
    kind = REPORTS[row.report]
    form = ReportForm(query, source, kind)
    if _is_complete(source, form, kind):
        report_of(source, form, kind)
    return is_there(source, kind, query)


def _renew(pk):
    """Extend the claim on the row, which says that this worker lives."""
    mine = Computation.objects.filter(pk=pk, state=State.COMPUTING)
    mine.update(due_at=timezone.now() + STALE_AFTER)
