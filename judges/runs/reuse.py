"""Take replies to identical calls of past runs of a study in place of new calls.

Never a refusal or a failure, never from another study or from a check for drift, never within a
run, but for checks of support, of which several items may ask the same; and nothing for judges with
several samples or checks for drift, which measure how much replies differ.
"""

import hashlib
import json

from judges import methods
from judges.models import Call, Run


def request_hash(run, endpoint, unit, messages, parameters):
    """Hash everything that is sent, and the sample: identical calls have the same hash."""
    sent = [
        run.judge.study_id,
        endpoint.key,
        endpoint.base_url,
        endpoint.model,
        messages,
        parameters,
        unit.sample,
    ]
    return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def is_possible(run):
    """Whether the run wants reuse, and the study has a past run of the endpoint to take from."""
    past = Run.objects.judging().filter(
        judge__study=run.judge.study_id, judge__endpoint=run.judge.endpoint_id, pk__lt=run.pk
    )
    return run.reuse and (_own_too(run) or past.exclude(started_at=None).exists())


def _own_too(run):
    """Whether the run reuses its own replies; calls that are under way at once are all made."""
    return methods.of_frozen(run.frozen).reuses


def earlier(run, endpoint, asked):
    """Return {unit number: the newest Call of a past run that asked the same}, in one query.

    asked: [(unit, messages, parameters)]
    """
    wanted = {unit.number: request_hash(run, endpoint, unit, *sent) for unit, *sent in asked}
    calls = past_calls(set(wanted.values())).filter(
        run__lt=run.pk + _own_too(run),
        run__checked=None,
        failure="",
        reused_from=None,
    )
    by_hash = {call.request_hash: call for call in calls.order_by("pk")}
    return {number: by_hash[digest] for number, digest in wanted.items() if digest in by_hash}


def past_calls(hashes):
    """Return calls with these hashes of judges that nobody deleted.

    Excluding blank ones lets the database use the index. The few runs of deleted judges are
    excluded by their numbers: for a join, PostgreSQL may read all calls of all other runs.
    """
    gone = Run.objects.filter(judge__deleted_at__isnull=False)
    return (
        Call.objects.filter(request_hash__in=hashes).exclude(request_hash="").exclude(run__in=gone)
    )
