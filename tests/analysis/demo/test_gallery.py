"""The gallery on the demo's first page: seven studies, and an answer only where it is kept."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.demo import gallery, preparing, shipped
from analysis.serving.compute import compute
from analysis.serving.source import Source
from analysis.serving.summaries import results_of
from annotate.models import Study
from judges.models import Computation, Heartbeat, Run, Upload
from judges.uploads import uploads
from tests import factories

SLUGS = [exhibit.slug for exhibit in gallery.EXHIBITS]


@pytest.fixture
def user(db):
    return factories.make_user(preparing.USERNAME)


@pytest.fixture
def client(user):
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def studies(user):
    """Each study of the demo, with the one rating and judgment that an answer needs."""
    for slug in SLUGS:
        study = factories.make_study(slug, user, items=1, title=f"Title of {slug}")
        judge = factories.make_judge(study, "j")
        item, question = study.items.get(), study.questions.first()
        session = factories.make_session(study)
        factories.make_rating(session, item, question, 4)
        factories.make_judgments(judge, {(item, question): 4})
    Run.objects.update(state=Run.State.FINISHED)
    return {study.slug: study for study in Study.objects.all()}


def worker():
    Heartbeat.objects.create(worker="w", at=timezone.now())


def cards(client):
    """{title: text of its card} in the order of the page."""
    text = client.get("/").content.decode()
    start = text.find('id="gallery"')
    parts = re.findall(r'<section class="card">(.*?)</section>', text[start:], re.S)
    plain = [" ".join(re.sub(r"<[^>]+>", " ", part).split()) for part in parts]
    return plain if start >= 0 else []


def test_the_demo_opens_with_its_studies_in_order_and_own_ones_below(client, user, studies):
    factories.make_study("mine", user, title="My own study")
    text = client.get("/").content.decode()
    titles = [text.index(f"Title of {slug}") for slug in SLUGS]
    assert titles == sorted(titles)
    assert text.index("Your own studies") < text.index("My own study") > titles[-1]
    assert [text.count(f">Title of {slug}</a>") for slug in SLUGS] == [1] * 7
    labels = ["Real", *["Simulated"] * 3, "Yours", "Simulated", "Labels by its author"]
    for card, label in zip(cards(client), labels, strict=False):
        assert label in card


def test_nobody_else_sees_a_gallery_nor_does_the_user_without_its_studies(client, user, studies):
    stranger, visitor = factories.make_user("ada"), Client()
    factories.make_study("films", stranger)
    visitor.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    for study in studies.values():
        study.memberships.create(user=stranger, role="owner")
    assert 'id="gallery"' not in visitor.get("/").content.decode()
    Study.objects.all().delete()
    factories.make_study("mine", user)
    assert 'id="gallery"' not in client.get("/").content.decode()


def test_nothing_is_computed_on_the_page_and_without_a_worker_nothing_is_asked_for(
    client, studies, monkeypatch
):
    monkeypatch.setattr("analysis.serving.summaries.summarise", pytest.fail)
    shown = cards(client)
    waiting = ["waits for a worker" in card for card in shown]
    assert waiting == [slug != "films-open" for slug in SLUGS]
    assert "No worker is alive" in client.get("/").content.decode()
    assert not Computation.objects.exists()


def test_an_answer_that_failed_is_not_awaited(client, studies, monkeypatch):
    monkeypatch.setattr("analysis.serving.wait.send", lambda task, pk: None)
    worker()
    cards(client)
    Computation.objects.update(state=Computation.State.FAILED)
    assert not any("being computed" in card for card in cards(client))
    assert 'hx-trigger="every' not in client.get("/").content.decode()


def test_a_worker_is_asked_once_and_then_the_answer_stands_there(client, studies, monkeypatch):
    sent = []
    monkeypatch.setattr("analysis.serving.wait.send", lambda task, pk: sent.append(pk))
    worker()
    waiting = [card for card in cards(client) if "The answer is being computed" in card]
    assert len(waiting) == len(SLUGS) - 1 == len(sent), "films-open has no answer"
    cards(client)
    assert len(sent) == len(SLUGS) - 1
    for pk in sent:
        compute(pk)
    answer = results_of(Source(studies["films-demo"])).answer.lead
    shown = cards(client)
    assert answer in shown[1] and not any("being computed" in card for card in shown)
    assert 'hx-trigger="every 2s"' not in client.get("/").content.decode()


def test_judges_at_work_are_waited_for(client, studies):
    worker()
    Run.objects.filter(judge__study__slug="surveys-demo").update(state=Run.State.ACTIVE)
    card = cards(client)[SLUGS.index("surveys-demo")]
    assert "Its judges are at work" in card
    assert not Computation.objects.filter(study__slug="surveys-demo").exists()
    assert 'hx-trigger="every 2s"' in client.get("/").content.decode()


def test_a_load_shows_how_far_it_is_and_what_went_wrong(client, user, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    factories.make_study("films-demo", user)
    load = Upload.objects.create(
        user=user,
        slug="hanna",
        is_new=True,
        state=Upload.State.LOADING,
        counts={"items": {"new": 9}},
    )
    assert "Waiting for a worker to load it" in cards(client)[0]
    uploads.folder_of(load).mkdir(parents=True)
    uploads.Progress(load)("items", 4)
    first = cards(client)[0]
    assert shipped.TITLE in first and "Loading items: 4 of 9 rows." in first
    assert "No worker is alive" in client.get("/").content.decode()
    worker()
    assert "No worker is alive" not in client.get("/").content.decode()
    Upload.objects.update(state=Upload.State.FAILED)
    assert "It was not loaded" in cards(client)[0]


def test_the_number_of_queries_does_not_grow_with_the_items(client, studies):
    worker()
    counts = []
    for turn in range(3):  # each asks for the answer anew, as items are added
        with CaptureQueriesContext(connection) as queries:
            client.get("/")
        counts.append(len(queries))
        for number in range(20):
            factories.make_item(studies["films-demo"], f"more-{turn}-{number}")
    assert counts[1] == counts[2] <= counts[0] < 130


def test_old_workers_do_not_count_as_alive(client, studies):
    Heartbeat.objects.create(worker="w", at=timezone.now() - timedelta(minutes=5))
    cards(client)
    assert not Computation.objects.exists()
