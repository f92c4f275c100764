"""Whatever an endpoint may send, and the least that it costs by the rule alone."""

import gzip
import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal

from hypothesis import strategies as st

from tests.factories import ASPECTS
from tests.judges.endpoints.test_usage import json_values, least_charge, usages

MAY_BE_BILLED = {408, 499, 502, 504, 520, 522, 524}  # though nothing came of it
OF_ITS_OWN = {401, 402, 403, 404, 413, 429, 498, 503, 529}  # says more than a code in the body


def raw_deflate(body, level):
    packer = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


# What packs a body, by what it is called.
PACKED = {
    "gzip": gzip.compress,
    "GZIP": gzip.compress,
    "x-gzip": gzip.compress,
    "gzip, identity": gzip.compress,
    "deflate": zlib.compress,
    " deflate,": raw_deflate,
    "identity": lambda body, _: body,
    "": lambda body, _: body,
}
WORDS = [json.dumps(dict.fromkeys(ASPECTS, 4)), '{"accuracy": 9}', "<think>", "", "\0", "```json\n"]
WORDS += [*ASPECTS, '"', "{", "}", ": 4", "\ud800", "I cannot rate that."]
contents = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=6).map("".join)
parts = st.lists(st.fixed_dictionaries({}, optional={"type": json_values, "text": contents}))
contents = contents | st.just(WORDS[0]) | parts | json_values
ENDINGS = ["stop", "length", "content_filter", "SAFETY", "error", "x" * 500, None]
codes = [400, "429", 500, "insufficient_quota", "rate_limit_exceeded", 10**20]
codes = st.sampled_from([*codes, *map(str, MAY_BE_BILLED), *MAY_BE_BILLED, "timeout"])
errors = json_values | st.fixed_dictionaries(
    {}, optional={"code": codes | json_values, "message": contents, "type": json_values}
)
some = {"refusal": json_values, "reasoning_content": contents, "tool_calls": json_values}
messages = json_values | st.fixed_dictionaries({"content": contents}, optional=some)
log_probability = st.fixed_dictionaries(
    {}, optional={"token": contents, "logprob": json_values, "top_logprobs": json_values}
)
logprobs = json_values | st.fixed_dictionaries({"content": st.lists(log_probability, max_size=3)})
choices = json_values | st.fixed_dictionaries(
    {"message": messages, "finish_reason": st.sampled_from(ENDINGS) | json_values},
    optional={"logprobs": logprobs, "error": errors},
)
counts = st.integers(0, 9000)
counted = st.fixed_dictionaries(
    {"prompt_tokens": counts, "completion_tokens": counts}, optional={"total_tokens": counts}
)
completions = st.fixed_dictionaries(
    {"choices": st.lists(choices, max_size=2) | json_values, "usage": usages},
    optional={"error": errors, "model": json_values, "system_fingerprint": json_values},
)
usual = st.fixed_dictionaries(
    {
        "choices": st.lists(st.fixed_dictionaries({"message": messages}), min_size=1, max_size=1),
        "usage": counted,
    }
)
refused = st.fixed_dictionaries(
    {"error": st.fixed_dictionaries({"code": codes}, optional={"message": contents})}
)
data = completions | st.fixed_dictionaries({"error": errors}) | json_values
WHOLE = {"usual": usual, "refused": refused}
KINDS = ["usual", "usual", "odd", "refused"]
as_json = st.builds(json.dumps, data, ensure_ascii=st.booleans())
as_json = as_json.map(lambda text: text.encode("utf-8", "surrogatepass"))
plain = st.one_of(
    *[as_json] * 4,
    data.map(lambda whole: b"\xef\xbb\xbf" + json.dumps(whole).encode()),
    data.map(lambda whole: json.dumps(whole).encode("utf-16")),
    st.binary(max_size=50),
    st.sampled_from([b"<html>", b"[" * 20_000, b"data: {}\n\n", b"9" * 5000]),
)
TIMES = ["1", "0", "60", "-", ".", "s", "ms", "Mon, ", "31 ", "Feb ", "2026", "T", ":", " GMT"]
TIMES += ["nan", "99999999999", "+0000", "\xb2", "e9", "12:00:00", " "]
times = st.lists(st.sampled_from(TIMES), max_size=6).map("".join)
LATIN = st.characters(min_codepoint=32, max_codepoint=255, exclude_categories=["Cc"])
NAMES = ["Retry-After", "retry-after-ms", "X-RateLimit-Reset", "x-ratelimit-remaining", "Location"]
NAMES += ["Content-Type", "X-Should-Retry", "Set-Cookie", "Date"]
headers = st.dictionaries(st.sampled_from(NAMES), times | st.text(LATIN, max_size=10), max_size=4)
STATUSES = [200] * 20 + [201, 204, 206, 302, 304, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500]
STATUSES += [502, 503, 504, 520, 522, 524, 529, 599]
REFUSING = [400, 401, 403, 404, 409, 422, 429, 500, 501, 502, 503, 504, 505, 521, 599]


@dataclass
class Sent:
    """A response: its body as it goes over the wire, in pieces, and before it was packed."""

    status: int
    headers: dict
    plain: bytes
    pieces: list = field(repr=False)
    is_whole: bool

    def least(self, estimate):
        """The least that is charged; in: 1 USD a million tokens, out: 10 USD."""
        if not 200 <= self.status < 300:
            return estimate if self._may_be_billed() else Decimal(0)
        try:
            whole = json.loads(self.plain.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return estimate
        usage = whole.get("usage") if isinstance(whole, dict) else None
        # Where it names an error, the call may have been refused before any token was made.
        may_be_free = '"error"' in json.dumps(whole)
        charge = least_charge(usage, Decimal(0) if may_be_free else estimate)
        return charge if self.is_whole else min(charge, estimate)

    def _may_be_billed(self):
        """Whether an error, by its status or by the code in its body, says nothing of the model."""
        if self.status in MAY_BE_BILLED:
            return True
        if self.status < 400 or self.status in OF_ITS_OWN or not self.is_whole:
            return False
        with suppress(ValueError, RecursionError, LookupError, TypeError):
            code = str(json.loads(self.plain.decode("utf-8-sig"))["error"]["code"])
            return code in {"timeout", *map(str, MAY_BE_BILLED)}
        return False


@st.composite
def anything_sent(draw, further=()):
    """Draw a Sent; about half are whole replies, of which only counts and contents are odd."""
    kind, name = draw(st.sampled_from(KINDS)), draw(st.sampled_from([*PACKED]))
    body = draw(plain) if kind == "odd" else json.dumps(draw(WHOLE[kind])).encode()
    packed, said, cut, status = PACKED[name](body, draw(st.integers(0, 9))), name, 0, 200
    if kind == "odd":
        said = draw(st.sampled_from([name, name, "br", "gzip", "deflate"]))
        cut = draw(st.sampled_from([0, 0, 0, 1, 9, 40]))
        status = draw(st.sampled_from([*STATUSES, *range(200, 600, 7), *further]))
    if kind == "refused":
        status = draw(st.sampled_from(REFUSING))
    at = draw(st.integers(0, len(packed)))
    fields = draw(headers) | ({"Content-Encoding": said} if said else {})
    kept = packed[: max(0, len(packed) - cut)]
    return Sent(status, fields, body, [kept[:at], kept[at:]], not cut and said == name)


@st.composite
def anything_on_the_wire(draw):
    """Draw (Sent, the pieces of its response): of a length, chunked, or until the end; or cut."""
    sent = draw(anything_sent([100, 101, 999]))
    body, fields = b"".join(sent.pieces), dict(sent.headers)
    form = draw(st.sampled_from(["length", "chunked", "end"]))
    if form == "length":
        fields["Content-Length"] = str(len(body))
    elif form == "chunked":
        fields[draw(st.sampled_from(["Transfer-Encoding", "transfer-encoding"]))] = "chunked"
        pieces = [piece for piece in sent.pieces if piece]
        body = (
            b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        )
    lines = [f"HTTP/1.1 {sent.status} Odd", *(f"{name}: {text}" for name, text in fields.items())]
    whole = "\r\n".join([*lines, "", ""]).encode("latin-1") + body
    cut = draw(st.sampled_from([0, 0, 0, 0, 1, 9, 200]))
    sent.is_whole = sent.is_whole and not cut and sent.status != 204  # without a body
    kept, at = whole[: max(0, len(whole) - cut)], draw(st.integers(0, len(whole)))
    return sent, [kept[:at], kept[at:]]
