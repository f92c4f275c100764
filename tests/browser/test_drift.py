"""A check for drift in a browser: the button, the run, the result, on a wide and a narrow page."""

import threading

import pytest
from django.db import connection
from django.urls import reverse

from judges.models import Run
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.judges.checks.test_drift import says
from tests.scripted_server import ScriptedServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def work(run):
    """The run worked through in a thread: Playwright's event loop runs in this one."""

    def through():
        drive.work_through(run.pk)
        connection.close()

    thread = threading.Thread(target=through)
    thread.start()
    thread.join(60)


def test_a_judge_is_checked_for_drift(new_page, owner):
    study = factories.make_study(owner=owner, items=6)
    with ScriptedServer(says(3)) as server:
        endpoint = factories.make_endpoint(server.url, timeout_seconds=5)
        past = plan(factories.make_judge(study, "careful", endpoint))
        work(past)
        page = new_page(login=owner)
        page.goto(reverse("judge", args=[study.slug, past.judge_id]))
        page.get_by_label("Items", exact=True).fill("4")
        page.locator("#check-drift").click()
        page.get_by_text("asked again with the same settings").wait_for()
        assert "stands here once the check has ended" in page.locator("#drift").inner_text()
        server.script = says(4, fingerprint="fp-2")
        work(Run.objects.checks().get())
    page.reload()
    words = page.locator("#drift").inner_text()
    assert "The fingerprint is another one: fp-1 before, fp-2 now." in words
    assert "0 of 16 answers are the same as before." in words
    assert "higher than before" in words
    page.set_viewport_size({"width": 360, "height": 780})
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360, "the page itself never scrolls sideways"
