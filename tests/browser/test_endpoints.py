"""An operator makes an endpoint and tests it; a researcher sees how the limit moved in a run."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from judges.models import Run, RunPace
from judges.runs.plan import plan
from tests import factories
from tests.judges.endpoints.test_views import able
from tests.scripted_server import ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}


def no_sideways_scrolling(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def look(page, name):
    """Keeps a picture where somebody wants to look at the pages."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_an_operator_makes_an_endpoint_and_tests_it(new_page):
    operator = factories.make_user("operator", is_staff=True, is_superuser=True)
    with ScriptedServer(able) as server:
        page = new_page(login=operator)
        page.goto("/")
        page.get_by_role("link", name="Endpoints").click()
        page.get_by_role("link", name="Make an endpoint").click()
        page.get_by_label("Name", exact=True).fill("scripted")
        page.get_by_label("Address").fill(server.url)
        page.get_by_label("Model").fill("test-model")
        page.get_by_label("Requests a minute").fill("600")
        page.get_by_role("button", name="Make the endpoint").click()
        page.get_by_role("button", name="Test now").click()
        page.get_by_text("A JSON schema is enforced.").wait_for()
        look(page, "endpoint")
        page.get_by_role("link", name="Endpoints").first.click()
        page.get_by_text("replies").wait_for()
        look(page, "endpoints")
    phone = new_page(login=operator, color_scheme="dark", **PHONE)
    for address in ("/endpoints/", "/endpoints/new/", page.url):
        phone.goto(address)
        assert no_sideways_scrolling(phone)
    phone.go_back()
    phone.goto("/endpoints/")
    phone.get_by_role("link", name="scripted").click()
    look(phone, "endpoint-phone")


POINTS = [
    [0, 16, "begins"],
    [2, 32, "clean round"],
    [4, 64, "clean round"],
    [9, 51, "too many requests"],
    [30, 53, "clean round"],
    [33, 55, "clean round"],
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_run_page_draws_how_the_limit_moved(new_page, scheme):
    owner = factories.make_user("owner")
    study = factories.make_study(owner=owner, items=4)
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    began = timezone.now()
    Run.objects.update(
        state=Run.State.STOPPED,
        stopped_because='billing limit (429): 429: {"error": {"code": "insufficient_quota"}}',
        started_at=began,
        ended_at=began + timedelta(seconds=60),
    )
    for worker, later in (("a", 0), ("b", 20)):
        at = began + timedelta(seconds=later)
        RunPace.objects.create(run=run, worker=worker, began_at=at, points=POINTS)
    for name, size in (("wide", {}), ("phone", PHONE)):
        page = new_page(login=owner, color_scheme=scheme, **size)
        page.goto(run.get_absolute_url())
        assert page.locator("#pace polyline").count() == 2
        box = page.locator("#pace svg").bounding_box()
        assert box["height"] == 120
        page.locator("#pace summary").click()
        assert page.get_by_role("cell", name="too many requests").count() == 2
        assert no_sideways_scrolling(page)
        look(page, f"run-{name}-{scheme}")
