"""Keep which parameters a run left out, as its endpoint refused them by name."""

from django.db import transaction

from judges.endpoints.parameters import NAMED, WORDS
from judges.models import Call, Endpoint, Run
from judges.runs import lease


def untried(run):
    """Return the parameters that may be left out: no reply to the judge has come with them."""
    calls = Call.objects.filter(run__judge=run.judge_id, run__checked=None, failure="")
    answered = calls.order_by("-pk").values_list("parameters", flat=True).first() or {}
    return set(NAMED) - answered.keys()


def keep(run, refusals):
    """Keep {parameter: what the endpoint said} with the run, and for judges that are made later.

    The judge's settings and their hash stay: no reply to it came with these parameters.
    """
    findings = {name: [False, WORDS[name], True] for name in refusals if name in WORDS}
    with transaction.atomic():
        endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=run.judge.endpoint_id)
        current = lease.hold(run)
        run.frozen = current.frozen | {"not_taken": current.frozen.get("not_taken", {}) | refusals}
        Run.objects.filter(pk=run.pk).update(frozen=run.frozen)
        Endpoint.objects.filter(pk=endpoint.pk).update(findings=endpoint.findings | findings)
