"""The page of factual consistency in Chromium: plots are drawn, a phone scrolls down only."""

import pytest
from playwright.sync_api import expect

from annotate.models import Item
from judges.models import Judge
from tests import factories, factual
from tests.browser import axe
from tests.browser.test_analysis import assert_whole, shoot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def judged_study():
    study = factual.make_study(factories.make_user("owner"))
    for name, kind, question, values in (
        ("LLM", Judge.Kind.IMPORTED, factual.SUPPORTED, [1, 0, 1]),
        ("BLEU-1", Judge.Kind.BLEU_1, "overall", [60.0, 35.0, 20.0]),
    ):
        judge = factories.make_judge(study, name, kind=kind)
        asked = study.questions.get(key=question)
        items = Item.objects.filter(study=study, kind=asked.applies_to[0]).order_by("pk")
        said = {(item, asked): values[at % 3] for at, item in enumerate(items)}
        factories.make_judgments(judge, said)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_tables_and_plots_stand_on_the_page(new_page, transactional_db, width, scheme):
    judged_study()
    page = new_page(
        width=width, login=factories.get_user_model().objects.get(), color_scheme=scheme
    )
    page.goto("/studies/facts/analysis/factuality/?draws=50")
    plots = page.locator(".plot .main-svg")
    expect(plots.first).to_be_visible()
    expect(page.locator(".figure")).to_have_count(2)
    page.evaluate("document.querySelectorAll('details.card').forEach(part => part.open = true)")
    for heading in (
        "Table II.",
        "Table III.",
        "Table VI.",
        "Differences between",
        "Made up:",
        "Left out:",
    ):
        expect(page.locator("h3, summary", has_text=heading).first).to_be_visible()
    expect(page.locator("th", has_text="toys: St2Exp-P").first).to_be_visible()
    expect(page.locator("h3, summary", has_text="By LLM.").first).to_be_visible()
    assert_whole(page)
    shoot(page, f"factuality-all-{width}")
    page.get_by_label("Table", exact=True).select_option("failure")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("h3, summary", has_text="Table III.")).to_have_count(0)
    expect(page.locator("h3, summary", has_text="Made up:").first).to_be_visible()


@pytest.mark.parametrize("width", [1200, 360])
def test_folded_tables_are_opened_by_keyboard(new_page, transactional_db, width):
    judged_study()
    page = new_page(width=width, login=factories.get_user_model().objects.get())
    page.goto("/studies/facts/analysis/factuality/?draws=50")
    summary = page.locator("summary", has_text="Table VI.").first
    table = page.locator("details", has=summary).locator("table")
    expect(table).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    expect(table).to_be_visible()
    assert_whole(page)
    assert axe.violations(page) == []
