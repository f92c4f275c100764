"""What is written into the fields of forms: by name where a name asks for it, else by type."""

from pathlib import Path

from tests.smoke.pages import Form
from tests.smoke.routes import find_address

HERE = Path(__file__).parent / "study"
EXAMPLES = Path(__file__).parents[2] / "static" / "examples"
TABLES = ("contents", "interactions", "items", "ratings", "judgments")
NEW_STUDY = {"study": HERE / "study.yaml"} | {name: HERE / f"{name}.csv" for name in TABLES}
PARTICIPANTS = HERE / "participants.csv"
# The files of a field, by the route that takes them.
FILES = {
    "studies/new/": NEW_STUDY,
    "studies/<slug:slug>/load/": {name: EXAMPLES / f"{name}.csv" for name in ("contents",)},
    "studies/new/bring/": {"file": EXAMPLES / "items.csv"},
    "studies/<slug:slug>/bring/": {"file": EXAMPLES / "items.csv"},
    "studies/new/ratings/": {"movies": HERE / "movies.csv", "ratings": HERE / "rated.csv"},
    "studies/<slug:slug>/media/upload/": {"files": HERE / "picture.png"},
    "studies/<slug:slug>/raters/pay/participants/": {"file": PARTICIPANTS},
}
PROMPT = """Rate the tone of the text: $aspects $rules Reply in JSON with $keys.
<<<TEXT
$text
TEXT>>>
"""
# By the name of the field; a route and a name where that is not enough.
NAMED = {
    "slug": "smoke-made",
    "study_copy:slug": "smoke-copy",
    "new_questions:slug": "smoke-brought",
    "surveys_new:slug": "smoke-surveys",
    "surveys_new:surveys": "1",
    "title": "Made by the smoke",
    "username": "guest",
    "key": "smoke-key",
    "labels": "no\nyes",
    "options": "Explanations\nFilms",
    "right": "Explanations",
    "names": "pat\nkim",
    "base_url": "http://127.0.0.1:9/v1",
    # Where Ollama would listen, and nobody does. Without a key no provider is asked.
    "model_new:base_url": "http://127.0.0.1:11434/v1",
    "model_new:model": "smoke-model",
    "api_key": "",
    "media_hosts": "127.0.0.1",
    "endpoint_new:model": "smoke-model",
    "prompt_new:text": PROMPT,
    "unlock_split:reason": "The analysis is written.",
    "ids": "nobody",
    "share": "0.3",
    "count": "2",
    "limit": "1",
    "budget": "1",
    "only": "",
    "exclude": "",
    "by": "",
    "password1": "Quiet-Ferry-4711",
    "password2": "Quiet-Ferry-4711",
    "usable_password": "true",
}
# In place of what stands there: pages with the usual 2,000 draws are opened by links.
CHANGED = {"draws": "200"}
BY_TYPE = {
    "number": "1",
    "email": "smoke@example.org",
    "url": "http://127.0.0.1:9/",
    "date": "2026-01-31",
    "time": "12:00:00",
    "datetime-local": "2026-01-31T12:00",
    "password": "Quiet-Ferry-4711",
    "color": "#336699",
}
KEPT = ("hidden", "submit", "button", "reset", "image", "file", "fieldset", "output")


def choose_file(form: Form, name: str) -> Path | None:
    """Return what is uploaded in a field of a form; None leaves it empty."""
    address = find_address(form.action)
    return FILES.get(address.route if address else "", {}).get(name)


def choose_values(form: Form, fields: list[dict], filled: bool) -> list[list]:
    """Return [number of the field, its value] of all fields that change.

    Filled, what stands in a field already stays, but for CHANGED; empty, nothing stays but what
    is hidden.
    """
    chosen, groups = [], _checked(fields)
    for field in fields:
        if field["type"] in KEPT or field["disabled"] or not field["name"]:
            continue
        if field["type"] in ("checkbox", "radio"):
            if not filled and field["checked"]:
                chosen.append([field["number"], False])
            elif filled and field["name"] not in groups:
                groups.add(field["name"])
                chosen.append([field["number"], True])
        elif (value := _value(form, field, filled)) != field["value"]:
            chosen.append([field["number"], value])
    return chosen


def _checked(fields: list[dict]) -> set[str]:
    return {field["name"] for field in fields if field["checked"]}


def _value(form: Form, field: dict, filled: bool):
    if field["type"] == "select-multiple":
        return field["options"][:1] if filled else []
    if field["type"] == "select-one":
        return _option(field, filled)
    if not filled:
        return ""
    if field["name"] in CHANGED:
        return CHANGED[field["name"]]
    return field["value"] or _text(form, field)


def _option(field: dict, filled: bool) -> str:
    if filled:
        return field["value"] or next(filter(None, field["options"]), "")
    return "" if "" in field["options"] else field["value"]


def _text(form: Form, field: dict) -> str:
    address = find_address(form.action)
    name = field["name"].rpartition("-")[2] if "-" in field["name"] else field["name"]
    if name == "slug" and "/delete/" in form.action:
        return address.study if address else ""
    by_route = NAMED.get(f"{address.name if address else ''}:{name}")
    if by_route is not None:
        return by_route
    if name in NAMED:
        return NAMED[name]
    return field["min"] or BY_TYPE.get(field["type"], "4")
