"""Judges that propose topics from reviews of clothes, and what a scripted model says."""

import json

from judges.models import Judge
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer, chat


def make_proposer(study, url="http://127.0.0.1:9/v1", key="proposer", **fields):
    fields = {
        "method": Judge.Method.TOPICS,
        "prompt": "topics.v1",
        "sides": "reference",
        "reviews": 2,
        "review_samples": 3,
        "most_topics": 4,
    } | fields
    endpoint = factories.make_endpoint(url, key=f"local-{Judge.objects.count()}")
    return factories.make_judge(study, key, endpoint, **fields)


def make_reviews(study, count=6, **fields):
    return [
        factories.make_item(study, f"i{n}", f"r{n}", review=f"Review number {n}.", **fields)
        for n in range(count)
    ]


def reply(*names, **fields):
    return chat(json.dumps({"topics": list(names)}), **fields)


def shown(request):
    """The reviews of a prompt, as they stand between its marker lines."""
    sent = request["messages"][0]["content"]
    lines = sent.split("<<<REVIEWS\n")[1].split("\nREVIEWS>>>")[0].splitlines()
    return [line.partition(". ")[2] for line in lines]


def in_turn(*replies):
    """A script: these replies one after the other; of a judge that is asked one at a time."""
    rest = iter(replies)
    return lambda *_: next(rest)


def propose(study, script, **fields):
    """(run, requests) of such a judge, one call after the other."""
    with ScriptedServer(script) as server:
        judge = make_proposer(study, server.url, **fields)
        type(judge.endpoint).objects.update(concurrency=1)
        run = plan(judge)
        drive.work_through(run.pk)
        run.refresh_from_db()
        return run, server.requests


def settled(run):
    return list(run.judgments.order_by("unit").values_list("state", "value", "reason"))
