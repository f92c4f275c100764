"""A researcher makes a judge, presses Run and watches a real worker finish it."""

import pytest

from judges.models import Judgment, Run
from tests import factories
from tests.browser.judging import choose
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def researcher():
    return factories.make_user("owner")


@pytest.fixture
def study(researcher):
    return factories.make_study(owner=researcher, items=8)


def script(number, request):
    """Good replies, but prose instead of JSON for the last item."""
    if "item-7" in request["messages"][0]["content"]:
        return chat("I would say a four.", delay=0.3)
    return chat(by_schema(request), delay=0.3)


@pytest.mark.journey
def test_from_no_judge_to_a_finished_run(new_page, researcher, study, worker):
    with ScriptedServer(script) as server:
        factories.make_endpoint(server.url, key="scripted", concurrency=2, notice="A test.")
        page = new_page(login=researcher)
        page.goto(f"/studies/{study.slug}/judges/")
        page.get_by_role("link", name="Make a judge").click()
        choose(page, "A language model: the questions")
        page.get_by_label("Name").fill("careful")
        page.get_by_label("Endpoint").select_option(label="scripted (test-model)")
        page.get_by_role("button", name="Make the judge").click()
        page.get_by_text("Because you like films (item-0).").wait_for()
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("of 32 judgments").wait_for()
        page.locator("#progress .badge", has_text="Finished").wait_for()
        assert page.get_by_text("32 of 32 judgments").is_visible()
        row = page.get_by_role("row", name="no JSON in the reply Reply not understood")
        assert "4" in row.inner_text()
        row.locator("summary").click()
        assert row.get_by_text("I would say a four.").is_visible()
        server.script = lambda number, request: chat(by_schema(request))
        page.get_by_role("button", name="Ask the 4 without a value again").click()
        page.get_by_text("4 judgments are asked again.").wait_for()
        page.locator("#progress .badge", has_text="Finished").wait_for()
        assert page.get_by_text("no JSON in the reply").count() == 0
    assert Judgment.objects.filter(state="done").count() == 32


def test_a_run_without_a_worker_says_so_and_can_be_cancelled_and_resumed(
    new_page, researcher, study
):
    with ScriptedServer(lambda *_: Reply("", 500)) as server:
        factories.make_judge(study, "careful", factories.make_endpoint(server.url))
        page = new_page(width=360, login=researcher)
        page.goto(f"/studies/{study.slug}/judges/")
        page.get_by_role("button", name="Run careful").click()
        page.get_by_text("No worker is alive").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("Calls under way still end").wait_for()
        assert Run.objects.get().state == Run.State.CANCELLED
        page.get_by_role("button", name="Resume").click()
        page.locator("#progress .badge", has_text="Active").wait_for()
    assert Run.objects.get().state == Run.State.ACTIVE


def test_a_long_run_waits_for_its_forecast_to_be_confirmed(new_page, researcher, worker):
    study = factories.make_study(
        "long", owner=researcher, questions={"accuracy": "It is consistent."}
    )
    factories.make_items(study, 24)
    with ScriptedServer(lambda _, request: chat(by_schema(request))) as server:
        endpoint = factories.make_endpoint(server.url, price_in=1, price_out=2)
        factories.make_judge(study, "careful", endpoint)
        page = new_page(width=360, login=researcher)
        page.goto(f"/studies/{study.slug}/judges/")
        page.get_by_role("button", name="Run careful").click()
        page.locator("#progress .badge", has_text="Waiting for confirmation").wait_for()
        page.get_by_role("heading", name="Forecast").wait_for()
        assert len(server.requests) == 20
        # 24 calls of 100 tokens in and 10 out, at 1 and 2 dollars a million: .00288
        row = page.get_by_role("row", name="Cost")
        assert row.inner_text().split() == [
            "Cost",
            "$0.0029",
            "[$0.0029,",
            "$0.0029]",
            "$0.0024",
            "$0.0005",
            "[$0.0005,",
            "$0.0005]",
        ]
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.get_by_role("button", name="Go on").click()
        page.locator("#progress .badge", has_text="Finished").wait_for()
        page.get_by_text("24 of 24 judgments").wait_for()
        assert len(server.requests) == 24
