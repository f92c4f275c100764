"""The grid of the paper on the demo study: single and multiple × zero, one and personalised."""

import csv
import os
from collections import defaultdict
from functools import cache

import pytest
from django.db import connection

from analysis import frames
from analysis.demo import preparing
from annotate.models import Study
from judges import local_model, planning, running
from judges.models import Judge, Judgment, Run
from tests import factories, processes
from tests.conftest import missing
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
ITEMS = 12
PORT = 8139


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
    return {row["item"]: (row["recipient"], row["content"], row["system"])
            for row in table("items")}  # fmt: skip


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
            study, "grid", factories.make_endpoint(server.url), aspects=aspects, shots=shots,
            prompt="explanation.v2",
        )  # fmt: skip
        run = planning.plan(judge, limit=ITEMS)
        running.work_through(run.pk)
        run.refresh_from_db()
        calls = len(server.requests)
    assert run.state == Run.State.FINISHED
    whole, answers = candidates()
    asked = {item for item in run.judgments.values_list("item__key", flat=True)}
    possible = {item for item in asked
                if shots == "zero" or any(fits(item, other, shots) for other in whole)}  # fmt: skip
    done = run.judgments.filter(state=Judgment.State.DONE)
    assert set(done.values_list("item__key", flat=True)) == possible
    assert calls == len(possible) * (4 if aspects == "single" else 1)
    assert run.materials.count() == (0 if shots == "zero" else len(possible))
    for material in run.materials.select_related("item", "example"):
        assert material.example.key in whole
        assert fits(material.item.key, material.example.key, shots)
        assert material.ratings == answers[material.example.key]


@pytest.mark.model
@pytest.mark.django_db(transaction=True)
def test_the_grid_runs_with_the_small_local_model(owner, tmp_path):
    """The whole path: the model's server, a Celery worker, six judges and one with samples."""
    try:
        local_model.weights()
    except local_model.NotInstalled as error:
        missing(str(error))
    study = load_demo(owner)
    connection.close()
    arguments = ["manage.py", "serve_local_model", "--port", str(PORT)]
    model = processes.Process(arguments, processes.environment(tmp_path), tmp_path / "model.log")
    try:
        processes.wait_for(lambda: "/v1" in model.output(), 120, "the model's address")
        endpoint = factories.make_endpoint(
            f"http://127.0.0.1:{PORT}/v1", key="small", model=local_model.ALIAS, concurrency=4,
            timeout_seconds=240,
        )  # fmt: skip
        runs = [planning.plan(judge, limit=2) for judge in all_judges(study, endpoint)]
        extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
        with processes.beat(tmp_path, **extra), processes.worker(tmp_path, **extra):
            ended = Run.objects.filter(pk__in=[r.pk for r in runs], state=Run.State.FINISHED)
            processes.wait_for(lambda: ended.count() == len(runs), 400, "the end of all runs")
    finally:
        assert model.stop() == 0
    for run in runs:
        assert set(run.judgments.values_list("state", flat=True)) == {"done"}, run.judge
        assert set(run.judgments.values_list("value", flat=True)) <= {1.0, 2.0, 3.0, 4.0, 5.0}
        assert set(run.calls.values_list("model_returned", flat=True)) == {local_model.ALIAS}
    answers = frames.read(study).of("judge")
    assert len(answers[answers["judge"] == "samples"]) == 8


def all_judges(study, endpoint):
    """The six of the grid, and one with three samples and the recipient's history."""
    for aspects in Judge.Aspects.values:
        for shots in Judge.Shots.values:
            yield factories.make_judge(
                study, f"{aspects} {shots}", endpoint, aspects=aspects, shots=shots,
                prompt="explanation.v2", max_tokens=100,
            )  # fmt: skip
    yield factories.make_judge(
        study, "samples", endpoint, samples=3, temperature=0.8, context=Judge.Context.HISTORY,
        prompt="explanation.v2", max_tokens=100,
    )  # fmt: skip
