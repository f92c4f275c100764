"""Parse what a study sets for its sessions: checks, gold items, repeats, time, order.

The keys stand in study.yaml and in Study.extra, in the same form; `read_check` and `read_gold`
check that form.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db.models import TextChoices

from annotate.models.study import slug_rule
from annotate.values.languages import ENGLISH
from annotate.values.numbers import is_whole, plain
from annotate.values.scales import parse_scale, spec_of
from annotate.values.scales.base import Scale
from annotate.values.scales.choice import Choice
from annotate.values.texts import as_text, composed
from annotate.values.wrong import Wrong, quoted

# Whole numbers: (lowest, highest, where nothing is said).
NUMBERS = {
    "attention_failures": (0, 100, 0),
    "gold_per_session": (0, 50, 0),
    "repeats": (0, 50, 0),
    "minimum_seconds": (0, 3600, 0),
    "order_seed": (0, 2_147_483_647, 0),
}
KEYS = ("attention", "gold", "order", "sessions_by", "repeat_share", *NUMBERS)
MOST_CHECKS, MOST_GOLD, MOST_OPTIONS = 20, 500, 20
LONGEST_OPTION = 200
CHECK_KEYS = ("key", "text", "options", "scale", "right", "after")
GOLD_KEYS = ("item", "answers", "tolerance")
MIDDLE, RANDOM = "middle", "random"
SEPARATOR = " | "


class Order(TextChoices):
    """The policies by which a session's items are ordered."""

    RANDOM = "random", "Random, drawn for each session"
    LATIN_SQUARE = "latin_square", "Systems counterbalanced over sessions (Williams design)"
    BLOCKS = "blocks", "One system after the other, their order counterbalanced"
    FIXED = "fixed", "As in the file, the same for all"


@dataclass(frozen=True)
class Check:
    """An attention check: its scale, the values that are right, after which item it stands.

    With options, one or several of them are right: all of these and no other must be chosen.
    Without options, one point of a question's scale is right.
    """

    key: str
    text: str
    scale: Scale
    right: tuple[int, ...]
    after: str | int = RANDOM
    has_options: bool = True

    def scale_in(self, language):
        """Return the scale; a ready-made scale has its words in the language."""
        return _in_language(self.scale, language)

    @property
    def is_several(self):
        """Tell whether several options are to be chosen: boxes, not radio buttons."""
        return len(self.right) > 1

    def words(self, values):
        """Join the labels of the values, as raters read them."""
        labels = dict(self.scale.points)
        return SEPARATOR.join(labels[value] for value in sorted(values))

    @property
    def right_words(self):
        return self.words(self.right)

    def values(self, words):
        """Return the values of these labels, without unknown labels."""
        labels = {label: value for value, label in self.scale.points}
        return {labels[label] for label in words if label in labels}

    def as_data(self):
        """Return the entry as study.yaml holds it."""
        labels = [_named(self.scale, value) for value in self.right]
        right = labels if self.is_several else labels[0]
        form = {"options": list(self.scale.labels)} if self.has_options else {}
        form |= {} if self.has_options else {"scale": spec_of(self.scale)}
        return {"key": self.key, "text": self.text, **form, "right": right, "after": self.after}


@dataclass(frozen=True)
class Gold:
    """An item whose right answers are known: {question key: value, of a choice its label}."""

    item: str
    answers: Mapping[str, str | float]
    tolerance: int = 0

    def as_data(self):
        """Return the entry as study.yaml holds it."""
        return {"item": self.item, "answers": dict(self.answers), "tolerance": self.tolerance}


@dataclass(frozen=True)
class Settings:
    """All these settings of a study.

    attention_failures: at which failed check a session ends; 0 never. repeat_share: of recipients'
    own items that are asked again (own_answers.py).
    """

    attention: tuple[Check, ...] = ()
    gold: tuple[Gold, ...] = ()
    order: str = Order.RANDOM  # type: ignore[assignment]  # Django comes without types
    numbers: Mapping[str, int] = field(default_factory=dict)
    sessions_by: str = ""
    repeat_share: float = 0.0

    def __getattr__(self, name):
        if name not in NUMBERS:
            raise AttributeError(name)
        return self.numbers.get(name, NUMBERS[name][2])

    @property
    def adds_screens(self):
        """Tell whether sessions have other screens than their items."""
        has_gold = self.gold and self.gold_per_session
        return bool(self.attention or has_gold or self.repeats or self.repeat_share)


def settings_of(study):
    """Return the study's Settings; the stored entries were checked when they were read."""
    extra = study.extra
    return Settings(
        tuple(read_check(entry) for entry in extra.get("attention") or ()),
        tuple(read_gold(entry) for entry in extra.get("gold") or ()),
        extra.get("order") or Order.RANDOM,
        {key: extra[key] for key in NUMBERS if extra.get(key) is not None},
        extra.get("sessions_by") or "",
        extra.get("repeat_share") or 0.0,
    )


def gold_keys(study):
    """Return the ids of the study's gold items, which have no places."""
    return {entry["item"] for entry in study.extra.get("gold") or ()}


def _in_language(scale, language):
    return parse_scale(spec_of(scale), language)


def read_check(entry, language=ENGLISH):
    """Parse the Check of a mapping; raise Wrong with the problem.

    The right answer may also be given in the words of a ready-made scale in the language.
    """
    _known(entry, CHECK_KEYS)
    key = as_text(entry.get("key"))
    try:
        slug_rule(key)
    except ValidationError as error:
        raise Wrong(f"found “{key:.80}”. {error.message}", "key") from None
    text = entry.get("text")
    text = "" if isinstance(text, dict | list) else as_text(text)
    if not text.strip() or len(text) > 2000:
        raise Wrong("is missing; allowed is a sentence of up to 2,000 characters", "text")
    if ("options" in entry) == ("scale" in entry):
        raise Wrong("expected is either options, or a scale such as likert5", "options")
    scale = _options(entry["options"]) if "options" in entry else _scale(entry["scale"])
    right = _right(scale, entry.get("right"), language)
    after = _after(entry.get("after", RANDOM))
    if len(right) > 1 and "options" not in entry:
        raise Wrong("on a scale one point is right; several need options", "right")
    return Check(key, text, scale, right, after, "options" in entry)


def _known(entry, keys):
    """Raise Wrong if the entry is no mapping or has other keys."""
    if not isinstance(entry, dict):
        raise Wrong("allowed is a list of mappings, each beginning with `- `")
    for key in entry:
        if key not in keys:
            raise Wrong(f"is not a known key; allowed are {', '.join(keys)}", key)


def _options(options):
    words = [as_text(option).strip() for option in options] if isinstance(options, list) else []
    fits = all(0 < len(option) <= LONGEST_OPTION and "|" not in option for option in words)
    if not 2 <= len(words) <= MOST_OPTIONS or len(set(words)) < len(words) or not fits:
        raise Wrong(
            f"allowed is a list of 2 to {MOST_OPTIONS} different texts without |", "options"
        )
    return Choice(1, len(words), words)


def _scale(spec):
    try:
        scale = parse_scale(dict(spec) if isinstance(spec, dict) else spec)
    except (ValueError, TypeError) as error:
        raise Wrong(str(error), "scale") from None
    if not 2 <= len(scale.points) <= MOST_OPTIONS:
        raise Wrong(f"allowed is one with 2 to {MOST_OPTIONS} points to choose from", "scale")
    return scale


def _right(scale, right, language=ENGLISH):
    wanted = right if isinstance(right, list) else [right]
    points = [*_in_language(scale, language).points, *scale.points]
    values = {label: value for value, label in points}
    values |= {str(value): value for value, _ in scale.points if str(value) not in values}
    chosen = [values.get(as_text(answer).strip()) for answer in wanted]
    if not chosen or None in chosen or len(set(chosen)) < len(chosen):
        raise Wrong(f"found {quoted(right)}; allowed are {', '.join(values)}", "right")
    return tuple(sorted(value for value in chosen if value is not None))


def _named(scale, value):
    """Return the label of a value if the label leads back to the value, else the value."""
    label = dict(scale.points)[value]
    try:
        return label if _right(scale, label) == (value,) else value
    except Wrong:
        return value


def _after(after):
    if after in (MIDDLE, RANDOM) or (is_whole(after) and 0 <= after <= 500):
        return after
    raise Wrong(f"found {quoted(after, 40)}; allowed is middle, random, or 0 to 500", "after")


def read_gold(entry, scales=None):
    """Parse the Gold of a mapping; raise Wrong with the problem.

    scales: {question key: its Scale}, where they are known.
    """
    _known(entry, GOLD_KEYS)
    item, answers = composed(as_text(entry.get("item")).strip()), entry.get("answers")
    if not item or len(item) > 200:
        raise Wrong("is missing; expected is the id of an item", "item")
    if not isinstance(answers, dict) or not answers:
        raise Wrong("is missing; expected are right answers, such as {accuracy: 5}", "answers")
    tolerance = entry.get("tolerance", 0)
    if not is_whole(tolerance) or tolerance not in (0, 1):
        raise Wrong(f"found {quoted(tolerance, 40)}; allowed is 0 or 1", "tolerance")
    if scales is not None:
        answers = {key: _known_answer(key, value, scales) for key, value in answers.items()}
    return Gold(item, answers, tolerance)


def _known_answer(key, value, scales):
    if key not in scales:
        raise Wrong(f"found “{key:.80}”; the questions are {', '.join(scales)}", "answers")
    scale = scales[key]
    if not scale.has_values:
        raise Wrong(f"“{key}” asks for a text, which has no right answer", "answers")
    try:
        return scale.written(scale.parse(value))
    except ValueError as error:
        raise Wrong(f"{key}: {error}", "answers") from None


def compared(kind, spec, question, value, text, first=None, scale=None):
    """Return (given, expected) of an answer on an extra screen, as files have it.

    A check shows its words, a gold item the known answer, a repeated item the first answer.
    question, scale: the question's key and scale, where one of the study was asked.
    """
    if kind == "attention":
        check = read_check(spec)
        return text or check.words([int(value)]), check.right_words
    written = scale.written if scale else plain
    given = text if value is None else written(value)
    right = spec.get("answers", {}).get(question)
    return given, right if kind == "gold" else written(first)
