"""Send a request to an OpenAI-compatible endpoint and name every way it can end."""

import asyncio
import json
import logging
import re
import socket
import time
import zlib
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache, partial
from traceback import format_tb
from urllib.parse import urlsplit

import aiohttp
import httpx2
import openai
from aiohttp.resolver import ThreadedResolver

from judges.endpoints import hosts, keys, providers, refusals, usage, waits
from judges.endpoints.parameters import longest_reply
from judges.replies import logprobs
from judges.replies.parse import Reason, storable, why_not_whole
from judges.replies.thoughts import text_of

log = logging.getLogger(__name__)
REPLY_BYTES = 2 * 1024 * 1024
DETAIL_LENGTH = 2000
ERROR_SECONDS = 5  # that the body of an error may take: its status says what counts
SHORTEST_SECRET = 8  # shorter keys are placeholders for servers that want none
UNPACKED = {"gzip", "x-gzip", "deflate"}
PART_BEGINS = b"\x1f"  # of a gzip, which may have several one behind the other
PIECE = 16 * 1024
CONNECT_SECONDS = 30  # at most, and half of an endpoint's time-out
LINE_BYTES = 64 * 1024  # of a header: those that proxies trace a call by are long


class Failure(StrEnum):
    """The reasons why a call gave no reply to read."""

    TIMEOUT = "no reply in time"
    CONNECTION = "connection failed"
    UNREACHED = "endpoint not reached, nothing was sent"
    RATE = "rate limit (429)"
    BUSY = "endpoint overloaded (503, 529)"
    BILLING = "billing limit: the account cannot pay"
    SERVER = "server error (5xx)"
    GATEWAY = "gateway without a reply (502, 504, 524)"
    BAD_REQUEST = "request refused (4xx)"
    TOO_LONG = "request too long for the model"
    AUTHENTICATION = "key refused (401, 403)"
    NOT_FOUND = "no such model or address (404)"
    REDIRECT = "redirect, not followed"
    HTML = "web page instead of a reply"
    STREAM = "reply as a stream of events"
    BAD_UTF8 = "reply is not UTF-8"
    BAD_JSON = "reply is not JSON"
    NO_CHAT = "reply is no chat completion"
    TOO_LARGE = "reply too large"
    PACKED = "reply packed in a way that is not read"
    CONTENT_FILTER = Reason.FILTERED.value
    REFUSAL = Reason.REFUSED.value
    NO_KEY = "no key"
    SEALED = "key cannot be opened"
    BAD_KEY = "key cannot be sent"
    HOST = "host not allowed"
    FAULT = "fault of Concord during the call"


TRANSIENT = {
    Failure.TIMEOUT,
    Failure.CONNECTION,
    Failure.UNREACHED,
    Failure.RATE,
    Failure.BUSY,
    Failure.SERVER,
    Failure.GATEWAY,
}
# They say nothing against the call itself: all calls of the endpoint wait.
PAUSES = {Failure.RATE, Failure.BUSY}
# What the endpoint means by them its words tell.
BY_WORDS = {Failure.RATE, Failure.BAD_REQUEST, Failure.AUTHENTICATION}
# Where another error's code means one of these, a reply may have been made and billed.
LOST = {Failure.TIMEOUT, Failure.GATEWAY}
# They say nothing about one item: many in a row are about the account, the model or the address.
OF_ALL = {
    Failure.BAD_REQUEST,
    Failure.AUTHENTICATION,
    Failure.NOT_FOUND,
    Failure.REDIRECT,
    Failure.HTML,
    Failure.STREAM,
    Failure.NO_CHAT,
    Failure.PACKED,
}
REFUSALS = {Failure.CONTENT_FILTER, Failure.REFUSAL}
UNSENT = {Failure.UNREACHED, Failure.NO_KEY, Failure.SEALED, Failure.BAD_KEY, Failure.HOST}
# The endpoint said so before any token was made; every other failure may have been billed.
UNBILLED = {
    *UNSENT,
    *PAUSES,
    Failure.BILLING,
    Failure.SERVER,
    Failure.BAD_REQUEST,
    Failure.TOO_LONG,
    Failure.AUTHENTICATION,
    Failure.NOT_FOUND,
    Failure.REDIRECT,
}
BY_KEY = {keys.NoKey: Failure.NO_KEY, keys.CannotSend: Failure.BAD_KEY}
BY_STATUS = {
    401: Failure.AUTHENTICATION,
    402: Failure.BILLING,
    403: Failure.AUTHENTICATION,
    404: Failure.NOT_FOUND,
    408: Failure.TIMEOUT,
    413: Failure.TOO_LONG,
    429: Failure.RATE,
    498: Failure.BUSY,  # of Groq
    503: Failure.BUSY,
    529: Failure.BUSY,
    # No word of the model's provider, who may have made the reply and bill it.
    **dict.fromkeys((499, 502, 504, 520, 522, 524), Failure.GATEWAY),
}


# A stream of events; and a line with JSON, of a stream or of its own.
EVENT = re.compile(r"\s*(?:data|event|id|retry)?:")
DECODER = json.JSONDecoder(strict=False)
JSON_LINE = re.compile(r"(?:\A|[\r\n])(?:data:)?[ \t]*(\{[^\r\n]*)")
MOST_LINES = 20  # at either end of a stream, of those that count or fail


@dataclass
class Answer:
    """How a call ended: content, or a failure with its detail."""

    content: str = ""
    failure: Failure | None = None
    detail: str = ""
    retry_after: float | None = None
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    tokens_in: int | None = None
    tokens_cached: int | None = None
    tokens_out: int | None = None
    least: tuple | None = None  # tokens (in, out) counted at least, where the counts are in doubt
    usd: Decimal | None = None  # what the provider says it charged
    logprobs: dict | None = None
    seconds: float = 0.0


_limit: ContextVar[asyncio.Timeout] = ContextVar("limit")  # of the call that its task makes


class _Unread(Exception):
    """Why the body of a reply is not read: its failure and what is known of it."""


class _Body(httpx2.AsyncByteStream):
    """A body, unpacked: up to a cap, beyond which a reply is refused and an error's is cut off.

    Of an error the status and the headers count, however little of its body can be read.
    """

    def __init__(self, response, packing):
        self.stream, self.is_reply, self.packing = response.stream, response.is_success, packing

    async def __aiter__(self):
        body, seconds = bytearray(), None if self.is_reply else ERROR_SECONDS
        try:
            async with asyncio.timeout(seconds):
                async for chunk in self.stream:
                    body += chunk
                    if len(body) > REPLY_BYTES:
                        break
        except NO_REPLY:
            if self.is_reply:
                raise
        yield self._plain(bytes(body))

    def _plain(self, body):
        plain = body
        if self.packing:
            plain = _unpacked(body) if self.packing in UNPACKED else None
        if plain is None and self.is_reply:
            raise _Unread(Failure.PACKED, f"packed as {self.packing[:200]}")
        if plain is None:
            plain = b"(packed as %s)" % self.packing[:200].encode()
        if len(plain) > REPLY_BYTES and self.is_reply:
            began = plain[:DETAIL_LENGTH].decode("utf-8", "replace")
            words = f"more than {REPLY_BYTES:,} bytes, which begin: {began}"
            raise _Unread(Failure.TOO_LARGE, words)
        return plain[:REPLY_BYTES]

    async def aclose(self):
        await self.stream.aclose()


def _unpacked(body):
    """Return as much of a gzip or deflate as the cap allows, and a byte more; None: it is none."""
    for wrapper in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):  # found out, or a deflate without one
        try:
            return _parts(body, wrapper)
        except zlib.error:
            continue
    return None


def _parts(body, wrapper):
    """Unpack the parts of a body, piece by piece: so thousands of small ones take a moment too."""
    plain, unpacking = bytearray(), zlib.decompressobj(wrapper)
    for start in range(0, len(body), PIECE):
        piece = body[start : start + PIECE]
        while piece and len(plain) <= REPLY_BYTES:
            if unpacking.eof:
                if not piece.startswith(PART_BEGINS):
                    return bytes(plain)
                unpacking = zlib.decompressobj(wrapper)
            plain += unpacking.decompress(piece, REPLY_BYTES + 1 - len(plain))
            piece = unpacking.unused_data
    return bytes(plain)


async def _cap(response):
    """Cap and unpack a body before it is read; some pack it though they were asked for plain."""
    if not response.is_success:  # its body has a limit of its own
        _limit.get().reschedule(None)
    names = map(str.strip, response.headers.pop("content-encoding", "").lower().split(","))
    packing = ", ".join(name for name in names if name not in ("", "identity"))
    response.stream = _Body(response, packing)


class _CheckedResolver(ThreadedResolver):
    """Check where a name leads at each new connection, which then goes to no other address."""

    async def resolve(self, host, port=0, family=socket.AF_INET):
        addresses = await super().resolve(host, port, family)
        hosts.check_addresses(host.rstrip("."), port, {address["host"] for address in addresses})
        return addresses


class _CheckedHttp(openai.DefaultAioHttpClient):
    """Connect as openai's client does, but refuse a name that leads elsewhere (DNS rebinding)."""

    def _init_transport(self, **settings):
        transport = super()._init_transport(**settings)
        transport.client = partial(_session, transport)
        return transport


def _session(transport):
    """Make the transport's session as usual, but with the checked resolver."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=_CheckedResolver(),
            ssl=transport.ssl_context,
            limit=transport.limits.max_connections or 0,
            keepalive_timeout=transport.limits.keepalive_expiry,
        ),
        max_line_size=LINE_BYTES,
        max_field_size=LINE_BYTES,
    )


@cache
def _tls():
    """Read the machine's certificates, once in each worker: that takes longer than a call."""
    return httpx2.create_ssl_context()


class Client:
    """Ask an endpoint; `async with` opens and closes its connections.

    key: sent in place of the endpoint's own, of one that is not stored yet.
    """

    def __init__(self, endpoint, key=""):
        self.endpoint = endpoint
        self.refusal = self.openai = None
        try:
            self.key = keys.sendable(key or keys.key_of(endpoint))
        except keys.KeyFailure as error:
            failure = BY_KEY.get(type(error), Failure.SEALED)
            self.key, self.refusal = "", Answer(failure=failure, detail=str(error))
        self.echo = _echo(self.key)

    async def __aenter__(self):
        self.refusal = self.refusal or await self._refusal()
        if self.refusal:  # of an address that is none no client could be made
            return self
        self.options = {"headers": self._headers()}
        address, seconds = urlsplit(self.endpoint.base_url), self.endpoint.timeout_seconds
        self.query = f"?{address.query}" if address.query else ""  # as Azure's ?api-version=…
        self.openai = openai.AsyncOpenAI(
            base_url=address._replace(query="", fragment="").geturl(),
            api_key=self.key,
            max_retries=0,  # retries are counted and stored by the run
            # Per read; the total is in _parsed(). `pool` limits the time until there is a
            # connection, over all addresses; more are allowed than calls at once: nobody queues.
            timeout=httpx2.Timeout(seconds + 5, pool=min(CONNECT_SECONDS, seconds / 2)),
            default_headers={"Accept-Encoding": "identity"},
            http_client=_CheckedHttp(
                verify=_tls(), follow_redirects=False, event_hooks={"response": [_cap]}
            ),
        )
        return self

    async def __aexit__(self, *_error):
        if self.openai:
            await self.openai.close()

    async def _refusal(self):
        """Return the answer to every call when the address may not be called, else None."""
        try:
            await asyncio.to_thread(hosts.check, self.endpoint.base_url)
        except hosts.HostRefused as error:
            return Answer(failure=Failure.HOST, detail=str(error))
        return None

    async def ask(self, messages, parameters):
        """Make a call and return its Answer; nothing that an endpoint does raises."""
        if self.refusal:
            return replace(self.refusal)
        started = time.monotonic()
        # chat.completions.create copies messages and schema: half of a call's time.
        body = {"model": self.endpoint.model, "messages": messages, **parameters}
        path = f"/chat/completions{self.query}"
        sent = self.openai.post(path, body=body, options=self.options, cast_to=httpx2.Response)
        parse = partial(parse_response, longest=longest_reply(parameters))
        answer = await self._exchange(sent, parse)
        answer.seconds = time.monotonic() - started
        return answer

    async def list_models(self):
        """Return an Answer whose content has the name of a model on each line."""
        if self.refusal:
            return replace(self.refusal)
        options = {"headers": self._headers(listing=True)}
        sent = self.openai.get(f"/models{self.query}", options=options, cast_to=httpx2.Response)
        return await self._exchange(sent, parse_models)

    def _headers(self, listing=False):
        """Return the headers that the endpoint's provider wants besides the usual ones."""
        provider = providers.provider_at(self.endpoint.base_url)
        headers = provider.headers(self.key, listing) if provider else {}
        return {name: value or openai.Omit() for name, value in headers.items()}

    async def _exchange(self, sent, parse):
        """Await a response and return its parsed Answer, without the key in its detail."""
        try:
            answer = await self._parsed(sent, parse)
        except Exception as error:  # whatever an endpoint sent, nobody else is to suffer from it
            return _fault(error, self.endpoint)
        answer.detail = storable(self._redacted(answer.detail.encode("utf-8", "replace")).decode())
        answer.detail = answer.detail[:DETAIL_LENGTH]
        return answer

    async def _parsed(self, sent, parse):
        try:
            async with asyncio.timeout(self.endpoint.timeout_seconds) as limit:
                _limit.set(limit)
                response = await sent
        except NO_REPLY as error:
            return _failed(error, self.endpoint.timeout_seconds)
        return _told(parse(self._redacted(response.content)), response)

    def _redacted(self, body):
        """Return the bytes without the key: an endpoint may echo what it was sent."""
        return self.echo.sub(b"[key]", body) if self.echo else body


def _echo(key):
    """Return a pattern of the key in a body, its characters as they are or escaped as in JSON.

    JSON may stand inside JSON, so backslashes pile up; a bound keeps the search linear.
    """
    if len(key) < SHORTEST_SECRET:
        return None
    some = r"\\{0,8}(?:%s|(?<=\\)u(?i:%04x))"
    return re.compile("".join(some % (re.escape(c), ord(c)) for c in key).encode())


# Everything that the call above was seen to raise; ValueError: headers that are no text.
NO_REPLY = (
    TimeoutError,
    openai.OpenAIError,
    aiohttp.ClientError,
    httpx2.HTTPError,
    _Unread,
    ValueError,
)


def _failed(error, timeout):
    """Return the answer for a call that raised."""
    match error:
        case openai.APIStatusError():
            response = error.response
            return _told(_refused(response.status_code, response.content), response)
        case openai.APIConnectionError():
            return _unreached(error)
        case TimeoutError():
            failure, detail = Failure.TIMEOUT, f"nothing complete within {timeout} s"
        case _Unread():
            failure, detail = error.args
        case hosts.HostRefused():  # as a connection was made
            failure, detail = Failure.HOST, str(error)
        case ValueError():
            failure, detail = Failure.NO_CHAT, _words(error)
        case _:
            failure, detail = Failure.CONNECTION, _words(error)
    return Answer(failure=failure, detail=detail)


def _fault(error, endpoint):
    """Log a fault of our own and return its Answer; its own words may quote a text or the key."""
    name, lines = type(error).__name__, "".join(format_tb(error.__traceback__))
    log.error("endpoint %s: a call raised %s\n%s", endpoint.pk, name, lines)
    return Answer(failure=Failure.FAULT, detail=name)


def _words(error):
    return f"{type(error).__name__}: {error}"


def _unreached(error):
    """Tell a refused connection from a time-out by its cause: this transport reports both alike."""
    cause = error.__cause__ and error.__cause__.__cause__ or error.__cause__
    # No name, nobody listens, no TLS, or none of it in time
    if isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        failure = Failure.UNREACHED
    elif isinstance(error, openai.APITimeoutError) and isinstance(cause, TimeoutError):
        failure = Failure.TIMEOUT
    else:
        failure = Failure.CONNECTION
    return Answer(failure=failure, detail=_words(cause or error))


def _refused(status, body):
    """Return the answer for a status that is no success."""
    body = storable(body.decode("utf-8-sig", "replace"))
    failure, counted = _failure(status, refusals.Error(body)), {}
    with suppress(ValueError, RecursionError, TypeError, LookupError):
        counted = usage.counts(json.loads(body)["usage"], usage.MOST_TOKENS)
        counted.setdefault("least", (counted["tokens_in"], counted["tokens_out"]))
    return Answer(**counted | {"failure": failure, "detail": f"{status}: {body}"})


def _told(answer, response):
    """Add how long the endpoint wants to be left alone, where a failure may pass.

    And what LiteLLM's proxy says that the call cost.
    """
    told = usage.dollars(response.headers.get("x-litellm-response-cost"))
    answer.usd = max(filter(None, (answer.usd, told)), default=answer.usd)
    if answer.failure in TRANSIENT:
        body = response.content.decode("utf-8", "replace")
        answer.retry_after = waits.seconds_told(response.headers, body, datetime.now(UTC))
    return answer


def _failure(status, error):
    """Name the failure of a status that is no success, by what its refusals.Error says."""
    by_class = Failure.REDIRECT if status < 400 else Failure.BAD_REQUEST
    failure = BY_STATUS.get(status, Failure.SERVER if status >= 500 else by_class)
    by_codes = [] if error.has_code_of_money else [*map(BY_STATUS.get, error.statuses)]
    by_code, lost = next(iter(by_codes), None), [name for name in by_codes if name in LOST]
    if by_code in PAUSES and failure in (*BY_WORDS - PAUSES, Failure.SERVER):
        return _of_rate(error) if by_code is Failure.RATE else by_code
    is_own = error.says(refusals.POLICY) or error.says(refusals.LENGTH)
    if lost and failure in (Failure.BAD_REQUEST, Failure.SERVER) and not is_own:
        return lost[0]
    is_told = failure in BY_WORDS or failure is Failure.SERVER and error.has_code_of_money
    return _by_words(failure, status, error) if is_told else failure


def _by_words(failure, status, error):
    if failure is not Failure.RATE and error.says(refusals.POLICY):
        return Failure.CONTENT_FILTER
    if error.is_about_money(status):
        return _of_rate(error) if error.is_of_rate else Failure.BILLING
    if failure is Failure.RATE:
        return _of_rate(error)
    if failure is Failure.BAD_REQUEST and error.says(refusals.LENGTH):
        return Failure.TOO_LONG
    if failure is Failure.BAD_REQUEST and error.says(refusals.KEY):
        return Failure.AUTHENTICATION
    return failure


def _of_rate(error):
    """Name the failure of a limit by time: no wait makes a call fit that is larger than it."""
    return Failure.TOO_LONG if error.is_above_limit else Failure.RATE


def parse_response(body, longest):
    """Parse the body of a successful response, with at most so many tokens, into an Answer."""
    return _parse_json(body, partial(_completion, longest=longest))


def parse_models(body):
    """Parse a list of models into an Answer whose content has a name on each line."""
    return _parse_json(body, _model_names)


def _parse_json(body, parse):
    try:
        text = body.decode("utf-8-sig")  # a byte order mark changes nothing
    except UnicodeDecodeError as error:
        detail = f"{error.reason} at byte {error.start}: {body.decode('utf-8', 'replace')}"
        return Answer(failure=Failure.BAD_UTF8, detail=detail)
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _no_json(text, parse)
    return parse(data, text)


def _no_json(text, parse):
    """Return the Answer of a reply that is no JSON: a page, a stream, or JSON with more behind it.

    What it counts anywhere is charged. Its error is one only where nothing was written.
    """
    if text.lstrip()[:1] == "<":
        return Answer(failure=Failure.HTML, detail=text)
    told: dict = {}
    lines = [line for line in JSON_LINE.findall(text) if '"usage"' in line or '"error' in line]
    for part in [text, *lines[:MOST_LINES], *lines[MOST_LINES:][-MOST_LINES:]]:
        with suppress(ValueError, RecursionError):
            value, _ = DECODER.raw_decode(part.lstrip())
            if isinstance(value, dict):
                _add_told(told, value)
    if '"choices"' in text:
        told = {"usage": told["usage"]} if "usage" in told else {}
    answer = parse(told, text)
    if answer.failure is Failure.NO_CHAT:
        answer.failure = Failure.STREAM if EVENT.match(text) else Failure.BAD_JSON
        answer.detail = text or "the reply is empty"
    return answer


def _add_told(told, value):
    """Add what an event counts, of each number the most, and its error."""
    for holder in (value, *(value.get(name) for name in ("message", "response", "x_groq"))):
        counts = holder.get("usage") if isinstance(holder, dict) else None
        for name, count in counts.items() if isinstance(counts, dict) else ():
            before = told.setdefault("usage", {}).setdefault(name, count)
            if isinstance(count, int | float) and isinstance(before, int | float):
                told["usage"][name] = max(before, count)
    told |= {name: value[name] for name in ("error", "errors") if value.get(name)}


def _model_names(data, text):
    try:
        names = {_short(row["id"], 200) for row in data["data"]}
    except (LookupError, TypeError):
        return Answer(failure=Failure.NO_CHAT, detail=text)
    return Answer(content="\n".join(sorted(name for name in names if name and name.isprintable())))


def _completion(data, text, longest):
    counted = usage.counts(data.get("usage") if isinstance(data, dict) else None, longest)
    try:
        choice = data["choices"][0]
        message = choice.get("message")
        if message is None and choice.get("error"):
            message = {}
        content, refusal = text_of(message.get("content")), _refusal(message)
    except (LookupError, TypeError, AttributeError):
        return Answer(**counted | _error_within(data, text))
    ended = choice.get("finish_reason")
    answer = Answer(
        content=storable(content),
        finish_reason="" if ended is None else _short(str(ended), 40),
        model=_short(data.get("model"), 200),
        fingerprint=_short(data.get("system_fingerprint"), 200),
        logprobs=_logprobs(choice.get("logprobs"), content),
        **counted,
    )
    if content.strip() and answer.tokens_out == 0:  # some proxies write 0 where nobody counted
        answer.tokens_out, answer.least = None, answer.least or (answer.tokens_in or 0, 0)
    why = why_not_whole(answer.finish_reason)
    beside = [data.get("error"), data.get("errors"), choice.get("error")]
    # Beside a whole reply an error is a warning; where no word says that it is whole, a status
    # or an error within the choice says that it is not.
    is_told = ended and str(ended).lower() not in ("none", "null")
    is_whole = is_told or not beside[-1] and refusals.Error(beside).number is None
    if refusal:
        answer.failure, answer.detail = Failure.REFUSAL, str(refusal)
    elif why in (Reason.FILTERED, Reason.REFUSED):
        answer.failure = Failure(why)
    elif any(beside) and not (content.strip() and not why and is_whole):
        return Answer(**counted | _error_within(beside, text))
    return answer


def _refusal(message):
    """Return the words of a refusal, which stand beside the content or as a part of it."""
    parts = message.get("content")
    parts = [message, *parts] if isinstance(parts, list) else [message]
    refusals_told = (part.get("refusal") for part in parts if isinstance(part, dict))
    return next(filter(None, refusals_told), "")


def _error_within(data, text):
    """Return the failure of an error that came with status 200, and its detail, for an Answer.

    A gateway may put an error of its provider into a success.
    """
    error = refusals.Error(data)
    failure = _failure(error.status or 400, error)
    if failure is Failure.BAD_REQUEST and not error.status:
        return {"failure": Failure.NO_CHAT, "detail": text}
    detail = f"{error.status or 400} in a reply with status 200: {text}"
    return {"failure": failure, "detail": detail}


def _logprobs(sent, content):
    """Return what is kept of log-probabilities; None where the endpoint sent none."""
    return logprobs.kept(sent, storable(content)) if sent else None


def _short(value, length):
    return storable(value)[:length] if isinstance(value, str) else ""
