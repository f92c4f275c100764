"""A visitor without a browser: fast, for links and files by the thousand."""

import time
from dataclasses import dataclass

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tests.smoke.ledger import TO_LOG_IN, Answer, Ledger
from tests.smoke.pages import Form, local_link, parse_page
from tests.smoke.routes import find_address

PATIENCE = 120  # seconds for an answer
MOST_HOPS = 5


@dataclass
class Page:
    """An answer as it was read: its links and forms where it is a page."""

    link: str
    status: int
    is_page: bool
    links: list[str]
    forms: list[Form]
    text: str
    location: str = ""


class Visitor:
    """A person with a role and cookies of their own, who opens links of one server."""

    def __init__(self, role: str, origin: str, ledger: Ledger):
        self.role, self.origin, self.ledger = role, origin, ledger
        self.session = requests.Session()
        self.session.trust_env = False
        # As browsers do: an idle connection may be closed by the server while it is used again.
        again = Retry(total=1, status=0, redirect=0, allowed_methods={"GET"})
        self.session.mount(origin, HTTPAdapter(max_retries=again))

    def open(self, link: str) -> Page:
        """Open a link, and whatever it redirects to on this server."""
        page = self._send("GET", link)
        return self._follow(page)

    def post(self, link: str, data=None, files=None, referer: str = "") -> Page:
        """Send a form's values, with the token of the page it stands on, and follow."""
        token = {"csrfmiddlewaretoken": self.session.cookies.get("csrftoken", "")}
        headers = {"Referer": self.origin + (referer or link)}
        sent = [*token.items(), *(data.items() if isinstance(data, dict) else data or [])]
        return self._follow(self._send("POST", link, data=sent, files=files, headers=headers))

    def send_json(self, link: str, rows, method: str = "POST") -> Page:
        """Send JSON to the API."""
        token = self.session.cookies.get("csrftoken", "")
        headers = {"X-CSRFToken": token, "Referer": self.origin + link}
        return self._send(method, link, json=rows, headers=headers)

    def read_json(self, link: str) -> dict:
        """Return what is served as JSON at a link; empty where it is not."""
        accept = {"Accept": "application/vnd.oai.openapi+json"}
        try:
            answer = self.session.get(self.origin + link, headers=accept, timeout=PATIENCE)
            return answer.json()
        except requests.RequestException as error:
            self.ledger.fail(f"GET {link} as {self.role}: {type(error).__name__}")
            return {}

    def _follow(self, page: Page) -> Page:
        for _ in range(MOST_HOPS):
            if not page.location or TO_LOG_IN in page.location:
                break
            page = self._send("GET", page.location)
        return page

    def _send(self, method: str, link: str, **more) -> Page:
        began = time.monotonic()
        try:
            response = self.session.request(
                method, self.origin + link, timeout=PATIENCE, allow_redirects=False, **more
            )
        except requests.RequestException as error:
            self.ledger.fail(f"{method} {link} as {self.role}: {type(error).__name__}")
            return Page(link, 0, False, [], [], "")
        for cookie in self.session.cookies:
            cookie.secure = False  # browsers too send those of https to this machine itself
        address, seconds = find_address(link), time.monotonic() - began
        route, place = address.route if address else "", response.headers.get("Location", "")
        status = response.status_code
        self.ledger.record(Answer(self.role, method, link, route, status, seconds, place))
        return self._read(link, response)

    def _read(self, link: str, response: requests.Response) -> Page:
        kind = response.headers.get("Content-Type", "")
        is_page = kind.startswith("text/html")
        links, forms = parse_page(response.text, link, self.origin) if is_page else ([], [])
        text = response.text if is_page or kind.startswith("application/json") else ""
        location = response.headers.get("Location", "")
        hop = local_link(location, link, self.origin) if location else ""
        return Page(link, response.status_code, is_page, links, forms, text, hop)

    def log_in(self, address: str) -> None:
        """Use a printed link: open it and press its button."""
        link = local_link(address, "/", self.origin)
        self.open(link)
        page = self.post(link)
        if "sessionid" not in self.session.cookies:
            self.ledger.fail(f"the printed link logged nobody in as {self.role}: {page.status}")
