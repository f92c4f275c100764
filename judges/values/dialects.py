"""Adapt call parameters to models that refuse names or values which other models need.

Of OpenAI's models those that reason first want `max_completion_tokens` in place of `max_tokens`,
and no temperature. A test of the endpoint finds that out; a run keeps it with its settings.
"""

import re

RENAMED = {"max_tokens": "max_completion_tokens"}
# {parameter: what a test says where it is refused}
WORDS = {
    "max_tokens": (
        "The model takes max_completion_tokens, not max_tokens; judges send that. What it reasons "
        "before it replies counts too, so let replies be some thousand tokens long."
    ),
    "temperature": (
        "The model takes no temperature; judges send none, whatever they are set to, so the same "
        "question may be answered otherwise another time."
    ),
}


def refused_in(detail, parameters):
    """Return the sent parameters that an endpoint's error reports as not accepted."""
    return [name for name in WORDS if name in parameters and _is_refused(name, detail)]


def _is_refused(name, detail):
    return bool(re.search(rf"'{name}' (?:is not supported|does not support)", detail))


def spoken(parameters, refused):
    """Rename or drop the parameters that a model refuses."""
    renamed = {
        RENAMED.get(name, name) if name in refused else name: value
        for name, value in parameters.items()
    }
    return {name: value for name, value in renamed.items() if name not in refused}


def longest_reply(parameters):
    """Return the token limit of a reply."""
    return parameters.get("max_tokens") or parameters[RENAMED["max_tokens"]]
