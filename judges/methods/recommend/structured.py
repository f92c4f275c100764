"""Parse lists that a recommender gives as JSON by a schema, exactly: nothing is searched for."""

import json

from judges.replies.parse import MOST_TITLES, Reason, answer_in, storable

KEY = "recommendations"
LONGEST = 200  # characters of a title


def schema(k):
    """Return the JSON schema of a list of k titles.

    An object stands around the list: OpenAI takes no schema of a list alone.
    """
    title = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    titles = {"type": "array", "items": title, "minItems": k, "maxItems": k}
    return {
        "type": "object",
        "properties": {KEY: titles},
        "required": [KEY],
        "additionalProperties": False,
    }


def parse_list(reply, finish_reason="stop"):
    """Parse a reply into its titles, or the Reason why it is no list of titles.

    The reply is only the schema's object, or the list in it, and only of texts.
    """
    answer = answer_in(reply, finish_reason)
    if isinstance(answer, Reason):
        return answer
    try:
        value = json.loads(answer, object_pairs_hook=keep_unique_keys, strict=False)
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON if answer.lstrip()[:1] in ("{", "[") else Reason.NO_JSON
    return _titles(value)


def keep_unique_keys(pairs):
    """Return a JSON object's dict; None where a key stands twice, which nobody asked for."""
    by_key = dict(pairs)
    return by_key if len(by_key) == len(pairs) else None


def _titles(value):
    if isinstance(value, dict) and set(value) == {KEY}:
        value = value[KEY]
    if not isinstance(value, list) or not value:
        return Reason.NO_LIST
    if len(value) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    texts = [_text(title) for title in value]
    return texts if all(texts) else Reason.NO_LIST


def _text(title):
    """Write a title in one line; "" for a value that is no title."""
    text = " ".join(storable(title).split()) if isinstance(title, str) else ""
    return text if len(text) <= LONGEST else ""
