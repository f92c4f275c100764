"""Every page that raters see, for everybody: axe-core, small screens, zoom, touch, motion."""

import pytest
from django.db import OperationalError

from annotate.models import Study
from annotate.sessions import session
from tests.browser import axe
from tests.browser.test_analysis import shoot
from tests.rater_screens import SCREENS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
POST = """([path, data]) => {
  const form = Object.assign(document.createElement("form"), {method: "post", action: path});
  for (const [name, value] of Object.entries(data))
    form.append(Object.assign(document.createElement("textarea"), {name, value}));
  document.body.append(form);
  form.submit();
}"""


def show(page, made):
    """The page of a Visit."""
    page.goto(made.path)
    if made.data is not None:
        with page.expect_navigation():
            page.evaluate(POST, [made.path, made.data])


def each(page, new_page, language):
    """Shows one screen after the other; the browser's note of a 404 or 422 is no fault."""
    for name, make in SCREENS.items():
        made = make(language)
        show(page, made)
        yield name
        if made.status != 200:
            status = f"status of {made.status}"
            new_page.faults[:] = [fault for fault in new_page.faults if status not in fault]
        Study.objects.all().delete()


# Colours are those of one language in each; the others add the two that are missing.
LOOKS = {
    "en": (("light", 1280), ("dark", 360)),
    "zh-hans": (("dark", 1280),),
    "ar": (("light", 360),),
}


def look(page, found, name, language):
    """Notes what is wrong with the page that is shown: in its looks, at four widths, in motion."""
    for scheme, width in LOOKS[language]:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found[name, scheme, width] = axe.violations(page) + axe.small(page)
        shoot(page, f"{name}-{language}-{scheme}-{width}")
    # 640 px are 1280 at 200 %, 320 px at 400 %: where WCAG asks for no scrolling sideways.
    for width in (1280, 640, 360, 320):
        page.set_viewport_size({"width": width, "height": 640})
        found[name, width] = axe.cut(page)
    found[name, "moves"] = axe.moving(page)


@pytest.mark.parametrize("language", LOOKS)
def test_every_page_is_for_everybody(new_page, language):
    # Without transitions: a colour on its way from light to dark has no contrast of its own.
    page, found = new_page(reduced_motion="reduce", device_scale_factor=2), {}
    for name in each(page, new_page, language):
        look(page, found, name, language)
    assert axe.report(found) == ""


TROUBLE = {
    "busy": (OperationalError("database is locked"), 503),
    "fault": (ZeroDivisionError("on purpose"), 500),
}


@pytest.mark.parametrize("language", LOOKS)
@pytest.mark.parametrize("name", TROUBLE)
def test_pages_of_trouble_are_for_everybody(new_page, monkeypatch, name, language):
    """A busy database and a fault, both behind the address of a visit and behind a sent form."""
    error, status = TROUBLE[name]
    page, found = new_page(reduced_motion="reduce", device_scale_factor=2), {}
    new_page.expected.append(f"status of {status}")
    path = SCREENS["instructions"](language).path

    def fails(*_, **__):
        raise error

    monkeypatch.setattr(session, "why_closed", fails)
    monkeypatch.setattr(session, "begin", fails)
    page.goto(path)
    look(page, found, name, language)
    assert page.locator("html").get_attribute("lang") == language
    with page.expect_navigation():
        page.evaluate(POST, [f"{path}begin/", {"sent": "once"}])
    look(page, found, f"{name}-sent", language)
    monkeypatch.undo()
    page.set_viewport_size({"width": 360, "height": 640})
    with page.expect_navigation():
        page.locator("main .button.primary, main button.primary").click()
    assert page.locator("main button.primary, main [type=radio]").count()
    assert axe.report(found) == ""


def test_the_look_for_motion_sees_motion(new_page):
    page = new_page(reduced_motion="no-preference")
    show(page, SCREENS["consent"]("en"))
    assert axe.moving(page)
