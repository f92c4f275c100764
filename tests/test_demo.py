"""make demo as a new user meets it: real processes, in a folder of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from django.conf import settings

from tests.conftest import missing

# The demo is SQLite and files by definition, whatever the other tests run on.
pytestmark = [pytest.mark.sqlite, pytest.mark.model]


def free_port():
    """A port that is free, and its neighbour too (the model takes it)."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


class Demo:
    """A running `manage.py demo --serve`."""

    def __init__(self, var, port):
        self.port, self.var, self.text = port, var, ""
        clean = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
        self.child = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--serve", "--port", str(port)],
            cwd=settings.BASE_DIR,
            env=clean | {"CONCORD_VAR": str(var), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.read_until("Stop: Ctrl-C")

    def read_until(self, words):
        for line in self.child.stdout:
            self.text += line
            if words in line:
                return
        raise AssertionError(f"ended without {words!r}:\n{self.text}")

    def address(self, who):
        return re.search(rf"{who}\s+(http\S+)", self.text).group(1)

    def stop(self):
        self.child.send_signal(signal.SIGINT)
        self.text += self.child.communicate(timeout=40)[0]
        return self.child.returncode

    def pids(self, words):
        """Processes of this demo whose command line has the words."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                own = str(self.var) in (folder / "environ").read_bytes().decode(errors="replace")
            except (OSError, UnicodeDecodeError):
                continue
            if own and words in command:
                found.append(int(folder.name))
        return found


@pytest.fixture(scope="module")
def var(tmp_path_factory):
    return tmp_path_factory.mktemp("demo-var")


@pytest.fixture
def demo(var):
    yield from started(var)


@pytest.fixture(scope="module")
def running(var):
    """One that the tests which leave it running share."""
    yield from started(var)


def started(var):
    if not list(Path(sys.prefix).rglob("SmolLM2*.gguf")):
        missing("the small local model is not installed (requirements-models.txt)")
    demo = Demo(var, free_port())
    yield demo
    if demo.child.poll() is None:
        demo.stop()


def browser():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def rows(var):
    """All counts of a demo database, read without the code under test."""
    import sqlite3

    with sqlite3.connect(var / "concord.sqlite3") as database:
        names = [
            r[0] for r in database.execute("select name from sqlite_master where type='table'")
        ]
        kept = [n for n in names if n.startswith(("annotate_", "judges_judg", "judges_run"))]
        return {n: database.execute(f"select count(*) from {n}").fetchone()[0] for n in kept}


ALL_DONE = 6 * 160 * 4 + 4 * 24 * 7 + 195 + 36  # the last: ROUGE-L


def wait_for_baselines(var):
    """Five judges that compute, and the scores of a file, on 160 items and 4 questions; four judges
    on 24 items and 7 questions; one on 195 statements, and on 36 explanations with a reference.
    """
    import sqlite3

    deadline = time.monotonic() + 60
    done = 0
    while time.monotonic() < deadline and done < ALL_DONE:
        time.sleep(0.3)
        with sqlite3.connect(var / "concord.sqlite3", timeout=20) as database:
            query = "select count(*) from judges_judgment where state = 'done'"
            done = database.execute(query).fetchone()[0]
    assert done == ALL_DONE


def test_the_demo_serves_raters_and_researchers_and_stops_without_a_trace(demo, var):
    page = browser().open(demo.address("as a rater")).read().decode()
    assert "Films" in page
    researcher = browser()
    assert "Log in as demo" in researcher.open(demo.address("as a researcher")).read().decode()
    assert rows(var)["annotate_item"] == 196 + 40 + 195  # the last two: explanations, statements
    wait_for_baselines(var)
    first = rows(var)
    assert demo.stop() == 0
    time.sleep(0.5)
    assert demo.pids("celery") == demo.pids("gunicorn") == demo.pids("serve_local_model") == []
    second = Demo(var, demo.port)
    assert rows(var) == first
    assert second.address("as a rater") == demo.address("as a rater")
    assert second.stop() == 0


def test_a_killed_process_of_the_demo_is_started_again(running):
    """Also when the worker's whole group dies by SIGKILL."""
    (old,) = {os.getpgid(pid) for pid in running.pids("celery -A config worker")}
    os.killpg(old, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not running.pids("celery -A config worker"):
        time.sleep(0.3)
    assert running.pids("celery -A config worker")


def test_a_busy_port_is_named(running):
    done = subprocess.run(
        [sys.executable, "manage.py", "demo", "--serve", "--port", str(running.port)],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"Port {running.port} is in use" in done.stderr
