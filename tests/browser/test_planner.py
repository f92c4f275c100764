"""The planner in Chromium: drawn, readable on a phone, by keyboard and without JavaScript."""

from math import nan

import pytest
from playwright.sync_api import expect

from annotate.design.access import make_owner
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd
from tests.browser import axe
from tests.browser.test_analysis import shoot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 360)]
ANSWER = "454 items with 2 ratings each decide"


@pytest.fixture
def researcher(transactional_db):
    return factories.make_user("owner")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_page_is_drawn_breaks_no_rule_and_fits(new_page, researcher, scheme, width):
    page = new_page(width, login=researcher, color_scheme=scheme, reduced_motion="reduce")
    new_page.expected.append("400 (Bad Request)")  # what Chromium says of bad input
    for name, query in (("usual", ""), ("never", "?rho=poor"), ("wrong", "?rho=9&power=2")):
        page.goto(f"/plan/{query}")
        if name != "wrong":
            page.locator(".plot .main-svg").first.wait_for()
        shoot(page, f"plan-{name}-{scheme}-{width}")
        assert axe.violations(page) == []
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        # Plotly measures texts in a drawing outside of the page.
        page.evaluate("document.getElementById('js-plotly-tester')?.remove()")
        assert axe.cut(page) == []


def test_a_plan_by_keyboard_alone(new_page, researcher):
    page = new_page(login=researcher)
    page.goto("/plan/")
    expect(page.locator("#answer")).to_contain_text(ANSWER)
    page.get_by_label("The judge rates items").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("good")
    page.keyboard.press("Enter")
    page.wait_for_url("**use=compare_systems**")
    expect(page.locator("#answer")).to_contain_text("items of each of two systems")
    expect(page.get_by_label("How far do two raters of an item agree?")).to_have_value("good")


def test_a_plan_without_javascript(new_page, researcher):
    page = new_page(360, login=researcher, java_script_enabled=False)
    page.goto("/")
    page.get_by_role("link", name="How many ratings do I need?").click()
    page.get_by_label("Items per session").fill("20")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("#answer")).to_contain_text("994 ratings, 50 sessions")
    expect(page.locator("table").first).to_contain_text("353")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_from_not_yet_to_second_ratings_and_back(new_page, researcher, scheme, width):
    study, truth = make_crowd()
    make_owner(study, researcher)
    study.raters_per_item = 1
    study.save()
    study.places.filter(number__gt=1).delete()
    add_judge(study, "J", [3 + value / 2 if n < 20 else nan for n, value in enumerate(truth)])
    page = new_page(width, login=researcher, color_scheme=scheme, reduced_motion="reduce")
    page.goto("/studies/films/raters/")
    expect(page.locator("#outlook")).to_contain_text("With 180 items and 1 rating each no judge")
    page.goto("/studies/films/analysis/verdict/")
    page.locator("#ways-on > summary").click()
    page.locator("#ways-on").get_by_role("link", name="Open places for second ratings").click()
    expect(page.locator("#places")).to_contain_text(
        "180 places cost about 18.00 in your currency, at 9 an hour"
    )
    shoot(page, f"more-ratings-{scheme}-{width}")
    assert axe.violations(page) == []
    assert axe.cut(page) == []
    page.get_by_role("button", name="Open 180 places").click()
    expect(page.get_by_text("180 more places for 180 items.")).to_be_visible()
    assert study.places.count() == 360
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("180 of 180 places were taken away again.")).to_be_visible()
    assert study.places.count() == 180


def test_the_plan_from_a_pilot_is_drawn_and_fits_a_phone(new_page, researcher):
    study, truth = make_crowd()
    make_owner(study, researcher)
    add_judge(study, "J", [3 + value / 2 for value in truth])
    page = new_page(360, login=researcher, color_scheme="dark", reduced_motion="reduce")
    page.goto("/studies/films/analysis/plan/?judges=J")
    page.locator(".plot .main-svg").first.wait_for()
    expect(page.locator("#answer h2")).to_be_visible()
    shoot(page, "plan-from-pilot-dark-360")
    assert axe.violations(page) == []
