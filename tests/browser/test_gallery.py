"""The demo's first page in Chromium: a card says its answer by itself, and leads to its reasons."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from analysis.demo import preparing, shipped
from analysis.serving.compute import compute
from judges.models import Computation, Heartbeat, Upload
from judges.uploads import uploads
from tests import factories
from tests.browser import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def demo(settings, tmp_path, transactional_db, monkeypatch):
    """One study of the demo, a load that is under way, and a worker without work to do."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr("analysis.serving.wait.send", lambda task, pk: None)
    user = factories.make_user(preparing.USERNAME)
    preparing._load(preparing.FOLDER / "helpdesk")
    load = Upload.objects.create(
        user=user,
        slug=shipped.SLUG,
        is_new=True,
        state=Upload.State.LOADING,
        counts={"items": {"new": 1056}},
    )
    uploads.folder_of(load).mkdir(parents=True)
    uploads.Progress(load)("items", 500)
    Heartbeat.objects.create(worker="worker@test", at=timezone.now() + timedelta(hours=1))
    return user


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_an_answer_comes_by_itself_and_leads_to_its_reasons(new_page, demo, scheme, width):
    page = new_page(login=demo, width=width, color_scheme=scheme)
    page.goto("/")
    gallery = page.locator("#gallery")
    expect(gallery.locator(".card").first).to_contain_text("Loading items: 500 of 1,056 rows.")
    card = gallery.locator(".card", has_text="Replies of a shop")
    expect(card).to_contain_text("The answer is being computed.")
    compute(Computation.objects.get().pk)
    expect(card).to_contain_text("No judge may stand in for a rater.")
    assert axe.violations(page) + axe.cut(page) + axe.small(page) == []
    card.get_by_role("link", name="Open the results").click()
    expect(page.locator("#answer h2")).to_have_text("No judge may stand in for a rater.")
    page.get_by_role("link", name="people disagree", exact=True).click()
    expect(page.locator("dt:target")).to_have_text("People disagree (≠)")
    assert axe.violations(page) + axe.cut(page) == []
