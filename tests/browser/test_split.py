"""The test split in Chromium: made, locked, kept from everybody, unlocked with a reason."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.design import splits
from annotate.models import Study
from tests import factories
from tests.analysis.small import make_rated_study
from tests.browser import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("SCREENSHOTS")
PATH = "/studies/films/analysis/split/"


@pytest.fixture
def owner(transactional_db):
    return factories.make_user("owner")


@pytest.fixture
def rated(owner):
    return make_rated_study(owner, recipients=10, contents=1, systems=1)


def looked_at(page, name):
    """axe-core finds nothing and nothing is too wide; pictures where SCREENSHOTS says so."""
    for scheme in ("light", "dark"):
        for width in (1200, 360):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            if SHOTS:
                path = Path(SHOTS) / f"split-{name}-{scheme}-{width}.png"
                page.screenshot(path=path, full_page=True)
            assert axe.violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1200, "height": 900})


def test_an_owner_makes_locks_and_unlocks_it(new_page, rated, owner):
    page = new_page(login=owner)
    page.goto("/studies/films/analysis/raters/")
    expect(page.get_by_label("Part of the test split")).to_have_count(0)
    page.goto(PATH)
    looked_at(page, "none")
    page.get_by_label("Share of the recipients").fill("0.4")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Lock the test part").click()
    expect(page.get_by_text("The test part is locked.")).to_be_visible()
    expect(page.get_by_text("ratings and")).to_be_visible()  # that were there already
    looked_at(page, "locked")

    page.goto("/studies/films/analysis/raters/")
    expect(page.get_by_label("Part of the test split")).to_have_value("choose")
    expect(page.get_by_label("Part of the test split").locator("option")).to_have_count(1)
    expect(page.locator(".notice", has_text="locked since")).to_be_visible()
    looked_at(page, "report-locked")
    hidden = next(iter(splits.withheld(Study.objects.get())))
    page.goto(f"/studies/films/items/{hidden}/")
    expect(page.get_by_text("What judges said is withheld")).to_be_visible()
    looked_at(page, "item")
    page.goto("/studies/films/export/")
    expect(page.get_by_text("leave out what judges said")).to_be_visible()

    page.goto(PATH)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Why now").fill("The prompt is final.")
    page.get_by_role("button", name="Unlock the test part").click()
    expect(page.get_by_text("Its numbers say so from now on")).to_be_visible()
    looked_at(page, "unlocked")
    page.goto("/studies/films/analysis/raters/")
    page.get_by_text("Options: ").click()
    page.get_by_label("Part of the test split").select_option("test")
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("#notes summary").click()
    notes = page.locator("#notes").get_by_text("The prompt is final.")
    expect(notes.first).to_be_visible()
    assert "part=test" in page.url
    looked_at(page, "report-test")


def test_an_editor_reads_and_has_no_button(new_page, rated):
    editor = factories.make_user("editor")
    rated.memberships.create(user=editor, role="editor")
    splits.lock(rated, 7, 0.4, "owner")
    page = new_page(login=editor)
    page.goto(PATH)
    expect(page.get_by_text("Only an owner of the study can unlock it.")).to_be_visible()
    expect(page.locator("main form")).to_have_count(0)
    looked_at(page, "editor")
