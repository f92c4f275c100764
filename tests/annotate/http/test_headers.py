"""Visitors' addresses behind reverse proxies; login throttling counts by them."""

import pytest
from django.test import RequestFactory

from annotate.http.headers import client_ip


@pytest.mark.parametrize(
    ("proxies", "header", "expected"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
    ],
)
def test_a_visitor_is_known_by_what_the_own_proxies_noted(settings, proxies, header, expected):
    settings.PROXY_COUNT = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=header)
    assert client_ip(request) == expected


def test_login_throttling_counts_by_that_address(settings):
    assert settings.AXES_CLIENT_IP_CALLABLE == "annotate.http.headers.client_ip"
