"""A rater in a real browser: mouse, keyboard, phone, no JavaScript, no network."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Rating, RatingRevision, Session
from tests import factories
from tests.browser.conftest import LOST_REQUESTS
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ASKED = next(iter(factories.ASPECTS))
LABELS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


@pytest.fixture
def study(db):
    return factories.make_study(items=4, items_per_session=3)


def start(page):
    """Through consent and instructions to the first item."""
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Start").click()
    on_item(page, 1)


def on_item(page, position):
    """The item is shown and the page's script runs: a key pressed before is pressed too soon."""
    expect(page.get_by_role("heading", name=f"Page {position} of 3")).to_be_visible()
    page.wait_for_load_state("load")


def question(page, aspect):
    return page.get_by_role("group", name=re.compile(re.escape(factories.ASPECTS[aspect])))


def choose(page, aspect, label):
    question(page, aspect).get_by_role("radio", name=label, exact=True).check()


def choose_all(page, label="Agree"):
    for aspect in factories.ASPECTS:
        choose(page, aspect, label)


def assert_done(page, study, value=4.0, ratings=12):
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_text(study.completion_code)).to_be_visible()
    assert Session.objects.get().state == "completed"
    assert list(Rating.objects.values_list("value", flat=True)) == [value] * ratings


def assert_nothing_unsent_stays(page):
    """htmx keeps the address of the page for this tab; answers are forgotten once they are sent."""
    kept = page.evaluate("Object.keys({...localStorage, ...sessionStorage})")
    assert [key for key in kept if key.startswith("unsent")] == []
    assert page.evaluate("localStorage.length") == 0


def assert_fits(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.fixture
def two_tabs(new_page, study):
    """The same item in two tabs of one browser, everything answered with Disagree."""
    first = new_page()
    start(first)
    choose_all(first, "Disagree")
    expect(first.get_by_role("status")).to_have_text("Saved ✓")
    second = first.context.new_page()
    second.goto(first.url)
    on_item(second, 1)
    return first, second


def radio(page, label):
    return question(page, ASKED).get_by_role("radio", name=label, exact=True)


def test_an_answer_in_one_tab_is_shown_in_the_other_and_not_overwritten_there(two_tabs):
    first, second = two_tabs
    expect(radio(second, "Agree")).not_to_be_checked()
    choose(first, ASKED, "Agree")
    expect(radio(second, "Agree")).to_be_checked()
    second.get_by_role("button", name="Next").click()
    on_item(second, 2)
    assert sorted(Rating.objects.values_list("value", flat=True)) == [2.0, 2.0, 2.0, 4.0]


def test_a_newer_answer_in_another_tab_takes_the_place_of_one_that_was_not_sent(two_tabs, new_page):
    first, second = two_tabs
    new_page.expected.append("Failed to load resource")
    second.route("**/answer/**", lambda route: route.abort())
    choose(second, ASKED, "Neutral")
    expect(second.get_by_role("status")).to_have_class(re.compile("lost"))
    choose(first, ASKED, "Agree")
    expect(radio(second, "Agree")).to_be_checked()
    expect(second.get_by_role("status")).to_have_text("Saved ✓")
    second.unroute("**/answer/**")
    second.wait_for_timeout(3500)  # when it would have sent its own again
    answers = Rating.objects.filter(question__key=ASKED)
    assert list(answers.values_list("value", flat=True)) == [4.0]
    assert_nothing_unsent_stays(second)


def test_an_older_answer_of_another_tab_changes_nothing(two_tabs):
    first, second = two_tabs
    choose(second, ASKED, "Strongly agree")
    expect(radio(first, "Strongly agree")).to_be_checked()
    name = "unsent " + second.locator(".question").first.get_attribute("hx-post")
    tell = "([name, at]) => new BroadcastChannel('answers').postMessage([name, '1', '', at])"
    first.evaluate(tell, [name, 5])
    first.wait_for_timeout(300)
    expect(radio(second, "Strongly agree")).to_be_checked()
    expect(radio(first, "Strongly agree")).to_be_checked()
    first.evaluate(tell, [name, 10**14])  # as a newer one, which is shown, would come
    expect(radio(second, "Strongly disagree")).to_be_checked()


@pytest.mark.journey
def test_a_whole_session_by_mouse(page, study):
    start(page)
    for position in (1, 2, 3):
        on_item(page, position)
        bar = page.get_by_role("progressbar")  # of 3 pages
        assert bar.evaluate("bar => [bar.value, bar.max]") == [position - 1, 3]
        choose(page, "accuracy", "Neutral")
        assert bar.evaluate("bar => bar.value") == position - 0.75
        choose_all(page)
        assert bar.evaluate("bar => bar.value") == position
        expect(page.get_by_role("status")).to_have_text("Saved ✓")
        page.get_by_role("button", name="Finish" if position == 3 else "Next").click()
    assert_done(page, study)
    assert page.context.cookies() == []
    assert_nothing_unsent_stays(page)


def test_the_code_can_be_copied(new_page, study):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    session = factories.make_session(study)
    page.goto(f"/r/{session.token}/")
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == study.completion_code


def test_each_answer_is_saved_at_once(page, study):
    start(page)
    choose(page, "accuracy", "Neutral")
    expect(question(page, "accuracy").get_by_text("Saved ✓")).to_be_attached()
    rating = Rating.objects.get()
    assert (rating.value, rating.question.key) == (3.0, "accuracy")
    assert 0 < rating.seconds < 60


@pytest.mark.journey
def test_a_whole_session_by_keyboard_alone(page, study):
    page.goto("/join/films/")
    page.keyboard.press("Tab")  # the link that skips to the content
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    for position in (1, 2, 3):
        on_item(page, position)
        for _ in factories.ASPECTS:
            page.keyboard.press("4")
        expect(page.locator(":focus")).to_have_text("Finish" if position == 3 else "Next")
        page.keyboard.press("Enter")
    assert_done(page, study)
    assert RatingRevision.objects.count() == 12


def test_keys_answer_the_question_in_focus_and_arrows_change_it(page, study):
    start(page)
    question(page, "accuracy").get_by_role("radio", name="Neutral").focus()
    page.keyboard.press("2")
    expect(
        question(page, "accuracy").get_by_role("radio", name="Disagree", exact=True)
    ).to_be_checked()
    expect(question(page, "satisfaction")).to_be_focused()
    page.keyboard.press("5")
    question(page, "satisfaction").get_by_role("radio", name="Strongly agree").focus()
    page.keyboard.press("ArrowLeft")
    expect(
        question(page, "satisfaction").get_by_role("radio", name="Agree", exact=True)
    ).to_be_checked()
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    expect(page.locator(".saved")).to_have_count(2)
    # The first answer may be on its way still: the second follows it.
    satisfied = Rating.objects.filter(question__key="satisfaction")
    wait_for(lambda: satisfied.get().value == 4, "the second answer")


def test_keys_typed_into_a_text_are_words(page):
    study = factories.make_study(items=1, questions={})
    why = factories.make_question(study, "why", scale="text", text="Why?")
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Why?").press_sequentially("5 of 5")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert Rating.objects.get(question=why).text == "5 of 5"


@pytest.mark.journey
def test_on_a_phone_everything_is_large_and_nothing_scrolls_sideways(new_page, study):
    study.items.update(text="Because you like " + "verylongword" * 20)
    page = new_page(width=360, height=740, has_touch=True, is_mobile=True)
    page.goto("/join/films/")
    assert_fits(page)
    start(page)
    for position in (1, 2, 3):
        on_item(page, position)
        assert_fits(page)
        for label in page.locator(".options label").all():
            assert label.bounding_box()["height"] >= 44
        for aspect in factories.ASPECTS:
            question(page, aspect).get_by_text("Agree", exact=True).tap()
        page.get_by_role("button", name="Finish" if position == 3 else "Next").tap()
    assert_done(page, study)
    assert_fits(page)


@pytest.mark.journey
def test_without_javascript(new_page, study):
    page = new_page(java_script_enabled=False)
    start(page)
    for position in (1, 2, 3):
        on_item(page, position)
        choose_all(page)
        page.get_by_role("button", name="Finish" if position == 3 else "Next").click()
    assert_done(page, study)


def test_without_javascript_a_gap_is_marked_and_back_keeps_the_answers(new_page, study):
    page = new_page(java_script_enabled=False)
    start(page)
    choose(page, "persuasiveness", "Agree")
    choose(page, "accuracy", "Agree")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("alert")).to_have_text("2 answers missing")
    expect(question(page, "transparency")).to_be_focused()
    choose(page, "transparency", "Agree")
    choose(page, "satisfaction", "Agree")
    page.get_by_role("button", name="Next").click()
    choose(page, "accuracy", "Neutral")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("heading", name="Page 1 of 3")).to_be_visible()
    expect(page.get_by_role("radio", checked=True)).to_have_count(4)
    assert Rating.objects.count() == 5
    new_page.expected.append("422")  # the gap


def test_next_with_a_gap_marks_it_and_counts_down(page, study):
    start(page)
    choose(page, "persuasiveness", "Agree")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("alert")).to_have_text("3 answers missing")
    expect(question(page, "transparency")).to_be_focused()
    expect(question(page, "transparency")).to_contain_text("Please answer this one.")
    choose(page, "transparency", "Agree")
    choose(page, "accuracy", "Agree")
    expect(page.get_by_role("alert")).to_have_text("1 answer missing")
    choose(page, "satisfaction", "Agree")
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()


def test_a_reload_and_another_device_resume_at_the_same_item(new_page, study):
    page = new_page()
    start(page)
    link = page.url.split("item/")[0]
    choose_all(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
    choose(page, "accuracy", "Disagree")
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    page.reload()
    other = new_page(width=360)
    other.goto(link)
    for each in (page, other):
        expect(each.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
        disagree = question(each, "accuracy").get_by_role("radio", name="Disagree", exact=True)
        expect(disagree).to_be_checked()


@pytest.mark.journey
def test_an_answer_outlives_a_lost_network(new_page, study):
    page = new_page()
    start(page)
    page.context.set_offline(True)
    choose(page, "accuracy", "Agree")
    expect(page.get_by_role("status")).to_contain_text("No connection. Your answers are kept")
    assert not Rating.objects.exists()
    page.context.set_offline(False)
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    assert Rating.objects.get().value == 4
    assert_nothing_unsent_stays(page)
    new_page.expected += LOST_REQUESTS


@pytest.mark.parametrize("code", [500, 429, 403, 401])  # of the server, or of a proxy before it
def test_a_changed_answer_that_is_lost_is_not_called_saved(new_page, study, code):
    page = new_page()
    start(page)
    choose(page, "accuracy", "Agree")
    saved = question(page, "accuracy").get_by_text("Saved ✓")
    expect(saved).to_be_attached()
    page.route("**/answer/**", lambda route: route.fulfill(status=code))
    choose(page, "accuracy", "Disagree")
    expect(page.get_by_role("status")).to_contain_text("No connection")
    expect(saved).to_have_count(0)
    page.unroute("**/answer/**")
    expect(saved).to_be_attached()
    assert Rating.objects.get().value == 2
    new_page.expected += [f"status of {code}", f"Error Code {code}"]


def test_next_waits_until_the_network_is_back(new_page, study):
    page = new_page()
    start(page)
    page.context.set_offline(True)
    choose_all(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("status")).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
    assert Rating.objects.count() == 4
    new_page.expected += LOST_REQUESTS


def test_an_answer_that_could_not_be_sent_survives_a_reload(new_page, study):
    page = new_page()
    start(page)
    page.route("**/answer/**", lambda route: route.abort())
    choose(page, "accuracy", "Agree")
    expect(page.get_by_role("status")).to_contain_text("No connection")
    page.unroute("**/answer/**")
    page.reload()
    expect(question(page, "accuracy").get_by_text("Saved ✓")).to_be_attached()
    assert Rating.objects.get().value == 4
    new_page.expected += LOST_REQUESTS


def test_a_double_click_skips_nothing(page, study):
    page.goto("/join/films/")
    page.get_by_role("button", name="I agree and take part").dblclick()
    page.get_by_role("button", name="Start").dblclick()
    choose_all(page)
    page.get_by_role("button", name="Next").dblclick()
    expect(page.get_by_role("heading", name="Page 2 of 3")).to_be_visible()
    assert Session.objects.count() == 1


def test_a_screen_reader_finds_groups_radios_and_news(page, study):
    start(page)
    for aspect in factories.ASPECTS:
        for label in LABELS:
            expect(
                question(page, aspect).get_by_role("radio", name=label, exact=True)
            ).to_have_count(1)
    expect(page.get_by_role("progressbar", name="Page 1 of 3")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_attribute("aria-live", "polite")
    assert page.locator("html").get_attribute("lang") == "en"


def test_five_options_stand_in_one_row_at_equal_distances_on_a_wide_screen(page, study):
    start(page)
    boxes = [r.bounding_box() for r in question(page, "accuracy").get_by_role("radio").all()]
    steps = [right["x"] - left["x"] for left, right in zip(boxes, boxes[1:], strict=False)]
    assert len({box["y"] for box in boxes}) == 1
    assert max(steps) - min(steps) < 1


def test_an_answer_that_cannot_be_used_is_said_until_it_is_corrected(new_page, db):
    study = factories.make_study(items=1, questions={})
    factories.make_question(study, "age", scale="number", required=False)
    page = new_page()
    new_page.expected.append("422")
    page.goto("/join/films/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url(re.compile("/item/1/"))
    field = page.get_by_role("textbox")
    with page.expect_response(lambda response: "/answer/" in response.url):
        field.fill("many")
        field.blur()
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("alert")).to_have_text("1 answer cannot be used: please correct it.")
    field.fill("7")
    field.blur()
    expect(page.get_by_role("alert")).to_have_count(0)
