"""The database is locked for longer than a request waits: 503, and the same request works later."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, connections
from django.test import RequestFactory

from annotate.api import errors
from annotate.db import busy
from annotate.db.sql import rows
from annotate.models import Rating, RatingRevision, Session
from config import env
from tests import factories
from tests.annotate.design.test_platform_links import EVERY_FRAME, policy
from tests.annotate.raters.test_views import answers, begin, post_item
from tests.api.conftest import program
from tests.processes import ROOT, environment
from tests.web_server import free_port

# On SQLite the transaction holds the lock of all writes, on PostgreSQL those of the rows.
HOLDS = """
import sys, django
django.setup()
from django.db import transaction
from annotate.models import Place, Session, Study
with transaction.atomic():
    for model in (Study, Session, Place):
        list(model.objects.select_for_update())
    print("held", flush=True)
    sys.stdin.readline()
"""
HX = {"HX-Request": "true"}
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(owner):
    study = factories.make_study(owner=owner, items=4, language="zh-hans")
    factories.make_question(study, "words", scale="text", position=9)
    return study


@pytest.fixture
def token(client, study):
    return begin(client, study)


@pytest.fixture
def lock(tmp_path, token):
    """Another process writes, and does not end before release() is called."""
    env = environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    holder = subprocess.Popen([sys.executable, "-c", HOLDS], cwd=ROOT, env=env, **pipes)
    assert holder.stdout.readline() == "held\n"
    short = "SET lock_timeout = 200"
    undo = "SET lock_timeout = 0"
    if connection.vendor == "sqlite":
        short, undo = "PRAGMA busy_timeout = 200", "PRAGMA busy_timeout = 20000"
    with connection.cursor() as cursor:
        cursor.execute(short)
    yield lambda: holder.communicate("go\n", timeout=300)
    if holder.poll() is None:
        holder.communicate("go\n", timeout=300)
    with connection.cursor() as cursor:
        cursor.execute(undo)


def answer_path(study, token):
    place = Session.objects.get(token=token).places.get(position=1)
    question = study.questions.first()
    return f"/r/{token}/answer/{place.item_id}/{question.pk}/", {f"q{question.pk}": "4"}


def test_a_save_behind_a_long_write_is_to_be_sent_again_and_then_kept(client, study, token, lock):
    path, data = answer_path(study, token)
    for _ in range(2):
        response = client.post(path, data, headers=HX)
        assert (response.status_code, response["Retry-After"]) == (503, "3")
        assert response.content == b""
        assert response["Referrer-Policy"] == "no-referrer"
    assert not Rating.objects.exists()
    lock()
    assert "已保存" in client.post(path, data, headers=HX).content.decode()
    assert Rating.objects.get().value == 4 and RatingRevision.objects.count() == 1


def test_a_whole_page_comes_back_with_all_that_was_sent_in_the_raters_language(
    client, study, token, lock
):
    typed = answers(study, "5") | {f"q{study.questions.last().pk}": 'a "b" <i>&amp;'}
    response = post_item(client, token, 1, typed)
    page = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert "请稍候" in page and 'lang="zh-hans"' in page
    assert page.count('value="5"') == 4
    assert 'value="a &quot;b&quot; &lt;i&gt;&amp;amp;"' in page
    assert policy(response, "frame-ancestors") == EVERY_FRAME  # MTurk's raters see it, too
    assert not Rating.objects.exists()
    lock()
    assert post_item(client, token, 1, typed).status_code == 303
    assert Rating.objects.count() == 5
    assert Rating.objects.get(value=None).text == 'a "b" <i>&amp;'


def test_the_consent_of_a_participant_can_be_given_again(client, study, token, lock):
    join = "/join/films/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=v1"
    response = client.post(join, {"consent": "yes"})
    assert response.status_code == 503
    assert '<input type="hidden" name="consent" value="yes">' in response.content.decode()
    assert Session.objects.count() == 1
    lock()
    assert client.post(join, {"consent": "yes"}).status_code == 303
    assert Session.objects.count() == 2


@pytest.fixture
def api(owner):
    return program(owner)


def test_researchers_and_programs_are_told_to_try_again(as_owner, api, study, lock):
    response = as_owner.post("/studies/films/settings/platform/", {"name": "none"})
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert "try it again" in response.content.decode()
    response = api.patch("/api/v1/studies/films/", {"title": "Other"}, format="json")
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert response.json()["error"]["code"] == "busy"
    lock()
    response = api.patch("/api/v1/studies/films/", {"title": "Other"}, format="json")
    assert response.status_code == 200


def test_an_error_that_stays_is_no_busy_database(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "sqlite")
    for error in (OperationalError("no such table: x"), ValueError("locked")):
        assert not busy.is_passing(error)
    with pytest.raises(OperationalError, match="no such table"):
        busy.page(RequestFactory().get("/"), OperationalError("no such table: x"))


def error_of(work):
    """The OperationalError that Django makes of what goes wrong in work()."""
    with pytest.raises(OperationalError) as raised:
        work()
    return raised.value


def run(*statements):
    with connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(sql)


def connect(**changes):
    """A connection like that of the test, but for some settings."""
    other = connection.copy()
    other.settings_dict = other.settings_dict | changes
    try:
        other.ensure_connection()
    finally:
        other.close()


@pytest.mark.postgres
def test_a_statement_that_took_too_long_is_a_fault_not_a_busy_database(
    as_owner, owner, monkeypatch
):
    try:
        error = error_of(lambda: run("SET statement_timeout = 50", "SELECT pg_sleep(5)"))
    finally:
        run("SET statement_timeout = 0")
    assert error.__cause__.sqlstate == "57014" and not busy.is_passing(error)

    def fails(*_args):
        raise error

    monkeypatch.setattr("annotate.recruitment.views.links.of_study", fails)
    factories.make_study("slow", owner=owner)
    with pytest.raises(OperationalError):
        as_owner.get("/studies/slow/raters/links/")


@pytest.mark.postgres
@pytest.mark.parametrize(
    "changes", [{"NAME": "there_is_no_such_database"}, {"USER": "nobody_is_called_so"}]
)
def test_a_database_that_refuses_its_name_is_a_fault(changes):
    error = error_of(lambda: connect(**changes))
    assert "does not exist" in str(error) and not busy.is_passing(error)


@pytest.mark.postgres
def test_a_server_that_is_away_may_come_back():
    assert busy.is_passing(error_of(lambda: connect(PORT=free_port())))


@pytest.mark.postgres
def test_a_connection_that_is_cut_off_may_be_made_again():
    def cut():
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                run(f"SELECT pg_terminate_backend({cursor.fetchone()[0]})")
                cursor.execute("SELECT 1")
        finally:
            other.close()

    error = error_of(cut)
    assert error.__cause__.sqlstate == "57P01" and busy.is_passing(error)


@pytest.mark.postgres
def test_a_connection_cut_off_before_its_cursor_is_closed_is_known_by_the_driver_s_error(study):
    """Django closes a cursor on the server without wrapping what the driver says."""

    def cut():
        try:
            compiler = study.items.values_list("pk").query.get_compiler("default")
            found = compiler.execute_sql(chunked_fetch=True)  # what `iterator` goes through
            next(found)
            other = connection.copy()
            with other.cursor() as cursor:
                pid = connection.connection.info.backend_pid
                cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
            other.close()
            with pytest.raises(connection.Database.OperationalError) as raised:
                found.close()
            return raised.value
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:  # with a connection of its own
        error = thread.submit(cut).result()
    assert not isinstance(error, OperationalError)
    assert busy.is_passing(error) and not busy.is_disk_full(error)
    assert errors.answer(error, {}).status_code == 503


@pytest.mark.postgres
def test_what_the_server_raises_passes_or_not_by_its_code():
    passing = {"55P03", "40P01", "40001", "53100", "53300", "57P03", "08006"}
    staying = {"53200", "57014", "28P01"}

    def passes(code):
        raises = f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{code}'; END $$"
        return busy.is_passing(error_of(lambda: run(raises)))

    assert {code for code in passing | staying if passes(code)} == passing


@pytest.mark.postgres
def test_without_a_code_the_words_of_the_server_decide():
    passing = (
        "FATAL:  the database system is starting up",
        "FATAL:  the database system is shutting down",
        "FATAL:  sorry, too many clients already",
        "server closed the connection unexpectedly",
        "SSL error: unexpected eof while reading",
        "SSL error: decryption failed or bad record mac",
    )
    staying = (
        'FATAL:  password authentication failed for user "x"',
        "fe_sendauth: no password supplied",
        "SSL error: certificate verify failed",
        "SSL error: tlsv1 alert unknown ca",
    )
    for words in passing + staying:
        error = OperationalError(f"connection failed: {words}")
        assert busy.is_passing(error) is (words in passing), words


@pytest.mark.postgres
def test_a_save_checks_its_connection_by_its_first_query(client, study, token, monkeypatch):
    path, data = answer_path(study, token)
    pid = rows("SELECT pg_backend_pid()", [])[0][0]
    real, checks = connections["default"], []
    usable = real.is_usable
    monkeypatch.setattr(real, "health_check_enabled", True)
    monkeypatch.setattr(real, "health_check_done", False)
    monkeypatch.setattr(real, "is_usable", lambda: checks.append(1) or usable())
    assert client.post(path, data, headers=HX).status_code == 200
    assert not checks and real.health_check_done
    real.health_check_done = False  # the next request; the server was restarted meanwhile
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    other.close()
    assert client.post(path, data, headers=HX).status_code == 200
    assert rows("SELECT pg_backend_pid()", [])[0][0] != pid


@pytest.mark.parametrize(("given", "seconds"), [("", 60), ("3", 3)])
def test_how_long_sqlite_waits_is_a_setting(monkeypatch, given, seconds):
    if given:
        monkeypatch.setenv("SQLITE_WAIT_SECONDS", given)
    assert env.database("", "x.sqlite3")["OPTIONS"]["timeout"] == seconds
