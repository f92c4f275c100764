"""A slider: it stores what somebody chose, and nothing that nobody chose."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Rating, Session
from tests import factories
from tests.browser.axe import cut, violations
from tests.browser.test_rating import assert_fits, assert_nothing_unsent_stays
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WORDS = "How much do you trust it?"


@pytest.fixture
def study(db):
    study = factories.make_study(items=2, questions={})
    factories.make_question(study, "trust", {"slider": ["not at all", "fully"]}, text=WORDS)
    return study


def start(page):
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    on_item(page, 1)


def on_item(page, position):
    expect(page.get_by_role("heading", name=f"Page {position} of 2")).to_be_visible()
    page.wait_for_load_state("load")


def line(page):
    return page.get_by_role("slider", name=WORDS)


def number(page):
    return page.get_by_role("textbox", name=re.compile(re.escape(WORDS)))


def go_on(page):
    page.get_by_role("button", name="Next").click()


def stored():
    return list(Rating.objects.order_by("pk").values_list("value", flat=True))


def is_stored(*values):
    wait_for(lambda: stored() == list(values))
    return True


def test_a_slider_that_nobody_touched_is_asked_for_and_stores_nothing(new_page, study):
    page = new_page(width=360, height=740, has_touch=True)
    start(page)
    expect(line(page)).to_have_attribute("aria-valuetext", "No answer yet")
    line(page).focus()
    line(page).blur()
    go_on(page)
    expect(page.get_by_text("Please answer this one.")).to_be_visible()
    expect(number(page)).to_be_focused()
    assert stored() == [] and violations(page) == [] and not cut(page)
    assert_fits(page)


def test_a_touched_slider_stores_its_value_which_comes_back(new_page, study):
    page = new_page()
    start(page)
    box = line(page).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert is_stored(50), "the middle, where the hidden handle does not move"
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    assert is_stored(100)
    number(page).fill("37")
    expect(line(page)).to_have_value("37")
    go_on(page)
    on_item(page, 2)
    page.get_by_role("button", name="Back").click()
    on_item(page, 1)
    expect(line(page)).to_have_value("37")
    expect(number(page)).to_have_value("37")
    assert is_stored(37)
    assert_nothing_unsent_stays(page)


def test_a_slider_is_moved_by_keys(new_page, study):
    page = new_page()
    start(page)
    number(page).focus()
    page.keyboard.press("Tab")
    expect(line(page)).to_be_focused()
    page.keyboard.press("Space")
    assert is_stored(50)
    page.keyboard.press("ArrowRight")
    assert is_stored(51)
    page.keyboard.press("Home")
    assert is_stored(0)
    expect(line(page)).not_to_have_attribute("aria-valuetext", re.compile("."))


def test_without_javascript_a_slider_is_a_number(new_page, study):
    page = new_page(java_script_enabled=False)
    new_page.expected.append("422")
    start(page)
    expect(line(page)).to_have_count(0)
    go_on(page)
    expect(page.get_by_text("Please answer this one.")).to_be_visible()
    assert stored() == []
    number(page).fill("100.5")
    go_on(page)
    expect(page.get_by_text("Please give a whole number from 0 to 100")).to_be_visible()
    number(page).fill("0")
    go_on(page)
    on_item(page, 2)
    number(page).fill("64")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert stored() == [0, 64] and Session.objects.get().state == "completed"
