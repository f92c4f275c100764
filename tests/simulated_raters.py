"""Raters who walk a whole session over HTTP, and remember what the server confirmed to them.

They read nothing but pages and answers of the server. What fails on its way is sent again, as a
browser does; what the server confirmed is kept in a ledger and never sent again.
"""

import http.client
import itertools
import random
import re
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

from annotate.models import Place, Rating, Session
from tests import factories

CODE, LATE = "DONE-CODE", "LATE-CODE"
SAVE = re.compile(r'hx-post="(/r/[^"]+/answer/(\d+)/(\d+)/)"')
RADIO = re.compile(r'<input type="radio" name="(q\d+)" value="(\d+)"')
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
POSITION = re.compile(r"/item/(\d+)/")
PATIENCE = 180  # seconds for which a rater tries again
ITEMS_EACH = 4


@dataclass
class Times:
    """Seconds of each request that was answered, by what it was for and when it was sent."""

    sent: list = field(default_factory=list)  # (kind, when, seconds)
    first_screens: list = field(default_factory=list)  # when raters had their first item
    ends: list = field(default_factory=list)  # when raters had their code

    def add(self, kind, begun, seconds):
        self.sent.append((kind, begun, seconds))

    @property
    def all_there(self):
        """When the last rater had a first item: before that all come in at once."""
        return max(self.first_screens)

    @property
    def steady_until(self):
        """When the first rater had done: from then on fewer and fewer answer."""
        return max(min(self.ends), self.all_there)

    def seconds(self, kind, begun_from=0.0, begun_before=float("inf")):
        """Seconds of the requests of a kind that were sent in this time."""
        return [
            seconds
            for what, begun, seconds in self.sent
            if what == kind and begun_from <= begun < begun_before
        ]


class GaveUp(Exception):
    """The server did not answer for too long."""


@dataclass
class SimulatedRater:
    """One rater. ledger: {(item, question): the value that the server confirmed last}."""

    port: int
    slug: str
    number: int
    times: Times
    pause: float = 0.0
    query: str = ""
    token: str = ""
    ledger: dict = field(default_factory=dict)
    saves: int = 0
    tries_again: int = 0
    had_code_after: int | None = None
    is_late: bool = False
    used_at: float = 0.0

    def __post_init__(self):
        self.dice = random.Random(self.number)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)

    # Requests

    def ask(self, kind, method, path, data=None, headers=()):
        """(status, where it leads, body) of the server's answer; asks again until there is one."""
        body = urlencode(data) if data is not None else None
        sent = {"Content-Type": "application/x-www-form-urlencoded", **dict(headers)}
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if time.monotonic() - self.used_at > 1:  # gunicorn closes idle connections after 2 s
                self.connection.close()
            begun = time.perf_counter()
            try:
                self.connection.request(method, path, body, sent)
                response = self.connection.getresponse()
                text = response.read().decode()
            except (OSError, http.client.HTTPException):
                self.connection.close()
            else:
                self.used_at = time.monotonic()
                if response.status < 500:
                    self.times.add(kind, begun, time.perf_counter() - begun)
                    return response.status, response.headers.get("Location", ""), text
                self.note_fault(kind, response, text)
            self.tries_again += 1
            time.sleep(0.1 + self.dice.random() / 2)  # as a browser: not all at the same moment
        raise GaveUp(f"{method} {kind} of rater {self.number}")

    def note_fault(self, kind, response, text):
        """Called for each answer that says that the server failed (5xx)."""

    def page(self, path, kind="page"):
        """(address, text) of a page, redirects followed."""
        status, leads, text = self.ask(kind, "GET", path)
        while status in (302, 303):
            path = leads
            status, leads, text = self.ask(kind, "GET", path)
        assert status == 200, (status, path.split("/")[-3:])
        if CODE in text:
            assert self.had_code_after is None or self.had_code_after == len(self.ledger)
            self.had_code_after = len(self.ledger)
        return path, text

    # The visit

    def walk(self, note_save=lambda: None):
        """From the link to the completion code, or to the page that all places are taken."""
        self.note_save = note_save
        path = self.arrive()
        if not self.is_late:
            self.go_on(path)
        self.connection.close()

    def go_on(self, path):
        path, text = self.page(path)
        while self.had_code_after is None and not self.has_come_late(text):
            is_item = POSITION.search(path)
            if is_item and not self.ledger:
                self.times.first_screens.append(time.perf_counter())
            path = self.rate(path, text) if is_item else self.begin()
            if self.is_late:
                break
            path, text = self.page(path)
        if not self.is_late:
            self.times.ends.append(time.perf_counter())

    def arrive(self):
        join = f"/join/{self.slug}/{self.query}"
        path, text = self.page(join, "arrival")
        if path == join and not self.has_come_late(text):
            status, path, text = self.ask("join", "POST", join, {"consent": "yes"})
            assert status == 303 or self.has_come_late(text), status
        if not self.is_late:
            self.token = path.split("/")[2]
        return path

    def begin(self):
        """Where the items begin; a second try of a lost one finds them claimed."""
        self.think()
        status, path, text = self.ask("begin", "POST", f"/r/{self.token}/begin/", {})
        assert status == 303 or self.has_come_late(text), status
        return path

    def has_come_late(self, text):
        if "All places are taken" in text:
            assert LATE in text and CODE not in text
            self.is_late = True
        return self.is_late

    def rate(self, path, text):
        """Answers all questions of an item's page, some of them twice, and goes on."""
        options: dict = {}
        for name, value in RADIO.findall(text):
            options.setdefault(name, []).append(value)
        asked = [
            (address, int(item), int(question)) for address, item, question in SAVE.findall(text)
        ]
        assert asked and len(asked) == len(options), (path.split("/")[-3:], len(asked))
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(text)}
        values = {}
        for address, item, question in asked:
            name = f"q{question}"
            for _ in range(self.dice.choice((1, 1, 2))):
                values[name] = self.dice.choice(options[name])
                self.save(address, item, question, {name: values[name], "shown": hidden["shown"]})
        status, leads, _ = self.ask("next", "POST", path, hidden | values | {"go": "next"})
        assert status == 303, status
        return leads

    def save(self, address, item, question, data):
        self.think()
        status, _, text = self.ask("save", "POST", address, data, {"HX-Request": "true"})
        assert status == 200 and "Saved" in text, (status, text[:200])
        self.ledger[item, question] = float(data[f"q{question}"])
        self.saves += 1
        self.note_save()

    def think(self):
        time.sleep(self.pause * self.dice.uniform(0.5, 1.5))


# A whole study


def make_study(raters, short_of, slug="load"):
    """A study on Prolific with an open link, whose places are too few for so many raters."""
    questions = {"accuracy": "It is consistent.", "clarity": "It is clear."}
    codes = {"too_late": LATE}
    study = factories.make_study(
        slug,
        questions=questions,
        items_per_session=ITEMS_EACH,
        raters_per_item=raters // 2,
        completion_code=CODE,
        extra={"platform": {"name": "prolific", "open_link": True, "codes": codes}},
    )
    for number in range((raters - short_of) * ITEMS_EACH * 2 // raters):
        factories.make_item(study, f"item-{number}", recipient=f"r{number}")
    return study


def make_raters(port, slug, count, pause=0.0):
    """(raters, their times): one half comes from Prolific, the other by the open link."""
    times = Times()
    prolific = "?PROLIFIC_PID=p{0}&STUDY_ID=s1&SESSION_ID=v{0}"
    return [
        SimulatedRater(port, slug, number, times, pause, prolific.format(number) * (number % 2))
        for number in range(count)
    ], times


class Kills:
    """Kills of the server's processes, each when its share of the answers is confirmed."""

    def __init__(self, kills, saves):
        self.left = [(saves * n / (len(kills) + 1), kill) for n, kill in enumerate(kills, start=1)]
        self.numbers, self.lock = itertools.count(1), threading.Lock()

    def note_save(self):
        """A kill that is due is done by the rater who comes by; the others go on, and feel it."""
        number = next(self.numbers)
        if not self.left or not self.lock.acquire(blocking=False):
            return
        try:
            if self.left and number >= self.left[0][0]:
                self.left.pop(0)[1]()
        finally:
            self.lock.release()


def walk_all(raters, kills=()):
    """All raters at once, each to the end; the processes of the server are killed meanwhile."""
    note_save = Kills(kills, len(raters) * ITEMS_EACH * 2).note_save
    with ThreadPoolExecutor(len(raters)) as pool:
        for walk in [pool.submit(rater.walk, note_save) for rater in raters]:
            walk.result()


def check(study, raters):
    """No place too many, no rater twice on an item, no confirmed answer lost or changed."""
    places = Place.objects.filter(study=study)
    per_item = Counter(places.exclude(state="open").values_list("item", flat=True))
    assert max(per_item.values()) <= study.raters_per_item
    rated = set(Rating.objects.values_list("item", "session__rater"))
    assert max(Counter(item for item, _ in rated).values()) <= study.raters_per_item
    taken = list(places.exclude(state="open").values_list("item", "rater"))
    assert len(taken) == len(set(taken))
    assert rated == set(taken), "every place that was taken is rated, nothing else is"
    check_answers(raters)
    check_ends(study, raters)


def check_answers(raters):
    stored: dict = {}
    rows = Rating.objects.values_list("session__token", "item", "question", "value")
    for token, item, question, value in rows:
        stored.setdefault(token, {})[item, question] = value
    for rater in raters:
        assert stored.pop(rater.token, {}) == rater.ledger, rater.number
    assert not stored, "answers of a session that nobody finished"


def check_ends(study, raters):
    """Who finished got the code, after their last save; who got nothing came when all was taken."""
    states = dict(Session.objects.values_list("token", "state"))
    done = [rater for rater in raters if not rater.is_late]
    for rater in done:
        assert rater.had_code_after == len(rater.ledger) > 0
        assert states[rater.token] == Session.State.COMPLETED
    late = [rater for rater in raters if rater.is_late]
    assert late and all(rater.had_code_after is None and not rater.ledger for rater in late)
    # Nothing was given back meanwhile: who was sent away found every place taken.
    assert not study.places.exclude(state="filled").exists()
