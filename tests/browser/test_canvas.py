"""The rater's page as a canvas: how high an item is, and that its text is never out of reach."""

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from analysis.demo.preparing import FOLDER
from annotate.models import Item, Place, Study
from tests import factories
from tests.browser.test_analysis import shoot
from tests.podcasts import make_podcasts, tell_facts
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES = {"laptop": (1280, 800), "tablet": (820, 1180), "phone": (360, 740)}
TABLES = ("contents", "interactions", "items")
PROFILE = """\
Topics: history of technology, the sea, cities and how they are built
Style: long conversations between two people who know each other well
Tone: calm, curious, now and then funny; no shouting and no breaking news
Length: forty minutes to an hour, mostly heard to the end
Time: on the way to work, and while cooking on Sundays
Shows: returns to three of them every week and tries a new one once a month
Avoids: true crime, interviews with founders, anything with many advertisements"""


# Of each question: the height of its title and options, and that of the line for its reason.
HEIGHTS = """() => [...document.querySelectorAll(".question")].map(one => {
  const why = one.querySelector(".why")?.offsetHeight || 0;
  return [one.offsetHeight - why, why];
})"""


def enter(page, slug, is_second=False):
    """Through consent and instructions to the first item, or to the first pair of lists."""
    page.goto(f"/join/{slug}/")
    page.locator("button.primary").click()
    page.locator("button.primary").click()
    page.wait_for_url("**/item/1/")
    if is_second:
        page.goto(page.url.replace("/item/1/", "/item/2/"))
    page.wait_for_load_state("load")


def of_demo(name):
    """A study of the demo, with the items that it has there and nobody's answers."""
    owner = factories.make_user("owner")
    factories.make_endpoint(key="local-demo")
    tables = {path.stem: path for path in (FOLDER / name).glob("*.csv") if path.stem in TABLES}
    call_command("load_study", FOLDER / name / "study.yaml", verbosity=0, owner=owner, **tables)
    return Study.objects.get().slug


def p0():
    """Eight films watched before, a film, why it is recommended, four questions."""
    return of_demo("films-open")


def p1():
    """A document, a statement, and whether the document says it."""
    slug = of_demo("factuality")
    statements = Item.objects.filter(kind="statement")
    longest = max(statements, key=lambda item: (len(item.reference), item.key))
    Place.objects.exclude(item=longest).delete()
    return slug


def p3():
    """A profile of seven lines and two lists of three episodes."""
    study = tell_facts(make_podcasts(factories.make_user("owner")))
    Item.objects.filter(kind="profile").update(text=PROFILE)
    return study.slug


def p4():
    """Nine films watched before, and seven questions from 1 to 5, two with a reason."""
    slug = of_demo("surveys")
    longest = max(Item.objects.all(), key=lambda item: (len(item.text), item.key))
    Place.objects.exclude(item=longest).delete()
    return slug


MADE = {"p0": p0, "p1": p1, "p3": p3, "p4": p4}
MOST = {  # px of the whole page of an item
    ("p0", "laptop"): 800,
    ("p0", "tablet"): 1180,
    ("p0", "phone"): 1480,
    ("p1", "laptop"): 800,
    ("p1", "tablet"): 1180,
    ("p1", "phone"): 740,
    ("p3", "laptop"): 1600,
    ("p3", "tablet"): 2400,
    ("p3", "phone"): 2220,
    ("p4", "laptop"): 800,
    ("p4", "tablet"): 1250,
    ("p4", "phone"): 1480,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("study", MADE)
def test_an_item_takes_few_screens(new_page, db, study, size):
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = new_page(width=width, height=height, reduced_motion="reduce", **touch)
    enter(page, MADE[study](), is_second=study == "p3")
    shoot(page, f"{study}-{size}-light")
    page.emulate_media(color_scheme="dark")
    shoot(page, f"{study}-{size}-dark")
    assert page.evaluate("document.documentElement.scrollHeight") <= MOST[study, size]


TOPS = """() => [...document.querySelectorAll('.question')]
  .map(one => one.getBoundingClientRect().top + scrollY)"""
TO_LOWEST = "one => scrollTo(0, one.getBoundingClientRect().bottom + scrollY - innerHeight)"
REACH = """() => {
  const text = document.querySelector(".stimulus");
  const bar = document.querySelector("[data-stimulus-bar]");
  const box = text.getBoundingClientRect();
  const seen = box.bottom > 40 && box.top < innerHeight - 40 && box.height > 40;
  const place = bar.getBoundingClientRect(); // empty where it is not shown
  return seen || (place.height >= 44 && place.top >= 0 && place.bottom <= innerHeight);
}"""


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("study", ["p0", "p1", "p4"])
def test_no_question_is_asked_with_its_text_out_of_reach(new_page, db, study, size, scripts):
    width, height = SIZES[size]
    page = new_page(width=width, height=height, java_script_enabled=scripts)
    enter(page, MADE[study]())
    for question in page.locator(".question").all():
        question.evaluate(TO_LOWEST)
        wait_for(lambda: page.evaluate(REACH), "the text within reach")


def test_the_bar_unfolds_the_text_over_the_page_and_nothing_moves(new_page, db):
    page = new_page(width=360, height=740, has_touch=True, is_mobile=True, reduced_motion="reduce")
    enter(page, p4())
    bar = page.locator("[data-stimulus-bar]")
    expect(bar).to_be_hidden()
    page.locator(".question").nth(5).scroll_into_view_if_needed()
    expect(bar).to_be_visible()
    expect(bar).to_contain_text("The Kindly Jury (1986)")
    before = page.evaluate("[scrollY, document.documentElement.scrollHeight]")
    bar.get_by_role("button").tap()
    text = page.get_by_role("dialog").get_by_text("We recommend this movie to you because")
    expect(text).to_be_in_viewport()
    shoot(page, "bar-unfolded")
    page.get_by_role("button", name="Hide the text").tap()
    expect(text).to_have_count(0)
    assert page.evaluate("[scrollY, document.documentElement.scrollHeight]") == before
    bar.get_by_role("button").tap()
    page.keyboard.press("Escape")
    expect(page.locator("#stimulus")).to_contain_text("We recommend this movie")
    expect(bar.get_by_role("button")).to_be_focused()


def test_on_a_wide_screen_the_text_stands_still_beside_the_questions(new_page, db):
    page = new_page(width=1000, height=500)
    enter(page, p4())
    page.locator(".question").last.scroll_into_view_if_needed()
    box = page.locator(".stimulus").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 500
    assert box["x"] + box["width"] <= page.locator(".question").last.bounding_box()["x"]
    top = page.evaluate("scrollY")
    page.locator(".stimulus").hover()
    page.mouse.wheel(0, 200)
    scrolled = "document.querySelector('.stimulus').scrollTop"
    wait_for(lambda: page.evaluate(scrolled) > 0, "the text to scroll by itself")
    assert page.evaluate("scrollY") == top


@pytest.mark.parametrize("size", SIZES)
def test_nothing_moves_when_an_answer_is_chosen_or_a_gap_is_filled(new_page, db, size):
    width, height = SIZES[size]
    page = new_page(width=width, height=height, reduced_motion="reduce")
    enter(page, p0())
    before = page.evaluate(TOPS)
    page.get_by_role("radio").nth(3).check()
    expect(page.get_by_role("status")).to_have_text("Saved ✓")
    assert page.evaluate(TOPS) == before
    page.locator("[name=go][value=next]").click()
    expect(page.get_by_text("Please answer this one.").first).to_be_visible()
    before = page.evaluate(TOPS)
    page.locator(".question").nth(1).get_by_role("radio").nth(3).check()
    expect(page.get_by_role("alert")).to_have_text("2 answers missing")
    expect(page.locator(".question").nth(1).locator(".saved")).to_be_attached()
    assert page.evaluate(TOPS) == before


@pytest.mark.parametrize("size, most", [("laptop", 88), ("phone", 120)])
@pytest.mark.parametrize("study", ["p0", "p4"])
def test_a_question_of_five_points_is_compact(new_page, db, study, size, most):
    width, height = SIZES[size]
    page = new_page(width=width, height=height)
    enter(page, MADE[study]())
    heights, whys = zip(*page.evaluate(HEIGHTS), strict=True)
    assert len(heights) == {"p0": 4, "p4": 7}[study] and max(heights) <= most
    assert sum(why > 0 for why in whys) == {"p0": 0, "p4": 2}[study]
    assert max(whys) <= 48  # one line of 44 px, the least for a finger, until it is filled


def by_keyboard(page):
    """Press the key of the fourth point of the question that is next."""
    page.keyboard.press("4")


def by_touch(page):
    """Tap the fourth point of the first question without an answer."""
    question = page.locator(".question:not(:has(:checked))").first
    question.locator("label:has([value='4'])").tap()


@pytest.mark.parametrize(
    "size, answer, leave",
    [
        ("laptop", by_keyboard, lambda page: page.keyboard.press("Enter")),
        ("phone", by_touch, lambda page: page.locator("[name=go][value=next]").tap()),
    ],
)
def test_an_item_takes_a_press_for_each_question_and_one_to_go_on(
    new_page, db, size, answer, leave
):
    """The minimum itself: the reference allows one more."""
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = new_page(width=width, height=height, **touch)
    enter(page, p0())
    for number in range(1, 5):
        answer(page)
        expect(page.get_by_role("radio", checked=True)).to_have_count(number)
    expect(page.locator(".question")).to_have_count(4)
    leave(page)
    page.wait_for_url("**/item/2/")
