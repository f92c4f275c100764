"""A rater meets a check and a repeat in a real browser: mouse, keys, phone, no scripts."""

import pytest
from playwright.sync_api import expect

from annotate.design.access import make_owner
from annotate.models import Answer, Rating, Screen, Session
from annotate.sessions import places
from tests import factories
from tests.annotate.sessions.test_screens import BOTH
from tests.browser.conftest import LOST_REQUESTS
from tests.browser.test_rating import assert_fits, choose_all, question
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(db):
    """Two items, a check between them, and the first item once more."""
    extra = {"attention": [BOTH | {"after": 1}], "repeats": 1}
    return factories.make_study(items=2, items_per_session=2, extra=extra)


def start(page):
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    on_item(page, 1)


def on_item(page, position):
    expect(page.get_by_role("heading", name=f"Page {position} of 4")).to_be_visible()
    page.wait_for_load_state("load")


def check(page):
    return page.get_by_role("group", name="Please choose both A and D.")


def onward(page):
    page.get_by_role("button", name="Next").click()


def assert_whole(study):
    assert Session.objects.get().state == "completed"
    assert Screen.objects.get(kind="attention").passed
    assert Rating.objects.count() == 8 and Answer.objects.count() == 1 + 4
    assert places.any_open(study, ["explanation"])


@pytest.mark.journey
def test_a_session_with_a_check_and_a_repeat_by_mouse(new_page, study):
    page = new_page()
    start(page)
    choose_all(page)
    onward(page)
    on_item(page, 2)
    onward(page)
    expect(page.get_by_role("alert")).to_have_text("1 answer missing")
    check(page).get_by_label("A", exact=True).check()
    check(page).get_by_label("C", exact=True).check()
    expect(check(page).get_by_text("Saved ✓")).to_be_attached()
    check(page).get_by_label("C", exact=True).uncheck()
    check(page).get_by_label("D", exact=True).check()
    wait_for(lambda: Answer.objects.get().text == "A | D")
    page.reload()
    on_item(page, 2)
    expect(check(page).get_by_label("A", exact=True)).to_be_checked()
    expect(check(page).get_by_label("C", exact=True)).not_to_be_checked()
    onward(page)
    on_item(page, 3)
    choose_all(page)
    onward(page)
    on_item(page, 4)
    expect(
        question(page, "accuracy").get_by_role("radio", name="Agree", exact=True)
    ).not_to_be_checked()
    choose_all(page, "Disagree")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    assert_whole(study)
    assert set(Rating.objects.values_list("value", flat=True)) == {4.0}


def test_keys_choose_several_boxes_and_go_on_by_enter(new_page, study):
    page = new_page()
    start(page)
    choose_all(page)
    onward(page)
    on_item(page, 2)
    for key in ("1", "3", "4", "3"):
        page.keyboard.press(key)
    for label, chosen in (("A", True), ("C", False), ("D", True)):
        expect(check(page).get_by_label(label, exact=True)).to_be_checked(checked=chosen)
    page.keyboard.press("Enter")
    on_item(page, 3)
    assert Screen.objects.get(kind="attention").passed


def test_a_choice_made_without_a_network_arrives_later(new_page, study):
    page = new_page()
    start(page)
    choose_all(page)
    onward(page)
    on_item(page, 2)
    page.route("**/screen/**", lambda route: route.abort())
    check(page).get_by_label("A", exact=True).check()
    check(page).get_by_label("D", exact=True).check()
    expect(page.locator("#saving")).to_contain_text("No connection")
    page.unroute("**/screen/**")
    page.reload()
    expect(check(page).get_by_text("Saved ✓")).to_be_attached()
    expect(check(page).get_by_label("D", exact=True)).to_be_checked()
    onward(page)
    on_item(page, 3)
    new_page.expected += LOST_REQUESTS
    assert Screen.objects.get(kind="attention").passed


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_without_scripts_goes_the_same_way(new_page, study, scheme):
    page = new_page(width=360, height=740, java_script_enabled=False, color_scheme=scheme)
    start(page)
    choose_all(page)
    onward(page)
    on_item(page, 2)
    for label in ("A", "D"):
        box = check(page).get_by_label(label, exact=True)
        box.check()
        assert box.locator("..").bounding_box()["height"] >= 44
    onward(page)
    on_item(page, 3)
    choose_all(page)
    onward(page)
    choose_all(page)
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    assert_whole(study)


def test_the_researchers_page_fits_a_phone(new_page, study):
    owner = factories.make_user("owner")
    make_owner(study, owner)
    page = new_page(width=360, height=740, login=owner)
    page.goto("/studies/films/settings/sessions/")
    expect(page.get_by_text("Please choose both A and D.").first).to_be_visible()
    assert_fits(page)
