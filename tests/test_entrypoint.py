"""docker/entrypoint.sh run as it is, without a container."""

import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psycopg
import pytest

from tests.processes import CEILING

DOCKER = Path(__file__).resolve().parent.parent / "docker"
ENTRYPOINT = ["sh", str(DOCKER / "entrypoint.sh")]
OURS = ("web", "worker", "beat")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def environment(tmp_path):
    """What a container gets, and nothing of the test run's own settings."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CONCORD_PRODUCTION": "1",
        "CONCORD_VAR": str(tmp_path / "var"),
        "SECRET_KEY": secrets.token_urlsafe(60),
        "ALLOWED_HOSTS": "concord.example",
        "SECURE_SSL_REDIRECT": "0",
        "WEB_BIND": f"127.0.0.1:{free_port()}",
        "WEB_WORKERS": "1",
        "WORKER_CONCURRENCY": "1",
        "DATABASE_WAIT": "1",
    }


@pytest.fixture
def start(environment, tmp_path):
    """Starts a role of the entrypoint; its output goes to <role>.log. All are ended at last."""
    started = []

    def start(role):
        with (tmp_path / f"{role}.log").open("wb") as log:
            process = subprocess.Popen([*ENTRYPOINT, role], env=environment, stdout=log, stderr=log)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def run(environment, *arguments):
    return subprocess.run(
        [*ENTRYPOINT, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def answer(environment, path):
    """The status of one page, None where nobody listens."""
    request = urllib.request.Request(
        f"http://{environment['WEB_BIND']}{path}", headers={"Host": "concord.example"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def until(condition, process):
    """True as soon as the condition holds; False when the process ended or the time is over."""
    deadline = time.monotonic() + CEILING
    while time.monotonic() < deadline and process.poll() is None:
        if condition():
            return True
        time.sleep(0.1)
    return False


def stop(process):
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=300)


def test_web_migrates_collects_serves_and_ends_when_asked(environment, start, tmp_path):
    log = tmp_path / "web.log"
    assert "no answer" in run(environment, "healthy", "web").stderr
    web = start("web")
    assert until(lambda: answer(environment, "/healthz"), web), log.read_text()
    assert answer(environment, "/healthz") == 200
    assert answer(environment, "/accounts/login/") == 200
    # The check names a host that is accepted; else it would be refused (400).
    healthy = run(environment, "healthy", "web")
    assert healthy.returncode == 0, healthy.stderr
    assert list((tmp_path / "var" / "static").glob("app.*.css"))
    assert stop(web) == 0
    assert "Applying annotate.0001" in log.read_text()
    assert "/accounts/login/" not in log.read_text()


def test_worker_and_beat_start_on_a_migrated_database_and_end_when_asked(
    environment, start, tmp_path
):
    (tmp_path / "var").mkdir()
    assert run(environment, "manage", "migrate", "--verbosity=0").returncode == 0
    worker, beat = start("worker"), start("beat")
    log = (tmp_path / "worker.log").read_text
    assert until(lambda: run(environment, "healthy", "worker").returncode == 0, worker), log()
    assert until(lambda: run(environment, "healthy", "beat").returncode == 0, beat)
    assert list((tmp_path / "var").glob("celerybeat-schedule*"))
    assert stop(worker) == 0
    assert "no heartbeat" in run(environment, "healthy", "worker").stderr
    assert stop(beat) == 0


@pytest.mark.parametrize("role", ["worker", "beat"])
def test_only_web_migrates_the_others_wait_and_say_so(environment, role):
    refused = run(environment, role)
    assert refused.returncode == 1
    assert f"cannot start {role}: the database still lacks" in refused.stderr
    assert "Start web: only it migrates." in refused.stderr


@pytest.mark.parametrize("role", OURS)
def test_a_database_that_does_not_answer_is_named_without_its_password(environment, role):
    address = f"postgres://someone:hidden-word@127.0.0.1:{free_port()}/concord"
    refused = run(environment | {"DATABASE_URL": address}, role)
    assert refused.returncode == 1
    assert "did not answer within 1 seconds (DATABASE_WAIT)" in refused.stderr
    assert "hidden-word" not in refused.stderr


@pytest.mark.parametrize("role", OURS)
def test_no_process_starts_without_a_secret_key(environment, role):
    refused = run(environment | {"SECRET_KEY": ""}, role)
    assert refused.returncode == 1
    assert f"cannot start {role}: SECRET_KEY must be set" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_wrong_setting_is_named(environment):
    refused = run(environment | {"PROXY_COUNT": "one"}, "web")
    assert "PROXY_COUNT is 'one'; it must be a whole number." in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_var_folder_that_cannot_be_made_is_named(environment, tmp_path):
    (tmp_path / "file").touch()
    refused = run(environment | {"CONCORD_VAR": str(tmp_path / "file" / "var")}, "web")
    assert refused.returncode == 1
    assert f"{tmp_path}/file/var cannot be written to by user {os.getuid()}" in refused.stderr


@pytest.mark.parametrize("arguments", [[], ["serve"]])
def test_an_unknown_process_gets_the_usage(environment, arguments):
    refused = run(environment, *arguments)
    assert refused.returncode == 2
    assert refused.stderr.startswith("usage: entrypoint.sh web")


def test_manage_runs_any_command(environment):
    environment["SECURE_SSL_REDIRECT"] = "1"
    done = run(environment, "manage", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def on_postgres(environment):
    """Gives the processes an empty database of PostgreSQL, which is gone at the end."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    name = f"concord_docker_{secrets.token_hex(4)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        environment["DATABASE_URL"] = f"{server}/{name}"
        yield
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.mark.postgres
def test_two_web_processes_migrate_one_after_the_other(environment, on_postgres):
    """Both start at once on an empty database: one applies everything, the other nothing."""
    prepare = [sys.executable, str(DOCKER / "prepare.py"), "web"]
    both = [
        subprocess.Popen(
            prepare,
            env=environment | {"PYTHONPATH": str(DOCKER.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted("No migrations to apply" in text for text in said) == [False, True]


# As an older version left it: the tables that it had are there, and the names of its migrations.
OLDER = """
CREATE TABLE django_migrations (
    id integer PRIMARY KEY, app varchar(255), name varchar(255), applied timestamp);
INSERT INTO django_migrations VALUES
    (1, 'annotate', '0001_initial', '2026-11-25'), (2, 'judges', '0001_initial', '2026-11-25'),
    (3, 'annotate', '0014_taste', '2026-11-27');
CREATE TABLE annotate_study (id integer PRIMARY KEY, slug varchar(60));
"""
STARTS = [
    *([role] for role in OURS),
    ["manage", "migrate"],
    ["manage", "demo", "--serve"],
    ["manage", "runserver", "--noreload", "0"],
    ["manage", "export", "films", "scores"],
]


def assert_refused(environment, arguments, remove):
    refused = run(environment, *arguments)
    assert refused.returncode == 1, refused.stdout
    assert "was made by an older, unreleased version of Concord" in refused.stderr
    assert f"(manage.py export), then {remove}." in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.sqlite
@pytest.mark.parametrize("arguments", STARTS, ids=" ".join)
def test_a_file_of_an_older_version_is_refused(environment, arguments, tmp_path):
    (tmp_path / "var").mkdir()
    with sqlite3.connect(tmp_path / "var" / "concord.sqlite3") as old:
        old.executescript(OLDER)
    assert_refused(environment, arguments, "delete that file")


@pytest.mark.postgres
def test_a_database_of_an_older_version_is_refused(environment, on_postgres):
    with psycopg.connect(environment["DATABASE_URL"]) as old:
        old.execute(OLDER)
    for arguments in STARTS:
        assert_refused(environment, arguments, "drop and create it (dropdb, createdb)")
