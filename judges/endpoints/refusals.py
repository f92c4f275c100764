"""Read what an endpoint says as it refuses a call: about money, a filter, or the call's length."""

import re

# What endpoints call it when a filter stops a prompt.
POLICY = re.compile(
    r"content[ _]?filter|content[ _]?(management[ _])?policy|responsible_?ai_?policy|usage polic"
    r"|safety (reasons|system)|data_inspection_failed|content exists risk",
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
OWED = r"\b(credits?|balances?|funds|prepaid|arrears|(spend\w*|usage|hard|monthly|budget) limit)\b"
# At 429 these speak of limits by the minute too.
OWED_ELSE = r"\b(quotas?|billing|payments?)\b"
LIMIT_OF_RATE = re.compile(
    r"per[ _-]?(second|sec|minute|min|hour|day)|(a|each|every) (second|minute)|/ ?(s|min)\b"
    r"|\b[rt]p[msd]\b|rate[ _-]?limit|too many requests|concurren"
    r"|(retry|try again) (in|after) (about )?\d",
    re.IGNORECASE,
)
LENGTH = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|prompt is too|(input|prompt|request|text)"
    r".{0,20} too (long|large)|too many (input |prompt )?tokens|string_above_max_length"
    r"|reduce the length",
    re.IGNORECASE,
)


def _near(first, second):
    return re.compile(f"{first}.{{0,60}}?{second}|{second}.{{0,60}}?{first}", re.IGNORECASE)


CANNOT_PAY_AT_429 = re.compile(
    f"{_near(LACK, OWED).pattern}|budget has been exceeded|余额|欠费", re.I
)
CANNOT_PAY = re.compile(f"{CANNOT_PAY_AT_429.pattern}|{_near(LACK, OWED_ELSE).pattern}", re.I)


class Error:
    """The codes and the sentences of an error, in whatever form it came; the rest is not read."""

    def __init__(self, data):
        data = data[0] if isinstance(data, list) and data else data
        if isinstance(data, str):  # no JSON
            self.codes, self.words = [], [] if data.lstrip()[:1] == "<" else [data]
            return
        outer = data if isinstance(data, dict) else {}
        holders = [outer, outer["error"]] if isinstance(outer.get("error"), dict) else [outer]
        self.codes = _texts(holders, "code", "type", "status")
        self.words = _texts(holders, "message", "error", "detail", "msg")

    def _says(self, pattern):
        return any(map(pattern.search, [*self.codes, *self.words]))

    @property
    def is_policy(self):
        """Whether a filter stopped the prompt."""
        return self._says(POLICY)

    @property
    def is_about_length(self):
        """Whether the call is too long for the model."""
        return self._says(LENGTH)

    @property
    def is_limit_of_rate(self):
        """Whether it means a limit by time, however it is called: it passes by itself."""
        return self._says(LIMIT_OF_RATE)

    @property
    def has_code_of_money(self):
        """Whether a code or type says that the account cannot pay."""
        return any(map(NO_MONEY.search, self.codes))

    def is_about_money(self, status):
        """Whether it speaks of money or a quota, by a code or in words."""
        pattern = CANNOT_PAY_AT_429 if status == 429 else CANNOT_PAY
        return self.has_code_of_money or any(map(pattern.search, self.words))


def _texts(holders, *names):
    """Return what the holders have by these names, as far as it is a text or a number."""
    values = [holder.get(name) for holder in holders for name in names]
    return [str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool)]
