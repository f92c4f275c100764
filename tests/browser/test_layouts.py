"""The layouts of a page's questions: one at a time, and a grid."""

import pytest
from playwright.sync_api import expect

from annotate.models import Question, Rating, Session
from tests import factories
from tests.browser import axe
from tests.browser.conftest import LOST_REQUESTS
from tests.browser.test_analysis import shoot
from tests.browser.test_canvas import SIZES, enter
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
KEYS = ("persuades", "transparent", "trusts", "satisfies")


def make(layout, **question):
    """A study of one explanation and four questions, of which the last asks for a reason."""
    study = factories.make_study(items=2, questions={}, extra={"layout": layout})
    for position, key in enumerate(KEYS):
        text = f"How much do you agree that it {key}?"
        why = "required" if key == KEYS[-1] else ""
        factories.make_question(study, key, text=text, position=position, why=why, **question)
    return study.slug


def values():
    return dict(Rating.objects.order_by("pk").values_list("question__key", "value"))


def shown(page):
    return page.locator(".question:visible")


def at(page, number):
    expect(shown(page)).to_have_count(1)
    expect(shown(page).locator(".no")).to_have_text(f"{number} / 4")


def choose(page, value):
    """Click an option as a rater does: on its words."""
    shown(page).locator(f"label:has([value='{value}'])").click()


@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_one_question_at_a_time_by_hand(new_page, db, size):
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = new_page(width=width, height=height, **touch)
    enter(page, make("one_at_a_time"))
    at(page, 1)
    expect(page.get_by_role("button", name="Back")).to_be_hidden()
    shoot(page, f"one-at-a-time-{size}")
    page.get_by_role("button", name="Next").click()  # without an answer it goes nowhere
    at(page, 1)
    expect(shown(page)).to_contain_text("Please answer this one.")
    choose(page, 2)
    at(page, 2)
    choose(page, 5)
    at(page, 3)
    page.get_by_role("button", name="Back").click()
    at(page, 2)
    expect(shown(page).get_by_role("radio", checked=True)).to_have_attribute("value", "5")
    choose(page, 4)  # a change of mind leads on like a first answer
    at(page, 3)
    choose(page, 1)
    at(page, 4)
    choose(page, 3)
    at(page, 4)  # the last one waits for its reason and for *Next*
    page.get_by_role("button", name="Next").click()
    expect(shown(page)).to_contain_text("Please say why.")
    shown(page).locator("textarea").fill("It says what happens.")
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/item/2/")
    assert values() == dict(zip(KEYS, (2, 4, 1, 3), strict=True))
    page.get_by_role("button", name="Back").click()
    page.wait_for_url("**/item/1/")
    at(page, 1)
    assert Session.objects.get().layout == "one_at_a_time"


def test_one_question_at_a_time_by_keyboard(new_page, db):
    page = new_page(width=1280, height=800)
    enter(page, make("one_at_a_time"))
    page.keyboard.press("2")
    at(page, 2)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # moving among the options chooses, and does not lead on
    at(page, 2)
    page.keyboard.press("Enter")
    at(page, 3)
    page.keyboard.press("4")
    at(page, 4)
    page.keyboard.press("3")
    at(page, 4)
    page.locator("textarea").fill("So.")
    page.get_by_role("button", name="Next").press("Enter")
    page.wait_for_url("**/item/2/")
    assert values() == dict(zip(KEYS, (2, 2, 4, 3), strict=True))


def test_an_answer_that_could_not_be_sent_is_there_in_its_turn(new_page, db):
    new_page.expected += LOST_REQUESTS
    page = new_page(width=1280, height=800)
    enter(page, make("one_at_a_time"))
    page.route("**/answer/**", lambda route: route.abort())
    choose(page, 2)
    at(page, 2)
    expect(page.get_by_role("status")).to_contain_text("No connection")
    page.unroute("**/answer/**")
    page.reload()
    at(page, 2)  # where one stopped
    wait_for(lambda: values() == {"persuades": 2}, "the answer that was kept")


def test_a_double_click_answers_one_question(new_page, db):
    page = new_page(width=1280, height=800)
    enter(page, make("one_at_a_time"))
    shown(page).locator("label:has([value='4'])").dblclick()
    at(page, 2)
    expect(shown(page).get_by_role("radio", checked=True)).to_have_count(0)
    choose(page, 2)  # a click of its own counts
    at(page, 3)
    wait_for(lambda: values() == {"persuades": 4, "transparent": 2}, "both answers")


@pytest.mark.parametrize("why", ["optional", "required"])
def test_a_question_that_asks_why_waits_for_the_reason(new_page, db, why):
    page = new_page(width=1280, height=800)
    slug = make("one_at_a_time")
    Question.objects.filter(key=KEYS[0]).update(why=why)
    enter(page, slug)
    choose(page, 2)
    at(page, 1)
    expect(shown(page)).not_to_contain_text("Please say why.")
    page.keyboard.press("Escape")
    shown(page).focus()
    page.keyboard.press("3")
    expect(shown(page).locator("textarea")).to_be_focused()
    page.keyboard.type("So.")
    page.get_by_role("button", name="Next").click()
    at(page, 2)
    wait_for(lambda: Rating.objects.get().reason == "So.", "the reason")


def test_without_scripts_one_at_a_time_is_a_list(new_page, db):
    page = new_page(width=1280, height=800, java_script_enabled=False)
    enter(page, make("one_at_a_time"))
    expect(shown(page)).to_have_count(4)
    expect(page.get_by_role("button", name="Back")).to_have_count(0)


COLUMNS = """() => [...document.querySelectorAll(".question.cell")].map(row =>
  [...row.querySelectorAll("input[type=radio]")].map(one => {
    const box = one.getBoundingClientRect(); return Math.round(box.left + box.width / 2); }))"""
HEADS = """() => [...document.querySelectorAll(".grid-head .options > span")].map(one => {
  const box = one.getBoundingClientRect(); return Math.round(box.left + box.width / 2); })"""


@pytest.mark.parametrize("size", SIZES)
def test_a_grid_has_its_options_once_where_there_is_room(new_page, db, size):
    width, height = SIZES[size]
    page = new_page(width=width, height=height)
    enter(page, make("grid"))
    shoot(page, f"grid-{size}")
    rows = page.evaluate(COLUMNS)
    assert len(rows) == 3  # the question that asks for a reason stands by itself
    if size == "phone":
        expect(page.locator(".grid-head")).to_be_hidden()
        expect(page.locator(".question").get_by_text("Strongly agree").first).to_be_visible()
    else:
        heads = page.evaluate(HEADS)
        assert len(heads) == 5 and heads == sorted(heads)
        for row in rows:
            assert all(abs(own - head) <= 6 for own, head in zip(row, heads, strict=True))
    page.get_by_role("radio", name="Strongly agree").nth(1).check(force=True)
    wait_for(lambda: values() == {"transparent": 5}, "the answer")
    assert axe.violations(page) + axe.cut(page) + axe.small(page) == []
