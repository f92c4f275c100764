"""Real workers and a real web server: one worker is killed in the middle of a computation."""

import json
import os
import urllib.request
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from judges.models import Computation, Heartbeat
from tests import processes
from tests.analysis.small import build, make_rated_study
from tests.held_computation import HELD
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db(transaction=True)
State = Computation.State
PATH = "/studies/films/analysis/roc/?draws=20"
PATIENCE = 300  # seconds; a silent worker's claim ends after 20


def logged_in(user):
    """The cookie of a session of this user."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def get(web, path, cookie):
    request = urllib.request.Request(
        f"http://127.0.0.1:{web.port}{path}", headers={"Cookie": cookie}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return response.headers, response.read().decode()


def alive(name):
    return Heartbeat.objects.alive().filter(worker__contains=name).exists


def test_another_worker_takes_up_what_a_killed_one_was_computing(tmp_path, owner):
    study, cookie = make_rated_study(owner), logged_in(owner)
    extra = {
        "CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}",
        "REPORT_IN_PAGE": "0",
        "SECRET_KEY": settings.SECRET_KEY,
    }
    with WebServer(tmp_path, **extra) as web:
        held = processes.start_worker(
            tmp_path, name="held@test", app="tests.held_computation", **extra
        )
        try:
            processes.wait_for(alive("held@test"), "the first worker")
            assert "The numbers come by themselves." in get(web, PATH, cookie)[1]
            processes.wait_for((tmp_path / HELD).exists, "the middle of the computation")
        finally:
            held.kill()
        row = Computation.objects.get()
        assert (row.state, row.finished_at) == (State.COMPUTING, None)
        with processes.worker(tmp_path, name="other@test", **extra):
            processes.wait_for(alive("other@test"), "the second worker")
            poll = f"/studies/films/analysis/computing/{row.key}/"
            processes.wait_for(lambda: get(web, poll, cookie)[0]["HX-Refresh"], "the result")
        page = get(web, PATH, cookie)[1]
        rows = json.loads(get(web, PATH.replace("?", "rows.json?"), cookie)[1])["rows"]
    row = Computation.objects.get()
    assert (row.state, row.reason) == (State.DONE, "")
    assert len(list((tmp_path / "reports").glob("*.djcache"))) == 2, "the choices and the report"
    assert "UTC from the data of" in page
    expected = build(study, "roc", draws=20).as_dict()["rows"]
    assert rows and rows == [row for row in expected if row["question"] == rows[0]["question"]]
