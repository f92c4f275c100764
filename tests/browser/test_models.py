"""A newcomer with a key connects a model from the pages and has a judge running with it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection

from judges.endpoints import keys, providers
from judges.models import Endpoint, Run
from judges.runs import drive
from tests import factories
from tests.browser import axe
from tests.browser.judging import choose
from tests.judges.endpoints.test_connect import script
from tests.scripted_server import Reply, ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# Whether the form says that the provider is asked, kept over the page that answers it.
NOTE_WORK = """() => window.addEventListener("submit", event => {
  sessionStorage.said = event.target.querySelector("[data-busy]").checkVisibility();
})"""
KEY = "sk-of-a-newcomer-w1x2"


def work(pk):
    drive.work_through(pk)
    connection.close()


@pytest.fixture
def newcomer():
    return factories.make_user("newcomer")


@pytest.fixture
def study(newcomer):
    return factories.make_study(owner=newcomer, items=2)


def test_from_a_key_to_a_judge_that_runs(new_page, newcomer, study, monkeypatch):
    with ScriptedServer(script) as server:
        here = replace(providers.PROVIDERS["openai"], base_url=server.url)
        monkeypatch.setitem(providers.PROVIDERS, "openai", here)
        page = new_page(login=newcomer)
        page.goto(f"/studies/{study.slug}/judges/")
        page.get_by_role("link", name="Connect a model").click()
        page.get_by_role("link", name="Connect OpenAI").click()
        field = page.get_by_label("API key")
        assert (field.get_attribute("type"), field.get_attribute("autocomplete")) == (
            "password",
            "off",
        )
        field.fill(KEY)
        page.get_by_role("button", name="List the provider’s models").click()
        page.get_by_text("2 models listed.").wait_for()
        assert page.locator("#model-names option").count() == 2
        page.get_by_label("Model", exact=True).fill("alpha")
        page.evaluate(NOTE_WORK)
        page.get_by_role("button", name="Save and test").click()
        page.get_by_text("Connected: alpha replies.").wait_for()
        assert page.evaluate("sessionStorage.said") == "true", "it said that it works"
        assert axe.violations(page) == []
        page.get_by_role("link", name="New judge with this model").click()
        choose(page, "A language model: the questions")
        page.get_by_label("Name", exact=True).fill("first")
        assert "openai-alpha" in page.get_by_label("Endpoint").inner_text()
        page.get_by_role("button", name="Make the judge").click()
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("#progress").wait_for()
        with ThreadPoolExecutor(1) as apart:  # from the event loop of the browser
            apart.submit(work, Run.objects.get().pk).result()
        page.locator("#progress .badge", has_text="Finished").wait_for()
        assert page.get_by_text("8 of 8 judgments").is_visible()
    assert keys.key_of(Endpoint.objects.get()) == KEY


def test_on_a_phone_a_refused_key_is_given_anew_by_keyboard(new_page, newcomer, study):
    def refusing(number, request):
        if server.headers[-1]["authorization"] != f"bearer {KEY}":
            return Reply({"error": {"message": "no such key"}}, 401)
        return script(number, request)

    with ScriptedServer(refusing) as server:
        page = new_page(width=390, height=740, login=newcomer)
        page.goto(f"/studies/{study.slug}/models/new/other/")
        page.get_by_label("Address").fill(server.url)
        page.get_by_label("API key").fill("sk-mistyped-0000")
        page.get_by_label("Model", exact=True).fill("alpha")
        page.keyboard.press("Enter")
        page.get_by_text("The key is refused").wait_for()
        assert axe.violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_label("API key").fill(KEY)
        page.keyboard.press("Enter")
        page.get_by_text("Connected: alpha replies.").wait_for()
        assert page.get_by_text("…w1x2, given by newcomer").is_visible()
