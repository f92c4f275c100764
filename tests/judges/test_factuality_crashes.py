"""Workers killed amid an extraction and a check of statements: each statement is there once."""

import os
import re

import pytest

from judges.methods.extract import topics
from judges.models import Extraction, Side, Statement
from judges.runs.plan import plan
from judges.statements.items import current, make
from tests import crashes, factories, processes
from tests.extracting import reply, text_of
from tests.judges.methods.verdicts.test_support import shown
from tests.scripted_server import ScriptedServer, chat
from tests.stated import make_factuality

pytestmark = pytest.mark.django_db(transaction=True)
CONCURRENCY, ITEMS = 8, 40
SAID = ("is light", "runs large")  # of each text: two statements, which bear the text's number


def extracts(_number, request):
    name = text_of(request).split()[0]
    return reply(*([f"{name} {said}", "fit", "neutral"] for said in SAID), delay=0.1)


def supports(_number, request):
    """1 where the statement speaks of a text that ends in an even digit."""
    number = re.search(r"\b[gr](\d+)\b", shown(request)[1]).group(1)
    return chat(str(int(int(number) % 2 == 0)), delay=0.1)


@pytest.fixture
def study():
    study = make_factuality(factories.make_user("owner"))
    for at in range(ITEMS):
        factories.make_item(study, f"i{at}", text=f"g{at} is light.", review=f"r{at} runs large.")
    return study


def work(study, folder, script, method, **fields):
    """A run that two kills interrupt, looked at as any run is."""
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{folder.name}"}
    with ScriptedServer(script) as server, processes.beat(folder, **extra):
        endpoint = factories.make_endpoint(
            server.url, key=method, concurrency=CONCURRENCY, timeout_seconds=2
        )
        judge = factories.make_judge(study, method, endpoint, method=method, **fields)
        run = plan(judge)
        found = crashes.finish_with_kills(run, server, folder, kills=2, seed=3, **extra)
        asked = {str(request["messages"]) for request in server.requests}
    crashes.check(run, found, run.judgments.count(), CONCURRENCY)
    assert len(asked) == run.judgments.count(), "every text and every statement was asked about"
    return run


def test_after_kills_every_statement_and_every_verdict_is_there_once(study, tmp_path):
    run = work(
        study,
        tmp_path,
        extracts,
        "extraction",
        prompt="extract.v1",
        topics=topics.ready()["clothes"],
        max_tokens=900,
    )
    assert run.judgments.count() == 2 * ITEMS
    rows = Statement.objects.values_list("item__key", "side", "statement", "number")
    assert sorted(rows) == sorted(
        (f"i{at}", side, f"{side[0]}{at} {said}", number)
        for at in range(ITEMS)
        for side in Side.values
        for number, said in enumerate(SAID, start=1)
    )
    assert Extraction.objects.filter(run=run, kept=len(SAID)).count() == 2 * ITEMS
    assert make(study).new == 4 * ITEMS

    checked = work(study, tmp_path, supports, "support", prompt="support.v1", max_tokens=20)
    verdicts = dict(checked.judgments.values_list("item__key", "value"))
    assert len(verdicts) == checked.judgments.count() == 4 * ITEMS == current(study).count()
    for item in current(study):
        even = int(item.data["explanation"].removeprefix("i")) % 2 == 0
        assert verdicts[item.key] == float(even), item.key
