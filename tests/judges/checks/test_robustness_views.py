"""The page that tests a judge with changed prompts, the run's page, the command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Membership
from judges.models import Run
from tests import factories
from tests.judges.checks.test_robustness import put_to_test, run_of, steady
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=6)


@pytest.fixture
def server():
    with ScriptedServer(steady) as server:
        yield server


@pytest.fixture
def past(study, server):
    """A finished run."""
    return run_of(study, server)


USUAL = {"items": 3, "repeats": 1, "seed": 1}


def page_of(past):
    return reverse("judge_robustness", args=["films", past.judge_id])


def start_of(past):
    return reverse("judge_robustness_start", args=["films", past.judge_id])


@pytest.fixture(autouse=True)
def nudged(monkeypatch):
    found = []
    monkeypatch.setattr("judges.checks.robustness_views.nudge", found.append)
    return found


def test_the_judges_page_leads_to_it_and_offers_what_applies(past, as_owner):
    assert page_of(past) in as_owner.get(reverse("judge", args=["films", past.judge_id])).text
    page = as_owner.get(page_of(past)).text
    assert "Ratings multiplied" in page and "Order of the aspects" in page
    assert "Lists swapped" not in page, "the judge is asked about no lists"
    assert "This judge has not been tested yet." in page


def test_prompts_are_shown_with_their_difference_and_nothing_is_sent(past, server, as_owner):
    page = as_owner.post(page_of(past), USUAL | {"multiply": "on", "multiply-factor": 3}).text
    assert "<ins>3-15,</ins>" in page and "<del>1-5,</del>" in page
    assert "9 calls over 3 items" in page
    assert not server.requests and not Run.objects.checks().exists()


def test_a_test_is_started_and_its_page_says_how_far_it_is(past, as_owner, nudged):
    answer = as_owner.post(
        start_of(past), USUAL | {"spaces": "on", "spaces-rate": 0.3}, follow=True
    )
    run = Run.objects.robustness_tests().get()
    assert nudged == [run] and run.created_by.username == "owner"
    assert run.frozen["robustness"]["relations"]["spaces"] == {"rate": 0.3}
    assert "A test of robustness: 3 items" in answer.text
    assert "Spaces in words" in answer.text and "once the test has ended" in answer.text
    assert "Drift" not in answer.text
    assert "test of run" in as_owner.get(page_of(past)).text
    assert "check of run" not in as_owner.get(reverse("runs", args=["films"])).text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"multiply": "on", "multiply-factor": 0}, "allowed is 2 or more"),
        ({"shift": "on", "shift-by": -1}, "begin at 0"),
        ({"spaces": "on", "spaces-rate": 7}, "at most 1"),
        ({"spaces": "on", "spaces-rate": "much"}, "Enter a number"),
        ({}, "Choose at least one relation"),
        ({"spaces": "on", "items": 0}, "greater than or equal to 1"),
        ({"spaces": "on", "budget": 1}, "has no prices"),
    ],
)
def test_what_cannot_be_is_refused_in_words(past, as_owner, given, words):
    answer = as_owner.post(start_of(past), USUAL | given)
    assert answer.status_code == 422 and words in answer.text
    assert not Run.objects.checks().exists()


def test_an_option_left_empty_is_the_usual_one(past, as_owner):
    as_owner.post(start_of(past), USUAL | {"shift": "on", "shift-by": ""})
    assert Run.objects.checks().get().frozen["robustness"]["relations"]["shift"] == {"by": 1}


def test_viewers_look_and_have_no_button(past, client):
    viewer = factories.make_user("viewer")
    Membership.objects.create(study=past.judge.study, user=viewer, role="viewer")
    client.force_login(viewer)
    page = client.get(page_of(past))
    assert page.status_code == 200 and "start-test" not in page.text
    assert "<ins>" in client.post(page_of(past), USUAL | {"typos": "on"}).text


def test_a_judge_without_a_run_has_no_such_page(study, as_owner):
    judge = factories.make_judge(study, "idle", factories.make_endpoint())
    assert as_owner.get(reverse("judge_robustness", args=["films", judge.pk])).status_code == 404


def test_pages_take_as_many_queries_with_many_tests(past, as_owner, django_assert_num_queries):
    for _ in range(2):
        put_to_test(past, items=2, repeats=1, relations={"spaces": {}})
        with django_assert_num_queries(10):
            as_owner.get(page_of(past))


def test_the_command_sees_a_test_through(past):
    out = StringIO()
    call_command(
        "test_robustness",
        "films",
        "careful",
        "--items=2",
        "--repeats=1",
        "--wait",
        "--relations=spaces:rate=.3,shift",
        stdout=out,
    )
    assert "asks 8 calls about items of run" in out.getvalue()
    assert "32 judged, 0 without a value" in out.getvalue()
    run = Run.objects.robustness_tests().get()
    assert run.frozen["robustness"]["relations"]["spaces"] == {"rate": 0.3}


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("--relations=nonsense", "Found relation 'nonsense'; there are no_change"),
        ("--relations=swapped_lists", "changes nothing in the prompts"),
        ("--relations=multiply:factor=-1", "allowed is 2 or more"),
        ("--relations=multiply:lambda=2", "has no option 'lambda'"),
        ("--relations=multiply:factor=two", "whole number"),
        ("--repeats=0", "Found 0 repeats; allowed are 1 to"),
        ("--items=1000", "Found 1000 items"),
    ],
)
def test_the_command_refuses_in_words(past, argument, words):
    with pytest.raises(CommandError, match=words):
        call_command("test_robustness", "films", "careful", argument, stdout=StringIO())
