"""Replies to identical calls of past runs of a study, taken over in place of a new call.

Never a refusal or a failure, never from another study or from a check for drift, never within a
run, but for checks of support, of which several items may ask the same; and nothing for judges with
several samples or checks for drift, which measure how much replies differ.
"""

import hashlib
import json

from judges import methods
from judges.models import Call, Run


def request_hash(run, endpoint, unit, messages, parameters):
    """The same for two calls of a study if everything that was sent is the same, and the sample."""
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
    """Whether the run wants it, and the study has a past run of the endpoint to take from."""
    past = Run.objects.judging().filter(
        judge__study=run.judge.study_id, judge__endpoint=run.judge.endpoint_id, pk__lt=run.pk
    )
    return run.reuse and (_own_too(run) or past.exclude(started_at=None).exists())


def _own_too(run):
    """Whether it takes over its own replies. Calls that are under way at once are all made."""
    return methods.of(run.frozen).reuses


def earlier(run, endpoint, asked):
    """{unit number: the newest Call of a past run that asked the same}, in one query.

    asked: [(unit, messages, parameters)]
    """
    wanted = {unit.number: request_hash(run, endpoint, unit, *sent) for unit, *sent in asked}
    calls = past_calls(set(wanted.values())).filter(
        run__lt=run.pk + _own_too(run), run__checked=None, failure="", reused_from=None
    )
    by_hash = {call.request_hash: call for call in calls.order_by("pk")}
    return {number: by_hash[found] for number, found in wanted.items() if found in by_hash}


def past_calls(hashes):
    """Calls with these hashes. That none is blank is said for the index, which leaves those out."""
    return Call.objects.filter(request_hash__in=hashes).exclude(request_hash="")
