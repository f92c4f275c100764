"""The page of a large report while a worker is at it, and after its computation failed."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone
from playwright.sync_api import expect

from analysis.serving.compute import compute
from judges.models import Computation, Heartbeat
from tests import factories
from tests.analysis.small import make_rated_study
from tests.browser import axe
from tests.browser.test_analysis import shoot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROC = "/studies/films/analysis/roc/?draws=20"
LONG = "OSError: [Errno 28] No space left on device: '/" + "a-folder-with-a-long-name/" * 12 + "'"


@pytest.fixture
def owner(settings, transactional_db):
    settings.REPORT_IN_PAGE = 0
    caches["reports"].clear()
    owner = factories.make_user("owner")
    make_rated_study(owner)
    Heartbeat.objects.create(worker="worker@test", at=timezone.now() + timedelta(hours=1))
    return owner


def look_over(page, name, scheme, width):
    shoot(page, f"computing-{name}-{scheme}-{width}")
    assert axe.violations(page) + axe.cut(page) + axe.small(page) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 360)])
def test_it_waits_then_fails_and_is_tried_again(owner, new_page, scheme, width):
    page = new_page(login=owner, color_scheme=scheme, width=width, height=800)
    page.goto(ROC)
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    look_over(page, "waiting", scheme, width)
    row = Computation.objects.get()
    now = timezone.now()
    Computation.objects.claim(row.pk, now)
    # As if a worker had begun a while ago; the claim lasts.
    Computation.objects.update(
        started_at=now - timedelta(seconds=42), due_at=now + timedelta(hours=1)
    )
    expect(page.get_by_text("A worker is computing this")).to_be_visible()
    look_over(page, "computing", scheme, width)
    Computation.objects.update(state="failed", reason=LONG, finished_at=now)
    expect(page.get_by_text("The computation failed.")).to_be_visible()
    look_over(page, "failed", scheme, width)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    compute(row.pk)
    expect(page.get_by_text("from the data of")).to_be_visible()
    shoot(page, f"computing-done-{scheme}-{width}")
