"""Studies deleted while a worker judges them and raters save; what the server said meanwhile."""

import http.client
import re
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.apps import apps
from django.conf import settings
from django.test import Client

from annotate.models import Study
from judges.models import Judgment, Run
from judges.runs.plan import plan
from tests import factories, processes
from tests.simulated_raters import POSITION, RADIO, SAVE

RATERS, ITEMS = 4, 40
OURS = ("annotate", "judges", "analysis")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Heard:
    """What the server answered, and how long the deletion took."""

    statuses: Counter = field(default_factory=Counter)
    saves: int = 0
    seconds: float = 0.0

    @property
    def faults(self):
        """Answers that no visitor should get: 5xx but for "ask again"."""
        return {n: many for n, many in self.statuses.items() if n >= 500 and n != 503}


def count_rows():
    """{model: how many rows} of every table of the project that has any."""
    models = [m for m in apps.get_models(include_auto_created=True) if m._meta.app_label in OURS]
    counts = {model.__name__: model.objects.count() for model in models}
    return {name: count for name, count in counts.items() if count}


def make_study(endpoint, owner, slug):
    """A study with a place for all raters on each item, and a run of it that has begun."""
    study = factories.make_study(slug, owner=owner, items_per_session=4, raters_per_item=30)
    for number in range(ITEMS):
        factories.make_item(study, f"item-{number}")
    return study, plan(factories.make_judge(study, "judge", endpoint))


class Saver:
    """A rater who visits a study again and again, whatever the server says."""

    def __init__(self, port, slug, heard, ended):
        self.port, self.slug, self.heard, self.ended = port, slug, heard, ended

    def ask(self, method, path, data=None, headers=FORM):
        """(status, where it leads, body) of the server's answer, which is counted."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, data and urlencode(data), headers)
            response = connection.getresponse()
            self.heard.statuses[response.status] += 1
            return response.status, response.headers.get("Location", ""), response.read().decode()
        finally:
            connection.close()

    def work(self):
        while not self.ended.is_set():
            with suppress(OSError, http.client.HTTPException):
                self.visit()
            time.sleep(0.02)

    def visit(self):
        """A visit up to the page that is no longer there."""
        _, path, _ = self.ask("POST", f"/join/{self.slug}/", {"consent": "yes"})
        if not path:
            return
        _, path, _ = self.ask("POST", f"{path}begin/", {"-": "-"})
        while POSITION.search(path) and not self.ended.is_set():
            status, _, text = self.ask("GET", path)
            if status != http.client.OK:
                return
            path = self.rate(path, text)

    def rate(self, path, text):
        shown = re.search(r'name="shown" value="([^"]*)"', text)
        values = dict(RADIO.findall(text))
        for address, _, question in SAVE.findall(text):
            data = {f"q{question}": values[f"q{question}"], "shown": shown[1] if shown else ""}
            status, _, _ = self.ask("POST", address, data, FORM | {"HX-Request": "true"})
            self.heard.saves += status == http.client.OK
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
        return self.ask("POST", path, hidden | values | {"go": "next"})[1]


def press_delete(port, owner, slug, heard):
    """The owner asks for the deletion on the study's page."""
    client = Client()
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    token = "c" * 32
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies['sessionid'].value}"
    headers = FORM | {"Cookie": f"{cookie}; csrftoken={token}", "X-CSRFToken": token}
    saver = Saver(port, slug, heard, threading.Event())
    return saver.ask("POST", f"/studies/{slug}/delete/", {"slug": slug}, headers)[0]


def delete_while_all_work(port, owner, endpoint, slug, press=press_delete):
    """Delete a study in the middle of its run and of its raters' visits; returns what was Heard."""
    study, run = make_study(endpoint, owner, slug)
    heard, ended = Heard(), threading.Event()
    threads = [threading.Thread(target=Saver(port, slug, heard, ended).work) for _ in range(RATERS)]
    for thread in threads:
        thread.start()
    try:
        processes.wait_for(lambda: _is_begun(run, heard), "a part of the run, and saves")
        begun = time.monotonic()
        press(port, owner, slug, heard)
        processes.wait_for(lambda: is_gone(study), "the end of the study")
        heard.seconds = time.monotonic() - begun
        time.sleep(0.3)  # whoever was at work meets that it is gone
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    return heard


def is_gone(study):
    return not Study.objects.filter(pk=study.pk).exists()


def _is_begun(run, heard):
    done = Run.objects.filter(pk=run.pk, judgments__state=Judgment.State.DONE).count()
    return done >= 8 and heard.saves >= 8
