"""make demo as a new user meets it: real processes, in a folder of their own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from django.conf import settings

from tests.conftest import missing
from tests.processes import wait_for

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
        self.text += self.child.communicate(timeout=300)[0]
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


ALL_DONE = 7 * 160 * 4 + 4 * 24 * 7 + 195 + 36  # the last: ROUGE-L
ALL_DONE += 2 * 240  # helpdesk-demo
ALL_DONE += 2 * (360 + 60)  # podcasts-demo
ALL_DONE += 96 * 1056 + 5 * 6 * 1056 - 848  # hanna, without those off the scale


def count_done(var):
    import sqlite3

    with sqlite3.connect(var / "concord.sqlite3", timeout=20) as database:
        query = "select count(*) from judges_judgment where state = 'done'"
        return database.execute(query).fetchone()[0]


def wait_for_all(var):
    """Five judges that compute, and two of a file, on 160 items and 4 questions; four judges on 24
    items and 7 questions; one on 195 statements, and on 36 explanations with a reference; two of a
    file on 240 replies; two of a file on 360 episodes and 60 pairs of lists; and
    HANNA, which a worker loads.
    """
    wait_for(lambda: count_done(var) >= ALL_DONE, "all judgments")
    assert count_done(var) == ALL_DONE


def test_the_demo_serves_raters_and_researchers_and_stops_without_a_trace(demo, var):
    page = browser().open(demo.address("as a rater")).read().decode()
    assert "Films" in page
    researcher = browser()
    assert "Log in as demo" in researcher.open(demo.address("as a researcher")).read().decode()
    wait_for_all(var)
    first = rows(var)
    # Films, surveys, explanations and statements, replies, episodes and their pairs, HANNA.
    assert first["annotate_item"] == 160 + 12 + 24 + 40 + 195 + 240 + 360 + 60 + 1056
    assert first["annotate_study"] == 7
    assert demo.stop() == 0
    names = ("celery", "gunicorn", "serve_local_model")
    wait_for(lambda: not any(map(demo.pids, names)), "the end of all processes")
    second = Demo(var, demo.port)
    assert rows(var) == first
    assert second.address("as a rater") == demo.address("as a rater")
    assert second.stop() == 0


def load_of_hanna(var):
    """How far the load is: rows written, of its transaction."""
    for path in (var / "media").glob("uploads/*/progress.json"):
        return json.loads(path.read_text())["rows"]
    return 0


def test_a_kill_while_hanna_is_loaded_and_another_start_end_with_one_whole_study(tmp_path):
    if not list(Path(sys.prefix).rglob("SmolLM2*.gguf")):
        missing("the small local model is not installed (requirements-models.txt)")
    first = Demo(tmp_path, free_port())
    assert "A worker loads the study hanna" in first.text
    wait_for(lambda: load_of_hanna(tmp_path), "the load of hanna")
    processes = [pid for name in ("celery", "gunicorn", "serve_local") for pid in first.pids(name)]
    for pid in [first.child.pid, *processes]:
        os.kill(pid, signal.SIGKILL)
    first.child.wait()
    assert rows(tmp_path)["annotate_study"] == 6, "nothing of a load that was cut short"
    second = Demo(tmp_path, first.port)
    wait_for_all(tmp_path)
    assert rows(tmp_path)["annotate_study"] == 7
    left = (tmp_path / "media").glob
    # The last answer is stored before the upload is removed.
    wait_for(lambda: not list(left("uploads/*/progress.json")), "an empty folder of uploads")
    assert second.stop() == 0


def test_a_killed_process_of_the_demo_is_started_again(running):
    """Also when the worker's whole group dies by SIGKILL."""
    (old,) = {os.getpgid(pid) for pid in running.pids("celery -A config worker")}
    os.killpg(old, signal.SIGKILL)
    wait_for(lambda: running.pids("celery -A config worker"), "another worker")


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
