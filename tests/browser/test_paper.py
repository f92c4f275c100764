"""The paper builder in Chromium: chosen, built, downloaded, and printed without a network."""

import re

import pytest
from django.core.cache import caches
from playwright.sync_api import expect

from tests.analysis.small import make_rated_study
from tests.browser import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_PAGES = 10


@pytest.fixture
def rated(owner):
    caches["reports"].clear()
    return make_rated_study(owner)


def test_a_paper_is_chosen_built_downloaded_and_printed(new_page, chromium, rated, owner, tmp_path):
    page = new_page(login=owner)
    page.goto("/studies/films/analysis/")
    page.locator("#more").get_by_role("link", name="Paper", exact=True).click()
    page.get_by_label("Correlation").check()
    page.get_by_label("Intervals beside the numbers").check()
    page.get_by_role("button", name="Build").click()
    expect(page).to_have_url(re.compile("correlation.*#built"))
    built = page.locator("#built")
    expect(built.get_by_role("heading", name="Correlation")).to_be_visible()
    expect(built.locator("figure svg")).to_be_visible()
    with page.expect_download() as download:
        built.get_by_role("link", name="Download as HTML").click()
    download.value.save_as(tmp_path / "paper.html")
    context = chromium.new_context(offline=True)
    alone, asked = context.new_page(), []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "paper.html").as_uri())
    assert [url for url in asked if not url.startswith("file:")] == []
    pages = re.findall(rb"/Type\s*/Page\b", alone.pdf(format="A4"))
    assert 1 <= len(pages) <= MOST_PAGES
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_preview_fits_and_breaks_no_wcag(new_page, rated, owner, width, scheme):
    page = new_page(width=width, login=owner, color_scheme=scheme)
    page.goto("/studies/films/analysis/paper/?sections=answer,leaderboard,correlation,figure")
    page.locator("#built figure").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe.violations(page) == []
