"""On a phone a judge is made by its purpose, duplicated with one change, deleted and back."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judges.models import Judge
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth") <= 360


def test_from_the_purpose_to_a_duplicate_and_back_from_its_deletion(new_page, owner):
    study = factories.make_study(owner=owner, items=3)
    factories.make_endpoint()
    page = new_page(width=360, height=780, login=owner)
    page.goto(reverse("judges", args=[study.slug]))
    page.get_by_role("link", name="New judge").click()
    page.get_by_text("more purposes need data").click()
    expect(page.get_by_text("needs recipients’ interactions.")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="Rate items on the study’s questions").click()
    expect(page.get_by_label("Temperature")).to_be_hidden()
    page.get_by_label("Name", exact=True).fill("reader")
    page.get_by_label("Endpoint").select_option(index=1)
    page.get_by_text("More settings").click()
    page.get_by_label("Temperature").fill("0.5")
    assert fits(page)
    page.get_by_role("button", name="Make the judge").click()
    page.get_by_role("heading", name="reader", exact=True).wait_for()
    assert fits(page)
    page.get_by_role("link", name="Duplicate").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("reader-2")
    page.get_by_text("More settings").click()
    page.get_by_label("Most tokens of a reply").fill("512")
    page.get_by_role("button", name="Make the judge").click()
    expect(page.locator("#likeness")).to_have_text(
        "As reader, but most tokens of a reply 512 (there 400)."
    )
    assert Judge.objects.get(key="reader-2").settings.temperature == 0.5
    page.get_by_role("link", name="Delete…").click()
    page.get_by_label("Why is it deleted?").fill("a try")
    assert fits(page)
    page.get_by_role("button", name="Delete the judge").click()
    page.get_by_role("button", name="Undo the deletion of reader-2").click()
    page.get_by_role("heading", name="reader-2", exact=True).wait_for()
    assert Judge.objects.count() == 2 and fits(page)
