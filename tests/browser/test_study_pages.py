"""A researcher makes a study, writes its questions and sees what raters see, in a browser."""

import pytest
from playwright.sync_api import expect

from annotate.models import Question, Rating, Session, Study
from annotate.values.scales import parse_scale
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def assert_fits(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=4, items_per_session=2)


@pytest.mark.parametrize("script", [True, False], ids=["JavaScript", "no JavaScript"])
@pytest.mark.parametrize("width", [1200, 360], ids=["desktop", "phone"])
def test_from_a_template_to_questions_of_ones_own(new_page, owner, width, script):
    page = new_page(width=width, login=owner, java_script_enabled=script)
    page.goto("/")
    page.get_by_role("link", name="New study").first.click()
    page.get_by_role("radio", name="Blank").check()
    page.get_by_label("Title").fill("My podcasts")
    if script:
        assert_fits(page)
    page.get_by_role("button", name="Make the study").click()
    page.get_by_role("link", name="Write the first question").click()
    add(page, "Does it fit?", "fits", "No or yes")
    page.get_by_role("link", name="Add a question").click()
    page.get_by_label("Scale").select_option(label="Points of your own, from … to …")
    page.get_by_label("From").fill("0")
    page.get_by_label("To", exact=True).fill("10")
    page.get_by_label("Words, one a line").fill("not at all\nvery much")
    add(page, "How much?", "much", None)
    page.get_by_role("button", name="Move “much” up").click()
    if script:
        assert_fits(page)
    assert list(Study.objects.get().questions.values_list("key", flat=True)) == ["much", "fits"]
    much = Question.objects.get(key="much")
    assert much.scale == parse_scale({"min": 0, "max": 10, "labels": ["not at all", "very much"]})
    page.get_by_role("link", name="Delete “fits” …").click()
    page.get_by_role("button", name="Delete the question").click()
    expect(page.get_by_text("The question fits was deleted.")).to_be_visible()
    assert Question.objects.count() == 1


def add(page, text, key, scale):
    page.get_by_label("Wording").fill(text)
    page.get_by_label("Key").fill(key)
    if scale:
        page.get_by_label("Scale").select_option(label=scale + ", or two words of your own")
    page.get_by_role("button", name="Save the question").click()
    expect(page.get_by_text(f"The question {key} was saved.")).to_be_visible()


def test_only_the_fields_of_the_chosen_scale_are_shown(new_page, owner, study):
    page = new_page(login=owner)
    page.goto("/studies/films/questions/new/")
    for scale, ends, words in [
        ("likert5", False, False),
        ("own", True, True),
        ("choice", False, True),
        ("text", False, False),
        ("binary", False, True),
    ]:
        page.get_by_label("Scale").select_option(scale)
        expect(page.get_by_label("From")).to_be_visible(visible=ends)
        expect(page.get_by_label("Words, one a line")).to_be_visible(visible=words)


def test_the_preview_is_the_raters_page_at_phone_width_and_counts_nowhere(new_page, owner, study):
    page = new_page(login=owner)
    page.goto("/studies/films/questions/")
    page.get_by_role("link", name="See what raters see").click()
    page.get_by_role("button", name="Show").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Page 1 of 2")).to_be_visible()
    assert page.frames[1].evaluate("innerWidth") == 360
    assert page.frames[1].evaluate("document.documentElement.scrollWidth") == 360
    # The text stands above the questions, as on a phone.
    text, asked = (frame.locator(one).first.bounding_box() for one in (".stimulus", ".question"))
    assert text["x"] == asked["x"] and text["y"] + text["height"] <= asked["y"]

    frame.get_by_role("button", name="Next").click()
    expect(frame.get_by_text("4 answers missing")).to_be_visible()
    for position in (1, 2):
        expect(frame.get_by_role("heading", name=f"Page {position} of 2")).to_be_visible()
        for group in frame.locator("fieldset.question").all():
            group.get_by_role("radio", name="Agree", exact=True).check()
        expect(frame.get_by_text("Saved ✓")).to_have_count(5)
        frame.get_by_role("button", name="Finish" if position == 2 else "Next").click()
    expect(frame.get_by_text(study.completion_code)).to_be_visible()
    assert not Session.objects.filter(study=study).exists()
    assert not Rating.objects.filter(item__study=study).exists()
    assert not study.places.exclude(state="open").exists()


def test_the_preview_shows_a_chosen_item_as_on_a_wide_screen(new_page, owner, study):
    page = new_page(login=owner)
    page.goto("/studies/films/preview/")
    page.get_by_label("Item", exact=True).fill("item-2")
    page.get_by_label("Width").select_option("Wide")
    page.get_by_role("button", name="Show").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Because you like films (item-2).")).to_be_visible()
    boxes = [radio.bounding_box() for radio in frame.get_by_role("radio").all()[:2]]
    assert boxes[0]["x"] < boxes[1]["x"] and boxes[0]["y"] == boxes[1]["y"]
    page.get_by_label("Page").select_option("Consent")
    page.get_by_role("button", name="Show").click()
    frame.get_by_role("button", name="I do not want to take part").click()
    frame.get_by_role("link", name="I changed my mind").click()
    frame.get_by_role("button", name="I agree and take part").click()
    frame.get_by_role("button", name="Start").click()
    expect(frame.get_by_role("heading", name="Page 1 of 2")).to_be_visible()
    assert not Session.objects.filter(study=study).exists()


def test_the_preview_fits_on_a_phone(new_page, owner, study):
    page = new_page(width=360, height=740, login=owner)
    page.goto("/studies/films/preview/")
    page.get_by_role("button", name="Show").click()
    expect(page.frame_locator("iframe").get_by_role("heading", name="Page 1 of 2")).to_be_visible()
    assert_fits(page)
    assert page.frames[1].evaluate("innerWidth") == 360
