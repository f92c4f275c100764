"""The page of counterfactual scores in Chromium: plots are drawn, a phone scrolls down only."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.explained import Explained

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("SCREENSHOTS")


def shoot(page, name):
    """Pictures for people to look at, where SCREENSHOTS names a folder."""
    for scheme in ("dark", "light") if SHOTS else ():
        page.emulate_media(color_scheme=scheme)
        path = Path(SHOTS) / f"counterfactual-{name}-{scheme}.png"
        page.screenshot(path=path, full_page=True)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_tables_and_plots_stand_on_the_page(new_page, transactional_db, width, scheme):
    owner = factories.make_user("owner")
    Explained(owner)
    page = new_page(width=width, login=owner, color_scheme=scheme)
    page.goto("/studies/films/analysis/counterfactual/?draws=50&splits=20")
    expect(page.get_by_text("14 asked, 2 excluded, 12 kept.")).to_be_visible()
    plots = page.locator(".plot .main-svg")
    expect(plots.first).to_be_visible()
    page.evaluate("document.querySelectorAll('details.card').forEach(part => part.open = true)")
    for heading in ("Table 1.", "Table 2.", "Table 3.", "Table 4.", "Exactness"):
        expect(page.locator("h3, summary", has_text=heading).first).to_be_visible()
    shoot(page, f"all-{width}")
    page.get_by_label("Question", exact=True).select_option("satisfaction")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".figure")).to_have_count(2)
    expect(page.locator(".plot .scatterlayer").first).to_be_visible()
    box = "box => box.scrollWidth <= box.clientWidth"
    assert page.locator(".figure .scroll").evaluate_all(f"all => all.every({box})")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shoot(page, f"one-{width}")
