"""Describe what raters do before and after their items, as study.yaml has it: three of its keys.

READERS takes the value of a file or a page and returns it in the form that Study.extra keeps; it
raises Wrong for a value that cannot be used.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from annotate.design.around import (
    ATTEMPTS,
    CHECK,
    EXIT,
    MOST_ATTEMPTS,
    PRACTICE,
    READY,
    exit_question,
)
from annotate.files.reading.spec import Line, NeededLine, Spec, follows, parse, whole
from annotate.models.study import slug_rule
from annotate.values.scales import parse_scale, spec_of
from annotate.values.wrong import Wrong

MOST_CHECKED, MOST_PRACTICE, MOST_EXIT = 10, 20, 50
MOST_OPTIONS = 10
LONGEST = 5_000  # characters of a text that raters read here
LONGEST_OPTION = 500
Option = Annotated[Line, Field(max_length=LONGEST_OPTION)]


def _check_options(options):
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise ValueError(f"allowed is a list of 2 to {MOST_OPTIONS} texts")
    if "" in options or len(set(options)) < len(options):
        raise ValueError("found an empty option, or one twice; allowed are different texts")
    return options


class CheckQuestionSpec(Spec):
    """A question of the comprehension check, about the instructions."""

    text: NeededLine = Field("", max_length=LONGEST, validate_default=True)
    options: Annotated[list[Option], AfterValidator(_check_options)] = Field(
        [], validate_default=True
    )
    answer: Option = ""
    explanation: Line = Field("", max_length=LONGEST)

    @model_validator(mode="after")
    def check_answer(self):
        """Refuse an answer that is none of the options."""
        if self.answer not in self.options:
            raise Wrong(f"found {self.answer[:40]!r}; allowed is one of the options", "answer")
        return self


def _listed(entries):
    return [] if entries is None else entries


class CheckSpec(Spec):
    """The comprehension check."""

    attempts: int = whole(1, MOST_ATTEMPTS, ATTEMPTS)
    questions: Annotated[list[CheckQuestionSpec], BeforeValidator(_listed)] = Field(
        [], max_length=MOST_CHECKED
    )


def _check_answers(answers):
    """Return {question key: value} with plain keys; a value is a number or a label."""
    if not isinstance(answers or {}, dict):
        raise ValueError("allowed is a mapping of question keys, or KEY@ITEM, to values")
    for key, expected in (answers or {}).items():
        if isinstance(expected, bool) or not isinstance(expected, str | int | float):
            raise ValueError(
                f"found {expected!r:.40} for {key}; allowed is a number or a label of the "
                "question’s scale"
            )
    return {str(key): expected for key, expected in (answers or {}).items()}


class PracticeSpec(Spec):
    """An item on which raters practise."""

    item: NeededLine = Field("", max_length=200, validate_default=True)
    answers: Annotated[dict[str, Any], BeforeValidator(_check_answers)] = {}
    feedback: Line = Field("", max_length=LONGEST)


def _scale_form(value):
    try:
        return spec_of(parse_scale(value))
    except TypeError as error:
        raise ValueError(str(error)) from None


class OwnExitSpec(Spec):
    """A question of the study's own about the rater."""

    key: Annotated[Line, follows(slug_rule)] = Field("", validate_default=True)
    text: NeededLine = Field("", max_length=LONGEST, validate_default=True)
    scale: Annotated[Any, BeforeValidator(_scale_form)] = Field(None, validate_default=True)
    required: bool = False

    @model_validator(mode="after")
    def check_key(self):
        """Refuse the name of a ready-made question."""
        if self.key in READY:
            message = f"found {self.key!r}, the name of a ready-made question"
            raise Wrong(f"{message}: {{ready: {self.key}}}", "key")
        return self


def _check_ready(name):
    if not isinstance(name, str) or name not in READY:
        keys = ", ".join(OwnExitSpec.keys())
        raise ValueError(
            f"found {name!r:.40}; allowed is {', '.join(READY)}, or a mapping with {keys}"
        )
    return name


class ReadyExitSpec(Spec):
    """A ready-made question about the rater, perhaps in other words."""

    ready: Annotated[str, BeforeValidator(_check_ready)]
    text: Line = Field("", max_length=LONGEST)
    required: bool = False


def _read_exit_question(entry):
    """Return the question's name, or what differs from it, or the study's own question."""
    if isinstance(entry, str):
        entry = {"ready": entry}
    if not isinstance(entry, dict) or "ready" not in entry:
        return parse(OwnExitSpec, entry).model_dump()
    read = parse(ReadyExitSpec, entry)
    if not read.text and not read.required:
        return read.ready
    return read.model_dump(exclude={"text"} if not read.text else None)


def read_check(value):
    """Parse the comprehension check into {attempts, questions}, or {} for no check."""
    read = parse(CheckSpec, value)
    questions = [entry.model_dump(exclude_defaults=True) for entry in read.questions]
    return {"attempts": read.attempts, "questions": questions} if questions else {}


def read_practice(value):
    """Parse the practice items into [{item, answers, feedback}]."""
    kind = Annotated[list[PracticeSpec], Field(max_length=MOST_PRACTICE)]
    read = [entry.model_dump(exclude_defaults=True) for entry in parse(kind, value)]
    _refuse_twice([entry["item"] for entry in read], "item")
    return read


def read_exit(value):
    """Parse the exit questions into a list: a ready-made question's name, or {…}."""
    entries = parse(Annotated[list[Any], Field(max_length=MOST_EXIT)], value)
    read = []
    for number, entry in enumerate(entries):
        try:
            read.append(_read_exit_question(entry))
        except Wrong as wrong:
            raise Wrong(str(wrong), wrong.key, number) from None
    _refuse_twice([exit_question(entry).key for entry in read], "key")
    return read


def _refuse_twice(keys, name):
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise Wrong(f"found {key[:40]!r} twice; allowed is once", name, number)


READERS = {CHECK: read_check, PRACTICE: read_practice, EXIT: read_exit}
