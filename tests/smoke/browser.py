"""Chromium as a visitor: it notes errors of the console and requests that leave the machine."""

import re
import time
from dataclasses import dataclass

from playwright.sync_api import Browser, Error, Request, Response, TimeoutError

from tests.smoke.ledger import Answer, Ledger
from tests.smoke.pages import Form, find_form, local_link, parse_page
from tests.smoke.routes import find_address
from tests.smoke.values import choose_file, choose_values

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE = 120_000  # ms
QUIET = 15.0  # seconds that fragments of a page may take to come
LONGEST = 60.0  # seconds that the answer to a form may take
LOADING = "#loading[hx-get]"  # a load that a worker writes: at its end a link leads to the study
KEPT_BACK = 0.15  # seconds in which a form whose button is pressed asks for something
# By the page's own clock, which stands while it works: htmx asks on 20 ms after an answer.
STILL = """milliseconds => new Promise(done => {
  const wait = () => setTimeout(done, 40);
  setTimeout(done, milliseconds);
  document.readyState === "complete" ? wait() : addEventListener("load", wait, {once: true});
})"""
# The log line of an answer that refuses: whether it was right to refuse is seen at the answer.
REFUSAL = re.compile(
    r"the server responded with a status of 4\d\d|Response Status Error Code 4\d\d"
)

FIELDS = """form => [...form.elements].map((field, number) => ({
  number, name: field.name, type: field.type, value: field.value, disabled: field.disabled,
  checked: !!field.checked, required: !!field.required, min: field.min || "", max: field.max || "",
  options: field.options ? [...field.options].map(option => option.value) : [],
}))"""
FILL = """(form, values) => {
  for (const [number, value] of values) {
    const field = form.elements[number];
    if (field.type === "checkbox" || field.type === "radio") {
      if (field.checked !== value && value) field.click(); else field.checked = value;
    } else if (field.multiple && field.options) {
      for (const option of field.options) option.selected = value.includes(option.value);
      field.dispatchEvent(new Event("change", {bubbles: true}));
    } else {
      field.value = value;
      field.dispatchEvent(new Event("input", {bubbles: true}));
      field.dispatchEvent(new Event("change", {bubbles: true}));
    }
  }
}"""
# Past what the browser itself would refuse: the server has to answer it.
SUBMIT = """(form, number) => {
  form.noValidate = true;
  const button = form.elements[number];
  if (button) button.formNoValidate = true;
  form.requestSubmit(button || null);
}"""
SUBMIT_WITHOUT_SCRIPTS = "form => HTMLFormElement.prototype.submit.call(form)"


@dataclass
class Seen:
    """What a submission led to."""

    link: str
    links: list[str]
    forms: list[Form]


class Tab:
    """A page of Chromium with a role and the cookies of a visitor."""

    def __init__(self, chromium: Browser, role: str, origin: str, ledger: Ledger, cookies=None):
        self.role, self.origin, self.ledger = role, origin, ledger
        self.refusals_expected = False
        self.may_be_gone = ""
        self.requests = 0
        self.under_way: set[Request] = set()
        self.opened: set[tuple] = set()  # pages
        self.context = chromium.new_context(
            base_url=origin, viewport={"width": 1200, "height": 900}
        )
        if cookies is not None:
            self.context.add_cookies([_as_playwright(cookie, origin) for cookie in cookies])
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self._fail(f"page error: {error}"))
        self.page.on("console", self._on_console)
        self.page.on("response", self._on_response)
        self.page.on("request", self._on_request)
        self.page.on("requestfinished", self._on_end)
        self.page.on("requestfailed", self._on_end)
        self.page.on("framenavigated", self._on_navigation)
        self.page.on("dialog", lambda dialog: dialog.accept())

    def close(self) -> None:
        self.context.close()

    def _fail(self, words: str) -> None:
        self.ledger.fail(f"{words} ({self.page.url.removeprefix(self.origin)} as {self.role})")

    def _on_request(self, request: Request) -> None:
        self.requests += 1
        self.under_way.add(request)
        if not request.url.startswith((self.origin, "data:", "blob:", "about:")):
            self._fail(f"request that leaves the machine: {request.url}")

    def _on_end(self, request: Request) -> None:
        self.under_way.discard(request)

    def _on_navigation(self, frame) -> None:
        """Forget what the page before still asked for: nobody waits for it."""
        if frame == self.page.main_frame:
            self.under_way.clear()

    def _on_console(self, message) -> None:
        if message.type != "error" or REFUSAL.search(message.text):
            return
        if not is_of_plotly(message.text, message.location):
            self._fail(f"console: {message.text}")

    def _on_response(self, response: Response) -> None:
        request = response.request
        link = local_link(response.url, "/", self.origin)
        if not link:
            return
        may_be_refused = self.refusals_expected or link == self.may_be_gone
        if 400 <= response.status < 500 and not may_be_refused:
            self._fail(f"{response.status} {request.method} {link}")
        if not link.startswith("/static/"):
            address = find_address(link)
            route = address.route if address else ""
            seconds = max(0.0, request.timing["responseStart"]) / 1000
            place = response.headers.get("location", "")
            answer = Answer(self.role, request.method, link, route, response.status, seconds, place)
            self.ledger.record(answer)
        elif response.status >= 500:
            self._fail(f"{response.status} {link}")

    def open(self, link: str, refusals_expected: bool = False, was_seen: bool = False) -> Seen:
        """Open a link and wait until the fragments that it asks for have come.

        was_seen: some time ago it was a page, which may have gone; what a page asks for may not.
        """
        self.refusals_expected, self.may_be_gone = refusals_expected, link if was_seen else ""
        self.under_way.clear()
        try:
            self._go(link)
            self._settle()
            if address := find_address(link):
                self.opened.add(address.page)
        except TimeoutError:
            self._fail(f"no answer in {PATIENCE / 1000:.0f} s: {link}")
        except Error as error:
            if "Download is starting" not in str(error) and "ERR_ABORTED" not in str(error):
                self._fail(f"{link}: {str(error).splitlines()[0]}")
        return self.look()

    def _go(self, link: str) -> None:
        try:
            self.page.goto(link, wait_until="load")
        except Error as error:
            if "interrupted by another navigation" not in str(error):
                raise
            # The page before waited for a worker, and led on by itself at this very moment.
            self.page.goto(link, wait_until="load")

    def _settle(self, longest: float = QUIET) -> None:
        """Wait until the page has come, no request is under way and none follows."""
        deadline, asked = time.monotonic() + longest, -1
        while self.under_way or asked != self.requests:
            if time.monotonic() > deadline:
                waiting = ", ".join(sorted({request.url for request in self.under_way}))
                self.ledger.note(f"not quiet within {longest:.0f} s: {self.page.url} ({waiting})")
                self.under_way.clear()
                return
            asked = self.requests
            try:
                self.page.evaluate(STILL, 1000 * longest)
            except Error:  # it leads on at this moment
                self.page.wait_for_timeout(20)

    def look(self) -> Seen:
        """Return where the page is, its links and its forms."""
        link = local_link(self.page.url, "/", self.origin)
        try:
            links, forms = parse_page(self.page.content(), link, self.origin)
        except Error:
            links, forms = [], []
        return Seen(link, links, forms)

    def submit(self, form: Form, filled: bool) -> Seen | None:
        """Open a form's page and send it, empty or filled; None where it has gone."""
        self.open(form.page, refusals_expected=True)
        handle = self._find(form)
        return self.send(handle, form, filled) if handle else None

    def _find(self, form: Form):
        """Return the form with the same action and fields, or the one that is most like it."""
        handles = self.page.query_selector_all("form")
        same = find_form(form, self.look().forms)
        return handles[same.number] if same and same.number < len(handles) else None

    def send(self, handle, form: Form, filled: bool) -> Seen:
        """Put values into a form of the open page and press its button."""
        self.refusals_expected = True
        fields = handle.evaluate(FIELDS)
        values = choose_values(form, fields, filled)
        for field in fields:
            if field["type"] == "file":
                path = choose_file(form, field["name"]) if filled else None
                element = handle.evaluate_handle("(form, n) => form.elements[n]", field["number"])
                element.as_element().set_input_files([path] if path else [])
        handle.evaluate(FILL, values)
        self._settle()
        self._press(handle, _button(fields))
        self._settle(LONGEST)
        self._wait_for_load()
        return self.look()

    def _wait_for_load(self) -> None:
        """Wait until files are loaded, where the page shows that they are being loaded."""
        try:
            if self.page.query_selector(LOADING):
                self.page.wait_for_selector(LOADING, state="detached", timeout=LONGEST * 1000)
                self._settle()
        except Error:
            self._fail(f"not loaded within {LONGEST:.0f} s")

    def _press(self, handle, button: int) -> None:
        self.requests = 0
        try:
            handle.evaluate(SUBMIT, button)
            if not self._asks():  # a script of the page keeps it back, as it does with gaps
                handle.evaluate(SUBMIT_WITHOUT_SCRIPTS)
                self._asks()
            self.page.wait_for_load_state("load")
        except Error as error:
            if "context was destroyed" not in str(error) and "navigation" not in str(error).lower():
                self._fail(f"sending a form: {str(error).splitlines()[0]}")

    def _asks(self) -> bool:
        """Whether the page asks for something within a moment."""
        deadline = time.monotonic() + KEPT_BACK
        while not self.requests and time.monotonic() < deadline:
            self.page.wait_for_timeout(10)
        return bool(self.requests)


def is_of_plotly(text: str, location: dict) -> bool:
    """Whether a console error is the policy's refusal of a style that Plotly's own file sets."""
    return "inline style" in text and "/static/vendor/plotly-" in location["url"]


def _button(fields: list[dict]) -> int:
    """Return the number of the first button that sends the form, -1 where there is none."""
    numbers = [field["number"] for field in fields if field["type"] == "submit"]
    return numbers[0] if numbers else -1


def _as_playwright(cookie, origin: str) -> dict:
    return {"name": cookie.name, "value": cookie.value, "url": origin}
