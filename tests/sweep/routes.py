"""The routes of the urlconf, and the addresses that they have for some rows."""

import re

from django.urls import get_resolver
from django.urls.resolvers import URLResolver

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")


class Undeclared(Exception):
    """A route has a parameter for which no value is declared."""


def _walk(resolver, start=""):
    for pattern in resolver.url_patterns:
        text = start + str(pattern.pattern).replace("^", "").replace("$", "")
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, text)
        else:
            yield text or "/"


def all_routes():
    """Every route of the urlconf, as it is written there; each once."""
    return list(dict.fromkeys(_walk(get_resolver())))


def _last_of(end):
    return [match.group(0) for match in PARAMETER.finditer(end)][-1]


def address(route, values):
    """The address of a route.

    values: {the end of a route, or of its part up to a parameter: the value of the last parameter
    in it}, of which the longest that fits is taken: "raters/<int:pk>" before "<int:pk>"; or
    {a whole route: {parameter: its value}}.
    """
    if route == "/":
        return "/"
    own = values.get(route)
    own = own if isinstance(own, dict) else {}

    def value(match):
        name, until = match.group(1) or match.group(2), route[: match.end()]
        fitting = [
            end
            for end, row in values.items()
            if not isinstance(row, dict)
            and (until.endswith(end) or route.endswith(end))
            and _last_of(end) == match.group(0)
        ]
        if name not in own and not fitting:
            raise Undeclared(
                f"{route}: no value of {match.group(0)} is declared; make a row for it in "
                "tests/sweep/, and name it among the rows of tests/sweep/world.py"
            )
        return str(own[name] if name in own else values[max(fitting, key=len)])

    return "/" + PARAMETER.sub(value, route).replace("(?:/|)", "/")
