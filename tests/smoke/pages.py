"""What a page leads to: its links and its forms, read from its HTML."""

from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

from lxml import html

from tests.smoke.routes import find_address

LINKS = ".//@href | .//@src | .//@hx-get | .//@data-url"


@dataclass(frozen=True)
class Form:
    """A form of a page: where it is sent, how, and the names of its fields."""

    page: str  # the link of the page it stands on
    action: str
    method: str
    names: tuple[str, ...]
    number: int  # among the page's forms


def parse_page(text: str, link: str, origin: str) -> tuple[list[str], list[Form]]:
    """Return the links within the origin, without fragments, and the forms of a page."""
    if not text.strip():
        return [], []
    tree = html.document_fromstring(text)
    # A link within the page leads nowhere else, also where the page answered a form.
    targets = [target for target in tree.xpath(LINKS) if not target.startswith("#")]
    links = [local_link(target, link, origin) for target in targets]
    forms = [
        _parse_form(form, link, origin, number) for number, form in enumerate(tree.iter("form"))
    ]
    return list(dict.fromkeys(filter(None, links))), [form for form in forms if form.action]


def local_link(target: str, link: str, origin: str) -> str:
    """Return the target as a path with its query; empty where it leads elsewhere."""
    whole = urldefrag(urljoin(origin + link, target.strip()))[0]
    return whole.removeprefix(origin) if whole.startswith(origin + "/") else ""


def form_key(form: Form) -> tuple:
    """Return what two forms share that differ only in ids."""
    action, page = find_address(form.action), find_address(form.page)
    to = action.page[:2] if action else (form.action,)
    on = page.page[:2] if page and form.method == "get" else ()
    if form.action.startswith("/admin/") and form.method == "get":
        return (to, on, form.method, ())  # it keeps the filters that are chosen
    return (to, on, form.method, tuple(name for name in form.names if not name[-1:].isdigit()))


def find_form(form: Form, others: list[Form]) -> Form | None:
    """Return the form that is most like another one, with the same address but for ids."""
    alike = [other for other in others if form_key(other)[:3] == form_key(form)[:3]]
    names = set(form.names)

    def differences(other: Form) -> tuple:
        return len(names ^ set(other.names)), other.action != form.action

    return min(alike, key=differences, default=None)


def empty_values(text: str, number: int) -> list[tuple[str, str]]:
    """Return what a browser sends of a form whose fields were all emptied."""
    element = list(html.document_fromstring(text).iter("form"))[number]
    values = [
        (field.get("name"), _emptied(field))
        for field in element.xpath(".//input | .//select | .//textarea")
        if field.get("name")
        and field.get("disabled") is None
        and field.get("type") not in ("checkbox", "radio", "submit", "file", "button")
    ]
    buttons = element.xpath("(.//button[not(@type) or @type='submit'])[1][@name]")
    return values + [(button.get("name"), button.get("value", "")) for button in buttons]


def _emptied(field) -> str:
    if field.tag == "select":
        options = [option.get("value", option.text or "") for option in field.iter("option")]
        chosen = field.xpath(".//option[@selected]/@value")
        return "" if "" in options or not options else (chosen or options)[0]
    return field.get("value", "") if field.get("type") == "hidden" else ""


def _parse_form(form, link: str, origin: str, number: int) -> Form:
    action = local_link(form.get("action") or link, link, origin)
    names = {name for name in form.xpath(".//@name") if name != "csrfmiddlewaretoken"}
    return Form(link, action, (form.get("method") or "get").lower(), tuple(sorted(names)), number)
