"""Results in Chromium: the answer first, judges by rank and by a column, all of it on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.analysis.small import make_rated_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def rated(owner):
    return make_rated_study(owner, recipients=10)


def names(page):
    """Names in the leaderboard, from the top."""
    return page.locator("#leaderboard tbody th").all_inner_texts()


def test_the_answer_comes_first_and_a_column_sorts(new_page, rated, owner):
    page = new_page(login=owner)
    page.goto("/studies/films/")
    page.get_by_role("link", name="Results", exact=True).click()
    answer = page.locator("#answer")
    expect(answer).to_contain_text("stand in for a rater")
    expect(answer).to_contain_text("Raters agree")
    box = answer.bounding_box()
    assert box["y"] + box["height"] < 900, "the answer stands on the first screen"
    assert names(page)[:3] == ["close", "random", "a rater"]
    page.locator("thead").get_by_role("link", name="Too high or low").click()
    expect(page.locator("th[aria-sort]")).to_have_text("Too high or low")
    assert sorted(names(page)[:2]) == ["close", "random"]
    page.get_by_role("link", name="close", exact=True).click()
    expect(page).to_have_url(re.compile("/verdict/.judges=close&question="))
    expect(page.get_by_role("navigation", name="Results")).to_contain_text("Summary")


def test_more_comes_by_itself_and_says_what_does_not_apply(new_page, rated, owner):
    page = new_page(login=owner)
    page.goto("/studies/films/analysis/")
    more = page.locator("#more")
    expect(more).to_contain_text("How close is a judge to people?")
    lacking = more.get_by_text("more pages need data")
    lacking.click()
    expect(more).to_contain_text("Are written profiles right? Needs profiles as items")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_each_judge_as_a_block(new_page, rated, owner, scheme):
    page = new_page(width=390, login=owner, color_scheme=scheme)
    page.goto("/studies/films/analysis/")
    page.locator("#more").wait_for()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    board = page.locator("#leaderboard .scroll")
    assert board.evaluate("e => e.scrollWidth <= e.clientWidth")
    expect(board.locator("svg.bar").first).to_be_visible()
