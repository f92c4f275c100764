"""A researcher makes a writer of profiles, watches a worker, and a listener rates what it wrote."""

import json
import re

import pytest
from playwright.sync_api import expect

from annotate.models import Item, Rating
from judges.methods.profile.method import KEYS
from tests import factories
from tests.browser.judging import choose
from tests.judges.methods.profile.test_write import listen
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def script(_number, request):
    """A profile; of three episodes only a half."""
    keys = KEYS[:3] if "-e2" in request["messages"][0]["content"] else KEYS
    return chat(json.dumps({key: f"Hears lighthouses ({key})." for key in keys}))


def test_from_no_writer_to_profiles_that_people_rate(new_page, worker):
    researcher = factories.make_user("owner")
    study = make_podcasts(researcher, pairs=1, items_per_session=9)
    Item.objects.filter(study=study).delete()
    listen(study, "r1", 1, 0.9, 0.8)
    with ScriptedServer(script) as server:
        factories.make_endpoint(server.url, key="scripted", price_in=1, price_out=2)
        page = new_page(login=researcher)
        page.goto(f"/studies/{study.slug}/judges/new/")
        choose(page, "A language model: write profiles")
        expect(page.get_by_text("with seven keys")).to_be_visible()
        page.get_by_label("Name").fill("biographer")
        page.get_by_label("Endpoint").select_option(label="scripted (test-model)")
        page.get_by_label("Episodes", exact=True).fill("1-3")
        page.get_by_role("button", name="Make the judge").click()
        page.get_by_text("The call about 3 episodes").wait_for()
        expect(page.locator("#preview")).to_contain_text("r1-e0 (of the show Talk; 100% listened")
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("#progress .badge", has_text="Finished").wait_for()
        expect(
            page.get_by_role("row", name="profile without all seven keys Reply not understood")
        ).to_be_visible()
        page.get_by_role("link", name=re.compile("^profile-r1-2-run")).click()
        expect(page.locator("main")).to_contain_text("Listening habits: Hears lighthouses")
        expect(page.locator("main")).to_contain_text("biographer")
    assert Item.objects.filter(study=study, kind="profile").count() == 2
    rate(new_page(), study)


def rate(page, study):
    """Both profiles, by somebody who comes in."""
    page.goto(f"/join/{study.slug}/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Listening habits: Hears lighthouses")).to_be_visible()
    for text in ("listening preferences", "interests accurately"):
        asked = page.get_by_role("group", name=re.compile(text))
        asked.get_by_role("radio", name="Agree", exact=True).check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Page 2 of 2")).to_be_visible()
    assert set(Rating.objects.values_list("item__kind", "value").exclude(value=None)) == {
        ("profile", 4.0)
    }
