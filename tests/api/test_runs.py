"""Runs by the API: started with a limit and a budget, watched, cancelled."""

import pytest

from judges.models import Judgment, Run
from judges.runs.plan import plan
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(study):
    endpoint = factories.make_endpoint(price_in=1, price_out=2)
    return factories.make_judge(study, "careful", endpoint)


@pytest.fixture
def nudged(monkeypatch):
    runs = []
    monkeypatch.setattr("judges.pages.api.nudge", runs.append)
    return runs


def test_a_run_is_planned_with_its_limit_and_budget(api, at, judge, nudged):
    body = {"judge": "careful", "limit": 2, "budget_usd": 1.25}
    answer = api.post(at("runs/"), body)
    assert answer.status_code == 201
    found, run = answer.json(), Run.objects.get()
    assert found["progress"]["total"] == 8 == run.judgments.count()
    assert (found["budget_usd"], found["state"], found["judge"]) == (1.25, "active", "careful")
    assert found["message"].startswith(f"Run {run.pk} of careful is planned: 8")
    assert run.created_by.username == "owner" and nudged == [run]


def test_started_again_it_goes_on(api, at, judge, nudged):
    api.post(at("runs/"), {"judge": "careful"})
    again = api.post(at("runs/"), {"judge": "careful"})
    assert again.status_code == 200 and "running already" in again.json()["message"]
    refused = api.post(at("runs/"), {"judge": "careful", "limit": 1})
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "cannot_run"
    assert Run.objects.count() == 1


def test_progress_is_counted_and_cancelling_stops_it(api, at, judge, nudged):
    run = plan(judge)
    first = run.judgments.first()
    Judgment.objects.filter(pk=first.pk).update(state="done", value=3)
    row = api.get(at(f"runs/{run.pk}/")).json()
    assert (row["progress"]["done"], row["progress"]["pending"], row["progress"]["settled"]) == (
        1,
        15,
        1,
    )
    assert api.get(at("runs/")).json()["results"][0]["progress"] == row["progress"]
    assert api.post(at(f"runs/{run.pk}/cancel/")).json()["state"] == "cancelled"
    assert api.post(at(f"runs/{run.pk}/cancel/")).status_code == 200
    resumed = api.post(at("runs/"), {"judge": "careful", "budget_usd": 3})
    assert (resumed.status_code, resumed.json()["id"]) == (200, run.pk)
    assert resumed.json()["budget_usd"] == 3


def test_a_finished_run_cannot_be_cancelled(api, at, judge):
    run = plan(judge)
    Run.objects.update(state=Run.State.FINISHED)
    answer = api.post(at(f"runs/{run.pk}/cancel/"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_active")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"judge": "nobody"}, 409, "judge"),
        ({}, 400, "judge"),
        ({"judge": 7}, 400, "judge"),
        ({"judge": "careful", "limit": 0}, 400, "limit"),
        ({"judge": "careful", "limit": "2"}, 400, "limit"),
        ({"judge": "careful", "limit": 1.5}, 400, "limit"),
        ({"judge": "careful", "budget_usd": 0}, 400, "budget_usd"),
        ({"judge": "careful", "budget_usd": "1"}, 400, "budget_usd"),
        ({"judge": "careful", "budget": 1}, 400, "budget"),
    ],
)
def test_a_wrong_start_is_refused_and_named(api, at, judge, body, status, field):
    answer = api.post(at("runs/"), body)
    assert answer.status_code == status and field in answer.json()["error"]["fields"]
    assert not Run.objects.exists()


def test_what_no_run_may_be_is_refused_in_words(api, at, study):
    factories.make_judge(study, "drawn", kind="random")
    answer = api.post(at("runs/"), {"judge": "drawn", "budget_usd": 1})
    assert answer.status_code == 409 and "costs nothing" in answer.json()["error"]["message"]


def test_judges_are_listed_with_the_settings_of_study_yaml(api, at, study, judge):
    ensemble = factories.make_judge(study, "both", kind="ensemble")
    ensemble.members.add(judge)
    careful, both = api.get(at("judges/")).json()["results"]
    assert careful["settings"]["endpoint"] == "local" and careful["can_run"]
    assert both["settings"]["members"] == ["careful"] and not both["can_run"]
    plan(judge)
    assert api.get(at("judges/")).json()["results"][0]["frozen"]
