"""A whole session of somebody who brings their own taste: picks, wait, lists, end."""

import pytest
from playwright.sync_api import expect

from annotate.models import Making, Rating, Session
from judges.runs.making import make as making
from tests.browser import axe
from tests.browser.test_analysis import shoot
from tests.picking import make_taste_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 360])
def test_a_session_by_hand(new_page, db, monkeypatch, width):
    monkeypatch.setattr(making.nudge, "send", lambda task, pk: None)  # the test is the worker
    make_taste_study()
    page = new_page(width=width, height=740)
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_role("heading", name="What you like")).to_be_visible()
    page.get_by_role("searchbox").fill("jaws")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", name="Found for")).to_be_visible()
    page.get_by_role("button", name="Pick Jaws").click()
    expect(page.get_by_text("1 of at most 3 picked")).to_be_visible()
    page.get_by_role("searchbox").fill("alien")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pick Aliens").click()
    page.get_by_role("button", name="Pick Alien", exact=True).click()
    page.get_by_role("button", name="Remove Aliens").click()
    expect(page.get_by_text("2 of at most 3 picked")).to_be_visible()
    assert axe.violations(page) + axe.small(page) + axe.cut(page) == []
    shoot(page, f"taste-{width}")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Your lists are being made")).to_be_visible()
    assert axe.violations(page) + axe.small(page) + axe.cut(page) == []
    making.make(Making.objects.get().pk)
    expect(page.get_by_role("heading", name="Your lists are ready")).to_be_visible()  # by itself
    assert axe.violations(page) + axe.small(page) + axe.cut(page) == []
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/item/1/")
    for question in page.locator("fieldset").all():
        question.locator("label:has(input[type=radio])").first.click()
    page.get_by_role("button", name="Finish").or_(page.get_by_role("button", name="Next")).click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert Session.objects.get().state == Session.State.COMPLETED
    assert Rating.objects.count() == 5
