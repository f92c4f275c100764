"""Lists that a recommender gives as JSON by a schema, read exactly: nothing is searched for."""

import json

from judges.replies.parse import LONGEST_REPLY, MOST_TITLES, Reason, storable

KEY = "recommendations"
LONGEST = 200  # characters of a title


def schema(k):
    """For a list of k titles. An object around the list: OpenAI takes no schema of a list alone."""
    title = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    titles = {"type": "array", "items": title, "minItems": k, "maxItems": k}
    return {
        "type": "object",
        "properties": {KEY: titles},
        "required": [KEY],
        "additionalProperties": False,
    }


def read(reply, finish_reason="stop"):
    """The titles of a reply, or the Reason why it is no such list: only that object, or the list
    that is in it, and only of texts.
    """
    if len(reply) > LONGEST_REPLY:
        return Reason.REPLY_TOO_LONG
    if not reply.strip():
        return Reason.EMPTY
    if finish_reason == "length":
        return Reason.CUT_OFF
    try:
        value = json.loads(reply, object_pairs_hook=keep_unique_keys)
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON if reply.lstrip()[:1] in ("{", "[") else Reason.NO_JSON
    return _titles(value)


def keep_unique_keys(pairs):
    """Return a JSON object's dict; None where a key stands twice, which nobody asked for."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else None


def _titles(found):
    if isinstance(found, dict) and set(found) == {KEY}:
        found = found[KEY]
    if not isinstance(found, list) or not found:
        return Reason.NO_LIST
    if len(found) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    texts = [_text(each) for each in found]
    return texts if all(texts) else Reason.NO_LIST


def _text(each):
    """A title in one line; "" where it is none."""
    text = " ".join(storable(each).split()) if isinstance(each, str) else ""
    return text if len(text) <= LONGEST else ""
