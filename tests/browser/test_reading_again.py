"""What a rater may read again while rating, and where the buttons stand."""

import pytest
from playwright.sync_api import expect

from annotate.models import Rating
from tests import factories
from tests.browser.test_rating import choose_all, on_item, start

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WORDS = "Judge the explanation, not the film."


@pytest.mark.parametrize("scripts", [True, False])
def test_the_instructions_are_at_hand_and_no_answer_is_lost(new_page, transactional_db, scripts):
    factories.make_study(items=4, items_per_session=3, instructions=WORDS)
    page = new_page(java_script_enabled=scripts)
    start(page)
    choose_all(page)
    address = page.url
    expect(page.get_by_text(WORDS)).to_be_hidden()
    page.get_by_role("link", name="Instructions").click()
    expect(page.get_by_text(WORDS)).to_be_visible()
    assert page.url.split("#")[0] == address
    assert page.locator("input:checked").count() == len(factories.ASPECTS)
    if scripts:
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_role("link", name="Instructions")).to_be_focused()
    page.get_by_role("button", name="Next").click()
    on_item(page, 2)
    assert Rating.objects.count() == len(factories.ASPECTS)


def test_next_and_finish_stand_in_the_same_place(page, transactional_db):
    factories.make_study(
        items=1,
        items_per_session=1,
        extra={"exit": [{"key": "age", "text": "Age?", "scale": "number"}]},
    )
    page.goto("/join/films/")
    for name in ("I agree", "Start"):
        page.get_by_role("button", name=name).click()
    page.get_by_role("button", name="Finish").wait_for()
    before = page.get_by_role("button", name="Finish").bounding_box()
    choose_all(page)
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("heading", name="Last questions").wait_for()
    after = page.get_by_role("button", name="Finish").bounding_box()
    assert before["x"] + before["width"] == pytest.approx(after["x"] + after["width"], abs=1)
