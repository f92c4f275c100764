"""Describe study.yaml: the keys of a study and of its questions, and what each may hold."""

from collections import Counter
from typing import Annotated, Any

from django.conf import settings
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from annotate.design import checks, disclosure, ethics, grouping, payment, retention, splits
from annotate.design.platform import check_platform
from annotate.files.reading import stepspec
from annotate.files.reading.spec import LIST, Line, Spec, Text, follows, number, one_of, whole
from annotate.flow import own_answers
from annotate.models import Item, Question, Study
from annotate.models.study import slug_rule, study_slug_rule
from annotate.values.languages import ENGLISH
from annotate.values.media import check_hosts
from annotate.values.scales import parse_scale, scale_from_dict
from annotate.values.spread import check_spread
from annotate.values.wrong import Wrong, quoted

LONGEST, LONGEST_STEM = 100_000, 1_000
# What each study has: its code, for example, without which raters get none from a platform.
FILLED = {field.name for field in Study._meta.concrete_fields if not field.blank}
MISSING_SCALE = "for example likert5"


def _scale(value, info: ValidationInfo):
    try:
        return parse_scale(value, info.context).as_dict()
    except TypeError as error:
        raise ValueError(str(error)) from None


def _applies_to(value):
    kinds = [value] if isinstance(value, str) and value else value or []
    if not isinstance(kinds, list) or not all(kind in Item.Kind.values for kind in kinds):
        raise ValueError(f"found {quoted(value)}; allowed are {', '.join(Item.Kind.values)}")
    return kinds


def _why(value, info: ValidationInfo):
    if not isinstance(value, bool) and value != Question.Why.REQUIRED:
        raise ValueError(f"found {quoted(value)}; allowed is true, false or required")
    if value and info.data.get("scale", {}).get("kind") == "text":
        raise ValueError("found a reason for a free text; allowed is one for a scale")
    if isinstance(value, bool):
        return str(Question.Why.OPTIONAL if value else Question.Why.NONE)
    return value


def _sentence(value):
    if not value:
        raise ValueError("is missing; expected is the sentence that raters read")
    return value


class QuestionSpec(Spec):
    """A question of the questionnaire."""

    key: Annotated[Line, follows(slug_rule)] = Field("", validate_default=True)
    text: Annotated[Text, AfterValidator(_sentence)] = Field(
        "", max_length=LONGEST, validate_default=True
    )
    scale: Annotated[dict, BeforeValidator(_scale)] = Field(description=MISSING_SCALE)
    required: bool = True
    applies_to: Annotated[list[str], BeforeValidator(_applies_to)] = []
    why: Annotated[str, BeforeValidator(_why)] = ""
    retired: bool = False

    def as_fields(self, position):
        """Return the fields of the Question."""
        fields = self.model_dump()
        return {"scale_spec": fields.pop("scale"), "position": position} | fields


def _listed(entries):
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise ValueError(LIST)
    for position, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise Wrong(LIST, position)
    return entries


def _check_questions(questions):
    keys = Counter(question.key for question in questions)
    for key in (key for key, count in keys.items() if count > 1):
        raise ValueError(f"found the question {quoted(key)} twice; allowed is once")
    if not questions:
        raise ValueError("found no question; a study asks at least one")
    return questions


def _language(value):
    codes = sorted(code for code, _ in settings.LANGUAGES)
    if str(value).lower() not in codes:
        raise ValueError(f"found {quoted(value)}; allowed is {', '.join(codes)}")
    return str(value).lower()


def _text(longest):
    """Return a validator of a text's length."""

    def check(value):
        if len(value) > longest:
            raise ValueError(f"found {len(value)} characters; allowed are up to {longest}")
        return value

    return AfterValidator(check)


def _most_raters(value, info: ValidationInfo):
    least = info.data.get("raters_per_item") or 0  # 0 where the file does not say
    if 0 < value <= least:
        wanted = f"allowed is 0 (off), or more than raters_per_item ({least})"
        raise ValueError(f"found {value}; {wanted}")
    return value


def _hosts(hosts):
    hosts = hosts or []
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise ValueError(f"found {quoted(hosts)}; allowed is a list of names of hosts")
    return check_hosts(hosts)


def _split(given):
    try:
        if not isinstance(given, dict) or given.keys() != {"seed", "share"}:
            raise ValueError("allowed is a mapping of seed and share")
        return splits.check(given["seed"], given["share"])
    except ValueError as error:
        raise ValueError(f"found {quoted(given)}; {error}") from None


def _at_most(most):
    def check(value):
        if not isinstance(value, list) or len(value) > most:
            raise ValueError(LIST.replace("a list of", f"a list of at most {most}"))
        return value

    return BeforeValidator(check)


def _differ(name):
    """Return a validator of a list whose entries differ in an attribute."""

    def check(entries):
        names = [getattr(entry, name) for entry in entries]
        for position, key in enumerate(names):
            if key in names[:position]:
                raise Wrong(f"found {quoted(key)} twice; allowed is once", position, name)
        return entries

    return AfterValidator(check)


def _attention(entry, info: ValidationInfo):
    return checks.read_check(entry, info.context)


def _gold(entry, info: ValidationInfo):
    questions = info.data.get("questions")  # none where the file leaves them as they are
    scales = None
    if questions:
        scales = {question.key: scale_from_dict(question.scale) for question in questions}
    return checks.read_gold(entry, scales)


def _is_left_out(key, value):
    """Return whether a value is blank where the study's field may not be."""
    is_blank = value is None or isinstance(value, str) and not value.strip()
    return is_blank and key in FILLED


class StudySpec(Spec):
    """study.yaml. Keys of None are as if they were not there, where the type says `| None`.

    So are blank ones of what a study may not have blank, such as its title and its code.
    What raters do before and after their items, and what stands among them, is kept in Study.extra.
    """

    study: Annotated[Line, follows(study_slug_rule)] = Field("", validate_default=True)
    kind: Annotated[str, one_of(Study.Kind)] = ""
    language: Annotated[str, BeforeValidator(_language)] = ENGLISH
    state: Annotated[str, one_of(Study.State)] = "open"
    questions: Annotated[
        list[QuestionSpec], BeforeValidator(_listed), AfterValidator(_check_questions)
    ] = []
    questionnaire_version: int = whole(1, 32767, 1)
    prompts: Annotated[list[Any], BeforeValidator(_listed)] = []
    judges: Annotated[list[Any], BeforeValidator(_listed)] = []
    title: Text = Field("", max_length=200)
    notice: Text = Field("", max_length=LONGEST)
    consent: Text = Field("", max_length=LONGEST)
    instructions: Text = Field("", max_length=LONGEST)
    completion_code: Text = Field("", max_length=40)
    raters_per_item: int = whole(1, 1000, 0)
    raters_per_item_max: Annotated[int, AfterValidator(_most_raters)] = whole(0, 1000, 0)
    items_per_session: int = whole(1, 500, 1)
    hold_minutes: int = whole(1, 32767, 1)
    show_history: int = whole(0, 100, 0)
    adaptive_from: Annotated[dict, BeforeValidator(check_spread)] | None = None
    media_hosts: Annotated[list[str], BeforeValidator(_hosts)] = []
    split: Annotated[tuple, BeforeValidator(_split)] | None = None
    quality: Any = None
    platform: Annotated[Any, BeforeValidator(check_platform)] = None
    pays_per_session: Annotated[int | float, number(0, payment.LARGEST)] | None = None
    pay_currency: Annotated[str, BeforeValidator(payment.read_currency)] | None = None
    comprehension: Annotated[dict, BeforeValidator(stepspec.read_check)] | None = None
    practice: Annotated[list, BeforeValidator(stepspec.read_practice)] | None = None
    exit: Annotated[list, BeforeValidator(stepspec.read_exit)] | None = None
    attention: (
        Annotated[
            list[Annotated[Any, BeforeValidator(_attention)]],
            _at_most(checks.MOST_CHECKS),
            _differ("key"),
        ]
        | None
    ) = None
    gold: (
        Annotated[
            list[Annotated[Any, BeforeValidator(_gold)]],
            _at_most(checks.MOST_GOLD),
            _differ("item"),
        ]
        | None
    ) = None
    order: Annotated[str, one_of(checks.Order)] | None = None
    sessions_by: Annotated[str, BeforeValidator(grouping.check_column)] | None = None
    repeat_share: Annotated[int | float, number(0, own_answers.MOST)] | None = None
    attention_failures: int | None = whole(*checks.NUMBERS["attention_failures"])
    gold_per_session: int | None = whole(*checks.NUMBERS["gold_per_session"])
    repeats: int | None = whole(*checks.NUMBERS["repeats"])
    minimum_seconds: int | None = whole(*checks.NUMBERS["minimum_seconds"])
    order_seed: int | None = whole(*checks.NUMBERS["order_seed"])
    stem: Annotated[Line, _text(LONGEST_STEM)] | None = None
    layout: Annotated[str, one_of(Study.Layout)] | None = None
    tell_pay: bool | None = None
    contact: Annotated[Line, _text(ethics.LONGEST[ethics.CONTACT])] | None = None
    ethics_reference: Annotated[Line, _text(ethics.LONGEST[ethics.REFERENCE])] | None = None
    withdrawal_pay: Annotated[Line, _text(ethics.LONGEST[ethics.WITHDRAWAL_PAY])] | None = None
    delete_on: Annotated[str, BeforeValidator(retention.check_date)] | None = None
    local_models_only: bool | None = None
    consent_covers: Annotated[list, BeforeValidator(disclosure.check_covered)] | None = None
    screener: Annotated[dict, BeforeValidator(stepspec.read_screener)] | None = None
    questions_before: Annotated[list, BeforeValidator(stepspec.read_exit)] | None = None
    arms: Annotated[list, BeforeValidator(stepspec.read_arms)] | None = None
    screen_out_pay: Annotated[Line, _text(ethics.LONGEST[ethics.SCREEN_OUT_PAY])] | None = None
    taste: Annotated[dict, BeforeValidator(stepspec.read_taste)] | None = None
    debrief: Annotated[Line, _text(ethics.LONGEST[ethics.DEBRIEF])] | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, given):
        return {key: value for key, value in given.items() if not _is_left_out(key, value)}

    @classmethod
    def kept_keys(cls):
        """Return the keys that Study.extra keeps: all from quality on."""
        keys = cls.keys()
        return keys[keys.index("quality") :]

    def given(self, keys):
        """Return {key: value} of those keys that the file has, but those of None."""
        values = {key: getattr(self, key) for key in keys if key in self.model_fields_set}
        return {key: value for key, value in values.items() if value is not None}

    def as_extra(self):
        """Return what Study.extra keeps, as data."""
        extra = self.given(self.kept_keys())
        for key in {"attention", "gold"} & extra.keys():
            extra[key] = [entry.as_data() for entry in extra[key]]
        return extra
