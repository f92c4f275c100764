"""The routes of the urlconf, and which of them an address belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

# Names of what tells rows of one table apart. Every other part of an address (a report, a table,
# a format, a step) names a page of its own.
IDS = {
    "slug",
    "pk",
    "token",
    "uid",
    "key",
    "item",
    "question",
    "screen",
    "position",
    "object_id",
    "content_type_id",
}


def all_routes() -> set[str]:
    """Return every route of the urlconf, written as Django writes the route of a match."""
    return set(_routes_below(get_resolver(), ""))


def _routes_below(resolver: URLResolver, start: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = start + _rest(start, str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes_below(pattern, route)


def _rest(start: str, route: str) -> str:
    return route.removeprefix("^") if start else route


@dataclass(frozen=True)
class Address:
    """A path with its query on this server, and the page it leads to."""

    link: str
    route: str
    name: str
    study: str  # the study whose page it is; empty where it is no study's
    page: tuple  # the same for links that differ only in ids, in values or in further options


def find_address(link: str) -> Address | None:
    """Match a link ("/studies/films/?page=2") with its route; None where no route takes it."""
    parts = urlsplit(link)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return None
    named = {name: str(value) for name, value in match.kwargs.items() if name not in IDS}
    query = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if len(query) > 1:
        query = {"several"}  # options of a report or filters of a list, in all combinations
    page = (match.route, tuple(sorted(named.items())), tuple(sorted(query)))
    study = str(match.kwargs.get("slug", ""))
    return Address(link, match.route, match.url_name or "", study, page)
