"""A study is deleted at any moment: marked at once, its runs stopped, its rows deleted later."""

import os
import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotate.models import Deletion, Item, Rating, Session, Study
from annotate.sessions import session as sessions
from annotate.studies import delete as marking
from annotate.studies.forms_study import StudyForm
from judges import tasks
from judges.models import Heartbeat, Judgment, Run
from judges.runs import lease
from judges.runs.plan import PlanError, plan
from judges.runs.resume import resume
from judges.studies import delete as deleting
from judges.uploads import uploads
from tests import deletions, factories, processes
from tests.annotate.studies.test_views import SETTINGS
from tests.api.conftest import program
from tests.scripted_server import ScriptedServer, by_schema, chat
from tests.web_server import WebServer

GOING = "being deleted"


@pytest.fixture
def run(study):
    endpoint = factories.make_endpoint(concurrency=4, timeout_seconds=5)
    return plan(factories.make_judge(study, "judge", endpoint))


@pytest.fixture
def at_work(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return session


def press(as_owner, slug="films"):
    return as_owner.post(f"/studies/{slug}/delete/", {"slug": slug})


@pytest.mark.django_db
def test_pages_are_gone_at_once_and_the_list_says_how_far_it_is(as_owner, owner, study):
    assert press(as_owner).status_code == 302
    page = as_owner.get("/")
    text = page.content.decode()
    assert "Films" in text and "Being deleted" in text and "Waits for a worker" in text
    assert "No worker is running" in text
    for path in ("", "raters/", "judges/", "settings/", "delete/", "export/scores.csv"):
        answer = as_owner.get(f"/studies/films/{path}")
        assert answer.status_code == 404 and GOING in answer.content.decode(), path
    assert program(owner).get("/api/v1/studies/films/").status_code == 404
    assert program(owner).get("/api/v1/studies/").json()["results"] == []
    Heartbeat.objects.create(worker="w", at=timezone.now())
    Deletion.objects.update(rows=4000, deleted=1000)
    text = as_owner.get("/studies/being-deleted/").content.decode()
    assert "1,000 of 4,000 rows deleted" in text and "No worker" not in text
    assert 'hx-trigger="every 2s"' in text


@pytest.mark.django_db
def test_a_second_press_changes_nothing(as_owner, study):
    press(as_owner)
    first = Deletion.objects.get()
    assert press(as_owner).status_code == 404
    marking.begin(study)
    assert Deletion.objects.get().asked_at == first.asked_at
    assert deleting.delete_study(study.pk) and not deleting.delete_study(study.pk)
    assert not Study.objects.exists() and not Deletion.objects.exists()


@pytest.mark.django_db
def test_a_rater_finds_nothing_and_saves_nothing_more(as_owner, study, at_work, client):
    press(as_owner)
    rater = f"/r/{at_work.token}/"
    question, item = study.questions.first(), at_work.places.get(position=1).item
    for path in (rater, f"{rater}item/1/", "/join/films/"):
        assert client.get(path).status_code == 404, path
    answers = [
        client.post(f"{rater}answer/{item.pk}/{question.pk}/", {f"q{question.pk}": "3"}),
        client.post(f"{rater}item/1/", {"item": item.pk, f"q{question.pk}": "3", "go": "next"}),
        client.post("/join/films/", {"consent": "yes"}),
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert "This address leads nowhere" in answers[1].content.decode()
    assert not Rating.objects.exists() and Session.objects.count() == 1


@pytest.mark.django_db
def test_everything_goes_and_nothing_of_another_study(as_owner, owner, study, at_work, run):
    other = factories.make_study("other", owner=owner, items=2)
    before = deletions.count_rows()
    mine = factories.make_study("full", owner=owner, items=3)
    whole, part = mine.items.all()[:2]
    Item.objects.filter(pk=whole.pk).update(parent=part)  # the child's row is the older one
    judge = factories.make_judge(mine, "old")
    question = mine.questions.first()
    factories.make_judgments(judge, {(part, question): 3})
    old = Run.objects.get(judge=judge)
    call = factories.make_call(old, request_hash="a")
    factories.make_call(old, reused_from=call)
    Run.objects.create(judge=judge, checked=old, state=Run.State.FINISHED)
    factories.make_rating(factories.make_session(mine), part, question, 2)
    plan(factories.make_judge(mine, "new", run.judge.endpoint))
    assert deletions.count_rows() != before
    press(as_owner, "full")
    assert deleting.delete_study(mine.pk)
    assert deletions.count_rows() == before
    assert other.items.count() == 2


@pytest.mark.django_db
def test_calls_under_way_are_waited_for_and_no_run_begins_again(as_owner, study, run, monkeypatch):
    monkeypatch.setattr(deleting, "PATIENCE", 0)
    monkeypatch.setattr(deleting, "LOOK_SECONDS", 0)
    held = lease.lease(run, run.judge.endpoint, "worker", 2)
    press(as_owner)
    assert not deleting.delete_study(study.pk)
    assert Run.objects.get().state == Run.State.CANCELLED
    assert "Waits for 2 calls under way" in as_owner.get("/").content.decode()
    assert Judgment.objects.count() == 16, "nothing is deleted before they end"
    run.refresh_from_db()
    with pytest.raises(PlanError, match=GOING):
        resume(run)
    with pytest.raises(CommandError, match="There is no study"):
        call_command("run_judge", "films", "judge", stdout=StringIO())
    lease.give_back(run, "worker", [unit.number for unit in held])
    assert deleting.delete_study(study.pk) and not Study.objects.exists()


@pytest.mark.django_db
def test_a_worker_that_was_killed_is_followed_by_another_when_its_time_is_over(study):
    marking.begin(study)
    later = timezone.now() + timedelta(seconds=20)
    Deletion.objects.update(due_at=later, rows=100, deleted=40)
    assert not deleting.delete_study(study.pk) and deleting.waiting_studies() == []
    Deletion.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert deleting.waiting_studies() == [study.pk]
    assert deleting.delete_study(study.pk) and not Study.objects.exists()


@pytest.mark.django_db
def test_a_worker_whose_study_another_worker_deleted_finds_it_gone(study, monkeypatch):
    end_sessions, calls = marking.end_sessions, []

    def beside_another(study_id):
        end_sessions(study_id)
        calls.append(study_id)
        if len(calls) == 1:  # this worker was silent for too long, so another takes over
            Deletion.objects.update(due_at=timezone.now() - timedelta(seconds=1))
            assert deleting.delete_study(study_id)

    monkeypatch.setattr(marking, "end_sessions", beside_another)
    marking.begin(study)
    assert deleting.delete_study(study.pk) and len(calls) == 2


def deadlock(*_):
    """What the databases raise of locks that are waited for in vain."""
    cause = type("DeadlockDetected", (Exception,), {"sqlstate": "40P01"})()
    raise OperationalError("database is locked") from cause


@pytest.mark.django_db
def test_after_a_deadlock_the_deletion_goes_on(study, monkeypatch, caplog):
    delete_some, answers = marking.delete_some, [deadlock]

    def meet_a_deadlock_first(*args):
        delete = answers.pop() if answers else delete_some
        return delete(*args)

    monkeypatch.setattr(marking, "delete_some", meet_a_deadlock_first)
    marking.begin(study)
    assert deleting.delete_study(study.pk)
    assert "its deletion goes on" in caplog.text


@pytest.mark.django_db
def test_after_deadlocks_only_the_sweep_comes_back(study, monkeypatch):
    monkeypatch.setattr(deleting, "PATIENCE", 0)
    monkeypatch.setattr(deleting, "LOOK_SECONDS", 0)
    monkeypatch.setattr(marking, "delete_some", deadlock)
    marking.begin(study)
    assert not deleting.delete_study(study.pk)
    assert deleting.waiting_studies() == [study.pk]


@pytest.mark.django_db(transaction=True)
def test_a_claim_is_renewed_while_rows_are_counted(study, monkeypatch, settings):
    settings.LEASE_MARGIN_SECONDS = 0.6
    count_rows, waiting = marking.count_rows, []

    def count_slowly(study_id):
        for _ in range(8):
            time.sleep(0.2)
            waiting.extend(deleting.waiting_studies())
        return count_rows(study_id)

    monkeypatch.setattr(marking, "count_rows", count_slowly)
    marking.begin(study)
    assert deleting.delete_study(study.pk)
    assert waiting == []


@pytest.mark.django_db
def test_its_address_is_free_once_it_is_gone(as_owner, study):
    press(as_owner)
    given = {"template": "blank", "title": "Films", "slug": "films", "language": "en"}
    page = as_owner.post("/studies/new/template/", given)
    assert page.status_code == 422
    assert "can be used again once it is gone" in page.content.decode()
    assert deleting.delete_study(study.pk)
    assert as_owner.post("/studies/new/template/", given).status_code == 302


@pytest.mark.django_db
def test_files_are_not_loaded_into_it_and_those_that_waited_go(as_owner, owner, study, settings):
    file = SimpleUploadedFile("items.csv", b"item,kind,text\nnew,explanation,Because.\n")
    upload = uploads.receive(owner, {"items": file}, "films")
    folder = uploads.folder_of(upload)
    assert not upload.problems["total"] and folder.exists()
    marking.begin(study)
    upload.state = upload.State.LOADING
    upload.save()
    tasks.load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "failed" and "is being deleted" in str(upload.problems)
    assert study.items.count() == 4
    assert deleting.delete_study(study.pk)
    assert not folder.exists() and deletions.count_rows() == {}


@pytest.mark.django_db
def test_a_form_whose_study_goes_meanwhile_is_told_so(as_owner, study, monkeypatch):
    real = StudyForm.is_valid

    def as_it_goes(form):
        marking.begin(study)
        assert deleting.delete_study(study.pk)
        return real(form)

    monkeypatch.setattr(StudyForm, "is_valid", as_it_goes)
    answer = as_owner.post("/studies/films/settings/", SETTINGS)
    assert answer.status_code == 404 and GOING in answer.content.decode()


@pytest.mark.django_db
def test_a_fault_of_a_study_that_is_there_stays_a_fault(as_owner, study, monkeypatch):
    def broken(_form):
        raise ValueError("broken")

    monkeypatch.setattr(StudyForm, "is_valid", broken)
    with pytest.raises(ValueError, match="broken"):
        as_owner.post("/studies/films/settings/", SETTINGS)
    marking.begin(factories.make_study("other"))
    with pytest.raises(ValueError, match="broken"):
        as_owner.post("/studies/films/settings/", SETTINGS)


@pytest.mark.django_db
def test_operators_ask_for_it_on_the_admin_pages(study):
    client = Client()
    root = factories.make_user("root", is_staff=True, is_superuser=True)
    client.force_login(root, backend="django.contrib.auth.backends.ModelBackend")
    alone, many = f"/admin/annotate/study/{study.pk}/delete/", "/admin/annotate/study/"
    selected = {"action": "delete_selected", "_selected_action": [study.pk]}
    for path, data in ((alone, {}), (many, selected)):
        Deletion.objects.all().delete()
        text = client.post(path, data | {"post": "yes"}, follow=True).content.decode()
        assert "A worker deletes films; until then it is listed here." in text
        assert "uccessfully" not in text
        assert Study.objects.exists() and Deletion.objects.get().study == study


# With real processes


def slow(_number, request):
    return chat(by_schema(request), delay=0.05)


@pytest.fixture
def extra(tmp_path):
    return {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}


ROUNDS = int(os.environ.get("DELETIONS", "2"))


@pytest.mark.django_db(transaction=True)
def test_studies_go_while_a_worker_judges_and_raters_save(tmp_path, owner, extra, settings):
    """DELETIONS=20 does as many; every round is a study, its raters, its run and one press."""
    connection.close()
    rounds = []
    with (
        ScriptedServer(slow) as server,
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra) as worker,
        WebServer(tmp_path, SECRET_KEY=settings.SECRET_KEY, **extra) as web,
    ):
        endpoint = factories.make_endpoint(server.url, concurrency=8, timeout_seconds=2)
        for number in range(ROUNDS):
            slug = f"study-{number}"
            heard = deletions.delete_while_all_work(web.port, owner, endpoint, slug)
            rounds.append(heard)
            print(slug, dict(heard.statuses), heard.saves, f"{heard.seconds:.1f} s")
        log = worker.output() + web.output()
    assert [heard.faults for heard in rounds] == [{}] * ROUNDS
    assert "deadlock" not in log and "Traceback" not in log, log
    left = deletions.count_rows()
    assert left.keys() <= {"Clock", "Endpoint", "Heartbeat", "Window"}, left


@pytest.mark.django_db(transaction=True)
def test_a_deletion_goes_on_after_its_worker_was_killed(tmp_path, owner, extra):
    study = factories.make_study("long", owner=owner)
    factories.make_items(study, 60_000)
    marking.begin(study)

    def is_under_way():
        return Deletion.objects.filter(deleted__gte=5_000, deleted__lt=50_000).exists()

    with processes.beat(tmp_path, **extra):
        worker = processes.start_worker(tmp_path, **extra)
        try:
            processes.wait_for(is_under_way, "a part of the deletion")
        finally:
            worker.kill()
        assert study.items.exists() and Deletion.objects.get().deleted >= 5_000
        with processes.worker(tmp_path, **extra):
            processes.wait_for(lambda: deletions.is_gone(study), "the end of the study")
    assert deletions.count_rows().keys() <= {"Clock", "Heartbeat"}
    marking.begin(study)  # a press that came too late
    assert not Deletion.objects.exists()
