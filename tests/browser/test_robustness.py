"""Robustness in a browser: prompts side by side, the start, the report, wide and on a phone."""

import pytest
from django.urls import reverse

from judges.models import Run
from judges.runs.plan import plan
from tests import factories
from tests.analysis.reports.bias.test_robustness import rate
from tests.browser.test_analysis import shoot
from tests.browser.test_drift import work
from tests.judges.checks.test_robustness import steady
from tests.scripted_server import ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def fits(page):
    page.set_viewport_size({"width": 360, "height": 780})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert width <= 360, "the page itself never scrolls sideways"


def test_a_judge_is_tested_with_changed_prompts(new_page, owner):
    study = factories.make_study(owner=owner, items=6)
    rate(study)
    with ScriptedServer(steady) as server:
        endpoint = factories.make_endpoint(server.url, timeout_seconds=5)
        past = plan(factories.make_judge(study, "careful", endpoint))
        work(past)
        page = new_page(width=1280, login=owner)
        page.goto(reverse("judge", args=[study.slug, past.judge_id]))
        page.get_by_role("link", name="Test with changed prompts").click()
        page.locator("#test_items").fill("4")
        page.locator("#test_multiply-factor").fill("3")
        page.locator("#show-prompts").click()
        page.locator("#prompts").wait_for()
        assert "3-15," in page.locator("#prompts ins").all_inner_texts()
        assert "1-5," in page.locator("#prompts del").all_inner_texts()
        shoot(page, "robustness-prompts")
        fits(page)
        page.locator("#test_spaces").uncheck()
        page.locator("#start-test").click()
        page.get_by_text("A test of robustness: 4 items").wait_for()
        run = Run.objects.robustness_tests().get()
        relations = run.frozen["robustness"]["relations"]
        assert relations["multiply"] == {"factor": 3} and "spaces" not in relations
        work(run)
    page.reload()
    assert "Ratings multiplied" in page.locator("#robustness").inner_text()
    shoot(page, "robustness-run")
    fits(page)
    page.goto(f"/studies/{study.slug}/analysis/robustness/?draws=50")
    page.locator(".plot .main-svg").first.wait_for()
    assert page.locator("[data-figure]").count() == 2
    shoot(page, "robustness-report")
    fits(page)
