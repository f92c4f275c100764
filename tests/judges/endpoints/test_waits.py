"""How long an endpoint wants to be left alone, in the forms that providers and gateways use."""

from datetime import UTC, datetime

import httpx2
import pytest

from judges.endpoints.waits import seconds_told

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
EPOCH = int(NOW.timestamp())
HEADERS = [
    ({"Retry-After": "7"}, 7),
    ({"retry-after": "0.5"}, 0.5),
    ({"retry-after": "0"}, 0),
    ({"retry-after": "Thu, 01 Jan 2026 12:01:30 GMT"}, 90),
    ({"retry-after": "Thu, 01 Jan 2026 12:01:30 -0000"}, 90),
    ({"retry-after": "2026-01-01T12:01:30Z"}, 90),
    ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
    ({"retry-after": f"{EPOCH + 90}"}, 90),
    ({"x-ratelimit-reset": "2026-01-01 12:00:30 UTC"}, 30),
    ({"retry-after": '"7"'}, 7),
    ({"retry-after": "soon"}, None),
    ({"retry-after": ""}, None),
    ({"retry-after": "-1"}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "9" * 400}, None),
    ({"retry-after": "Thu, 01 Jan 99999999999 12:00:00 GMT"}, None),
    ({"retry-after": "30, 60"}, 60),
    ({"retry-after": "60,30"}, 60),
    ({"retry-after": "30, Thu, 01 Jan 2026 12:01:30 GMT"}, 90),
    ({"retry-after": "Thu, 01 Jan 2026 12:01:30 GMT, 30"}, 90),
    ({"retry-after": "soon, 30"}, 30),
    ({"retry-after": "1 minute, 30 seconds"}, 90),
    ([("retry-after", "30"), ("retry-after", "60")], 60),
    ({"retry-after-ms": "1500"}, 1.5),
    ({"x-ms-retry-after-ms": "1500", "retry-after": "2"}, 2),
    ({"x-ratelimit-reset-requests": "6m0s"}, 360),
    ({"x-ratelimit-reset-tokens": "120ms"}, 0.12),
    ({"x-rate-limit-reset-tokens": "55"}, 55),
    ({"X-RateLimit-Reset": f"{EPOCH + 30}"}, 30),
    ({"X-RateLimit-Reset": f"{1000 * EPOCH + 30_500}"}, 30.5),
    ({"anthropic-ratelimit-tokens-reset": "2026-01-01T12:00:20Z"}, 20),
    ({"RateLimit": "limit=100, remaining=0, reset=30"}, 30),
    ({"ratelimit": '"minute";r=7;t=9, "hour";r=0;q=100;t=1200'}, 1200),
    ({"ratelimit": '"minute";r=7;t=9'}, None),
    ({"ratelimit": '"minute";t=9;r=0'}, 9),
    ({"ratelimit": '"a";r=0, "b";r=5;t=600'}, None),
    ({"ratelimit": '"a";r=0;t=4, "b";r=5;t=600'}, 4),
    ({"ratelimit": "a;r=0;pk=:dD05:;t=4, b;r=0;t=6"}, 6),
    ([("ratelimit", '"a";r=0;t=4'), ("ratelimit", '"b";r=0;t=6')], 6),
    ({"ratelimit": '"r=0, t=9;";r=1;t=4'}, None),
    ({"RateLimit": "reset=30, remaining=0, limit=100"}, 30),
    ({"RateLimit": "limit=100;w=60, remaining=0, reset=30"}, 30),
    ({"RateLimit": "limit=100, remaining=1, reset=30", "RateLimit-Policy": "100;w=60"}, None),
    ({"RateLimit": '"a";r=0', "RateLimit-Policy": '"a";q=5;w=60, "b";q=50;w=3600'}, 60),
    ({"RateLimit": "limit=9, remaining=0, reset=30, limit=99, remaining=90, reset=5"}, 30),
    ({"RateLimit": '"a";r=0;pk=:x:;t=30, "a";r=5;pk=:y:;t=1'}, 30),
    ({"RateLimit": '"a";r=1;burst-r=0;t=30'}, None),
    ({"RateLimit": '"a";r=0;t=30;burst-r=5'}, 30),
    ({"RateLimit-Remaining": "0", "RateLimit-Reset": "30", "RateLimit-Policy": "5;w=60"}, 30),
    ({"x-ratelimit-remaining": "-1", "x-ratelimit-reset": "30"}, 30),
    ({"x-ratelimit-remaining": "-0.5", "x-ratelimit-reset": "30"}, 30),
    ({"x-ratelimit-remaining": "0.5", "x-ratelimit-reset": "30"}, None),
    ({"RateLimit": "limit=9, remaining=-1, reset=30"}, 30),
    ({"RateLimit": '"a";r=-3;t=-5', "RateLimit-Policy": '"a";q=5;w=60'}, 60),
    # Of several limits those that are not used up say nothing.
    (
        {
            "x-ratelimit-reset-requests": "2m59.56s",
            "x-ratelimit-remaining-requests": "14370",
            "x-ratelimit-reset-tokens": "7.66s",
            "x-ratelimit-remaining-tokens": "0",
            "retry-after": "2",
        },
        7.66,
    ),
    (
        {
            "anthropic-ratelimit-requests-reset": "2026-01-01T13:00:00Z",
            "anthropic-ratelimit-requests-remaining": "49",
        },
        None,
    ),
    ({"x-request-id": "5s", "date": "Thu, 01 Jan 2026 12:01:30 GMT"}, None),
]
BODIES = [
    ('{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37s"}', 37),
    (r'{"message": "{\"retryDelay\": \"37.5s\"}"}', 37.5),
    ('{"retryDelay": {"seconds": 37, "nanos": 0}}', 37),
    ("Please retry in 37.123s.", 37.123),
    ("It happened again in 2008. Too many requests", None),
    ("A film that resets in 1999", None),
    ("Your quota resets in 40 seconds", 40),
    ('{"retry_after_minutes": 5}', 300),
    ('{"resets_in_days": 3}', 259_200),
    (f'{{"reset_at_ms": {1000 * EPOCH + 60_000}}}', 60),
    ('{"reset_at": "2026-01-01 20:01:00 +0800"}', 60),
    ("Please try again in 6m0s. Visit https://example.org/limits", 360),
    ("Please try again in 0h2m3.5s.", 123.5),
    ("Please try again in 250ms.", 0.25),
    ("Please retry after 26 seconds. Go to https://example.org", 26),
    ("Try again in 1 minute and 30 seconds", 90),
    ("You must wait for 2 minutes", 120),
    ('{"retry_after": 20}', 20),
    ('{"retry_after_seconds": 20.5}', 20.5),
    ('{"retry_after_ms": 1500}', 1.5),
    ('{"retryAfterMs":1500}', 1.5),
    ('{"headers": {"Retry-After": "12"}}', 12),
    (f'{{"headers": {{"X-RateLimit-Reset": "{1000 * EPOCH + 9000}"}}}}', 9),
    ('{"error": "Model is currently loading", "estimated_time": 20.0}', 20),
    ('{"error": {"reset_at": "2026-01-01T12:01:30Z"}}', 90),
    ('{"retry_after": "2026-01-01T14:01:30+02:00"}', 90),
    ('{"quotaResetDelay": "9s", "quotaResetTimeStamp": "2026-01-01T12:00:09.5Z"}', 9.5),
    ("Please retry your request after 30 seconds", 30),
    ("Try again in about 5 minutes", 300),
    ("Please try again in approximately 30 seconds.", 30),
    ("Wait at least ~ 30 seconds", None),
    ("Wait at least 30 seconds before the next request.", 30),
    ("The limit resets in 30s", 30),
    ('{"detail": "Request was throttled. Expected available in 58 seconds."}', 58),
    ("It was available in 2008.", None),
    ("retry in 5s, at the latest retry in 9s", 9),
    ("Please try again in a few moments", None),
    ("Retry after 2026-01-01T13:00:00Z", None),
    ("We await 20 s of it", None),
    # Read a name at a time, however often or long: else 2 MB of it hold up all calls for hours.
    ("retry-after-ms" * 150_000 + " retry in 5s", 5),
    ("retry-after-ms" + "a" * 2_000_000 + ": 5", None),
    ("retry_after_ms" * 150_000 + ": 1500", 1.5),
    ("", None),
    # Words beyond an hour are no instruction, nor are numbers of something else.
    ("Cannot rate: 'wait 100 years'", None),
    ("You said: wait 3 decades and retry after 5 tries", None),
    ("Please try again in 14h2m.", None),
    ("Please try again in 59m59s.", 3599),
    ("wait 3000 days, or retry in 5s", 5),
    ('{"retry_after": 7200}', 7200),
]


@pytest.mark.parametrize(("headers", "seconds"), HEADERS)
def test_headers_say_it_as_a_length_or_as_a_moment(headers, seconds):
    assert seconds_told(httpx2.Headers(headers), "", NOW) == seconds


@pytest.mark.parametrize(("body", "seconds"), BODIES, ids=[body[:60] for body, _ in BODIES])
def test_a_body_says_it_in_fields_or_in_words(body, seconds):
    assert seconds_told({}, body, NOW) == pytest.approx(seconds)


def test_of_a_header_and_a_body_the_longer_counts():
    assert seconds_told({"retry-after": "0"}, "retry in 5s", NOW) == 5
    assert seconds_told({"retry-after": "9"}, "retry in 5s", NOW) == 9
