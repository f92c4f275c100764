"""Leave out, or send under another name, parameters that a model refuses and others need.

A test of the endpoint finds out which; so does a run, as long as nothing was answered with them.
"""

import json
import re

from judges.endpoints import refusals

RENAMED = {"max_tokens": "max_completion_tokens"}
# {parameter: how an error may name it, in small letters and without what stands between words}
NAMED = {
    "max_tokens": r"max(completion|output)?tokens",
    "temperature": "temperature",
    "logprobs": "logprobs",
    "response_format": "responseformat|jsonschema|jsonobject",
}
TOGETHER = {"logprobs": ("logprobs", "top_logprobs")}  # what is sent only with another one
# {parameter: what a test says where it is refused}
WORDS = {
    "max_tokens": (
        "The model takes max_completion_tokens, not max_tokens; judges send that. What it reasons "
        "before it replies counts too, so let replies be some thousand tokens long."
    ),
    "temperature": (
        "The model takes no temperature, or not the one that was sent; judges send none, whatever "
        "they are set to, so the same question may be answered otherwise another time."
    ),
}


def named_in(detail, parameters):
    """Return the sent parameters that an error names, in whatever words, in their order there.

    Where it repeats what was sent, it names nothing.
    """
    _, error = refusals.stored(detail)
    words = [w for w in error.words if w.lstrip()[0] not in "{[" or '"input"' not in w]
    told = _named([*error.places, *words], parameters)
    return told or _named([_without_echo(refusals.BEGINS.sub("", detail, 1))], parameters)


def _named(words, parameters):
    told = re.sub(r"[\s_-]+", "", " ".join(words).lower())
    places = {
        match.start(): name
        for name, pattern in NAMED.items()
        if name in parameters and (match := re.search(pattern, told))
    }
    return [places[start] for start in sorted(places)]


def _without_echo(body):
    """Leave out what pydantic repeats of what was sent; of a body that is cut, all behind it."""
    try:
        return json.dumps(json.loads(body, object_hook=lambda told: told | {"input": None}))
    except (ValueError, RecursionError):
        return re.split(r'"input"\s*:', body)[0]


def spoken(parameters, refused):
    """Rename or drop the parameters that a model refuses."""
    dropped = {part for name in refused for part in TOGETHER.get(name, (name,))}
    renamed = {
        RENAMED.get(name, name) if name in dropped else name: value
        for name, value in parameters.items()
    }
    return {name: value for name, value in renamed.items() if name not in dropped}


def longest_reply(parameters):
    """Return the token limit of a reply."""
    return parameters.get("max_tokens") or parameters[RENAMED["max_tokens"]]
