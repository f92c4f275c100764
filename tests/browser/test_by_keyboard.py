"""A whole session by keyboard alone: Tab, arrows, Space, Enter, no shortcut; focus stays seen."""

import base64

import pytest
from playwright.sync_api import expect

from annotate.models import Rating, Session
from tests.rater_screens import films

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# What has the focus: its name and value, and whether an outline of it or around it can be seen.
FOCUS = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const box = one.getBoundingClientRect();
  const seen = [one, one.closest("label")].filter(Boolean).map(part => getComputedStyle(part))
    .some(style => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  const inside = box.bottom > 0 && box.top < innerHeight;
  const primary = one.classList.contains("primary");
  return {tag: one.tagName, type: one.type, name: one.name, value: one.value, primary, seen,
    inside};
}"""


def focus(page):
    found = page.evaluate(FOCUS)
    assert found and found["seen"] and found["inside"], found
    return found


def tab_to(page, **wanted):
    """Tab until the focus is on what is wanted; each stop on the way can be seen."""
    for _ in range(40):
        page.keyboard.press("Tab")
        found = focus(page)
        if wanted.items() <= found.items():
            return found
    raise AssertionError(f"the focus never came to {wanted}")


def press(page, key, heading):
    page.keyboard.press(key)
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    page.wait_for_load_state("load")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_session_by_tab_arrows_space_and_enter(new_page, transactional_db, language):
    study = films(language).study
    names = {"en": ("What to do", "Page {} of 3"), "ar": ("المطلوب منك", "الصفحة {} من 3")}
    what_to_do, item = names[language]
    page = new_page()
    page.goto("/join/screens/")
    tab_to(page, name="consent", value="yes")
    press(page, "Space", what_to_do)
    tab_to(page, tag="BUTTON", primary=True)
    press(page, "Enter", item.format(1))
    for position in (1, 2, 3):
        for question in study.questions.all():
            answer(page, question)
        tab_to(page, name="go", value="next")
        if position < 3:
            press(page, "Enter", item.format(position + 1))
    page.keyboard.press("Space")
    expect(page.locator("#code")).to_have_text(study.completion_code)
    assert Session.objects.get().state == "completed"
    assert set(Rating.objects.values_list("value", flat=True)) >= {2.0, 7.0}


def answer(page, question):
    """Space or arrows on radio buttons, typing elsewhere; the save leaves the focus where it is."""
    name, points = f"q{question.pk}", len(question.scale.points)
    tab_to(page, name=name)
    before = Rating.objects.count()
    if 0 < points <= 11:
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    else:
        page.keyboard.type("7")
    with_mark = page.locator(f"#question-{name[1:]} .saved")
    expect(with_mark).to_be_attached()
    assert focus(page)["name"] == name
    assert Rating.objects.count() == before + 1


def test_the_first_stop_leads_past_what_repeats(new_page, transactional_db):
    films("en")
    page = new_page()
    page.goto("/join/screens/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()


# The colours of a picture, left and right in its middle.
ENDS = """async picture => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width: image.width, height: image.height});
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [6, image.width - 6].map(x =>
    context.getImageData(x, image.height / 2, 1, 1).data.join());
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_leave_choices_to_be_seen(new_page, transactional_db, scheme):
    page = new_page(forced_colors="active", color_scheme=scheme)
    page.goto(films("en").session())
    radio = page.get_by_role("radio").first
    before = radio.screenshot()
    radio.check()
    assert radio.screenshot() != before
    picture = page.locator("progress").screenshot()
    filled, rest = page.evaluate(ENDS, base64.b64encode(picture).decode())
    assert filled != rest
    style = "one => getComputedStyle(one).borderTopStyle"
    assert page.locator("button.primary").evaluate(style) == "solid"
