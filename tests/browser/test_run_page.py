"""The page of a run follows what happens by itself: counts, judgments with reasons, failures."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from judges.models import Judgment, Run
from judges.runs.plan import plan
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def settle(run, unit, reply, **fields):
    """What a worker writes once a reply has come back."""
    call = factories.make_call(run, unit, reply=reply)
    fields = {"state": Judgment.State.DONE, "settled_at": timezone.now(), "call": call} | fields
    run.judgments.filter(unit=unit).update(**fields)


def test_judgments_and_failures_arrive_without_a_reload(new_page, owner):
    study = factories.make_study(owner=owner, items=3, questions={"accuracy": "It is so."})
    run = plan(factories.make_judge(study, "careful", factories.make_endpoint()))
    Run.objects.update(started_at=timezone.now())
    page = new_page(width=360, login=owner)
    page.goto(run.get_absolute_url())
    page.evaluate("window.isTheSamePage = true")
    expect(page.locator("#progress")).to_contain_text("Judgments appear here as they are made.")
    settle(run, 0, "I would say four.", state=Judgment.State.UNPARSABLE, reason="no JSON")
    expect(page.locator("#moving")).to_contain_text("1 of 3 judgments")
    failed = page.get_by_role("region", name="Without a value").get_by_role("row", name="no JSON")
    failed.locator("summary").click()
    expect(failed.get_by_text("I would say four.")).to_be_visible()
    settle(run, 1, "{}", value=2, rationale="It names no film.")
    latest = page.get_by_role("region", name="Latest judgments")
    expect(latest).to_contain_text("It names no film.")
    expect(latest.get_by_role("row", name="item-1")).to_contain_text("accuracy: 2")
    expect(failed.get_by_text("I would say four.")).to_be_visible()  # what is open stays open
    settle(run, 2, "{}", value=5, rationale="It names two.")
    Run.objects.update(state=Run.State.FINISHED, ended_at=timezone.now())
    expect(page.locator("#moving .badge")).to_have_text("Finished")
    expect(latest.get_by_role("row").nth(1)).to_contain_text("It names two.")
    expect(page.get_by_role("button", name="Ask the 1 without a value again")).to_be_visible()
    assert page.evaluate("window.isTheSamePage"), "nothing was loaded anew"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
