"""Keys on the rater's page: what stands on an option chooses it, told by what is stored."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Rating
from tests import factories
from tests.podcasts import make_podcasts
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def stored(question):
    return list(Rating.objects.filter(question=question).values_list("value", flat=True))


def open_question(page, scale, **fields):
    """The page of an item about which one question is asked."""
    study = factories.make_study(items=1, questions={}, **fields)
    question = factories.make_question(study, "asked", scale=scale)
    page.goto("/join/films/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url(re.compile("/item/1/"))
    page.wait_for_load_state("load")
    return question


def printed(page):
    shown = page.locator(".options kbd").all()
    return [key.get_attribute("data-key") for key in shown if key.is_visible()]


@pytest.mark.parametrize(
    "scale, keys, pressed, value",
    [
        ("binary", ["n", "y"], "y", 1.0),
        ("binary", ["n", "y"], "N", 0.0),
        ({"binary": ["Not entailed", "Entailed"]}, ["0", "1"], "1", 1.0),
        ({"binary": ["Not entailed", "Entailed"]}, ["0", "1"], "0", 0.0),
        ({"min": 0, "max": 10, "labels": ["none", "all"]}, [], "5", 5.0),
        ({"choice": ["Monday", "Friday"]}, ["1", "2"], "2", 2.0),
        ("likert5", ["1", "2", "3", "4", "5"], "4", 4.0),
    ],
)
def test_a_key_stores_what_stands_on_its_option(
    page, transactional_db, scale, keys, pressed, value
):
    question = open_question(page, scale)
    assert printed(page) == keys
    page.keyboard.press(pressed)
    wait_for(lambda: stored(question) == [value], "the answer of that key")


@pytest.mark.parametrize("digit", ["٤", "۴", "４"])
def test_digits_of_other_scripts_are_digits(page, transactional_db, digit):
    question = open_question(page, "likert5")
    pressed = (
        "key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    )
    page.evaluate(pressed, digit)
    wait_for(lambda: stored(question) == [4.0], "the answer")


@pytest.mark.parametrize(
    "key, verdict", [("1", "first"), ("2", "second"), ("0", "tie"), ("=", "tie")]
)
def test_of_two_lists_the_keys_one_and_two_are_the_lists(page, owner, key, verdict):
    study = make_podcasts(owner, pairs=1)
    study.questions.exclude(key="better-list").delete()
    page.goto("/join/podcasts/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url(re.compile("/item/1/"))
    page.wait_for_load_state("load")
    assert printed(page) == ["1", "0", "2"]
    page.keyboard.press(key)
    side = study.places.get(item__kind="list_pair", session__isnull=False).first_side
    other = {"A": "B", "B": "A"}[side]
    value = {"first": {"A": 1.0, "B": 3.0}[side], "second": {"A": 1.0, "B": 3.0}[other], "tie": 2.0}
    wait_for(lambda: stored(study.questions.get()) == [value[verdict]], "the verdict")


@pytest.mark.parametrize("language", ["zh-hans", "ar"])
def test_keys_stand_beside_their_options_in_other_languages(page, transactional_db, language):
    question = open_question(page, {"binary": ["否", "是"]}, language=language)
    assert printed(page) == ["0", "1"]
    radio = page.get_by_role("radio", name="是", exact=True)  # the key is no part of the name
    expect(radio).to_have_attribute("aria-keyshortcuts", "1")
    page.keyboard.press("1")
    wait_for(lambda: stored(question) == [1.0], "the answer")


def test_an_unlabelled_key_and_a_letter_of_no_option_do_nothing(page, transactional_db):
    question = open_question(page, {"min": -2, "max": 2})
    page.keyboard.press("4")
    page.keyboard.press("y")
    page.keyboard.press("2")
    wait_for(lambda: stored(question) == [2.0], "the number that was pressed")


def test_no_key_is_shown_where_there_is_no_keyboard_or_no_script(new_page, transactional_db):
    page = new_page(width=360, height=740, has_touch=True, is_mobile=True)
    open_question(page, "likert5")
    expect(page.locator(".options kbd").first).to_be_hidden()
    plain = new_page(java_script_enabled=False)
    plain.goto(page.url)
    expect(plain.locator(".options kbd").first).to_be_hidden()


def test_after_an_answer_the_next_question_has_the_focus_and_none_of_its_options(
    page, transactional_db
):
    study = factories.make_study(items=1)
    page.goto("/join/films/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url(re.compile("/item/1/"))
    page.wait_for_load_state("load")
    page.keyboard.press("4")
    following = page.locator(f"#question-{study.questions.all()[1].pk}")
    expect(following).to_be_focused()
    assert following.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    expect(following.get_by_role("radio").first).to_be_focused()
    page.get_by_role("button", name="Finish").click()
    expect(following).to_be_focused()  # the first gap, without an option that looks chosen


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_moves_when_an_answer_is_chosen(new_page, transactional_db, width):
    """Labels so long that bold ones would need a line more."""
    labels = [
        f"Somewhat {word} with what the explanation says about me" for word in ("a", "b", "c")
    ]
    page = new_page(width=width, height=740)
    open_question(page, {"min": 1, "max": 3, "labels": labels})
    heights = "() => [...document.querySelectorAll('.options label')].map(one => one.offsetHeight)"
    for size in range(20):
        page.evaluate("size => document.body.style.fontSize = size", f"{14 + size / 4}px")
        before = page.evaluate(heights)
        page.get_by_role("radio").nth(size % 3).check()
        assert page.evaluate(heights) == before, size


SCROLLED = "window.scrollY"


def open_four(new_page, height=480, **options):
    """A page with four questions, of which a phone shows the first ones; and its questions."""
    factories.make_study(items=1)
    page = new_page(width=360, height=height, has_touch=True, is_mobile=True, **options)
    page.goto("/join/films/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url(re.compile("/item/1/"))
    page.wait_for_load_state("load")
    return page, page.locator(".question")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_tap_brings_the_next_unanswered_question_into_view(new_page, transactional_db, motion):
    page, questions = open_four(new_page, reduced_motion=motion)
    questions.nth(1).get_by_role("radio").nth(3).tap()
    questions.nth(0).get_by_role("radio").nth(3).tap()  # the second has its answer
    expect(questions.nth(2)).to_be_in_viewport(ratio=0.95)
    last = questions.nth(3).get_by_role("radio").nth(3)
    last.tap()
    expect(page.get_by_role("button", name="Finish")).to_be_in_viewport(ratio=0.95)
    expect(last).to_be_focused()


def test_a_tap_moves_nothing_where_the_next_question_is_seen(new_page, transactional_db):
    page, questions = open_four(new_page, height=3000)
    before = page.evaluate(SCROLLED)
    with page.expect_response(re.compile("/answer/")):
        questions.nth(0).get_by_role("radio").nth(3).tap()
    page.wait_for_timeout(300)
    assert page.evaluate(SCROLLED) == before


def test_an_arrow_key_moves_no_page(new_page, transactional_db):
    page, questions = open_four(new_page)
    questions.nth(0).get_by_role("radio").nth(1).tap()
    expect(questions.nth(1)).to_be_in_viewport(ratio=0.95)
    questions.nth(0).scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    before = page.evaluate(SCROLLED)
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(500)
    assert page.evaluate(SCROLLED) == before
