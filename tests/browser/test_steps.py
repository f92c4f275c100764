"""The check, practice and exit questions in a real browser: a phone, and a page without scripts."""

import pytest
from playwright.sync_api import expect

from annotate.models import (
    Answer,
    Rating,
    Screen,
    Session,
)
from tests import factories
from tests.annotate.sessions.test_steps import CHECK, EXIT, PRACTICE, ask

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(owner):
    return ask(factories.make_study(owner=owner, items=4), CHECK, PRACTICE, EXIT)


def agree(page, button):
    page.get_by_role(
        "button", name=button
    ).wait_for()  # the page of this button, not the one before
    for group in page.locator("fieldset.question").all():
        group.get_by_role("radio", name="Agree", exact=True).check()
    page.get_by_role("button", name=button).click()


def walk(page):
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    for option in ("Films", "Texts"):
        page.get_by_label(option, exact=True).check()
        page.get_by_label("1", exact=True).check()
        page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Practise").click()
    agree(page, "See how it compares")
    expect(page.get_by_text("One answer differs")).to_be_visible()
    page.go_back()
    page.reload()
    expect(page.get_by_text("One answer differs")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    agree(page, "See how it compares")
    page.get_by_role("button", name="Start").click()
    for position, button in ((1, "Next"), (2, "Finish")):
        expect(page.get_by_role("heading", name=f"Page {position} of 2")).to_be_visible()
        page.wait_for_load_state("load")
        agree(page, button)
    expect(page.get_by_role("heading", name="Last questions")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Prefer not to say").check()
    page.get_by_label("70 %").check()
    page.locator("#qage").fill("41")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_whole_visit_on_a_phone(new_page, study, scripts):
    page = new_page(360, 740)
    if not scripts:
        page.route("**/*.js", lambda route: route.abort())
    walk(page)
    if not scripts:
        new_page.expected.append("ERR_FAILED")  # the console says that the scripts were kept away
    assert Session.objects.get().state == "completed"
    attempts = Screen.objects.filter(kind="check")
    assert list(attempts.values_list("passed", flat=True)) == [False, True]
    assert Screen.objects.filter(kind="practice").count() == 2 and Rating.objects.count() == 8
    assert set(Answer.objects.about_raters().values_list("key", "value", "text")) == {
        ("gender", 5.0, "prefer not to say"),
        ("familiarity", 70.0, ""),
        ("age", 41.0, ""),
    }


def test_a_gap_in_the_check_is_shown_where_it_is(new_page, study):
    page = new_page(360, 740)
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Films", exact=True).check()
    page.get_by_role("button", name="Check my answers").click()
    expect(page.get_by_text("1 answer missing")).to_be_visible()
    expect(page.get_by_text("Please answer this one.")).to_be_visible()
    assert not Screen.objects.filter(kind="check").exists()


def test_rows_are_added_moved_and_saved(new_page, study, owner):
    page = new_page(login=owner)
    page.goto("/studies/films/settings/steps/exit/")
    page.get_by_role("button", name="Remove number 1").click()
    page.get_by_role("button", name="Add: gender").click()
    page.get_by_role("button", name="Move number 6 up").click()
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    study.refresh_from_db()
    assert study.extra["exit"][-2] == "gender" and study.extra["exit"][0] == "age"
