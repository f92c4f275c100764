"""A walk over links and forms: what leads on, how often, and in which order."""

import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

from playwright.sync_api import Error

from tests.smoke.browser import Seen, Tab
from tests.smoke.pages import Form, empty_values, find_form, form_key
from tests.smoke.routes import Address, find_address
from tests.smoke.visitor import Visitor

# Forms by what they destroy: the later ones leave less for others to be tried on.
LATER = (
    re.compile(
        r"archive|cancel|lock|exclude|undo|merge|restore|retire|return|discard|give-up|open/$"
    ),
    re.compile(r"remove|withdraw|revoke|forget|delete|password"),
    re.compile(r"studies/<slug:slug>/delete/"),
    re.compile(r"logout"),
)
LEAVE = "r/<slug:token>/leave/"  # leads to a platform, off this machine: see stories.leave
# A preview goes when its owner opens another: see stories._try_the_preview.
PREVIEWS = ("/r/preview-", "/join/preview_")
RANKS = range(len(LATER) + 1)
# Django's lists offer each order of their columns, and who was made staff is led to all of them.
ADMIN, MOST_OF_ADMIN = "admin/", 3
# Its 1,056 items have pages like those of smaller studies, and its reports take a worker time.
LARGE, MOST_OF_LARGE = "hanna", 3
FIRST_OF_LARGE = ("studies/<slug:slug>/", "studies/<slug:slug>/analysis/")  # in the short form


class Walk:
    """Everything that a role is led to, each page at most so many times.

    most: how many links that differ only in ids or values of the query; 0 means all.
    quick: whether empty forms are sent without the browser.
    has_turn: tells of the key of a form that only chooses what its own page shows whether this walk
    sends it.
    """

    def __init__(
        self,
        visitor: Visitor,
        tab: Tab,
        most: int,
        quick: bool = False,
        has_turn: Callable[[tuple], bool] = lambda key: True,
    ):
        self.visitor, self.tab, self.most, self.quick = visitor, tab, most, quick
        self.has_turn = has_turn
        self.ledger = visitor.ledger
        self.queue: deque[Address] = deque()
        self.seen: set[str] = set()
        self.counts: Counter = Counter()
        self.known: dict[tuple, list[str]] = {}  # links by page, those of forms among them
        self.pages: dict[tuple, list[str]] = {}  # links that were answered by a page
        self.forms: dict[tuple, list[Form]] = {}
        self.sent: set[tuple] = set()

    def offer(self, links, forms=()) -> None:
        """Take up links and forms that a page has."""
        for link in links:
            # A popup answers to the window that opened it, and nobody did.
            if link not in self.seen and "_popup=" not in link:
                self.seen.add(link)
                self._queue(link)
        for form in forms:
            self._keep(form)

    def _queue(self, link: str) -> None:
        if link.startswith(("/static/", *PREVIEWS)):
            return
        address = find_address(link)
        if address is None:
            self.ledger.fail(f"{link} is an address of no route")
            return
        self.known.setdefault(address.page, []).append(link)
        group = (address.page, _own_study(address))
        self.counts[group] += 1
        most = self.most or self._most_of(address)
        if address.study == LARGE and self.most and address.route not in FIRST_OF_LARGE:
            return
        if not most or self.counts[group] <= most:
            self.queue.append(address)

    def _most_of(self, address: Address) -> int:
        if address.route.startswith(ADMIN):
            return MOST_OF_ADMIN
        return MOST_OF_LARGE if address.study == LARGE else 0

    def _keep(self, form: Form) -> None:
        address = find_address(form.action)
        if address is None or address.route == LEAVE:
            return
        places = self.forms.setdefault(form_key(form), [])
        if form not in places:
            places.append(form)
        links = self.known.setdefault(address.page, [])
        if form.method == "post" and form.action not in links:
            links.append(form.action)

    def follow(self) -> None:
        """Open every link that waits, and those that it leads to."""
        while self.queue:
            address = self.queue.popleft()
            page = self.visitor.open(address.link)
            if 400 <= page.status < 500:
                words = f"{page.status} {address.link} as {self.visitor.role}, who is led there"
                self.ledger.fail(words)
            if page.is_page and page.status == 200 and page.link == address.link:
                self.pages.setdefault(address.page, []).append(address.link)
            self.offer(page.links, page.forms)

    def send_forms(self, ranks) -> None:
        """Send every form of these ranks, once empty and once filled, and follow where it leads."""
        for rank in ranks:
            while waiting := [key for key in self.forms if self._waits(key, rank)]:
                for key in waiting:
                    self.sent.add(key)
                    self._send(key)
                    self.follow()

    def _waits(self, key: tuple, rank: int) -> bool:
        form = self.forms[key][0]
        leads_to_itself = form.method == "get" and key[0] == key[1]  # it reaches no other route
        is_ours = not leads_to_itself or self.has_turn(key)
        return is_ours and key not in self.sent and rank_of(form) == rank

    def _send(self, key: tuple) -> None:
        form = self.forms[key][-1] if rank_of(self.forms[key][0]) else self.forms[key][0]
        for filled in (False, True) if form.names else (True,):
            seen = self._submit([form, *self.forms[key][:3]], filled)
            if seen is None:
                how = "filled" if filled else "empty"
                self.ledger.note(f"form gone before it was sent {how}: {form.action}")
            else:
                self._take_up(form, seen)

    def _take_up(self, form: Form, seen: Seen) -> None:
        """Offer what a submission led to; a page that answers a form stands at no link."""
        to, action = find_address(seen.link), find_address(form.action)
        if to and action and to.page[:2] == action.page[:2]:
            forms = [replace(other, page=form.page) for other in seen.forms]
            self.offer(seen.links, forms)
        else:
            self.offer([seen.link, *seen.links], seen.forms)

    def _submit(self, places: list[Form], filled: bool) -> Seen | None:
        """Send the first of the forms that is still there."""
        for place in dict.fromkeys(places):
            try:
                if self.quick and not filled:
                    seen = self._send_empty(place)
                else:
                    seen = self.tab.submit(place, filled)
                if seen:
                    return seen
            except Error as error:
                self.ledger.fail(f"sending {place.action}: {str(error).splitlines()[0]}")
        return None

    def _send_empty(self, form: Form) -> Seen | None:
        """Send a form with nothing in its fields, without the browser."""
        page = self.visitor.open(form.page)
        same = find_form(form, page.forms)
        if same is None:
            return None
        values = empty_values(page.text, same.number)
        if form.method == "get":
            answer = self.visitor.open(f"{same.action.partition('?')[0]}?{urlencode(values)}")
        else:
            answer = self.visitor.post(same.action, values, referer=form.page)
        return Seen(answer.link, answer.links, answer.forms)


def _own_study(address: Address) -> str:
    """Name a study whose pages are counted apart: the large one, and those that the smoke made.

    The latter have pages that no study of the demo has.
    """
    own = address.study.startswith("smoke") and "/analysis/" not in address.route
    return address.study if own or address.study == LARGE else ""


def rank_of(form: Form) -> int:
    """Return how late a form is sent: 0 at once, the last rank at the end."""
    address = find_address(form.action)
    route = address.route if address else form.action
    if form.method == "get":
        return 0
    return max((n for n, words in enumerate(LATER, 1) if words.search(route)), default=0)
