"""What a rater's page sends, read once: domain values, or what is wrong."""

from dataclasses import dataclass
from datetime import UTC, datetime

from annotate.models import Question
from annotate.sessions import Answer

LONGEST_TEXT = 10_000  # characters
MOST_RADIOS = 11  # a scale with more points is asked for as a number


def field_name(question):
    """The name of a question's field on the page."""
    return f"q{question.pk}"


def read_answer(question, raw):
    """The answer, or None where nothing was said; ValueError says what is allowed."""
    raw = raw.replace("\0", "").strip()
    if not raw:
        return None
    if question.scale.kind != "text":
        return Answer(question, _number(question.scale, raw))
    if len(raw) > LONGEST_TEXT:
        raise ValueError(
            f"Your text has {len(raw):,} characters; at most {LONGEST_TEXT:,} can be stored."
        )
    return Answer(question, None, raw)


def _number(scale, raw):
    try:
        return scale.parse(raw)
    except ValueError:
        raise ValueError(f"Please give {scale.allowed}; this was “{raw[:40]}”.") from None


def read_shown_at(raw):
    """When the page was shown (milliseconds since 1970); None if that is no time."""
    try:
        return datetime.fromtimestamp(int(raw) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


class ItemForm:
    """All answers of one item as a page without JavaScript sends them."""

    def __init__(self, questions, data):
        self.raw = {question.pk: data.get(field_name(question), "") for question in questions}
        self.answers, self.emptied, self.problems = [], [], {}
        for question in questions:
            self._read(question)
        self.shown_at = read_shown_at(data.get("shown", ""))

    def _read(self, question):
        try:
            answer = read_answer(question, self.raw[question.pk])
        except ValueError as error:
            self.problems[question.pk] = str(error)
            return
        if answer:
            self.answers.append(answer)
        elif question.scale.kind in ("text", "number"):
            self.emptied.append(question)


@dataclass
class Asked:
    """One question on the page: with its answer so far, and with what is wrong."""

    question: Question
    number: int
    raw: str = ""
    problem: str = ""
    is_saved: bool = False
    is_missing: bool = False
    is_first_gap: bool = False

    def __post_init__(self):
        self.scale, self.name = self.question.scale, field_name(self.question)

    @property
    def id(self):
        return f"question-{self.question.pk}"

    @property
    def has_radios(self):
        return 0 < len(self.scale.points) <= MOST_RADIOS

    @property
    def has_ends(self):
        """Only the two ends have words; the points between are numbers."""
        return len(self.scale.labels) == 2 < len(self.scale.points)

    @property
    def options(self):
        """The radio inputs; the key that chooses each is its value, or its rank."""
        points, labels = self.scale.points, self.scale.labels
        ends = {points[0][0]: labels[0], points[-1][0]: labels[-1]} if self.has_ends else {}
        by_value = self.scale.kind == "likert" and self.scale.low >= 0 and self.scale.high <= 9
        return [
            {
                "value": value,
                "label": value if self.has_ends else label,
                "end": ends.get(value, ""),
                "key": value if by_value else rank,
                "checked": str(value) == self.raw,
            }
            for rank, (value, label) in enumerate(points, start=1)
        ]

    @property
    def saves_on(self):
        """The events that save: a choice at once, typed words also when the typing rests."""
        return "change" if self.has_radios else "change, input delay:1s"

    @property
    def in_row(self):
        """Equal distances side by side on a wide screen: scales with an order and two or more."""
        return self.scale.kind == "likert"

    @property
    def ends(self):
        """What the ends of a scale mean that is asked for as a number."""
        labels = self.scale.labels
        low, high = self.scale.low, self.scale.high
        return f"{low} = {labels[0]}, {high} = {labels[-1]}" if labels else ""


def asked(questions, ratings, form=None, gaps=()):
    """The questions of an item as the page shows them: what was typed, else what is stored."""
    stored = {rating.question_id: rating for rating in ratings}
    rows = [
        Asked(
            question,
            number,
            raw=form.raw[question.pk] if form else _as_typed(stored.get(question.pk)),
            problem=form.problems.get(question.pk, "") if form else "",
            is_saved=question.pk in stored,
            is_missing=question in gaps,
        )
        for number, question in enumerate(questions, start=1)
    ]
    for row in [row for row in rows if row.is_missing or row.problem][:1]:
        row.is_first_gap = True
    return rows


def _as_typed(rating):
    if rating is None:
        return ""
    return rating.text if rating.value is None else f"{rating.value:.15g}"
