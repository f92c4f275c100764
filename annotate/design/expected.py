"""Check the answers that are expected of raters on practice items."""

from annotate.values.wrong import Wrong


def of_part(key):
    """Split an expectation's key into (question key, item key); the main item's key is empty."""
    question, _, item = key.partition("@")
    return question, item


def misfit(practice, questions, kinds, parts):
    """Return the first problem of Practice items that do not fit a study, as Wrong, or None.

    questions: the study's; kinds: {item key: its kind} of the items that raters see by themselves;
    parts: {item key: {key of a part of it: the part's kind}}.
    """
    by_key = {question.key: question for question in questions}
    for number, entry in enumerate(practice):
        if entry.item not in kinds:
            message = f"found {entry.item[:40]!r}; allowed is the id of an item that is no part"
            return Wrong(message, number, "item")
        for key, expected in entry.answers.items():
            question, part = of_part(key)
            its = parts.get(entry.item, {}) if part else kinds
            problem = _misfit(by_key.get(question), its.get(part or entry.item), expected)
            if problem:
                return Wrong(f"{key[:260]}: {problem}", number, "answers")
    return None


def fits(question, kind, expected):
    """Return whether a value can be expected of a question about an item of that kind."""
    return not _misfit(question, kind, expected)


def _misfit(question, kind, expected):
    """Describe why a value cannot be expected of a question about an item of a kind.

    The description is empty if the value can be expected.
    """
    if kind is None:
        return "is no part of this item"
    if question is None or not question.applies_to_kind(kind):
        return "is not asked about this item"
    if not question.scale.has_values:
        return "a text cannot be expected"
    try:
        question.scale.parse(expected)
    except ValueError as error:
        return str(error)
    return ""
