"""The grid of the paper on the demo study: single and multiple × zero, one and personalised.

With the small local model, a worker and the pages: tests/browser/test_grid.py.
"""

import csv
from collections import defaultdict
from functools import cache

import pytest

from analysis.demo import preparing
from annotate.models import Study
from judges.models import Judge, Judgment, Run
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
ITEMS = 12


@cache
def table(name):
    with (preparing.FOLDER / "films" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def candidates():
    """{item: (recipient, content, system)} with all four ratings by a recipient, from the file."""
    answers = defaultdict(dict)
    for row in table("ratings"):
        if row["role"] == "recipient":
            answers[row["item"]][row["question"]] = float(row["value"])
    whole = {item for item, values in answers.items() if len(values) == 4}
    return {key: place for key, place in places().items() if key in whole}, answers


@cache
def places():
    return {
        row["item"]: (row["recipient"], row["content"], row["system"]) for row in table("items")
    }


def fits(item, other, shots):
    u, i, g = places()[item]
    u0, i0, g0 = places()[other]
    if g0 != g or (u0, i0) == (u, i):
        return False
    return shots == "one" or (u0 == u and i0 != i)


def load_demo(owner):
    """The demo study, as the demo loads it."""
    owner.username = preparing.USERNAME
    owner.save()
    preparing._endpoint(9)
    preparing._load(preparing.FOLDER / "films")
    return Study.objects.get(slug="films-demo")


@pytest.mark.parametrize("shots", Judge.Shots.values)
@pytest.mark.parametrize("aspects", Judge.Aspects.values)
def test_the_grid_runs_on_the_demo_study(owner, aspects, shots):
    study = load_demo(owner)
    with ScriptedServer() as server:
        judge = factories.make_judge(
            study,
            "grid",
            factories.make_endpoint(server.url),
            aspects=aspects,
            shots=shots,
            prompt="explanation.v2",
        )
        run = plan(judge, limit=ITEMS)
        drive.work_through(run.pk)
        run.refresh_from_db()
        calls = len(server.requests)
    assert run.state == Run.State.FINISHED
    whole, answers = candidates()
    asked = {item for item in run.judgments.values_list("item__key", flat=True)}
    possible = {
        item
        for item in asked
        if shots == "zero" or any(fits(item, other, shots) for other in whole)
    }
    done = run.judgments.filter(state=Judgment.State.DONE)
    assert set(done.values_list("item__key", flat=True)) == possible
    assert calls == len(possible) * (4 if aspects == "single" else 1)
    assert run.materials.count() == (0 if shots == "zero" else len(possible))
    for material in run.materials.select_related("item", "example"):
        assert material.example.key in whole
        assert fits(material.item.key, material.example.key, shots)
        assert material.ratings == answers[material.example.key]
