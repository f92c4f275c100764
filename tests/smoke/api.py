"""The HTTP API: every address that a page's address has a counterpart of, read and written."""

import re
from collections.abc import Iterator

from tests.smoke import stories
from tests.smoke.crawl import LARGE, Walk
from tests.smoke.routes import all_routes, find_address

START = "api/v1/studies/<slug:slug>/"
OWN_STUDY = "smoke-api"  # that the examples of the documentation make
WITH_ROWS = {"smoke", "factuality-demo"}  # studies whose lists have rows
# What these examples name (a judge) no study has from the start.
DEMANDING = ("/runs/",)
# Computed while it is waited for, of 1,056 items; smaller studies have the usual draws.
LARGE_REPORT, FEW_DRAWS = re.compile(f"/api/v1/studies/{LARGE}/reports/."), "?draws=200"


def api_links(walk: Walk) -> list[str]:
    """Return an address of the API for each route of it, with ids that pages led to."""
    known = [link.partition("?")[0] for links in walk.known.values() for link in links]
    studies = {address.study for link in known if (address := find_address(link))}
    lists = [route for route in all_routes() if route.startswith(START)]
    links = [route.replace("<slug:slug>", study) for route in lists for study in sorted(studies)]
    links = ["/" + link for link in links if "<" not in link]
    pages = [link for link in known if link.startswith("/studies/")]
    links += ["/api/v1" + link.replace("/analysis/", "/reports/") for link in pages]
    links.sort(key=lambda link: f"/{LARGE}/" in link)  # where few are read, those of a small study
    return [link for link in dict.fromkeys(links) if _is_api(link)]


def _is_api(link: str) -> bool:
    address = find_address(link)
    return address is not None and address.route.startswith("api/v1/") and bool(address.study)


def read_api(walk: Walk, most: int) -> None:
    """Open each route of the API, and send nothing to each that takes what is sent."""
    counts: dict[tuple, int] = {}
    rows = stories.row_links(walk.visitor, WITH_ROWS)
    for link in ["/api/v1/studies/", *rows, *api_links(walk)]:
        page = find_address(link).page
        counts[page] = counts.get(page, 0) + 1
        if not most or counts[page] <= most:
            walk.visitor.open(f"{link}{FEW_DRAWS}" if LARGE_REPORT.match(link) else link)
            walk.visitor.send_json(link, {})


def send_examples(walk: Walk) -> None:
    """Send every example of the schema: where it needs no row of the demo, it has to be taken."""
    links = api_links(walk)
    for method, path, examples in _examples(walk.visitor.read_json("/api/schema/")):
        link = _address(path, links)
        for number, example in enumerate(examples if link else []):
            own = f"{OWN_STUDY}-{number}" if number else OWN_STUDY
            value = example | {"study": own} if "study" in example else example
            answer = walk.visitor.send_json(link, value, method)
            if answer.status >= 400 and "{id}" not in path and not link.endswith(DEMANDING):
                words = f"{method} {link}: the example of the schema is refused: {answer.status}"
                walk.ledger.fail(words)


def _address(path: str, links: list[str]) -> str:
    """Return where an example is sent: an address of its own study, or of some row that is."""
    if "{id}" not in path:
        return path.replace("{slug}", OWN_STUDY)
    like = re.compile(path.replace("{slug}", "[^/]+").replace("{id}", "[0-9]+"))
    return next(filter(like.fullmatch, links), "")


def _examples(schema: dict) -> Iterator[tuple[str, str, list]]:
    """(method, path, the documented bodies; [{}] where there is none) of whatever writes."""
    for path, operations in schema.get("paths", {}).items():
        for method in {"post", "patch", "put", "delete"} & set(operations):
            content = operations[method].get("requestBody", {}).get("content", {})
            examples = content.get("application/json", {}).get("examples", {})
            values = [example["value"] for example in examples.values()]
            yield method.upper(), path, values or [{}]


def make_token(walk: Walk) -> str:
    """Make a token on its page, and return it."""
    link = "/accounts/tokens/"
    walk.visitor.open(link)
    values = {"name": "smoke", "scope": "write", "reach": "all", "days": "1"}
    page = walk.visitor.post(link, values)
    shown = re.search(r'id="secret" readonly value="([^"]+)"', page.text)
    if shown is None:
        walk.ledger.fail(f"no token was made: {page.status}")
    return shown.group(1) if shown else ""
