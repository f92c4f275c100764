"""Analysis pages in Chromium: figures are drawn, nothing is blocked, phones do not scroll aside."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.analysis.small import make_rated_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = [
    "",
    "correlation/",
    "agreement/",
    "roc/",
    "confusion/",
    "selection/",
    "substitution/",
    "prediction_powered/",
    "compare/",
    "differences/",
    "precision_recall/",
    "calibration/",
    "thresholds/",
]
SHOTS = os.environ.get("SCREENSHOTS")


@pytest.fixture
def researcher(transactional_db):
    return factories.make_user("owner")


@pytest.fixture
def rated(researcher):
    # so many that raters are tested and recipients' means have an interval
    return make_rated_study(researcher, recipients=16, contents=1, systems=2)


def shoot(page, name):
    """A picture for people to look at, where SCREENSHOTS names a folder."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def assert_whole(page):
    """Neither the page nor a figure on it scrolls aside."""
    box = "box => box.scrollWidth <= box.clientWidth"
    assert page.locator(".figure .scroll").evaluate_all(f"all => all.every({box})"), page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_each_report_draws_its_figure_whole(new_page, rated, researcher, width, scheme):
    page = new_page(width=width, login=researcher, color_scheme=scheme)
    for path in PAGES:
        page.goto(f"/studies/films/analysis/{path}")
        if not path:
            page.get_by_text("What people answered").click()
        expect(page.locator(".plot .main-svg").first).to_be_visible()
        shoot(page, f"{path.strip('/') or 'index'}-{scheme}")
        assert_whole(page)
        right = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
        assert page.locator(".plot text").evaluate_all(right) <= width - 10, path
    page.goto("/studies/films/export/")
    assert_whole(page)


def test_figures_are_drawn_in_the_colours_of_the_scheme(new_page, rated, researcher):
    page = new_page(login=researcher, color_scheme="light")
    page.goto("/studies/films/analysis/correlation/")
    label = page.locator(".plot .ytick text").first
    expect(label).to_have_css("fill", "rgb(29, 31, 35)")
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".plot .ytick text").first).to_have_css("fill", "rgb(233, 232, 228)")


def test_a_judge_s_dot_opens_the_items_on_which_it_differs(new_page, rated, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/analysis/verdict/?draws=50")
    dots = page.locator(".plot .points path")
    leads = page.locator(".plot").evaluate("plot => plot.data.at(-1).customdata")
    dots.nth(next(k for k, query in enumerate(leads) if query)).hover(force=True)
    expect(page.locator(".plot.leads")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile(r"/analysis/disagreements/\?judges=.+&question=.+"))
    expect(page.get_by_role("heading", name=re.compile("^Furthest apart on "))).to_be_visible()


@pytest.mark.journey
def test_options_stay_in_the_address_and_change_the_numbers(new_page, rated, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/analysis/correlation/?draws=50")
    page.get_by_label("Coefficient").select_option("kendall")
    page.get_by_text("Options: ").click()
    page.get_by_label("Leave out items with").last.fill("system=system-0")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("exclude=system%3Dsystem-0.*coefficient=kendall"))
    page.get_by_text("How this was computed").click()
    expect(page.get_by_text("Left out: 16 items with system=system-0.")).to_be_visible()


def test_the_answer_stands_above_the_options_which_open_by_keyboard(new_page, rated, researcher):
    page = new_page(width=360, height=740, login=researcher)
    page.goto("/studies/films/analysis/verdict/?draws=50")
    answer = page.locator("#answer").bounding_box()
    summary = page.locator("summary", has_text="Options: ")
    assert answer["y"] < summary.bounding_box()["y"]
    field = page.get_by_label("Leave out items with")
    expect(field).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    field.last.focus()
    page.keyboard.type("system=system-0")
    page.keyboard.press("Enter")
    page.wait_for_url("**exclude=system%3Dsystem-0**")
    expect(summary).to_contain_text("leave out items with: system=system-0")
    assert_whole(page)


def test_a_table_of_texts_is_read_row_by_row_on_a_phone(new_page, rated, researcher):
    page = new_page(width=360, height=740, login=researcher)
    page.goto("/studies/films/analysis/verdict/?draws=50")
    table = page.locator("table.stacks").first
    fits = "table => table.scrollWidth <= table.parentElement.clientWidth"
    assert table.evaluate(fits)
    label = "cell => getComputedStyle(cell, '::before').content"
    assert table.locator("td.text").nth(1).evaluate(label) == '"Why"'
    page.set_viewport_size({"width": 1280, "height": 900})
    assert table.locator("td.text").nth(1).evaluate(label) == "none"


def test_a_figure_can_be_saved(new_page, rated, researcher):
    page = new_page(login=researcher)
    page.goto("/studies/films/analysis/roc/?draws=0")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").first.click()
    assert download.value.suggested_filename == "films-roc.svg"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").first.click()
    assert download.value.suggested_filename == "films-roc.png"


def test_tables_stand_without_javascript(new_page, rated, researcher):
    page = new_page(login=researcher, java_script_enabled=False)
    page.goto("/studies/films/analysis/correlation/")
    expect(page.get_by_role("rowheader", name="close", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Save as SVG")).to_have_count(0)
