"""One request of the sweep: what is asked, how it is sent, what came back."""

import json
import shutil
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import override_settings

from tests.sweep.canaries import marks_of

ALL_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")


@dataclass(frozen=True)
class Ask:
    """A request to a route; who: to whom the policy grants it, "" to nobody."""

    route: str
    method: str
    path: str
    who: str = ""
    body: dict = field(default_factory=dict, hash=False)

    def __str__(self):
        return f"{self.method} {self.path}" + (f" {sorted(self.body)}" if self.body else "")

    @property
    def is_api(self):
        return self.route.startswith("api/v1/")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    location: str
    text: str
    marks: frozenset

    @property
    def leads_to_login(self):
        return self.status == 302 and "/login/?next=" in self.location


def send(client, ask):
    """The Answer to a request, in a savepoint of its own: a fault of the database ends there."""
    cookies = deepcopy(client.cookies)  # a logout is no logout of the sweep
    with transaction.atomic():
        answer = _read(_sent(client, ask))
    client.cookies = cookies
    return answer


@contextmanager
def undone():
    """What is done within has not been done afterwards: rows and files are as before."""
    with TemporaryDirectory() as folder, transaction.atomic():
        copy = shutil.copytree(settings.MEDIA_ROOT, Path(folder) / "media")
        with override_settings(MEDIA_ROOT=copy):
            yield
        transaction.set_rollback(True)


def _sent(client, ask):
    call = getattr(client, ask.method.lower())
    if ask.is_api and ask.method != "GET":
        return call(ask.path, json.dumps(ask.body), content_type="application/json")
    return call(ask.path, {name: _fresh(value) for name, value in ask.body.items()})


def _fresh(value):
    """A file is read once, so each request gets its own: (name, bytes)."""
    return SimpleUploadedFile(*value) if isinstance(value, tuple) else value


def _read(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = body.decode(errors="replace")
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    marks = frozenset(marks_of(text) | marks_of(headers) | marks_of(str(response.cookies)))
    return Answer(response.status_code, response.headers.get("Location", ""), text, marks)
