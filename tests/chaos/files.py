"""Loads of files by pages and by the API, and exports that are read to their end."""

import csv
import http.client
import io
import json
import re
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos.caller import CSRF
from tests.simulated_raters import GaveUp

STANDING = 3_000  # long items that are there from the beginning, so that an export takes a while
BOUNDARY = "chaos-boundary"
TOKEN = re.compile(r"/uploads/([\w-]+)/")
FAULTY_ROW = {"item": "", "text": "It has no name, so nothing of its load may come in."}


@dataclass
class Load:
    """One load: how its rows are named, how many they are, and what the server told of it."""

    name: str
    rows: int
    outcome: str = "unknown"  # loaded, refused, or unknown where nobody could tell
    is_faulty: bool = False

    def item_keys(self):
        """Return the names of its items."""
        return [f"{self.name}-{n}" for n in range(self.rows)]


@dataclass
class Loader:
    """An actor that loads items; every third load has a faulty row and must change nothing."""

    caller: object
    slug: str
    by_pages: bool
    name: str
    rows: int
    loads: list = field(default_factory=list)
    trouble: list = field(default_factory=list)

    def work(self, stop):
        """Load after load, each watched to its end."""
        number = 0
        try:
            while not stop.is_set():
                number += 1
                load = Load(f"{self.name}{number}", self.rows, is_faulty=number % 3 == 0)
                self.loads.append(load)
                (self._upload if self.by_pages else self._post)(load, stop)
                stop.wait(1)
        except GaveUp as error:
            self.trouble.append(str(error))

    def _post(self, load, _stop):
        rows = [{"item": key, "text": f"Text of {key}."} for key in load.item_keys()]
        body = json.dumps({"rows": rows + [FAULTY_ROW] * load.is_faulty})
        path = f"/api/v1/studies/{self.slug}/items/"
        status, _, text = self.caller.ask("load by the API", "POST", path, body)
        load.outcome = {201: "loaded"}.get(status, "refused")
        if (status == 201) == load.is_faulty:
            self.trouble.append(f"{status} to {load.name}: {text[:150]}")

    def _upload(self, load, stop):
        while load.outcome == "unknown" and not stop.is_set():
            token = self._send(load)
            if token:
                self._follow(load, token, stop)

    def _send(self, load):
        """Upload the file; the token of what was received, or None where nothing can be loaded."""
        lines = ["item,text", *(f"{key},Text of {key}." for key in load.item_keys())]
        text = "\n".join(lines + [",no name"] * load.is_faulty) + "\n"
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        path = f"/studies/{self.slug}/load/"
        status, headers, page = self.caller.ask("upload", "POST", path, _multipart(text), kind)
        token = TOKEN.search(headers.get("Location", ""))
        if status == 302 and token and not load.is_faulty:
            return token[1]
        load.outcome = "refused" if load.is_faulty else "unknown"
        if not token:
            self.trouble.append(f"{status} to the upload of {load.name}: {page[:150]}")
        return None

    def _follow(self, load, token, stop):
        """Confirm the load and watch it; one that failed is begun anew by the caller."""
        self.caller.post_form("confirm a load", f"/uploads/{token}/load/")
        while not stop.wait(1):
            _, _, page = self.caller.ask("watch a load", "GET", f"/uploads/{token}/")
            if "Loaded." in page:
                load.outcome = "loaded"
                return
            if "Nothing was loaded" in page:
                return


def _multipart(text):
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{CSRF}',
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="items"; filename="items.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\n{text}",
        f"--{BOUNDARY}--\r\n",
    ]
    return "\r\n".join(parts).encode()


@dataclass
class Export:
    """One export: how it ended, and how many rows of each load it held."""

    ended: str  # whole, broken off, refused, or not begun for want of a connection
    begun: float = 0.0
    rows: int = 0
    by_load: Counter = field(default_factory=Counter)
    loaded_before: tuple = ()
    bad: str = ""


@dataclass
class Exporter:
    """An actor that reads exports slowly, so that faults meet them under way."""

    caller: object
    slug: str
    form: str
    loaders: list
    exports: list = field(default_factory=list)
    status: int | None = None  # of the export that is being read

    def work(self, stop):
        """Read export after export."""
        while not stop.is_set():
            before = [load for loader in self.loaders for load in loader.loads]
            before = tuple(load.name for load in before if load.outcome == "loaded")
            export = self._read()
            export.loaded_before = before
            self.exports.append(export)
            stop.wait(0.5)

    def _read(self):
        """Read one export; a connection that ends too early is told apart from a normal end."""
        path, begun = f"/studies/{self.slug}/export/items.{self.form}", time.monotonic()
        self.status = None
        try:
            status, text = self._slowly(path)
        except (OSError, http.client.HTTPException):
            return Export("broken off" if self.status == 200 else "not begun", begun)
        if status != 200:
            return Export("refused", begun, bad="" if status >= 500 else str(status))
        try:
            keys = _keys(text, self.form)
        except (ValueError, KeyError) as error:
            return Export("whole", begun, bad=f"cannot be read: {error}")
        by_load = Counter(key.rpartition("-")[0] for key in keys)
        return Export("whole", begun, len(keys), by_load)

    def _slowly(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.caller.port, timeout=60)
        try:
            connection.connect()
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
            connection.request("GET", path, headers=self.caller.headers)
            response = connection.getresponse()
            self.status = response.status
            self.caller.answers.count(self.caller.who)
            pieces = []
            while piece := response.read(32_768):
                pieces.append(piece)
                time.sleep(0.02)
            text = b"".join(pieces).decode()
            if response.status >= 500:
                self.caller.answers.note(self.caller.who, "export", response, text)
            return response.status, text
        finally:
            connection.close()


def _keys(text, form):
    """Return the names of the items in an export."""
    if form == "jsonl":
        return [json.loads(line)["item"] for line in text.splitlines()]
    if not text.endswith("\n"):
        raise ValueError("the last line has no end")
    return [row["item"] for row in csv.DictReader(io.StringIO(text), strict=True)]


def make_loaded(owner):
    """Make the study that is loaded into and exported."""
    from judges.files import load_files
    from tests import factories

    study = factories.make_study("loaded", owner)
    with TemporaryDirectory() as folder:
        path = Path(folder, "items.csv")
        lines = (f"standing-{n},{'Because. ' * 120}\n" for n in range(STANDING))
        path.write_text("item,text\n" + "".join(lines))
        loading = load_files(None, {"items": path}, slug=study.slug)
    assert not loading.problems, loading.problems.shown
