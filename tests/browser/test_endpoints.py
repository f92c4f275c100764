"""An operator makes an endpoint and tests it."""

import os

import pytest

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
