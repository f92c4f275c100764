"""Read why an endpoint refuses a call: money, the key, a filter, or the call's length."""

import json
import re
from contextlib import suppress

# What endpoints call it when a filter stops a prompt.
POLICY = re.compile(
    r"content[ _]?filter|content[ _]?(management[ _])?policy|responsible_?ai_?policy"
    r"|usage (polic|guideline)|safety[ _](reasons|system|check)|data_inspection_failed"
    r"|content exists risk|sensitive[ _]?(content|information|words)|inappropriate content|敏感"
    r"|(input|prompt|content) (was|is|has been) (flagged|blocked)",
    re.IGNORECASE,
)
# Codes and types of an account that cannot pay.
NO_MONEY = re.compile(
    r"^402$|insufficient[ _-]?(user[ _-]?)?(quota|balance|credit|fund)|exceeded_current_quota"
    r"|(?<![a-z])billing|arrear|overdue|payment[ _-]?required|budget[ _-]?exceeded"
    r"|(balance|credits?)[ _-]?(is[ _-])?(too[ _-]?)?(low|exhausted|depleted|insufficient|exceeded)"
    r"|(no|out[ _-]?of)[ _-]?credit",
    re.IGNORECASE,
)
# The same in sentences: what is missing stands near what it is missing of.
LACK = (
    r"\b(insufficient|not enough|low|exceed\w*|exhaust\w*|deplet\w*|used|reached|(run|ran|out)"
    r" (out )?of|no|not|\w+n.t|negative|zero|required?s?|add|purchase|buy|check|top up|recharge"
    r"|inactive|suspended|overdue|missing)\b"
)
OWED = (
    r"\b(credits?|balances?|funds|prepaid|arrears|(spend\w*|usage|hard|monthly|budget) limits?)\b"
)
LIMIT_OF_RATE = re.compile(
    r"per[ _-]?(second|sec|minute|min|hour|day)|(a|each|every) (second|minute)|/ ?(s|min)\b"
    r"|\b[rt]p[msd]\b|rate[ _-]?limit|too many requests|concurren"
    r"|(retry|try again) (in|after) (about )?\d|retry-after|\b(hourly|daily)\b",
    re.IGNORECASE,
)
# The name of an exception is a word of the gateway's, not of the provider's behind it.
EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
# One call that asks for more tokens than a limit by time ever allows, where no wait helps.
TOO_LARGE = re.compile("request[ _-]too[ _-]large", re.IGNORECASE)
TOKENS = re.compile(r"\b(tokens?|tpm)\b", re.IGNORECASE)
HELPED = re.compile(
    r"\b(remaining|left|current)\b|(retry|try again) (in|after|later)", re.IGNORECASE
)
SIZES = re.compile(
    r"\blimit:?\s*(\d[\d,]{0,20})(?!\.?\w).{0,80}?\brequested:?\s*(\d[\d,]{0,20})(?!\.?\w)",
    re.IGNORECASE,
)
WRONG = r"(invalid|incorrect|not valid|wrong|expired|revoked|missing)"
KEY = re.compile(rf"{WRONG}.{{0,20}}api[ _-]?key|api[ _-]?key.{{0,40}}{WRONG}", re.IGNORECASE)
LENGTH = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|prompt is too|(input|prompt|request|text)"
    r".{0,20} too (long|large)|too many (input |prompt )?tokens|string_above_max_length"
    r"|\b(input|prompt)s?\b.{0,60}exceed|exceeds? the available context"
    r"|\b(input|prompt)s?\b.{0,40}\btokens?\b.{0,40}must (be|have) |must have less than \d+ tokens"
    r"|reduce the length|exceed\w* (the )?(model )?token limit",
    re.IGNORECASE,
)


def _near(first, second):
    return re.compile(f"{first}.{{0,60}}?{second}|{second}.{{0,60}}?{first}", re.IGNORECASE)


CANNOT_PAY = re.compile(f"{_near(LACK, OWED).pattern}|budget has been exceeded|余额|欠费", re.I)
# At 403 these mean the account too; elsewhere a limit by the minute, or a parameter of the call.
OF_ACCOUNT = _near(LACK, r"\b(quotas?|billing|payments?|key limits?)\b").pattern
CANNOT_PAY_AT_403 = re.compile(f"{CANNOT_PAY.pattern}|{OF_ACCOUNT}", re.IGNORECASE)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|`[^`]*`")  # may be what was sent
LONGEST = 10_000  # characters of a sentence that are looked at
STATUS = re.compile("[45][0-9][0-9]")


CODES = ("code", "type", "status")
PLACES = ("param", "loc")  # which part of the call is wrong
WORDS = ("message", "error", "errors", "detail", "msg", "innererror", "metadata", "raw")
PASSED_ON = re.compile(r"Exception - (?=[{\[])")  # LiteLLM's proxy, before a provider's error
JSON = ("{", "[", '"')
MOST, DEEPEST = 50, 8  # texts that are kept, and how deep they are looked for
CUT = re.compile(rf'"({"|".join((*CODES, *WORDS))})"\s*:\s*"((?:[^"\\]|\\.)*)"', re.IGNORECASE)
CUT_PLACE = re.compile(r'"(?:param"\s*:\s*"([^"]{1,200})"|loc"\s*:\s*\[([^][{}]{1,200})\])')
# {status: codes and types that say the same}; the first that fits counts.
BY_CODE = {
    429: re.compile(
        rf"{NO_MONEY.pattern}|rate[ _-]?limit|too[ _-]?many[ _-]?requests|resource[ _-]?exhausted"
        "|throttl"
    ),
    503: re.compile("overload|unavailable|capacity"),
    504: re.compile("time[ _-]?out|deadline|bad[ _-]?gateway"),
    401: re.compile("authenti|unauthori|api[ _-]?key|permission|^forbidden"),
    404: re.compile("not[ _-]?found"),
    400: re.compile(
        f"{POLICY.pattern}|{LENGTH.pattern}|invalid|bad[ _-]?request|unsupported|forbidden|missing"
    ),
    500: re.compile("server|internal|api[ _-]?error|upstream"),
}


class Error:
    """What an error's body says, in whatever form: codes, sentences, places; no more is read.

    data: JSON, a text that is none, or the beginning of either.
    """

    def __init__(self, data):
        self.codes, self.words, self.places = [], [], []
        self._read(data, WORDS[0], 0)

    def _read(self, value, name, depth):
        """Read a value that stands under a name, and what is within it."""
        if isinstance(value, str) and name not in CODES and value.lstrip()[:1] in JSON:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = self._beginning(value)
        elif isinstance(value, str) and (begin := PASSED_ON.search(value)):
            with suppress(ValueError, RecursionError):
                passed_on, _ = json.JSONDecoder().raw_decode(value, begin.end())
                self._read(passed_on, name, depth + 1)
        if isinstance(value, list | dict) and (depth >= DEEPEST or name in CODES):
            return
        if isinstance(value, list):
            for element in value[:MOST]:
                self._read(element, name, depth + 1)
        elif isinstance(value, dict):
            for within in (*CODES, *WORDS, *PLACES):
                self._read(value.get(within), within, depth + 1)
        elif isinstance(value, str | int) and not isinstance(value, bool):
            self._keep(name, str(value)[:LONGEST])

    def _beginning(self, text):
        """Return what can be read of JSON that is cut; the text itself where that is nothing."""
        for place in CUT_PLACE.findall(text):
            self._keep(PLACES[0], "".join(place))
        return [{key.lower(): part} for key, part in CUT.findall(text)] or text

    def _keep(self, name, text):
        kept = self.codes if name in CODES else self.places if name in PLACES else self.words
        is_page = text.lstrip()[:1] == "<"
        if text.strip() and not is_page and text not in kept and len(kept) < MOST:
            kept.append(text)

    @property
    def number(self):
        """Return the status that stands in a code, else None."""
        return next((int(code) for code in self.codes if STATUS.fullmatch(code)), None)

    @property
    def statuses(self):
        """List the statuses that its codes are, then those that they mean."""
        numbers = [int(code) for code in self.codes if STATUS.fullmatch(code)]
        named = [s for s, codes in BY_CODE.items() for c in self.codes if codes.search(c.lower())]
        return numbers + named

    @property
    def status(self):
        """Return the status that a code is or means, else None."""
        return next(iter(self.statuses), None)

    @property
    def sentence(self):
        """Return what it says in words, else its codes."""
        return " ".join((self.words or self.codes)[:3])

    @property
    def form(self):
        """Return what is alike in two errors for one reason: no numbers, nor words with them."""
        words = re.findall(r"[\w-]+", " ".join([*self.codes, *self.words]).lower())
        return [word for word in words if not re.search(r"\d", word)]

    def says(self, pattern):
        """Whether a code or a sentence fits a pattern: POLICY, LENGTH, KEY, TOO_LARGE."""
        return any(map(pattern.search, [*self.codes, *self.words]))

    @property
    def is_of_rate(self):
        """Whether it speaks of a limit by time."""
        words = [EXCEPTION.sub("", words) for words in self.words]
        return any(map(LIMIT_OF_RATE.search, [*self.codes, *words]))

    @property
    def is_above_limit(self):
        """Whether this one call asks for more tokens than a limit by time ever allows."""
        words = [w for w in self.words if TOKENS.search(w) and not HELPED.search(w)]
        for sizes in filter(None, map(SIZES.search, words)):
            limit, asked = (int(number.replace(",", "")) for number in sizes.groups())
            return 0 < limit < asked
        return any(map(TOO_LARGE.search, words))

    @property
    def has_code_of_money(self):
        """Whether a code or type says that the account cannot pay."""
        return any(map(NO_MONEY.search, self.codes))

    def is_about_money(self, status):
        """Whether it speaks of money or a quota, by a code or in words."""
        pattern = CANNOT_PAY_AT_403 if status == 403 else CANNOT_PAY
        words = [] if status == 401 else [QUOTED.sub("", words) for words in self.words]
        return self.has_code_of_money or any(map(pattern.search, words))


BEGINS = re.compile(r"(\d{3})(?: in a reply with status 200)?: ")


def stored(detail):
    """Return (the status or "", the Error) of a call's detail, which begins as its error did."""
    begins = BEGINS.match(detail)
    return (begins[1], Error(detail[begins.end() :])) if begins else ("", Error(detail))


def why(failure, detail, name=""):
    """Return in words why a call failed: what it was, or its name, and what the endpoint said."""
    status, error = stored(detail)
    name, sentence = name or failure.partition(" (")[0], error.sentence.strip()
    if status:
        told = ", ".join([status, *[code for code in error.codes if not code.isdigit()][:1]])
        reply = f"said ({told}): {sentence}" if sentence else f"gave status {status} and no reason"
        text = f"{name}. The endpoint {reply}"
    elif name in sentence:  # our own words
        text = sentence
    else:
        text = f"{name}: {sentence}" if sentence else name
    return text if text[-1] in ".!?" else f"{text}."
