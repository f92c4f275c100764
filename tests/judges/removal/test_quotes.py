"""What judges and reports keep of a rater's answers goes when the rater withdraws or is deleted."""

import json
import struct
import zlib
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.cache import caches
from django.utils import timezone

from analysis.exports.codebook import TABLES
from analysis.reports.registry import REPORTS as REPORT_PAGES
from analysis.serving.compute import _settle
from annotate.design import access
from annotate.models import (
    Coding,
    Erasure,
    Rater,
    Rating,
    Session,
    Study,
)
from annotate.sessions import exclude
from annotate.sessions import session as sessions
from annotate.sessions.session import SentAnswer
from annotate.sessions.withdraw import withdraw
from judges import tasks
from judges.checks import drift
from judges.checks.robustness import plan_test
from judges.models import Call, Computation, Judge, Judgment, Material, Run
from judges.removal import quotes
from judges.runs import drive, lease, reread
from judges.runs.plan import plan
from judges.studies import retention
from tests import factories
from tests.scripted_server import ScriptedServer, by_schema, chat

pytestmark = pytest.mark.django_db
WORDS = "zq-unique words of somebody"
NUMBER = 731597.25
MARKS = [WORDS.encode(), b"731597", struct.pack("<d", NUMBER), struct.pack(">d", NUMBER)]
State = Judgment.State


def quoting(_number, request):
    """The script of an endpoint whose model says again what it was shown."""
    reply = by_schema(request)
    shown = request["messages"][0]["content"]
    return chat(reply.replace("because", "As in 731597.25" if "731597" in shown else "as usual"))


@pytest.fixture
def report_files(settings):
    """Reports are kept in files, as the product keeps them."""
    backend = {"BACKEND": "analysis.serving.cache.ReportFiles"}
    location = {"LOCATION": str(Path(settings.VAR_DIR) / "reports")}
    settings.CACHES = {**settings.CACHES, "reports": backend | location}
    yield
    caches["reports"].clear()


@pytest.fixture
def rated(owner):
    """A study whose items one rater has rated, with reasons and words at the end."""
    extra = {"exit": ["comments"]}
    study = factories.make_study("films", owner, questions={}, extra=extra)
    factories.make_question(study, "points", "number", why="optional")
    for number in range(4):
        factories.make_item(study, f"item-{number}", content=f"film-{number}")
    rate(study)
    return study


def rate(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    questions = list(study.questions.all())
    for position in range(1, session.places.count() + 1):
        place = access.place_of_session(session.token, position=position)
        given = [SentAnswer(question, NUMBER, "", None, WORDS) for question in questions]
        sessions.save_answers(place, questions, given)
    assert sessions.finish(session) is None
    factories.make_about(session, "comments", text=WORDS)
    Session.objects.filter(pk=session.pk).update(state="completed", ended_at=timezone.now())
    return Session.objects.select_related("rater__study").get(pk=session.pk)


def make_judge(study, url="http://127.0.0.1:9/v1", key="judge"):
    return factories.make_judge(
        study,
        key,
        factories.make_endpoint(url, key=key),
        prompt="explanation.v2",
        shots=Judge.Shots.ONE,
        example_role=Rater.Role.THIRD_PARTY,
        rationale=True,
    )


def judged(study):
    """A finished run whose every prompt shows an answer of the rater as an example."""
    with ScriptedServer(quoting) as server:
        run = plan(make_judge(study, server.url))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run


def hits():
    """Where the rater's words and numbers stand: names of tables, and of files below var."""
    found = {
        model.__name__
        for model in apps.get_models()
        for row in model._base_manager.values_list()
        if any(mark in repr(row).encode() for mark in MARKS[:2])
    }
    for path in Path(settings.VAR_DIR).rglob("*"):
        if path.is_file() and any(mark in content(path) for mark in MARKS):
            found.add(path.suffix)
    return found


def content(path):
    """The bytes of a file; of a kept report those that it was packed of."""
    raw = path.read_bytes()
    start = raw.find(b"\x78\x9c") if path.suffix == ".djcache" else -1
    return raw if start < 0 else raw + zlib.decompress(raw[start:])


REPORTS = ("raters", "agreement", "reasons", "correlation", "disagreements")


def test_no_table_and_no_file_quotes_who_withdrew(rated, client, as_owner, report_files):
    judged(rated)
    for report in REPORTS:
        assert as_owner.get(f"/studies/films/analysis/{report}/", {"draws": 20}).status_code == 200
    assert hits() >= {"Rating", "RatingRevision", "Answer", "Material", "Call", "Judgment"}
    assert ".djcache" in hits()
    token = Session.objects.get().token
    assert client.post(f"/r/{token}/withdraw/").status_code == 303
    tasks.remove_quotes()
    assert hits() == set()
    assert Session.objects.get().state == "withdrawn"
    for report in REPORTS:
        assert as_owner.get(f"/studies/films/analysis/{report}/", {"draws": 20}).status_code == 200
    assert as_owner.get(Run.objects.get().get_absolute_url()).status_code == 200
    assert hits() == set()


def test_nor_of_who_was_deleted(rated, owner):
    judged(rated)
    exclude.forget(Rater.objects.select_related("study").get(), owner)
    tasks.remove_quotes()
    assert hits() == set()


def judge_by_all_ways(study):
    """Runs of a judge, one of which takes over replies, and checks of drift and robustness."""
    with ScriptedServer(quoting) as server:
        first = plan(make_judge(study, server.url))
        drive.work_through(first.pk)
        first.refresh_from_db()
        again = partial(plan, first.judge, reuse=True)
        for begin in (again, partial(drift.plan_check, first), partial(plan_test, first)):
            drive.work_through(begin().pk)
    assert set(Run.objects.values_list("state", flat=True)) == {Run.State.FINISHED}
    assert Run.objects.count() == 4 and Call.objects.exclude(reused_from=None).exists()


def read_everything(client):
    """Every report, the paper with its files, every export, and pages that quote answers."""
    paths = [f"analysis/{name}/?draws=20" for name in REPORT_PAGES]
    paths += ["analysis/", "analysis/answer/", "analysis/headlines/", "raters/", "live/", ""]
    paths += ["analysis/paper/?sections=answer,agreement,correlation"]
    paths += ["analysis/paper/paper.zip?sections=answer,agreement,correlation"]
    paths += [f"export/{table}.csv" for table in TABLES]
    for path in paths:
        answer = client.get(f"/studies/films/{path}")
        assert answer.status_code in (200, 302), path
        b"".join(answer.streaming_content if answer.streaming else [])


def withdraw_by_the_button(client, as_owner):
    assert client.post(f"/r/{Session.objects.get().token}/withdraw/").status_code == 303
    tasks.remove_quotes()


def delete_the_rater(client, as_owner):
    assert (
        as_owner.post(f"/studies/films/raters/{Rater.objects.get().pk}/delete/").status_code == 302
    )
    tasks.remove_quotes()


def delete_the_study(client, as_owner):
    assert as_owner.post("/studies/films/delete/", {"slug": "films"}).status_code == 302
    tasks.delete_study(Study.objects.get().pk)


def reach_the_retention_date(client, as_owner):
    Study.objects.update(extra={"delete_on": "2020-01-01"})
    for study_id in retention.begin_due():
        tasks.delete_study(study_id)


@pytest.mark.parametrize("remove", [withdraw_by_the_button, delete_the_rater])
def test_nothing_of_a_rater_is_left_in_the_database_and_in_files(
    rated, owner, client, as_owner, report_files, remove
):
    Coding.objects.create(rating=Rating.objects.first(), coder=owner, coder_name="owner")
    judge_by_all_ways(rated)
    read_everything(as_owner)
    stands_in = {"Rating", "RatingRevision", "Answer", "Material", "Call", "Judgment"}
    assert hits() >= stands_in | {".djcache"}
    remove(client, as_owner)
    assert hits() == set()
    read_everything(as_owner)
    assert hits() == set()


@pytest.mark.parametrize("remove", [delete_the_study, reach_the_retention_date])
def test_nor_of_a_study_that_is_deleted(rated, client, as_owner, report_files, remove):
    judge_by_all_ways(rated)
    read_everything(as_owner)
    assert ".djcache" in hits()
    remove(client, as_owner)
    assert not Study.objects.exists()
    assert hits() == set()


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_report_that_is_done_after_its_study_was_deleted_is_not_kept(rated, is_gone):
    row = Computation.objects.create(key="k", study=rated, report="raters", n_answers=1)
    caches["reports"].set("kept", 1, version=rated.pk)
    row.delete()
    row.pk = 1
    if is_gone:
        Session.objects.all().delete()
        Study.objects.all().delete()
    _settle(row, "")
    assert caches["reports"].get("kept", version=rated.pk) == (None if is_gone else 1)


def test_values_stay_and_nothing_is_read_again_or_asked_again(rated):
    run = judged(rated)
    withdraw(Session.objects.select_related("rater__study").get())
    quotes.remove_due()
    values = set(run.judgments.values_list("state", "value", "rationale"))
    assert values == {("done", 1.0, "")}
    assert str(reread.reread(run)).startswith("0 judgments")
    assert set(run.judgments.values_list("state", "value", "rationale")) == values
    assert drift.sample(run, 9) == []
    (call,) = {(str(c.messages), c.reply, c.request_hash) for c in Call.objects.all()}
    assert call == ("[]", "", "")
    assert all(c.cost_usd is None or c.cost_usd >= 0 for c in Call.objects.all())


def test_a_run_that_has_begun_asks_no_more_with_the_example(rated):
    run = plan(make_judge(rated))
    withdraw(Session.objects.select_related("rater__study").get())
    quotes.remove_due()
    assert set(run.judgments.values_list("state", "reason")) == {("not_asked", quotes.WITHDRAWN)}
    lease.finish_if_done()
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


def test_a_call_under_way_is_waited_for(rated):
    run = plan(make_judge(rated))
    endpoint = run.judge.endpoint
    (unit,) = lease.lease(run, endpoint, "worker", 1)
    withdraw(Session.objects.select_related("rater__study").get())
    quotes.remove_due()
    assert Material.objects.exclude(example=None).get().item == unit.item
    assert run.judgments.filter(state=State.NOT_ASKED).count() == 3
    assert Erasure.objects.get().removed_at is None
    factories.make_call(run, unit.number, messages=[{"content": "731597"}], reply="731597")
    run.judgments.filter(state=State.LEASED).update(state=State.DONE, value=1, leased_until=None)
    quotes.remove_due()
    assert hits() == set()
    assert Erasure.objects.get().removed_at


def test_others_and_their_studies_keep_theirs(rated, owner):
    run = judged(rated)
    other = rate(rated)
    Material.objects.filter(pk=Material.objects.first().pk).update(rater=other.rater_id)
    caches["reports"].set("kept", 1, version=rated.pk + 1)
    caches["reports"].set("gone", 1, version=rated.pk)
    withdraw(Session.objects.exclude(pk=other.pk).select_related("rater__study").get())
    quotes.remove_due()
    (kept,) = Material.objects.exclude(example=None)
    assert kept.ratings == {"points": NUMBER}
    assert run.calls.exclude(messages=[]).count() == 1
    assert Rating.objects.filter(session=other).count() == 4
    assert caches["reports"].get("kept", version=rated.pk + 1) == 1
    assert caches["reports"].get("gone", version=rated.pk) is None


def test_what_was_stored_a_moment_later_goes_after_an_hour(rated):
    withdraw(Session.objects.select_related("rater__study").get())
    quotes.remove_due()
    erasure = Erasure.objects.get()
    run = Run.objects.create(judge=make_judge(rated))
    item, example = rated.items.all()[:2]
    Material.objects.create(
        run=run, item=item, example=example, rater=erasure.rater, ratings={"points": NUMBER}
    )
    quotes.remove_due()
    assert hits() == {"Material"}
    Erasure.objects.update(asked_at=timezone.now() - quotes.LATEST - timedelta(seconds=1))
    quotes.remove_due()
    assert hits() == set() and not Erasure.objects.exists()


def test_nothing_due_takes_one_query(rated, django_assert_num_queries):
    judged(rated)
    with django_assert_num_queries(1):
        tasks.remove_quotes()


def test_the_removal_of_many_takes_few_queries(rated, django_assert_max_num_queries):
    run = judged(rated)
    withdraw(Session.objects.select_related("rater__study").get())
    with django_assert_max_num_queries(25):
        quotes.remove_due()
    assert json.dumps(list(run.materials.values_list("ratings", flat=True))) == "[{}, {}, {}, {}]"
