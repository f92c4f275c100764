"""Let a worker compute slow reports, while their page says how far the computation is.

What is asked for is a row (`Computation`), one for everybody who asks for the same; its result is
kept as every report's is. A worker that is killed stops renewing its claim, and the next look of a
waiting page, or the next visit, sends another one. Without a worker the page computes by itself.
What failed is not computed again, nor by a page, before somebody asks for it or the data change.
"""

from django.conf import settings
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from analysis.answers.moment import over
from analysis.options.common import DEFAULT_DRAWS
from analysis.serving.compute import BY_PATH, HEADLINES, PAPER, RECIPE, RESULTS, is_there
from judges.models import Computation, Heartbeat
from judges.runs.nudge import send

State = Computation.State
# Those of no report.
PAGES = {RESULTS: "analysis", HEADLINES: "analysis", PAPER: "paper", RECIPE: "recipes"}


def awaited(source, kind=None, query=None, name=RESULTS):
    """Return the Computation that a page waits for, or that failed; None if it need not wait.

    Of the report with these options, a QueryDict; of RESULTS, HEADLINES, a PAPER or RECIPE
    without a kind.
    With one the moment in which the source was read is over.
    """
    query = QueryDict() if query is None else query
    is_slow = name in BY_PATH if kind is None else kind.is_slow
    if not (is_slow or is_large(source, query)) or is_there(source, kind, query, name):
        return None
    if not Heartbeat.objects.any_alive():
        source.had_no_worker = True
        key = _key(source, kind, query, name)
        return Computation.objects.filter(key=key, state=State.FAILED).first()
    row = _asked(source, kind, query, name)
    if row.is_under_way or row.state == State.DONE:
        _nudge(row)
    return row


def ask_for_results(source):
    """Have a worker compute a study's Results, however small; return whether they are to come.

    With the request the moment in which the source was read is over. Without a worker nothing is
    asked for yet.
    """
    if not Heartbeat.objects.any_alive():
        return True
    row = _asked(source, None, QueryDict(), RESULTS)
    if row.state == State.FAILED:
        return False
    _nudge(row)
    return True


def ask_again(study, key):
    """Ask once more for a computation that failed; return the address of its page."""
    row = get_object_or_404(Computation, study=study, key=key)
    Computation.objects.filter(pk=row.pk).ask_again()
    names = [PAGES[row.report]] if row.report in PAGES else ["report", row.report]
    address = reverse(names[0], args=[study.slug, *names[1:]])
    return f"{address}?{row.query}" if row.query else address


def still_awaited(study, key):
    """Return the Computation while a page has to wait for it, else None.

    Sends another worker where the one at work has gone silent.
    """
    row = Computation.objects.with_seconds_before().filter(study=study, key=key).first()
    if row is None or not row.is_under_way:
        return None
    return row if not _nudge(row) or Heartbeat.objects.any_alive() else None


def n_answers(source):
    """Count the ratings and judgments that a report reads."""
    return sum(n for _, n, *_ in source.reader.sums)


def is_large(source, query):
    """Return whether a report takes too long for a page: half for reading, half for draws."""
    given = query.get("draws", "")
    draws = int(given) if given.isdecimal() and len(given) < 10 else DEFAULT_DRAWS
    work = n_answers(source) * (1 + draws / DEFAULT_DRAWS) / 2
    return work >= settings.REPORT_IN_PAGE


def _key(source, kind, query, name):
    report, stamp = (kind.name, source.stamp(kind)) if kind else (name, "")
    return source.key(f"computation {report} {query.urlencode()} {stamp}")


def _asked(source, kind, query, name):
    """Return the row of what is asked for: an old row if it was asked for before."""
    key = _key(source, kind, query, name)
    row = Computation(
        key=key,
        study=source.study,
        report=kind.name if kind else name,
        query=query.urlencode(),
        n_answers=n_answers(source),
    )
    over()
    Computation.objects.bulk_create([row], ignore_conflicts=True)
    return Computation.objects.with_seconds_before().get(key=key)


def _nudge(row):
    """Send a message to a worker, once until it counts as lost; return whether it was sent.

    A result that is no longer kept is computed again.
    """
    now = timezone.now()
    is_late = row.due_at < now or row.state == State.DONE
    if not is_late or not Computation.objects.claim_nudge(row.pk, now):
        return False
    row.state = State.WAITING
    send("analysis.tasks.compute", row.pk)
    return True
