"""A walk through a session whose answers follow a rule, so that its export is known beforehand.

Nothing here reads the database: what is expected comes from the files that were loaded, from what
the pages showed, and from what was clicked.
"""

import csv
import io
import re
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

FILES = ("scores", "ratings", "revisions", "screens", "checks", "times", "sessions", "raters")
PHONE_BROWSER = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/138.0.0.0 Mobile Safari/537.36"
)
PHONE = {
    "width": 360,
    "height": 740,
    "has_touch": True,
    "is_mobile": True,
    "user_agent": PHONE_BROWSER,
}
# How the two kinds of visit look in the export; screen widths are rounded down.
DEVICES = {
    "desktop": ({"width": 1200}, ("Chrome", "desktop", "1024")),
    "phone": (PHONE, ("Chrome", "phone", "360")),
}


def chosen(item, question, low=1, high=5):
    """The rule: what is answered to a question about an item."""
    return Random(f"walk {item} {question}").randint(low, high)


@dataclass
class Walk:
    """A page that is walked, and what was said on it, in the order in which it was said."""

    page: Page
    given: dict = field(default_factory=dict)  # {(item, question): [(answer, reason), …]}
    shown: list = field(default_factory=list)  # [(item, first side)]; an item of None: a check
    began: datetime = field(default_factory=timezone.now)

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def at(self, heading):
        """The page is there, and its script runs."""
        name = re.compile(rf"^{re.escape(heading)}( about .* left)?$")
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()
        self.page.wait_for_load_state("load")
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def group(self, words):
        """The question with these words, or about the part with this title."""
        return self.page.get_by_role("group", name=re.compile(re.escape(words)))

    def choose(self, group, item, question, value, rank=None):
        """One point of a scale; rank: which of the buttons it is, where that differs."""
        with self.saving():
            group.locator("input").nth((rank or value) - 1).check()
        self.note(item, question, str(value))

    def saving(self):
        """What is done within is confirmed before anything else: each save is a revision."""
        return self.page.expect_response(lambda one: "/answer/" in one.url and one.ok)

    def note(self, item, question, answer, reason=""):
        self.given.setdefault((item, question), []).append((answer, reason))

    @property
    def last(self):
        """{(item, question): (answer, reason)} as it stood in the end."""
        return {key: said[-1] for key, said in self.given.items()}


class Exports:
    """All tables of a study as its owner downloads them, CSV read to {column: text}."""

    def __init__(self, owner, slug, walk):
        self.client, self.slug, self.walk = Client(), slug, walk
        self.client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
        self.ended, self.everything = timezone.now(), ""
        self.tables = {name: self._read(f"export/{name}.csv") for name in FILES}
        (self.session,) = {row["session"] for row in self.tables["screens"]}
        (self.rater,) = {row["rater"] for row in self.tables["screens"]}
        (self.paid,) = self._read("raters/pay/payments/")

    def _read(self, path):
        response = self.client.get(f"/studies/{self.slug}/{path}")
        text = b"".join(response).decode()
        if path.startswith("export/"):
            self.everything += text
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def rows(self, table, *measured):
        """A table without what no rule can know, once that is seen to be there and possible."""
        longest = (self.ended - self.walk.began).total_seconds()
        rows = [dict(row) for row in self.tables[table]]
        for row in rows:
            for name in measured:
                text = row.pop(name)
                if name.endswith("seconds"):
                    assert 0 <= float(text) <= longest, (name, row)
                else:
                    at = datetime.fromisoformat(text)
                    assert self.walk.began <= at <= self.ended, (name, row)
        return rows

    def who(self, **more):
        """The first cells of most tables."""
        return {"session": self.session, "rater": self.rater} | more


def told(rows, *keys):
    """Rows in the order of some columns: tables do not promise another."""
    return sorted(rows, key=lambda row: [row[key] for key in keys])
