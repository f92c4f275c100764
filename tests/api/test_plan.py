"""Plans by the API are those of the command; they need an account, and no study."""

import io
import json

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from annotate.models import ApiToken
from tests import factories

pytestmark = pytest.mark.django_db
PLAN = "/api/v1/plan/"


def command(*options):
    out = io.StringIO()
    call_command("plan", *options, format="json", stdout=out)
    return json.loads(out.getvalue())


def test_the_worked_plan(api):
    rows = api.get(PLAN).json()["rows"]
    assert list(rows[1]) == (
        ["use", "rho", "judge", "raters_per_item", "items", "ratings", "sessions", "cost", "power"]
    )
    assert [rows[1][name] for name in ("items", "ratings", "sessions")] == [233, 699, 70]
    assert rows[1]["cost"] == pytest.approx(93.33, abs=0.005)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"rho": "poor"},
        {"use": "compare_systems", "judge": "0.8", "scale": "7"},
        {"rho": "0.45", "retention": "4/5", "cluster_items": "3", "power": "0.9"},
    ],
)
def test_a_plan_is_that_of_the_command(api, query):
    flags = [part for name, text in query.items() for part in (f"--{_flag(name)}", text)]
    assert api.get(PLAN, query).json() == command(*flags)


def _flag(name):
    return name.replace("_", "-")


def test_what_cannot_be_shown_is_null_with_its_reason(api):
    plan = api.get(PLAN, {"judge": "0.1"}).json()
    assert {row["items"] for row in plan["rows"]} == {None}
    assert {row["power"] for row in plan["rows"]} == {None}
    assert "no number of items can show it" in plan["notes"][0]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("rho=2", "rho"),
        ("rho=", "rho"),
        ("judge=inf", "judge"),
        ("scale=3", "scale"),
        ("power=.4", "power"),
        ("session_items=x", "session_items"),
        ("items=5", "items"),
    ],
)
def test_a_wrong_option_is_refused_and_named(api, query, field):
    answer = api.get(f"{PLAN}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [field]


def test_it_needs_an_account_and_no_study(db):
    assert APIClient().get(PLAN).status_code == 401
    user = factories.make_user("newcomer")
    _, secret = ApiToken.objects.issue(user, 1, name="reads", may_write=False)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert client.get(PLAN).status_code == 200
