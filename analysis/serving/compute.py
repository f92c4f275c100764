"""Compute in a worker what a page waits for: see wait.py."""

from datetime import timedelta
from functools import partial

from django.http import QueryDict
from django.utils import timezone

from analysis.answers.moment import one_moment
from analysis.reports.registry import REPORTS
from analysis.serving.source import LARGEST_KEPT, ReportForm, Source, is_kept, report_of
from analysis.serving.summaries import cards, has_cards, likert_figure, missing
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


def is_there(source, kind, query):
    """Return whether the page can show at once the report, or what keeps it from being made."""
    if not source.has("choices"):
        return False
    if kind is None:
        return has_cards(source)
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
        _settle(pk, f"{type(error).__name__}: {error}"[:500])
        raise
    else:
        _settle(pk, "" if is_kept_now else TOO_LARGE)


def _settle(pk, reason):
    """Mark the computation as done, or failed for a reason; delete forgotten computations too."""
    state, now = State.FAILED if reason else State.DONE, timezone.now()
    Computation.objects.filter(pk=pk).update(state=state, reason=reason, finished_at=now)
    Computation.objects.forgotten(now - FORGET_AFTER).delete()


def _compute(row):
    """Compute the result; return whether it is kept now, for others to read."""
    query = QueryDict(row.query)
    source = Source(row.study, query)
    if not row.report:
        cards(source)
        likert_figure(source)
        return has_cards(source)
    kind = REPORTS[row.report]
    form = ReportForm(query, source, kind)
    if _is_complete(source, form, kind):
        report_of(source, form, kind)
    return is_there(source, kind, query)


def _renew(pk):
    """Extend the claim on the row, which says that this worker lives."""
    mine = Computation.objects.filter(pk=pk, state=State.COMPUTING)
    mine.update(due_at=timezone.now() + STALE_AFTER)
