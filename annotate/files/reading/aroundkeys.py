"""Read the keys of study.yaml about what raters do before and after their items.

Each of READERS takes the value of a file or a page and returns it in a normal form; it raises
Wrong for a value that cannot be used.
"""

from django.core.exceptions import ValidationError

from annotate.design.around import (
    ATTEMPTS,
    CHECK,
    EXIT,
    MOST_ATTEMPTS,
    PRACTICE,
    READY,
    exit_question,
)
from annotate.models.study import slug_rule
from annotate.values.scales import parse_scale, spec_of

MOST_CHECKED, MOST_PRACTICE, MOST_EXIT = 10, 20, 50
MOST_OPTIONS = 10
LONGEST = 5_000  # characters of a text that raters read here
LONGEST_OPTION = 500


class Wrong(ValueError):
    """An entry that cannot be used.

    entry: its number in the list, from 0; key: the wrong key of the entry.
    """

    def __init__(self, message, key="", entry=None):
        super().__init__(message)
        self.key, self.entry = key, entry

    @property
    def words(self):
        """Return the message with its place in the list."""
        where = "" if self.entry is None else f"number {self.entry + 1}: "
        return where + (f"{self.key}: " if self.key else "") + str(self)


def read_check(value):
    """Parse the comprehension check into {attempts, questions}, or {} for no check."""
    data = _mapping(value, ("attempts", "questions"))
    attempts = data.get("attempts", ATTEMPTS)
    if type(attempts) is not int or not 1 <= attempts <= MOST_ATTEMPTS:
        raise Wrong(f"found {attempts!r:.40}; allowed is 1 to {MOST_ATTEMPTS}", "attempts")
    entries = _list(data.get("questions") or [], MOST_CHECKED)
    questions = _each(entries, _check_question)
    return {"attempts": attempts, "questions": questions} if questions else {}


def _check_question(entry):
    data = _mapping(entry, ("text", "options", "answer", "explanation"))
    options = data.get("options")
    if not isinstance(options, list) or not 2 <= len(options) <= MOST_OPTIONS:
        raise Wrong(f"allowed is a list of 2 to {MOST_OPTIONS} texts", "options")
    options = [_text({"options": option}, "options", LONGEST_OPTION) for option in options]
    if "" in options or len(set(options)) < len(options):
        raise Wrong("found an empty option, or one twice; allowed are different texts", "options")
    read = {"text": _text(data, "text", needed=True), "options": options}
    read["answer"] = _text(data, "answer", LONGEST_OPTION)
    if read["answer"] not in options:
        raise Wrong(f"found {read['answer'][:40]!r}; allowed is one of the options", "answer")
    explanation = _text(data, "explanation")
    return read | ({"explanation": explanation} if explanation else {})


def read_practice(value):
    """Parse the practice items into [{item, answers, feedback}]."""
    read = _each(_list(value, MOST_PRACTICE), _practice)
    for number, entry in enumerate(read):
        if entry["item"] in [other["item"] for other in read[:number]]:
            raise Wrong(f"found {entry['item'][:40]!r} twice; allowed is once", "item", number)
    return read


def _practice(entry):
    data = _mapping(entry, ("item", "answers", "feedback"))
    read = {"item": _text(data, "item", 200, needed=True)}
    answers = data.get("answers") or {}
    if not isinstance(answers, dict):
        raise Wrong("allowed is a mapping of question keys, or KEY@ITEM, to values", "answers")
    for key, expected in answers.items():
        if isinstance(expected, bool) or not isinstance(expected, str | int | float):
            raise Wrong(
                f"found {expected!r:.40} for {key}; allowed is a number or a label of the "
                "question’s scale",
                "answers",
            )
    if answers:
        read["answers"] = {str(key): expected for key, expected in answers.items()}
    feedback = _text(data, "feedback")
    return read | ({"feedback": feedback} if feedback else {})


def read_exit(value):
    """Parse the exit questions into a list: a ready-made question's name, or {…}."""
    read = _each(_list(value, MOST_EXIT), _read_exit_question)
    keys = [exit_question(entry).key for entry in read]
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise Wrong(f"found {key!r} twice; allowed is once", "key", number)
    return read


def _read_exit_question(entry):
    if isinstance(entry, str):
        entry = {"ready": entry}
    is_ready = isinstance(entry, dict) and "ready" in entry
    data = _mapping(entry, ("ready", "text", "required") if is_ready else EXIT_KEYS)
    required = data.get("required", False)
    if not isinstance(required, bool):
        raise Wrong(f"found {required!r:.40}; allowed is true or false", "required")
    if is_ready:
        return _read_ready(data, required)
    key = _text(data, "key")
    try:
        slug_rule(key)
    except ValidationError as error:
        raise Wrong(f"found {key[:40]!r}. {error.message}", "key") from None
    if key in READY:
        raise Wrong(f"found {key!r}, the name of a ready-made question: {{ready: {key}}}", "key")
    text = _text(data, "text", needed=True)
    try:
        scale = spec_of(parse_scale(data.get("scale")))
    except (ValueError, TypeError) as error:
        raise Wrong(str(error), "scale") from None
    return {"key": key, "text": text, "scale": scale, "required": required}


EXIT_KEYS = ("key", "text", "scale", "required")


def _read_ready(data, required):
    name = data["ready"]
    if not isinstance(name, str) or name not in READY:
        raise Wrong(
            f"found {name!r:.40}; allowed is {', '.join(READY)}, or a mapping with "
            f"{', '.join(EXIT_KEYS)}",
            "ready",
        )
    text = _text(data, "text")
    if not text and not required:
        return name
    return {"ready": name} | ({"text": text} if text else {}) | {"required": required}


def _each(entries, read):
    """Read every entry; Wrong tells the number of the entry."""
    values = []
    for number, entry in enumerate(entries):
        try:
            values.append(read(entry))
        except Wrong as wrong:
            raise Wrong(str(wrong), wrong.key, number) from None
    return values


def _list(value, most):
    if not isinstance(value, list):
        raise Wrong("allowed is a list, each entry beginning with `- `")
    if len(value) > most:
        raise Wrong(f"found {len(value)} entries; allowed are {most}")
    return value


def _mapping(value, keys):
    if not isinstance(value, dict):
        raise Wrong(f"found {value!r:.40}; allowed is a mapping with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise Wrong(f"is not a known key; allowed are {', '.join(keys)}", str(key)[:40])
    return value


def _text(data, key, longest=LONGEST, needed=False):
    value = data.get(key)
    if isinstance(value, bool | dict | list):
        raise Wrong(f"found {value!r:.40}; allowed is a text in quotation marks", key)
    text = "" if value is None else str(value).strip()
    if needed and not text:
        raise Wrong("is missing; expected is a text", key)
    if len(text) > longest:
        raise Wrong(f"found {len(text)} characters; allowed are {longest:,}", key)
    return text


READERS = {CHECK: read_check, PRACTICE: read_practice, EXIT: read_exit}


def of_part(key):
    """Split an expectation's key into (question key, item key), the latter empty for the main item.

    The item's is empty for the main item.
    """
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
            return Wrong(message, "item", number)
        for key, expected in entry.answers.items():
            question, part = of_part(key)
            its = parts.get(entry.item, {}) if part else kinds
            problem = _misfit(by_key.get(question), its.get(part or entry.item), expected)
            if problem:
                return Wrong(f"{key[:260]}: {problem}", "answers", number)
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
