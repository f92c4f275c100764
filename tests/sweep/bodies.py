"""What is sent to each route: what its form holds on the page, and what is changed in it."""

import re

from django.urls import Resolver404, resolve

from analysis.exports.tables import ROWS
from tests.sweep.asking import Ask, send
from tests.sweep.changes import changes
from tests.sweep.forms import Forms
from tests.sweep.policy import POLICY
from tests.sweep.routes import address

# Pages whose forms are there with a query only.
QUERIES = {
    "studies/<slug:slug>/quality/": "rule=exit_answer&question=comments&how=equals&value={comment}",
    "studies/<slug:slug>/items/<int:pk>/statements/<slug:side>/": "edit={statement}",
}

# Other values of a route's parameters, of which each is a page with something else on it.
MORE = {
    "studies/<slug:slug>/export/<slug:table>.<slug:form>": [{"table": name} for name in ROWS],
    "studies/<slug:slug>/analysis/<slug:report>/": [
        {"report": name} for name in ("raters", "exclusions", "reasons", "cost")
    ],
    "studies/<slug:slug>/raters/pay/<slug:name>/": [
        {"name": "mturk-approval"},
        {"name": "prolific-approve"},
        {"name": "prolific-return"},
    ],
    "studies/<slug:slug>/settings/steps/<slug:part>/": [
        {"part": "screener"},
        {"part": "quotas"},
        {"part": "questions"},
        {"part": "practice"},
        {"part": "exit"},
    ],
}


def filled_bodies(callers, world):
    """{route: a body that would change something}, of all pages that these callers may see."""
    bodies: dict[str, dict] = {}
    for route, path in _pages(world):
        who = POLICY[route].get("GET")
        reader = next((caller for caller in callers if who and caller.may(who, route, "GET")), None)
        if reader:
            page = send(reader.client, Ask(route, "GET", path))
            for action, data in Forms(page.text).posting:
                _note(bodies, re.split("[?#]", action)[0] or path.partition("?")[0], data, world)
    for route, body in changes(world).items():
        bodies[route] = bodies.get(route, {}) | body
    return bodies


def _pages(world):
    """(route, address) of the pages whose forms are read, that of a judge that may change too."""
    for route in POLICY:
        if not route.startswith("api"):
            path = address(route, world.values)
            yield route, path
            if route in QUERIES:
                yield route, f"{path}?{QUERIES[route].format(**world.names)}"
    judge = "studies/<slug:slug>/judges/<int:pk>/"
    yield judge, address(judge, world.values | {judge: {"pk": world.names["fresh"]}})


def _note(bodies, path, data, world):
    """Keep a form under its route; one of the very address that is swept goes before others."""
    try:
        route = resolve(path).route.replace("^", "").replace("$", "") or "/"
    except Resolver404:
        return
    if route not in bodies or path == address(route, world.values):
        bodies[route] = data


def asks(values, bodies, routes=POLICY):
    """Every request of the sweep, with these values of the routes' parameters."""
    for route in routes:
        grants, path = POLICY[route], address(route, values)
        methods = ("GET", "POST", "PATCH", "PUT", "DELETE")
        for method in methods if route.startswith("api/v1/") else methods[:2]:
            yield Ask(route, method, path, grants.get(method, ""))
            if method != "GET" and route in bodies:
                pressed = {name.partition("+")[2] for name in grants}
                body = {name: v for name, v in bodies[route].items() if name not in pressed}
                yield Ask(route, method, path, grants.get(method, ""), body)
        yield from _variants(route, grants, path, bodies)
        for more in MORE.get(route, ()):
            path = address(route, values | {route: values.get(route, {}) | more})
            yield Ask(route, "GET", path, grants["GET"])


def _variants(route, grants, path, bodies):
    """GETs with a query, and POSTs that press a button, which are granted apart."""
    for name, who in grants.items():
        _, plus, button = name.partition("+")
        _, mark, query = name.partition("?")
        if plus:
            yield Ask(route, "POST", path, who, bodies.get(route, {}) | {button: "1"})
        elif mark:
            yield Ask(route, "GET", f"{path}?{query}", who)
