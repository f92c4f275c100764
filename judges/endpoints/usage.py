"""Read how many tokens an endpoint counted for a call; a doubt never makes the call cheaper."""

import re
from decimal import ROUND_UP, Decimal, InvalidOperation

MOST_USD = 10_000  # no call costs more; a higher price is charged as this
TICKS = 10**10  # of a dollar, in which xAI counts
MOST_TOKENS = 10_000_000  # no model reads or writes more in one call; a higher count is no count
MOST_TIMES_ALLOWED = 10  # tokens out over max_tokens: endpoints count a little differently
NO_COUNT = f"The endpoint counted more than {MOST_TOKENS:,} tokens, which is no count."
# Whose names they are, in small letters alone: OpenAI's, Anthropic's, Gemini's, Ollama's.
IN = ("prompttokens", "inputtokens", "prompttokencount", "promptevalcount")
OUT = ("completiontokens", "outputtokens", "candidatestokencount", "evalcount")
TOTAL = ("totaltokens", "totaltokencount")
THOUGHT = ("reasoningtokens", "thoughtstokencount")
CACHED = ("cachedtokens", "promptcachehittokens", "cachedcontenttokencount")
BESIDE_IN = ("cachereadinputtokens", "cachecreationinputtokens")  # Anthropic's count in lacks them
NUMBER = re.compile("[0-9]{1,400}")


def counts(usage, longest):
    """Return the fields of an Answer for a reply's usage, whatever that is.

    Some endpoints count thoughts beside the completion; they are tokens out too. Far more than the
    `longest` reply allowed is believed where they were thoughts. Where counts are in doubt, or
    missing, `least` has the tokens (in, out) that were counted at least.
    """
    named = _named(usage)
    prompt, completion, total, thought = (
        max((named[name] for name in names if name in named), default=None)
        for names in (IN, OUT, TOTAL, THOUGHT)
    )
    cached = min((named[name] for name in CACHED if name in named), default=None)
    beside_in = sum(named.get(name, 0) for name in BESIDE_IN)
    is_of_anthropic = "inputtokens" in named and "prompttokens" not in named
    if prompt is not None and (is_of_anthropic or prompt < beside_in):  # no part of it
        prompt += beside_in
    prompt, thought = prompt or None, thought or 0  # nobody is asked without a word
    least_in, stated = prompt or 0, completion or 0
    # Gemini's stand beside the completion; elsewhere they are a part of it, unless they are more.
    beside = thought if thought > stated or "thoughtstokencount" in named else 0
    out = max(stated + beside, (total or 0) - least_in)
    is_known = prompt is not None and (completion is not None or (total or -1) >= least_in)
    fields = {
        "usd": _told(usage if isinstance(usage, dict) else {}),
        "tokens_in": _plausible(prompt),
        "tokens_cached": _plausible(cached) if (cached or 0) <= least_in else None,
        "tokens_out": _plausible(out if is_known else completion),
    }
    if max(least_in, out) > MOST_TOKENS:
        is_known, fields["detail"] = False, NO_COUNT
    if not is_known or is_far_above(out - thought, longest):
        fields["least"] = min(least_in, MOST_TOKENS), min(out, MOST_TOKENS)
    return fields


def _told(usage):
    """Return the USD that the provider says it charged: the most of what it says, None: nothing.

    OpenRouter's `cost`, with that of the provider behind it where the key there is one's own;
    Perplexity's `total_cost` within it; DeepInfra's `estimated_cost`; xAI's ticks.
    """
    cost, details = usage.get("cost"), usage.get("cost_details")
    own, ticks = dollars(cost), dollars(usage.get("cost_in_usd_ticks"), TICKS)
    if isinstance(details, dict) and usage.get("is_byok") is not False:
        upstream = dollars(details.get("upstream_inference_cost"))
        own = own if upstream is None else upstream + (own or 0)
    total = dollars(cost.get("total_cost")) if isinstance(cost, dict) else None
    amounts = own, total, dollars(usage.get("estimated_cost")), ticks
    return max((amount for amount in amounts if amount is not None), default=None)


def dollars(value, parts=1):
    """Return an amount, in so many parts of a dollar, as USD; None where it is none."""
    if not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    if not amount.is_finite() or amount < 0:
        return None
    return (min(amount, Decimal(MOST_USD) * parts) / parts).quantize(Decimal("1e-8"), ROUND_UP)


def is_far_above(out, longest):
    """Whether so many tokens out are implausible where a reply of the `longest` was allowed."""
    return out > MOST_TIMES_ALLOWED * longest


def _named(usage):
    """Return {name: count} of a usage, whatever it is, and its details; names as those above.

    A count is a whole number, also where it is written as a text or as 4.0.
    """
    usage = usage if isinstance(usage, dict) else {}
    details = [value for name, value in usage.items() if name.lower().endswith("details")]
    named: dict[str, int] = {}
    for part in (usage, *(value for value in details if isinstance(value, dict))):
        for name, value in part.items():
            letters = re.sub("[^a-z]", "", name.lower())
            whole = int(value) if isinstance(value, float) and value.is_integer() else value
            if not isinstance(whole, bool) and NUMBER.fullmatch(str(whole)):
                named[letters] = max(int(whole), named.get(letters, 0))
    return named


def _plausible(count):
    return count if count is not None and count <= MOST_TOKENS else None
