"""“Why?” under a question, on a phone: kept until there is an answer, and without a network."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Rating, RatingRevision, Session
from tests import factories
from tests.browser.conftest import LOST_REQUESTS
from tests.browser.test_rating import assert_fits, assert_nothing_unsent_stays
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740, "has_touch": True}


@pytest.fixture
def study(db):
    study = factories.make_study(items=1, questions={})
    factories.make_question(study, "trust", text="I trust it.", why="optional")
    factories.make_question(study, "watch", text="I watch it.", why="required", position=1)
    return study


def start(page):
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Page 1 of 1")).to_be_visible()
    page.wait_for_load_state("load")


def question(page, words):
    return page.get_by_role("group", name=re.compile(re.escape(words)))


def why(page, words):
    return question(page, words).get_by_role("textbox")


def choose(page, words, label="Agree"):
    question(page, words).get_by_role("radio", name=label, exact=True).check()


def stored():
    return dict(Rating.objects.values_list("question__key", "reason"))


def test_a_reason_typed_before_the_choice_comes_with_it(new_page, study):
    page = new_page(**PHONE)
    posts = []
    page.on("request", lambda request: request.method == "POST" and posts.append(request.url))
    start(page)
    posts.clear()
    why(page, "I trust it.").fill("It <b>names</b> my films.\nAll of them.")
    why(page, "I trust it.").blur()
    page.wait_for_timeout(1300)  # longer than typing has to rest before it is sent
    assert posts == [] and not Rating.objects.exists()
    page.reload()
    expect(why(page, "I trust it.")).to_have_value("It <b>names</b> my films.\nAll of them.")
    choose(page, "I trust it.")
    expect(question(page, "I trust it.").get_by_text("Saved ✓")).to_be_attached()
    rating = Rating.objects.get()
    assert (rating.value, rating.reason) == (4.0, "It <b>names</b> my films.\nAll of them.")
    assert_nothing_unsent_stays(page)
    assert_fits(page)
    assert why(page, "I trust it.").bounding_box()["height"] >= 44


def test_a_reason_is_saved_by_itself_once_there_is_an_answer(new_page, study):
    page = new_page(**PHONE)
    start(page)
    choose(page, "I trust it.")
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    seconds = Rating.objects.get().seconds
    why(page, "I trust it.").press_sequentially("Yes")
    wait_for(lambda: stored() == {"trust": "Yes"}, "the reason")
    assert Rating.objects.get().seconds == seconds
    assert list(RatingRevision.objects.values_list("value", "reason")) == [(4.0, ""), (4.0, "Yes")]
    page.reload()
    expect(why(page, "I trust it.")).to_have_value("Yes")


def test_reasons_outlive_a_lost_network(new_page, study):
    page = new_page(**PHONE)
    start(page)
    choose(page, "I trust it.")
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    page.context.set_offline(True)
    why(page, "I trust it.").fill("On the train")
    why(page, "I trust it.").blur()
    choose(page, "I watch it.")
    why(page, "I watch it.").fill("In a tunnel")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("status")).to_contain_text("No connection")
    assert stored() == {"trust": ""}
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert stored() == {"trust": "On the train", "watch": "In a tunnel"}
    assert Session.objects.get().state == "completed"
    new_page.expected += LOST_REQUESTS


def test_a_required_reason_is_a_gap_and_an_optional_one_is_not(new_page, study):
    page = new_page(**PHONE)
    start(page)
    choose(page, "I trust it.")
    choose(page, "I watch it.")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("alert")).to_have_text("1 answer missing")
    expect(question(page, "I watch it.").get_by_text("Please say why.")).to_be_visible()
    expect(why(page, "I watch it.")).to_be_focused()
    page.keyboard.type("Because")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert stored() == {"trust": "", "watch": "Because"}


def test_without_javascript_the_page_says_what_is_missing_and_keeps_what_was_typed(new_page, study):
    page = new_page(**PHONE, java_script_enabled=False)
    start(page)
    why(page, "I trust it.").fill("No choice yet")
    choose(page, "I watch it.")
    page.get_by_role("button", name="Finish").click()
    expect(question(page, "I watch it.").get_by_text("Please say why.")).to_be_visible()
    expect(question(page, "I trust it.").get_by_text("Please answer this one.")).to_be_visible()
    expect(why(page, "I trust it.")).to_have_value("No choice yet")
    choose(page, "I trust it.")
    why(page, "I watch it.").fill("Because")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert stored() == {"trust": "No choice yet", "watch": "Because"}
    new_page.expected.append("422")  # the gaps
