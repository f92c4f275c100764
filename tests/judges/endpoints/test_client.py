"""The client against a real server on loopback that misbehaves in every way we know of."""

import asyncio
import gzip
import json
import socket
import threading
import time
import zlib
from contextlib import ExitStack, suppress

import pytest

from judges.endpoints import client
from judges.endpoints.client import REPLY_BYTES, Client, Failure, parse_response
from judges.endpoints.model_list import list_models
from judges.models import Endpoint
from tests.scripted_server import Reply, ScriptedServer, chat

MESSAGES = [{"role": "user", "content": "Rate this."}]


def ask(script_or_reply, **fields):
    """The answer of a server that always replies so."""
    script = script_or_reply if callable(script_or_reply) else lambda *_: script_or_reply
    with ScriptedServer(script) as server:
        return ask_url(server.url, **fields), server


def ask_url(url, **fields):
    endpoint = Endpoint(
        **({"key": "e", "model": "m", "base_url": url, "timeout_seconds": 5} | fields)
    )

    async def once():
        async with Client(endpoint) as client:
            return await client.ask(MESSAGES, {"temperature": 0.0, "max_tokens": 50})

    return asyncio.run(once())


def error(code, kind=None):
    return {"error": {"message": "no", "type": kind, "code": code}}


def policy(message, code):
    return {"error": {"message": message, "type": None, "param": None, "code": code}}


def test_a_reply_arrives_with_its_model_and_tokens():
    answer, server = ask(chat('{"accuracy": 4}', tokens=(120, 9)))
    assert (answer.content, answer.failure) == ('{"accuracy": 4}', None)
    assert (answer.model, answer.fingerprint, answer.finish_reason) == (
        "scripted-1",
        "fp-1",
        "stop",
    )
    assert (answer.tokens_in, answer.tokens_out) == (120, 9)
    assert server.requests[0] == {
        "model": "m",
        "messages": MESSAGES,
        "temperature": 0.0,
        "max_tokens": 50,
    }


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("/v1", ""),
        ("/v1/", ""),
        ("/openai/deployments/d?api-version=2024-10-21", "?api-version=2024-10-21"),
        ("/openai/deployments/d/?api-version=2024-10-21", "?api-version=2024-10-21"),
        ("/v1?a=1&b=x%20y&a=2&c=", "?a=1&b=x%20y&a=2&c="),
        ("/v1?", ""),
        ("?v=1", "?v=1"),
        ("/v1#part", ""),
    ],
)
def test_what_is_asked_stands_before_the_query_of_an_address(address, query):
    with ScriptedServer(lambda *_: chat("4")) as server:
        base_url = server.url.removesuffix("/v1") + address
        assert ask_url(base_url).failure is None
        names = list_models(Endpoint(key="e", model="m", base_url=base_url))
    path = address.partition("?")[0].partition("#")[0].rstrip("/")
    assert server.paths == [f"{path}/chat/completions{query}", f"{path}/models{query}"], names


def packed(body, how="gzip", status=200):
    return Reply(body, status, {"content-encoding": how})


STREAM = (
    'data: {"choices": [{"delta": {"content": "4"}}]}\n\n'
    'data: {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 7000}}\n\n'
    "data: [DONE]\n\n"
)
FAILURES = {
    "400": (Reply(error("bad"), 400), Failure.BAD_REQUEST),
    "401": (Reply(error("invalid_api_key"), 401), Failure.AUTHENTICATION),
    "403": (Reply(error("no"), 403), Failure.AUTHENTICATION),
    "404": (Reply(error("model_not_found"), 404), Failure.NOT_FOUND),
    "429 rate": (Reply(error("rate_limit_exceeded"), 429), Failure.RATE),
    "429 billing": (Reply(error("insufficient_quota"), 429), Failure.BILLING),
    "429 billing by type": (Reply(error(None, "insufficient_quota"), 429), Failure.BILLING),
    "429 billing by type, beside a number": (
        Reply(error(429, "insufficient_quota"), 429),
        Failure.BILLING,
    ),
    "429 whose code is an object": (Reply(error({"http": 429}), 429), Failure.RATE),
    "429 whose code is a list": (Reply(error(["insufficient_quota"]), 429), Failure.RATE),
    "429 whose type is an object": (Reply(error(None, {"a": []}), 429), Failure.RATE),
    "429 whose error is a list": (Reply({"error": [{"code": 1}]}, 429), Failure.RATE),
    "429 whose error is a text": (Reply({"error": "insufficient_quota"}, 429), Failure.RATE),
    "429 that is a list": (Reply('[{"error": {"code": 429}}]', 429), Failure.RATE),
    "429 that is a number": (Reply("429", 429), Failure.RATE),
    "400 of objects": (
        Reply({"error": {"code": {}, "type": [], "message": {"content_filter": 1}}}, 400),
        Failure.BAD_REQUEST,
    ),
    "500 whose code is an object": (Reply(error({"http": 500}), 500), Failure.SERVER),
    "402": (Reply("pay", 402), Failure.BILLING),
    "500": (Reply("oops", 500), Failure.SERVER),
    "503 without a body": (Reply("", 503), Failure.BUSY),
    "529 of Anthropic": (Reply(error("overloaded_error"), 529), Failure.BUSY),
    "413": (Reply("", 413), Failure.TOO_LONG),
    "400, too long": (Reply(error("context_length_exceeded"), 400), Failure.TOO_LONG),
    "520 of Cloudflare": (Reply("", 520), Failure.GATEWAY),
    "refusal as a part": (
        chat([{"type": "refusal", "refusal": "I cannot."}]),
        Failure.REFUSAL,
    ),
    "502": (Reply("<html>Bad gateway</html>", 502), Failure.GATEWAY),
    "504": (Reply("", 504), Failure.GATEWAY),
    "499 of nginx": (Reply("", 499), Failure.GATEWAY),
    "498 of Groq": (Reply("", 498), Failure.BUSY),
    "524 of Cloudflare": (Reply("", 524), Failure.GATEWAY),
    "content filter 400": (Reply(error("content_filter"), 400), Failure.CONTENT_FILTER),
    "content filter 200": (chat("", "content_filter"), Failure.CONTENT_FILTER),
    "filter in Gemini's words": (chat(None, "PROHIBITED_CONTENT"), Failure.CONTENT_FILTER),
    "filter with more words": (chat("", "content_filter: SAFETY"), Failure.CONTENT_FILTER),
    "refusal by its finish reason": (chat("", "refusal"), Failure.REFUSAL),
    "policy 400 of LiteLLM": (
        Reply(policy("litellm.ContentPolicyViolationError: AzureException", "400"), 400),
        Failure.CONTENT_FILTER,
    ),
    "policy 400 of Azure": (
        Reply(policy("The prompt triggers the content management policy.", None), 400),
        Failure.CONTENT_FILTER,
    ),
    "policy 400 of OpenAI": (
        Reply(policy("It may violate our usage policy.", "invalid_prompt"), 400),
        Failure.CONTENT_FILTER,
    ),
    "policy 400 by its code": (
        Reply(policy("no", "content_policy_violation"), 400),
        Failure.CONTENT_FILTER,
    ),
    "400 that quotes a prompt about filters": (
        Reply({"error": {"message": "no", "input": "our content policy", "code": 400}}, 400),
        Failure.BAD_REQUEST,
    ),
    "refusal": (chat(None, message={"refusal": "I cannot."}), Failure.REFUSAL),
    "redirect": (Reply("", 307, {"location": "http://127.0.0.1:1/"}), Failure.REDIRECT),
    "web page": (Reply("<html>login</html>", headers={"content-type": "text/html"}), Failure.HTML),
    "web page said to be JSON": (Reply("<!doctype html>"), Failure.HTML),
    "not UTF-8": (Reply(b'{"choices": "\xff\xfe"}'), Failure.BAD_UTF8),
    "junk": (Reply('{"choices": ['), Failure.BAD_JSON),
    "empty body": (Reply(""), Failure.BAD_JSON),
    "a body of line ends": (Reply("\n\r\n"), Failure.BAD_JSON),
    "a stream": (Reply(STREAM), Failure.STREAM),
    "a stream with a comment before it": (Reply(f": waiting\n\n{STREAM}"), Failure.STREAM),
    "a stream of another provider": (
        Reply('event: message_start\ndata: {"type": "message_start"}\n\n'),
        Failure.STREAM,
    ),
    "a stream of an error": (Reply('data: {"error": {"code": 429}}\n\n'), Failure.RATE),
    "a stream that was written before its error": (
        Reply('data: {"choices": []}\n\ndata: {"error": {"code": 429}}\n\n'),
        Failure.STREAM,
    ),
    "text that is none": (Reply("upstream gone"), Failure.BAD_JSON),
    "too deep": (Reply("[" * 100_000), Failure.BAD_JSON),
    "no choices": (Reply({"choices": []}), Failure.NO_CHAT),
    "a list": (Reply("[1]"), Failure.NO_CHAT),
    "a word": (Reply('"hello"'), Failure.NO_CHAT),
    "error with status 200": (Reply(error("overloaded")), Failure.BUSY),
    "a code that is no status": (Reply({"error": {"code": 1429}}), Failure.NO_CHAT),
    "a code that is true": (Reply({"error": {"code": True}}), Failure.NO_CHAT),
    "an error that is a text": (Reply({"error": "429"}), Failure.NO_CHAT),
    "content is a number": (chat(5), Failure.NO_CHAT),
    "connection lost": (Reply("x" * 1000, cut=10), Failure.CONNECTION),
    "too large": (Reply(b"x" * (REPLY_BYTES + 1)), Failure.TOO_LARGE),
    "too large error": (Reply(b"x" * (REPLY_BYTES + 1), 500), Failure.SERVER),
    "error that is cut": (Reply("x" * 1000, 429, cut=10), Failure.RATE),
    "too large once unpacked": (packed(gzip.compress(b"x" * 10_000_000)), Failure.TOO_LARGE),
    "too large in many parts": (packed(gzip.compress(b"x" * 10_000) * 300), Failure.TOO_LARGE),
    "a second part that is broken": (
        packed(gzip.compress(b"{}") + b"\x1f\x8b\xff\xff"),
        Failure.PACKED,
    ),
    "packed in an unknown way": (packed(b"\x1b\x03", "br"), Failure.PACKED),
    "packed twice": (packed(gzip.compress(gzip.compress(b"{}")), "gzip, gzip"), Failure.PACKED),
    "not packed as it says": (packed(b"\xff\xff\xff\xff"), Failure.PACKED),
    "packed 402": (packed(gzip.compress(b"{}"), status=402), Failure.BILLING),
    "packed 503 of words": (packed(gzip.compress(b"x"), status=503), Failure.BUSY),
    "packed 429 about money": (
        packed(gzip.compress(json.dumps(error("insufficient_quota")).encode()), status=429),
        Failure.BILLING,
    ),
    "429 packed in an unknown way": (packed(b"\x1b\x03", "br", 429), Failure.RATE),
    "429 not packed as it says": (packed(b"\xff\xff\xff\xff", status=429), Failure.RATE),
    "429 too large once unpacked": (
        packed(gzip.compress(b"x" * 10_000_000), status=429),
        Failure.RATE,
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_each_failure_has_its_name(case):
    reply, failure = FAILURES[case]
    answer, server = ask(reply)
    assert answer.failure is failure
    assert answer.content == ""
    assert len(server.requests) == 1, "the client must not retry by itself"


# What a gateway puts into a reply with status 200; the code is filled in.
WRAPPED = {
    "alone": lambda code: {"error": {"message": "no", "code": code}},
    "its code a text": lambda code: {"error": {"message": "no", "code": str(code)}},
    "beside null": lambda code: {"choices": None, "error": {"code": code}},
    "beside no choice": lambda code: {"choices": [], "error": {"code": code}},
    "beside a draft": lambda code: chat('{"accuracy"', None).body | {"error": {"code": code}},
    "in the choice": lambda code: {
        "choices": [
            {
                "message": {"content": '{"accuracy": 4}'},
                "finish_reason": "error",
                "error": {"code": code},
            }
        ]
    },
}
CODES = {
    402: Failure.BILLING,
    404: Failure.NOT_FOUND,
    408: Failure.TIMEOUT,
    429: Failure.RATE,
    500: Failure.SERVER,
    502: Failure.GATEWAY,
    503: Failure.BUSY,
    529: Failure.BUSY,
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("case", WRAPPED)
def test_an_error_in_a_reply_with_status_200_is_read_like_the_status_that_it_names(case, code):
    answer = parse_response(json.dumps(WRAPPED[case](code)).encode(), 50)
    assert (answer.failure, answer.content) == (CODES[code], "")
    assert answer.detail.startswith(f"{code} in a reply with status 200: {{")


COUNTED = '{"usage": {"prompt_tokens": 30, "completion_tokens": 7000}}'


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (STREAM, Failure.STREAM),
        (STREAM.replace("\n", "\r"), Failure.STREAM),
        (f"{COUNTED}\0", Failure.BAD_JSON),
        (f"\n{COUNTED}\ndata: [DONE]", Failure.BAD_JSON),
        (f'{{"id": 1}}\n{COUNTED}', Failure.BAD_JSON),
        (f'data: {COUNTED}\ndata: {{"usage": {{"completion_tokens": 10}}}}', Failure.STREAM),
        (f'data: {{"type": "message_start", "message": {COUNTED}}}', Failure.STREAM),
        ("data:[\n" * 100_000 + f"data: {COUNTED}", Failure.STREAM),
    ],
)
def test_what_is_no_json_costs_what_it_counted(body, failure):
    answer = parse_response(body.encode(), 50)
    assert (answer.failure, answer.tokens_in, answer.least) == (failure, 30, (30, 7000))


def test_an_error_that_is_null_or_empty_is_none():
    for error in (None, {}, {"code": None}, ""):
        answer = parse_response(json.dumps(chat("ok").body | {"error": error}).encode(), 50)
        assert (answer.content, answer.failure) == ("ok", None)


def test_a_line_end_within_a_text_of_a_reply_is_read():
    body = b'{"choices": [{"message": {"content": "a\n4"}, "finish_reason": "stop"}]}'
    assert parse_response(body, 50).content == "a\n4"


def test_a_slow_endpoint_is_a_time_out():
    answer, _ = ask(chat("late", delay=3), timeout_seconds=1)
    assert answer.failure is Failure.TIMEOUT


def test_a_trickle_of_bytes_does_not_stretch_the_time_out():
    answer, _ = ask(chat("drop by drop", trickle=0.1), timeout_seconds=1)
    assert answer.failure is Failure.TIMEOUT
    assert answer.seconds < 4


STALLED = {400: Failure.BAD_REQUEST, 429: Failure.RATE, 500: Failure.SERVER}


@pytest.mark.parametrize("status", STALLED)
@pytest.mark.parametrize("seconds", [1, 30])
def test_an_error_whose_body_never_ends_is_that_error_and_charged_as_it(
    monkeypatch, status, seconds
):
    """Charged for a time-out is a reply that may have been made; here its status came."""
    monkeypatch.setattr(client, "ERROR_SECONDS", 1.5)
    stalled = Reply('{"error": "', status, {"retry-after": "3"}, trickle=9)
    answer, _ = ask(stalled, timeout_seconds=seconds)
    assert (answer.failure, answer.detail) == (STALLED[status], f"{status}: {{")
    assert answer.failure in client.UNBILLED and answer.seconds < 5
    assert answer.retry_after == (None if status == 400 else 3)


@pytest.fixture
def mail_server():
    """The port of a server that answers every connection with a line of mail."""

    def greet():
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    connection.sendall(b"220 mail.example.org ESMTP\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=greet, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def full():
    """The port of a server whose queue is full: it answers no further connection."""
    with ExitStack() as opened:
        listening = opened.enter_context(socket.socket())
        listening.bind(("0.0.0.0", 0))  # so at each address of this machine
        listening.listen(0)
        for _ in range(4):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", listening.getsockname()[1]))
        yield listening.getsockname()[1]


def nobody():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_refused_connection_is_no_time_out_and_nothing_was_sent():
    assert ask_url(f"http://127.0.0.1:{nobody()}/v1").failure is Failure.UNREACHED


def test_where_no_tls_can_be_spoken_nothing_was_sent(mail_server):
    assert ask_url(f"https://127.0.0.1:{mail_server}/v1").failure is Failure.UNREACHED


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_where_no_connection_comes_about_in_time_nothing_was_sent(full, scheme):
    answer = ask_url(f"{scheme}://127.0.0.1:{full}/v1", timeout_seconds=0.2)
    assert answer.failure is Failure.UNREACHED
    assert answer.seconds < 5


def test_where_one_address_after_the_other_is_silent_nothing_was_sent(full, monkeypatch, settings):
    """Each connection that is tried has a time of its own; that of all together counts."""
    settings.ENDPOINT_HOSTS = ["silent.invalid", *(ips := [f"127.0.0.{n}" for n in range(1, 5)])]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, full)) for ip in ips]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    answer = ask_url(f"http://silent.invalid:{full}/v1", timeout_seconds=0.4)
    assert answer.failure is Failure.UNREACHED


def test_to_a_name_that_is_none_nothing_was_sent(monkeypatch, settings):
    def unknown(*_, **__):
        raise socket.gaierror("no such name")

    settings.ENDPOINT_HOSTS = ["nowhere.invalid"]
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert ask_url("http://nowhere.invalid/v1").failure is Failure.UNREACHED


def test_something_that_speaks_no_http_is_a_failed_connection():
    class Rude(ScriptedServer):
        async def _send(self, writer, reply):
            writer.write(b"220 mail.example.org ESMTP\r\n\r\n")
            await writer.drain()
            return False

    with Rude() as server:
        assert ask_url(server.url).failure is Failure.CONNECTION


def test_the_text_of_content_in_parts_is_joined_without_its_thoughts():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "2?"}]},
        {"type": "text", "text": '{"accuracy"'},
        {"type": "text", "text": ": 4}"},
    ]
    answer, _ = ask(chat(parts))
    assert (answer.content, answer.failure) == ('{"accuracy": 4}', None)


@pytest.mark.parametrize(
    ("told", "kept"), [(None, ""), ("eos", "eos"), (2, "2"), ("x" * 50, "x" * 40)]
)
def test_the_finish_reason_is_kept_as_it_was_told(told, kept):
    answer, _ = ask(chat("ok", told))
    assert (answer.content, answer.failure, answer.finish_reason) == ("ok", None, kept)


@pytest.mark.parametrize(
    "usage",
    [None, {}, [], {"prompt_tokens": -5, "completion_tokens": "many"}, {"prompt_tokens": 2**40}],
)
def test_wrong_usage_is_unknown_usage(usage):
    reply = chat("ok")
    reply.body["usage"] = usage
    answer, _ = ask(reply)
    assert (answer.content, answer.tokens_in, answer.tokens_out) == ("ok", None, None)


def test_what_a_database_cannot_hold_is_replaced():
    body = chat("").encoded().replace(b'"content": ""', rb'"content": "a\u0000b\ud800c"')
    answer, _ = ask(Reply(body))
    assert answer.content == "a\ufffdb?c"


def test_the_key_comes_from_the_named_variable_and_is_never_kept(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret-123")
    answer, server = ask(Reply(error("bad key secret-123"), 401), api_key_env="SOME_API_KEY")
    assert server.headers[0]["authorization"] == "bearer secret-123"
    assert "secret-123" not in repr(answer)


def test_without_the_named_key_nothing_is_sent(monkeypatch):
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    answer, server = ask(chat("x"), api_key_env="SOME_API_KEY")
    assert answer.failure is Failure.NO_KEY
    assert "SOME_API_KEY" in answer.detail
    assert server.requests == []


KEYS_THAT_NO_HEADER_HOLDS = {
    "a line end": ("sk-123456\nabcdef", "it holds a line end"),
    "a line end of Windows": ("sk-123456\r\nabcdef", "it holds a line end"),
    "a NUL": ("sk-123456\0abcdef", "it holds a character that no header can hold"),
    "a tab": ("sk-123456\tabcdef", "it holds a character that no header can hold"),
    "a dash of a word processor": ("sk–123456", "it holds a character that no header can hold"),
}


@pytest.mark.parametrize("case", KEYS_THAT_NO_HEADER_HOLDS)
def test_a_key_that_cannot_be_sent_says_why_and_is_not_shown(monkeypatch, case):
    key, why = KEYS_THAT_NO_HEADER_HOLDS[case]
    monkeypatch.setattr("os.environ", {"SOME_API_KEY": key})  # the system's own takes no NUL
    answer, server = ask(chat("x"), api_key_env="SOME_API_KEY")
    assert answer.failure is Failure.BAD_KEY
    assert answer.detail == f"the key cannot be sent ({why})"
    assert server.requests == []


@pytest.mark.parametrize("blank", ["\n", "\r\n", " ", "\t"])
def test_blanks_around_a_key_are_not_sent(monkeypatch, blank):
    monkeypatch.setenv("SOME_API_KEY", f"{blank}secret 123{blank}")
    answer, server = ask(chat("ok"), api_key_env="SOME_API_KEY")
    assert (answer.content, answer.failure) == ("ok", None)
    assert server.headers[0]["authorization"] == "bearer secret 123"


def test_a_key_of_nothing_but_blanks_is_none(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", " \n")
    assert ask(chat("ok"), api_key_env="SOME_API_KEY")[0].failure is Failure.NO_KEY


def test_a_host_off_the_list_is_never_called(settings):
    settings.ENDPOINT_HOSTS = ["api.openai.com"]
    answer, server = ask(chat("x"))
    assert answer.failure is Failure.HOST
    assert server.requests == []


@pytest.mark.parametrize("length", [9000, 60_000])
def test_a_long_header_of_a_proxy_takes_nothing_from_a_reply(length):
    answer, _ = ask(chat("4", headers={"x-trace": "x" * length}))
    assert (answer.content, answer.failure) == ("4", None)


GOOD = chat("4").encoded()
BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
PACKINGS = {
    "gzip": ("gzip", gzip.compress(GOOD)),
    "gzip in two parts": ("gzip", gzip.compress(GOOD[:9]) + gzip.compress(GOOD[9:])),
    "gzip in a part for each byte": ("gzip", b"".join(gzip.compress(bytes([b])) for b in GOOD)),
    "gzip with zeros behind it": ("gzip", gzip.compress(GOOD) + bytes(9)),
    "capitals": ("GZIP", gzip.compress(GOOD)),
    "x-gzip": ("x-gzip", gzip.compress(GOOD)),
    "deflate": ("deflate", zlib.compress(GOOD)),
    "deflate without its wrapper": ("Deflate", BARE.compress(GOOD) + BARE.flush()),
    "identity": ("Identity", GOOD),
    "nothing": ("", GOOD),
    "blanks": (" , ", GOOD),
    "one beside identity": ("identity, gzip", gzip.compress(GOOD)),
}


@pytest.mark.parametrize("case", PACKINGS)
def test_a_packed_reply_is_unpacked_though_plain_was_asked_for(case):
    how, body = PACKINGS[case]
    answer, server = ask(packed(body, how))
    assert (answer.content, answer.failure, answer.tokens_out) == ("4", None, 10)
    assert server.headers[0]["accept-encoding"] == "identity"


def test_a_body_of_nothing_but_small_parts_is_unpacked_in_a_moment():
    parts = gzip.compress(b"") * 100_000
    started = time.process_time()
    assert client._unpacked(parts) == b""
    assert time.process_time() - started < 2


def test_what_cannot_be_unpacked_says_how_it_was_packed():
    assert ask(packed(b"\x1b\x03", "br, gzip"))[0].detail == "packed as br, gzip"
    assert ask(packed(b"\x1b\x03", "br", 429))[0].detail == "429: (packed as br)"


def test_a_long_error_keeps_its_beginning():
    answer, _ = ask(Reply("x" * (REPLY_BYTES + 1), 500))
    assert answer.detail.startswith("500: xxx")


SAYING = json.dumps({"error": {"message": "Please retry in 37s.", "code": 429}})
WAITS = {
    "a header": (Reply("", 429, {"retry-after": "3"}), Failure.RATE, 3),
    "the body": (Reply(SAYING, 429), Failure.RATE, 37),
    "a body within a list": (Reply(f"[{SAYING}]", 429), Failure.RATE, 37),
    "a reply with status 200": (Reply(SAYING), Failure.RATE, 37),
    "both": (Reply(SAYING, 503, {"retry-after": "0"}), Failure.BUSY, 37),
    "a packed body": (packed(gzip.compress(SAYING.encode()), status=429), Failure.RATE, 37),
    "a header beside a body that cannot be unpacked": (
        Reply(b"\x1b", 429, {"content-encoding": "br", "retry-after": "3"}),
        Failure.RATE,
        3,
    ),
    "nowhere": (Reply("", 429), Failure.RATE, None),
    "a refusal that stays": (Reply(SAYING, 404, {"retry-after": "3"}), Failure.NOT_FOUND, None),
}


@pytest.mark.parametrize("case", WAITS)
def test_a_failure_that_passes_says_how_long_to_wait(case):
    reply, failure, seconds = WAITS[case]
    answer, _ = ask(reply)
    assert (answer.failure, answer.retry_after) == (failure, seconds)
