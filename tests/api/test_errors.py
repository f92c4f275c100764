"""Every error has one form, whatever went wrong."""

import json
from unittest.mock import patch

import pytest
from django.test import Client

from tests.api.conftest import ROOT

pytestmark = pytest.mark.django_db
DEEP = "[" * 100_000 + "]" * 100_000
BODIES = {
    "no JSON": ("{", "malformed"),
    "no body": ("", "invalid"),
    "no UTF-8": (b'{"title": "\xff"}', "malformed"),
    "a NUL byte": (b'{"title": "a\x00b"}', "malformed"),
    "an escaped NUL": (r'{"title": "a\u0000b"}', "malformed"),
    "half a pair": (r'{"title": "\ud800"}', "malformed"),
    "not a number": ('{"title": NaN}', "malformed"),
    "a number beyond the floats": ('{"title": 1e400}', "malformed"),
    "too many digits": ('{"title": ' + "9" * 5000 + "}", "malformed"),
    "a name twice": ('{"title": "a", "title": "b"}', "malformed"),
    "deep": (DEEP, "malformed"),
    "quite deep": ('{"title": ' + "[" * 40 + "]" * 40 + "}", "malformed"),
    "a list": ("[]", "invalid"),
    "a text": ('"title"', "invalid"),
    "null": ("null", "invalid"),
    "an unknown field": ('{"titel": "a"}', "invalid"),
    "an empty title": ('{"title": " "}', "invalid"),
    "a long title": (json.dumps({"title": "a" * 201}), "invalid"),
    "a number as title": ('{"title": 5}', "invalid"),
    "an unknown state": ('{"state": "ajar"}', "invalid"),
}


def is_error(answer, status, code):
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/json"
    found = answer.json()
    assert set(found) == {"error"} and found["error"]["code"] == code
    assert found["error"]["message"]
    return found["error"]


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_cannot_be_used_is_400(api, study, at, case):
    body, code = BODIES[case]
    answer = api.generic("PATCH", at(), body, content_type="application/json")
    if case == "no body":  # nothing asked, nothing changed
        assert answer.status_code == 200
        return
    error = is_error(answer, 400, code)
    assert code != "invalid" or error["fields"]
    study.refresh_from_db()
    assert study.title == "Films"


@pytest.mark.parametrize(
    "media", ["text/csv", "application/x-www-form-urlencoded", "", "multipart/form-data"]
)
def test_another_content_type_is_415(api, at, media):
    answer = api.generic("PATCH", at(), b"title=x", content_type=media)
    is_error(answer, 415, "unsupported_media_type")


def test_a_large_body_is_413_and_is_not_read(api, at, settings):
    settings.API_MAX_BYTES = 1000
    answer = api.post(at("items/"), {"rows": [{"item": "a", "text": "x" * 1000}]})
    error = is_error(answer, 413, "too_large")
    assert "Send the rows in parts" in error["message"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", ""),
        ("PUT", ""),
        ("POST", ""),
        ("POST", "raters/"),
        ("DELETE", "items/1/"),
        ("GET", "runs/1/cancel/"),
        ("OPTIONS", ""),
        ("TRACE", ""),
    ],
)
def test_a_method_that_is_not_offered_is_405(api, at, method, path):
    answer = api.generic(method, at(path))
    is_error(answer, 405, "method_not_allowed")
    assert answer.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/",
        "/api",
        "/api/v1/",
        "/api/v2/studies/",
        "/api/v1/studies",
        "/api/v1/studies/films",
        "/api/v1/studies/films/nothing/",
        "/api/v1/studies/a%00b/",
        "/api/v1/studies/../../etc/",
        "/api/v1/studies/films/items/x/",
        "/api/docs",
        "/api/%ff",
    ],
)
def test_an_address_that_leads_nowhere_is_404(api, client, study, path):
    for caller in (api, client):
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            is_error(caller.generic(method, path), 404, "not_found")


@pytest.mark.parametrize(
    "path",
    [
        "items/99999/",
        "items/" + "9" * 40 + "/",
        "raters/0/",
        "runs/9/",
        "reports/nothing/",
        "items/?cursor=xyz",
        "items/?cursor=%00",
        "items/?cursor=cD1hYmM%3D",
        "items/?cursor=cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5",
    ],
)
def test_what_is_not_there_is_404(api, at, path):
    is_error(api.get(at(path)), 404, "not_found")


@pytest.mark.parametrize(
    "query",
    [
        "kind=song",
        "page_size=0",
        "page_size=1001",
        "page_size=x",
        "page_size=²",
        "nonsense=1",
        "item=" + "x" * 201,
        "system=%00",
        "item=",
    ],
)
def test_a_wrong_filter_is_400_and_named(api, at, query):
    error = is_error(api.get(at(f"items/?{query}")), 400, "invalid")
    assert list(error["fields"]) == [query.partition("=")[0]]


def test_a_fault_here_is_500_without_its_details(api, at, caplog):
    with patch("annotate.api.views.studies_of", side_effect=RuntimeError("password=x")):
        answer = api.get(ROOT)
    is_error(answer, 500, "server_error")
    assert "password" not in answer.content.decode()
    assert "unexpected error in the API" in caplog.text


def test_a_fault_in_a_bulk_creation_loads_nothing(api, at, study):
    from annotate.files.loading import tables

    with patch.object(tables.practice, "write_practice", side_effect=RuntimeError):
        is_error(
            api.post(at("items/"), {"rows": [{"item": "n", "text": "t"}]}), 500, "server_error"
        )
    assert study.items.count() == 4


def test_errors_have_the_headers_of_all_answers(study):
    headers = Client().get("/api/v1/studies/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
