"""Read how many tokens an endpoint counted for a call; a doubt never makes the call cheaper."""

MOST_TOKENS = 10_000_000  # no model reads or writes more in one call; a higher count is no count
MOST_TIMES_ALLOWED = 10  # tokens out over max_tokens: endpoints count a little differently
NO_COUNT = f"The endpoint counted more than {MOST_TOKENS:,} tokens, which is no count."


def counts(usage, longest):
    """Return the fields of an Answer for a reply's usage, whatever that is.

    Some endpoints count thoughts beside the completion; they are tokens out too. Far more than the
    `longest` reply allowed is believed where they were thoughts. Where counts are in doubt, or
    missing, `least` has the tokens (in, out) that were counted at least.
    """
    usage = _object(usage)
    prompt, completion, total = (
        _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    cached = _count(_object(usage.get("prompt_tokens_details")).get("cached_tokens"))
    thought = _count(_object(usage.get("completion_tokens_details")).get("reasoning_tokens")) or 0
    least_in, stated = prompt or 0, completion or 0
    beside = thought if thought > stated else 0  # else they are a part of it
    out = max(stated + beside, (total or 0) - least_in)
    is_known = prompt is not None and (completion is not None or (total or -1) >= least_in)
    fields = {
        "tokens_in": _plausible(prompt),
        "tokens_cached": cached if cached is not None and cached <= least_in else None,
        "tokens_out": _plausible(out if is_known else completion),
    }
    if max(least_in, out) > MOST_TOKENS:
        is_known, fields["detail"] = False, NO_COUNT
    if not is_known or is_far_above(out - thought, longest):
        fields["least"] = min(least_in, MOST_TOKENS), min(out, MOST_TOKENS)
    return fields


def is_far_above(out, longest):
    """Whether so many tokens out are implausible where a reply of the `longest` was allowed."""
    return out > MOST_TIMES_ALLOWED * longest


def _object(value):
    return value if isinstance(value, dict) else {}


def _count(value):
    """Return a count of tokens, else None; endpoints send null and texts too."""
    return value if type(value) is int and value >= 0 else None


def _plausible(count):
    return count if count is not None and count <= MOST_TOKENS else None
