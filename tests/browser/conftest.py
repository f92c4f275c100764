"""Chromium for browser tests: a page that reports every fault it sees."""

import os
import time

import pytest
from django.core.signals import request_finished, request_started
from playwright.sync_api import expect, sync_playwright

from judges import tasks
from judges.models import Heartbeat
from tests import processes
from tests.conftest import CHROMIUM, missing
from tests.smoke.browser import is_of_plotly

# Playwright's sync API runs an event loop in the test's thread; the ORM refuses that otherwise,
# and asyncio.run fails while it runs: so it ends with the last browser test, not with the session.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
PATIENCE = 1000 * processes.CEILING  # ms
# What Chromium and htmx print when a request gets no answer.
LOST_REQUESTS = [
    "net::ERR_INTERNET_DISCONNECTED",
    "net::ERR_FAILED",
    "htmx:sendError",
    "htmx:afterRequest",
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def chromium():
    if not CHROMIUM:
        missing("no Chromium on this machine (Debian: apt-get install chromium)")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def worker(settings, monkeypatch, transactional_db):
    """A worker on the broker, the uploads and a queue that the live server sends to."""
    queue = f"browser-{os.getpid()}-{time.time_ns()}"
    for task in (tasks.load_upload, tasks.work):
        monkeypatch.setattr(task, "queue", queue, raising=False)
        monkeypatch.setattr(task, "_exec_options", None)  # where Celery keeps the queue
    with processes.worker(settings.VAR_DIR, CELERY_QUEUE=queue, REDIS_URL=settings.REDIS_URL):
        processes.wait_for(Heartbeat.objects.alive().exists, "the worker's heartbeat")
        yield


@pytest.fixture
def new_page(chromium, live_server):
    """Open pages, each in a browser of its own; fail the test at its end for any fault.

    new_page(width=, height=, login=user, **context options)
    new_page.expected: a fault that contains one of these texts fails nothing. A list, as faults can
    arrive later than the line that causes them.
    """
    contexts, faults = [], []

    def open_page(width=1200, height=900, login=None, **options):
        context = chromium.new_context(
            base_url=live_server.url, viewport={"width": width, "height": height}, **options
        )
        contexts.append(context)
        if login is not None:
            context.add_cookies([_login_cookie(live_server.url, login)])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
        page.on("console", lambda message: _note(faults, message))
        page.on("request", lambda request: _note_foreign(faults, request, live_server.url))
        return page

    open_page.faults, open_page.expected = faults, []
    yield open_page
    for context in contexts:
        context.close()
    _until_quiet()
    assert [one for one in faults if not any(w in one for w in open_page.expected)] == []


class UnderWay:
    """Counts the requests that the server has begun and not ended."""

    def __init__(self):
        self.count, self.changed = 0, time.monotonic()
        request_started.connect(self._began, weak=False)
        request_finished.connect(self._ended, weak=False)

    def _began(self, **_):
        self.count, self.changed = self.count + 1, time.monotonic()

    def _ended(self, **_):
        self.count, self.changed = self.count - 1, time.monotonic()


UNDER_WAY = UnderWay()


def _until_quiet(longest=5.0, quiet=0.2):
    """A page that closes still says how long it was read: the tables are emptied after that."""
    begun = time.monotonic()
    while time.monotonic() - begun < longest:
        if UNDER_WAY.count <= 0 and time.monotonic() - max(UNDER_WAY.changed, begun) > quiet:
            return
        time.sleep(0.02)
    UNDER_WAY.count = 0  # a request that never says its end is waited for once


def _note(faults, message):
    if message.type == "error" and not is_of_plotly(message.text, message.location):
        faults.append(f"console: {message.text}")


def _note_foreign(faults, request, own):
    if not request.url.startswith((own, "data:", "blob:")):
        faults.append(f"external request: {request.url}")


def _login_cookie(url, user):
    from django.test import Client

    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}


@pytest.fixture
def page(new_page):
    """A desktop page without login."""
    return new_page()
