"""The page of counterfactual scores in Chromium: plots are drawn, a phone scrolls down only."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser.test_analysis import assert_whole, shoot
from tests.explained import Explained

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_tables_and_plots_stand_on_the_page(new_page, transactional_db, width, scheme):
    owner = factories.make_user("owner")
    Explained(owner)
    page = new_page(width=width, login=owner, color_scheme=scheme)
    page.goto("/studies/films/analysis/counterfactual/?draws=50&splits=20")
    expect(page.get_by_text("14 raters asked, 2 excluded, 12 kept.")).to_be_visible()
    plots = page.locator(".plot .main-svg")
    expect(plots.first).to_be_visible()
    page.evaluate("document.querySelectorAll('details.card').forEach(part => part.open = true)")
    for heading in ("Table 1.", "Table 2.", "Table 3.", "Table 4.", "Exactness"):
        expect(page.locator("h3, summary", has_text=heading).first).to_be_visible()
    shoot(page, f"counterfactual-all-{width}")
    page.get_by_label("Question", exact=True).select_option("satisfaction")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".figure")).to_have_count(2)
    expect(page.locator(".plot .scatterlayer").first).to_be_visible()
    assert_whole(page)
    shoot(page, f"counterfactual-one-{width}")
