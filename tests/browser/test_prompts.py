"""A study's own prompt in a browser: made, tried on an item, refused, frozen, its next version."""

import pytest
from django.urls import reverse

from judges.models import Judge, StudyPrompt
from judges.runs.plan import plan
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def fits(page):
    page.set_viewport_size({"width": 360, "height": 780})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1200, "height": 900})
    return width <= 360


def test_a_prompt_is_made_tried_and_gets_versions(new_page, owner):
    study = factories.make_study(owner=owner, items=3)
    endpoint = factories.make_endpoint(price_in=1, price_out=2)
    page = new_page(login=owner)
    new_page.expected.append("422")
    page.goto(reverse("judges", args=[study.slug]))
    page.get_by_role("link", name="Prompts").click()
    page.get_by_role("link", name="New prompt").click()
    page.get_by_label("Name").fill("careful")
    text = page.get_by_label("Text")
    shipped = text.input_value()
    text.fill(shipped.replace("$rules", "$rule"))
    page.get_by_role("button", name="Make the prompt").click()
    page.get_by_text("Line 6: found $rule; allowed are $aspects").wait_for()
    page.get_by_text("$rules is missing").wait_for()
    assert fits(page)
    text.fill(shipped + "\nBe careful.")
    page.get_by_role("button", name="Make the prompt").click()
    page.get_by_text("own/careful.v1 was made").wait_for()
    assert "not used by a run yet" in page.locator("main").inner_text()

    text.fill(shipped + "\nBe very careful.")
    page.get_by_label("Item", exact=True).fill("item-2")
    page.get_by_role("button", name="Show what would be sent").click()
    page.get_by_text("This text is not saved.").wait_for()
    sent = page.locator("#preview pre").first.inner_text()
    assert "Be very careful." in sent and "Because you like films (item-2)." in sent
    words = page.locator("#preview").inner_text()
    assert "tokens in" in words and "$" in words and "An estimate" in words
    assert fits(page)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved as own/careful.v1.").wait_for()

    plan(Judge.objects.create(study=study, key="j", endpoint=endpoint, prompt="own/careful.v1"))
    page.reload()
    page.get_by_text("so a save makes version 2").wait_for()
    text.fill(shipped + "\nBe quick.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved as own/careful.v2.").wait_for()
    diff = page.locator("pre", has_text="--- own/careful.v1").inner_text()
    assert "-Be very careful." in diff and "+Be quick." in diff
    assert StudyPrompt.objects.count() == 2
    assert fits(page)
    page.goto(reverse("judge_new", args=[study.slug]) + "?kind=llm")
    page.get_by_label("Prompt").select_option("own/careful.v2")
