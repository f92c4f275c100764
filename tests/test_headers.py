"""The response headers that a security scanner asks for."""

import logging

import pytest
from whitenoise.middleware import WhiteNoiseMiddleware

from annotate.http.headers import TokenFilter

pytestmark = pytest.mark.django_db
WANTED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/no-such-page/", "/robots.txt"])
def test_every_response_has_them(client, path):
    headers = client.get(path).headers
    assert {name: headers.get(name) for name in WANTED} == WANTED
    assert headers["Referrer-Policy"] in ("no-referrer", "same-origin")
    assert "camera=()" in headers["Permissions-Policy"]


def test_the_content_security_policy_is_strict(client):
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    for part in (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
    ):
        assert part in policy


def test_logs_drop_the_tokens_of_sessions_and_logins():
    record = logging.LogRecord(
        "x",
        20,
        "f",
        1,
        "Not Found: %s and %s",
        ("/r/sEcret-1/item/2/", "/accounts/once/MQ/abc/"),
        None,
    )
    TokenFilter().filter(record)
    assert "sEcret" not in record.getMessage() and "abc" not in record.getMessage()


def test_files_have_headers_of_their_own_and_are_for_this_site_only(settings, tmp_path, rf):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "app.css").write_text("a {}")
    headers = WhiteNoiseMiddleware(lambda request: None)(rf.get("/static/app.css")).headers
    assert headers["Content-Security-Policy"] == "default-src 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Permissions-Policy"].startswith("camera=()")
    assert "Access-Control-Allow-Origin" not in headers
