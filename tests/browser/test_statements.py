"""Statements in Chromium: where they stand, corrected, removed, added, undone; and their list."""

import os
import threading
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import expect

from judges.models import Statement
from tests import factories
from tests.browser import axe
from tests.extracting import SEAMS, SMALL, SOFT, extract, make_item, saying

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("SCREENSHOTS")
REVIEW = (
    "It runs small, so take one size up.\n\nThe seams ripped after one wash; the colour stayed. "
    "It has two pockets. Lovely! 口袋很深。"
)
SAID = [
    SMALL,
    SEAMS,
    ["colour stays", "care", "positive"],
    ["has two pockets", "functionality", "neutral"],
    ["pockets are deep", "functionality", "positive"],
    ["is lovely", "mood", "positive"],
    SMALL,
]


def read(study):
    """In a thread: Playwright's event loop runs in this one."""

    def through():
        extract(study, saying({"runs small": SAID, "fabric": [SOFT]}))
        connection.close()

    thread = threading.Thread(target=through)
    thread.start()
    thread.join(60)


def looked_at(page, name):
    """axe-core finds nothing and nothing is too wide; pictures where SCREENSHOTS says so."""
    for scheme in ("light", "dark"):
        for width in (1200, 360):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            if SHOTS:
                path = Path(SHOTS) / f"statements-{name}-{scheme}-{width}.png"
                page.screenshot(path=path, full_page=True)
            assert axe.violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1200, "height": 900})


@pytest.fixture
def study(transactional_db):
    study = factories.make_study("clothes", factories.make_user("owner"))
    make_item(study, "shirt", text="Because the fabric is soft.", review=REVIEW, system="s1")
    make_item(study, "coat", text="Great!", review="", system="s2")
    read(study)
    return study


def test_statements_are_read_corrected_removed_added_and_undone(new_page, study):
    owner = study.memberships.get().user
    page = new_page(login=owner)
    page.goto(f"/studies/{study.slug}/statements/")
    expect(page.get_by_text("Reference not read of 1 item")).to_be_visible()
    looked_at(page, "list")
    page.get_by_label("Topic", exact=True).select_option("functionality")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("2 statements.")).to_be_visible()
    page.get_by_role("link", name="shirt").first.click()
    expect(page.locator(".read-text mark").first).to_contain_text("runs small")
    expect(page.locator("#dropped")).to_contain_text("topic outside the list")

    page.get_by_role("link", name="Correct statement 1").click()
    page.locator("ol.said").get_by_label("Sentiment").select_option("neutral")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Extracted as: runs small (fit, negative)")).to_be_visible()
    page.get_by_role("button", name="Remove statement 2").click()
    expect(page.locator("del")).to_have_text(SEAMS[0])
    page.get_by_text("Add a statement").click()
    page.locator("#add").get_by_label("Statement").fill("take one size up")
    page.locator("#add").get_by_label("Topic").select_option("fit")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".read-text")).to_contain_text("A1")
    looked_at(page, "changed")
    page.get_by_role("button", name="Undo the change of statement 2").click()
    expect(page.locator("del")).to_have_count(0)
    states = Statement.objects.filter(side="reference").order_by("number")
    assert [(one.label, one.feels, one.is_removed) for one in states] == [
        ("1", "neutral", False),
        ("2", "negative", False),
        ("3", "positive", False),
        ("4", "neutral", False),
        ("5", "positive", False),
        ("A1", "positive", False),
    ]


def test_it_all_works_without_a_script(new_page, study):
    page = new_page(login=study.memberships.get().user, java_script_enabled=False)
    item = study.items.get(key="shirt")
    page.goto(f"/studies/{study.slug}/items/{item.pk}/statements/generated/")
    page.get_by_role("link", name="Correct statement 1").click()
    page.locator("ol.said").get_by_label("Statement").fill("fabric feels soft")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Extracted as: fabric is soft")).to_be_visible()
    page.get_by_role("button", name="Remove statement 1").click()
    expect(page.locator("del")).to_have_text("fabric feels soft")
    page.get_by_role("button", name="Undo the change of statement 1").click()
    expect(page.locator("del")).to_have_count(0)
