"""Judges that extract statements from reviews of clothes, and what a scripted model says."""

import json

from judges.methods.extract import topics, triplets
from judges.models import Extraction, Judge, Statement
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer, chat

REVIEW = "It runs small. I love it! The seams ripped after one wash."
SMALL = ["runs small", "fit", "negative"]
SEAMS = ["seams rip after one wash", "construction", "negative"]
SOFT = ["fabric is soft", "material", "positive"]


def make_extractor(study, url="http://127.0.0.1:9/v1", key="extractor", **fields):
    fields = {
        "method": Judge.Method.EXTRACTION,
        "prompt": "extract.v1",
        "max_tokens": 4000,
        "topics": topics.ready()["clothes"],
    } | fields
    endpoint = factories.make_endpoint(url, key=f"local-{Judge.objects.count()}")
    return factories.make_judge(study, key, endpoint, **fields)


def make_item(study, key="a", text="Because the fabric is soft.", review=REVIEW, **fields):
    return factories.make_item(study, key, text=text, review=review, **fields)


def reply(*entries, **fields):
    entries = [
        e if isinstance(e, dict) else dict(zip(triplets.FIELDS, e, strict=True)) for e in entries
    ]
    return chat(json.dumps({"statements": entries}), **fields)


def text_of(request):
    """What stands between the marker lines of a prompt."""
    return request["messages"][0]["content"].split("<<<REVIEW\n")[1].split("\nREVIEW>>>")[0]


def saying(said):
    """A script: {a part of the text: entries}; nothing about other texts."""

    def script(_, request):
        entries = [
            each for part, found in said.items() if part in text_of(request) for each in found
        ]
        return reply(*entries)

    return script


BOTH = saying({"runs small": [SMALL, SEAMS], "fabric": [SOFT]})


def extract(study, script=BOTH, **fields):
    """(run, requests) of such a judge over the study's items."""
    with ScriptedServer(script) as server:
        run = plan(make_extractor(study, server.url, **fields))
        drive.work_through(run.pk)
        run.refresh_from_db()
        return run, server.requests


def found(run, side, item="a"):
    rows = Statement.objects.filter(run=run, side=side, item__key=item)
    return [[one.said, one.about, one.feels] for one in rows]


def settled(run):
    return list(run.judgments.order_by("unit").values_list("state", "value", "reason"))


def sides_read(study):
    """Map (item id, side) to its run's id, for all that is extracted.

    The run is the newest ended one that has the side whole, also without a statement; None where
    there are only statements that a person added.
    """
    added = Statement.objects.filter(item__study=study, run=None, is_removed=False)
    sides = dict.fromkeys(added.values_list("item", "side").distinct().order_by())
    rows = Extraction.objects.speaking(study).filter(part=0).values_list("item", "side", "run")
    return sides | {(item, side): run for item, side, run in rows}
