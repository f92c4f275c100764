"""A researcher tests a recommender on its page, and reads its lists, wide and on a phone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judges.models import Judge, Run
from tests import factories
from tests.browser.judging import choose
from tests.browser.test_analysis import shoot
from tests.browser.test_drift import work
from tests.judges.methods.recommend.test_method import films
from tests.scripted_server import ScriptedServer, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["films"]
REPLY = "1. Heat (1995)\n2. amelie (2001)\n3. Brazil (1985)\n4. Heat\n5. Alien (1979)"


def fits(page, name):
    page.set_viewport_size({"width": 360, "height": 780})
    shoot(page, f"{name}-360")
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert width <= 360, "the page itself never scrolls sideways"


def test_from_no_recommender_to_its_lists(new_page, films, owner):
    with ScriptedServer(lambda *_: chat(REPLY)) as server:
        factories.make_endpoint(server.url, key="scripted", timeout_seconds=5)
        page = new_page(width=1280, login=owner)
        page.goto(reverse("judge_new", args=[films.slug]))
        choose(page, "A language model: recommender under test")
        page.get_by_label("Name").fill("film finder")
        page.get_by_label("Endpoint").select_option(label="scripted (test-model)")
        expect(page.get_by_label("Temperature")).to_have_count(0)
        page.get_by_role("button", name="Make the judge").click()
        page.get_by_role("link", name="Test it").click()
        page.get_by_label("l", exact=True).fill("3")
        page.get_by_label("Iterations", exact=True).fill("1")
        page.get_by_label("Relation to look at").select_option(label="Ratings multiplied")
        page.get_by_role("button", name="Show the prompt and the forecast").click()
        expect(page.locator("#preview mark").first).to_be_visible()
        assert "10" in page.locator("#preview mark").all_inner_texts()
        expect(page.locator("#forecast")).to_contain_text("about 6")
        shoot(page, "recommender-test")
        fits(page, "recommender-test")
        page.get_by_role("button", name="Start the test").click()
        page.get_by_role("link", name="The lists").wait_for()
        run = Run.objects.get(judge=Judge.objects.get(key="film finder"))
        work(run)
    page.reload()
    page.get_by_role("link", name="The lists").click()
    expect(page.get_by_text("not in the catalogue").first).to_be_visible()
    expect(page.get_by_text("normalised: Amélie (2001)").first).to_be_visible()
    shoot(page, "recommender-lists")
    fits(page, "recommender-lists")
    with page.expect_download() as download:
        page.get_by_role("link", name="All runs’ lists as CSV").click()
    assert re.search(r"-lists\.csv$", download.value.suggested_filename)


def test_lists_as_json_are_a_choice_that_its_pages_name(new_page, films, owner):
    """Refused where the endpoint keeps no schema, and read entry by entry where it does."""
    new_page.expected.append("422")
    with ScriptedServer(
        lambda *_: chat('{"recommendations": ["Heat (1995)", "Brazil"]}')
    ) as server:
        for key, keeps in (("plain", False), ("strict", True)):
            factories.make_endpoint(server.url, key=key, json_schema=keeps)
        page = new_page(width=1280, login=owner)
        page.goto(reverse("judge_new", args=[films.slug]) + "?kind=llm&method=recommender")
        page.get_by_label("Name").fill("film finder")
        page.get_by_label("Endpoint").select_option(label="plain (test-model)")
        page.get_by_label("Lists as JSON").check()
        page.get_by_role("button", name="Make the judge").click()
        expect(page.get_by_text("The endpoint plain keeps no JSON schema")).to_be_visible()
        shoot(page, "recommender-json")
        fits(page, "recommender-json")
        page.get_by_label("Endpoint").select_option(label="strict (test-model)")
        page.get_by_role("button", name="Make the judge").click()
        page.get_by_role("link", name="Test it").click()
        page.get_by_label("l", exact=True).fill("3")
        page.get_by_label("Iterations", exact=True).fill("1")
        page.get_by_role("button", name="Start the test").click()
        page.get_by_role("link", name="The lists").wait_for()
        work(Run.objects.get())
    page.reload()
    page.get_by_role("link", name="The lists").click()
    expect(page.get_by_text("not in the catalogue").first).to_be_visible()
    page.goto(reverse("judge", args=[films.slug, Judge.objects.get().pk]))
    expect(page.get_by_text("JSON, by a schema of k titles")).to_be_visible()
    shoot(page, "recommender-json-judge")
    fits(page, "recommender-json-judge")
    page.goto(reverse("export", args=[films.slug]))
    expect(page.get_by_text("Every entry of every list").first).to_be_visible()
    shoot(page, "recommender-json-export")
    fits(page, "recommender-json-export")
