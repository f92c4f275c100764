"""Describe what raters do before and after their items, as study.yaml has it: keys of it.

READERS takes the value of a file or a page and returns it in the form that Study.extra keeps; it
raises Wrong for a value that cannot be used.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from annotate.files.reading.spec import Id, Line, NeededLine, Spec, follows, one_of, parse, whole
from annotate.files.reading.yamlfile import Written
from annotate.flow.arms import KEY as ARMS
from annotate.flow.around import (
    ATTEMPTS,
    BEFORE,
    CHECK,
    EXIT,
    MOST_ATTEMPTS,
    PRACTICE,
    READY,
    SCREENER,
    exit_question,
)
from annotate.models import Study
from annotate.models.study import slug_rule
from annotate.taste.study import KEY as TASTE
from annotate.taste.study import LEAST, LENGTH, MOST, By
from annotate.values.scales import parse_scale, spec_of
from annotate.values.texts import LONGEST as LONGEST_TEXT
from annotate.values.texts import as_text, composed
from annotate.values.wrong import Wrong, quoted

MOST_CHECKED, MOST_PRACTICE, MOST_EXIT = 10, 20, 50
MOST_SCREENED, MOST_QUOTAS, MOST_ARMS = 10, 20, 20
MOST_OPTIONS = 10
MOST_PICKS, LONGEST_LIST, MOST_COLUMNS = 50, 20, 10
MOST_SOURCES = 2  # a pair of lists, or the contents of a list each by itself
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
            raise Wrong(f"found {quoted(self.answer, 40)}; allowed is one of the options", "answer")
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
    """Return {question key: value} with plain keys: a number or a label, or true and false."""
    if not isinstance(answers or {}, dict):
        raise ValueError("allowed is a mapping of question keys, or KEY@ITEM, to values")
    for key, expected in (answers or {}).items():
        if not isinstance(expected, str | int | float):
            raise ValueError(
                f"found {quoted(expected, 40)} for {key}; allowed is a number or a label of the "
                "question’s scale"
            )
    return {
        composed(str(key)): as_text(expected) if isinstance(expected, Written) else expected
        for key, expected in (answers or {}).items()
    }


class PracticeSpec(Spec):
    """An item on which raters practise."""

    item: Id = Field("", max_length=200, validate_default=True)
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
            message = f"found {quoted(self.key)}, the name of a ready-made question"
            raise Wrong(f"{message}: {{ready: {self.key}}}", "key")
        return self


def _check_ready(name):
    if not isinstance(name, str) or name not in READY:
        keys = ", ".join(OwnExitSpec.keys())
        raise ValueError(
            f"found {quoted(name, 40)}; allowed is {', '.join(READY)}, or a mapping with {keys}"
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


def _check_own_key(key):
    if key in READY:
        raise ValueError(
            f"found {quoted(key)}, the name of a ready-made question; allowed is another"
        )
    return key


class ScreenerQuestionSpec(Spec):
    """A question of the screener: a choice, of whose options some may screen out."""

    key: Annotated[Line, follows(slug_rule), AfterValidator(_check_own_key)] = Field(
        "", validate_default=True
    )
    text: NeededLine = Field("", max_length=LONGEST, validate_default=True)
    options: Annotated[list[Option], AfterValidator(_check_options)] = Field(
        [], validate_default=True
    )
    screens_out: Annotated[list[Option], BeforeValidator(_listed)] = []

    @model_validator(mode="after")
    def check_screens_out(self):
        """Refuse what is no option, and a question that screens everybody out."""
        _refuse_strange(self.screens_out, self.options, "screens_out")
        if set(self.screens_out) == set(self.options):
            raise Wrong("found all options; allowed are some of them", "screens_out")
        return self


def _refuse_strange(chosen, options, *place):
    for option in chosen:
        if option not in options:
            raise Wrong(f"found {quoted(option, 40)}; allowed are options of the question", *place)


class QuotaSpec(Spec):
    """A quota: at most so many people with one of these answers."""

    name: NeededLine = Field("", max_length=100, validate_default=True)
    question: Line = ""
    options: list[Option] = Field([], min_length=1, validate_default=True)
    most: int = whole(1, 1_000_000)


class ScreenerSpec(Spec):
    """The questions right after the consent, and the quotas of their answers."""

    questions: Annotated[list[ScreenerQuestionSpec], BeforeValidator(_listed)] = Field(
        [], max_length=MOST_SCREENED
    )
    quotas: Annotated[list[QuotaSpec], BeforeValidator(_listed)] = Field([], max_length=MOST_QUOTAS)

    @model_validator(mode="after")
    def check_quotas(self):
        """Refuse keys and names that stand there twice, and quotas of no question."""
        _refuse_twice([entry.key for entry in self.questions], "key", "questions")
        _refuse_twice([entry.name for entry in self.quotas], "name", "quotas")
        options = {entry.key: entry.options for entry in self.questions}
        for number, quota in enumerate(self.quotas):
            if quota.question not in options:
                keys = ", ".join(options) or "none: the screener has no question"
                words = (
                    f"found {quoted(quota.question, 40)}; allowed is the key of a question ({keys})"
                )
                raise Wrong(words, "quotas", number, "question")
            _refuse_strange(quota.options, options[quota.question], "quotas", number, "options")
        return self


class ArmSpec(Spec):
    """An arm of a study: what differs for the sessions that are assigned to it."""

    name: NeededLine = Field("", max_length=60, validate_default=True)
    instructions: Line = Field("", max_length=LONGEST_TEXT)
    layout: Annotated[str, one_of(Study.Layout)] = ""
    share: int = whole(1, 1000, 1)


def read_arms(value):
    """Parse the arms into [{name, …}]: two or more, or none."""
    kind = Annotated[list[ArmSpec], Field(max_length=MOST_ARMS)]
    read = [entry.model_dump(exclude_defaults=True) for entry in parse(kind, value)]
    if len(read) == 1:
        raise Wrong("found one arm; allowed are two or more, or none")
    _refuse_twice([entry["name"] for entry in read], "name")
    return read


class SourceSpec(Spec):
    """A source of recommendations for raters who bring their own taste."""

    system: Id = Field("", max_length=200, validate_default=True)
    by: Annotated[str, one_of(By)] = str(By.NEAREST)
    columns: Annotated[list[NeededLine], BeforeValidator(_listed)] = Field(
        [], max_length=MOST_COLUMNS
    )

    @model_validator(mode="after")
    def check_columns(self):
        """Refuse attributes that nothing compares, and a comparison by no attribute."""
        if bool(self.columns) != (self.by == By.NEAREST):
            message = f"allowed are columns of contents, such as genres, with by: {By.NEAREST} only"
            raise Wrong(message, "columns")
        return self


class TasteSpec(Spec):
    """What recipients pick in their own session, and the lists that are made from it."""

    least: int = whole(1, MOST_PICKS, LEAST)
    most: int = whole(1, MOST_PICKS, MOST)
    length: int = whole(1, LONGEST_LIST, LENGTH)
    sources: Annotated[list[SourceSpec], BeforeValidator(_listed)] = Field(
        [], max_length=MOST_SOURCES
    )

    @model_validator(mode="after")
    def check_together(self):
        """Refuse fewer at most than at least, and a system of two sources."""
        if self.most < self.least:
            raise Wrong(f"found {self.most}; allowed is least ({self.least}) or more", "most")
        _refuse_twice([source.system for source in self.sources], "system", "sources")
        return self


def read_taste(value):
    """Parse what recipients bring into {least, most, length, sources}, or {} without a source."""
    read = parse(TasteSpec, value)
    if not read.sources:
        return {}
    sources = [source.model_dump(exclude_defaults=True) for source in read.sources]
    return read.model_dump(exclude={"sources"}) | {"sources": sources}


def read_screener(value):
    """Parse the screener into {questions, quotas}, or {} for none."""
    read = parse(ScreenerSpec, value).model_dump(exclude_defaults=True)
    return read if read.get("questions") else {}


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
    """Parse questions about the rater into a list: a ready-made question's name, or {…}."""
    entries = parse(Annotated[list[Any], Field(max_length=MOST_EXIT)], value)
    read = []
    for number, entry in enumerate(entries):
        try:
            read.append(_read_exit_question(entry))
        except Wrong as wrong:
            raise Wrong(str(wrong), number, *wrong.place) from None
    _refuse_twice([exit_question(entry).key for entry in read], "key")
    return read


def _refuse_twice(keys, name, *place):
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise Wrong(f"found {quoted(key, 40)} twice; allowed is once", *place, number, name)


READERS = {
    SCREENER: read_screener,
    BEFORE: read_exit,
    CHECK: read_check,
    PRACTICE: read_practice,
    EXIT: read_exit,
    ARMS: read_arms,
    TASTE: read_taste,
}
