"""The limit of calls at once, by traces made by hand; and where the next run begins."""

import pytest

from judges.endpoints.pace import Pace
from judges.models import Endpoint
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat


def clean_round(pace, now, using=None):
    """As many good answers as there are places, so many of them in use."""
    pace.uses(pace.limit if using is None else using)
    for _ in range(pace.limit):
        pace.good(now)


def test_it_begins_modest_and_doubles_up_to_the_endpoint_s_own_limit():
    pace = Pace(100, 0)
    limits = [pace.limit]
    for second in range(1, 5):
        clean_round(pace, second)
        limits.append(pace.limit)
    assert limits == [16, 32, 64, 100, 100]


def test_it_never_begins_above_the_endpoint_s_own_limit():
    assert Pace(3, 0).limit == 3
    assert Pace(3, 0, start=50).limit == 3
    assert Pace(200, 0, start=50).limit == 50


def test_too_many_requests_cut_it_by_a_fifth_once_a_cool_down():
    pace = Pace(100, 0, start=100)
    pace.too_many(1)
    pace.too_many(2)
    pace.too_many(15.9)
    assert pace.limit == 80
    pace.too_many(16)
    assert pace.limit == 64


def test_a_longer_retry_after_makes_a_longer_cool_down():
    pace = Pace(100, 0, start=100)
    pace.too_many(1, retry_after=60)
    pace.too_many(60.9)
    assert pace.limit == 80
    pace.too_many(61)
    assert pace.limit == 64


def test_after_a_cut_it_grows_slowly_and_not_before_the_cool_down_is_over():
    pace = Pace(100, 0, start=50)
    pace.too_many(0)
    clean_round(pace, 14)
    assert pace.limit == 40
    clean_round(pace, 15)
    assert pace.limit == 42, "a twentieth of 40"
    clean_round(pace, 16)
    assert pace.limit == 44


def test_it_never_falls_below_one_call():
    pace = Pace(2, 0)
    for second in range(0, 200, 20):
        pace.too_many(second)
    assert pace.limit == 1


def test_trouble_of_the_server_pauses_the_growth_and_cuts_nothing():
    pace = Pace(100, 0)
    pace.trouble(1)
    clean_round(pace, 15.9)
    assert pace.limit == 16
    clean_round(pace, 16)
    assert pace.limit == 32, "it was no sign of too many, so it doubles on"


def test_a_round_with_trouble_in_it_is_not_clean():
    pace = Pace(100, 0)
    pace.uses(16)
    for _ in range(15):
        pace.good(1)
    pace.trouble(1)
    pace.good(16)
    assert pace.limit == 16


def test_it_grows_only_when_four_fifths_are_in_use():
    pace = Pace(100, 0, start=20)
    clean_round(pace, 1, using=15)
    assert pace.limit == 20
    clean_round(pace, 2, using=16)
    assert pace.limit == 40


@pytest.mark.django_db
def test_a_run_finds_the_limit_and_the_next_begins_there(owner):
    """The endpoint refuses four requests, after the first clean round and before the second."""
    study = factories.make_study("many", items=120)

    def narrow(number, request):
        if 40 <= number < 44:
            return Reply("", 429)
        return chat(by_schema(request), delay=0.05)

    with ScriptedServer(narrow) as server:
        endpoint = factories.make_endpoint(server.url, concurrency=64, timeout_seconds=5)
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    endpoint = Endpoint.objects.get(pk=endpoint.pk)
    assert endpoint.known_limit == 25, "16, doubled after a clean round, then cut once to 0.8"
    assert endpoint.known_slow
