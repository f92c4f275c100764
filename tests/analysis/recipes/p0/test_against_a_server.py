"""P0 with judges that ask a server of known answers, from the first call to the paper's tables."""

import json
import re

import pytest

from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.analysis.recipes.p0.test_recipe import (
    ASPECTS,
    FILMS,
    RECIPIENTS,
    SYSTEMS,
    by_scipy,
    cells_of,
    judged,
    make_items,
)
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
DOLLARS_A_CALL = (100 * 30 + 10 * 60) / 1e6  # tokens by prices


def answer(_number, request):
    """Say the known score of the item whose text stands in the prompt, for each question asked."""
    number = int(re.search(r"\(item-(\d+)\)", json.dumps(request["messages"]))[1])
    keys = request["response_format"]["json_schema"]["schema"]["properties"]
    return chat(json.dumps({key: judged(number, key) for key in keys}))


def test_judges_asked_here_stand_in_the_tables_of_the_paper(owner):
    study = factories.make_study("films", owner)
    make_items(study)
    known = {
        aspect: {n: judged(n, aspect) for n in range(RECIPIENTS * FILMS * SYSTEMS)}
        for aspect in ASPECTS
    }
    with ScriptedServer(answer) as server:
        endpoint = factories.make_endpoint(server.url, model="gpt-4", price_in=30, price_out=60)
        for aspects in ("multiple", "single"):
            judge = factories.make_judge(study, aspects, endpoint, aspects=aspects)
            drive.work_through(plan(judge).pk)
    cells = cells_of(study)
    for row, calls in (("GPT4 (M)", 1), ("GPT4 (S)", len(ASPECTS))):
        for aspect in ASPECTS:
            for level in ("dataset", "user", "pair"):
                own = cells["1", row, f"{aspect.capitalize()}: {level}"].measured
                assert own.value == pytest.approx(by_scipy(known[aspect], aspect, level))
        own = cells["2", row, "Cost"].measured
        assert own.value == pytest.approx(calls * DOLLARS_A_CALL)
