"""Read what raters answered about themselves around their items: for exports, pages and rules."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate.flow import around
from annotate.models import Answer, Session

AGES = (
    (0, 17, "under 18"),
    (18, 24, "18–24"),
    (25, 34, "25–34"),
    (35, 44, "35–44"),
    (45, 54, "45–54"),
    (55, 64, "55–64"),
    (65, 130, "65 and over"),
)
MEANS = {"movies_per_month": "Films a month, mean", "familiarity": "Familiar films, mean %"}


def asked_in(study):
    """Return {step: its questions about the rater} of each step that a study has or had."""
    return {
        kind: around.about_of(study, kind)
        for kind, key in around.ABOUT.items()
        if key in study.extra
    }


def columns(study):
    """List (step, key) of all questions about raters: those asked, then those with answers only."""
    asked = asked_in(study)
    given = Answer.objects.filter(screen__session__study=study, screen__kind__in=asked).order_by()
    answered = sorted(given.values_list("screen__kind", "key").distinct()) if asked else []
    columns_asked = [(step, question.key) for step, among in asked.items() for question in among]
    every = dict.fromkeys([*columns_asked, *answered])
    return sorted(every, key=lambda column: list(asked).index(column[0]))


def said_between(study, owner, first, last):
    """Return {pk of the owner: {(step, key): words or number}}; owner: session or session__rater.

    Of several sessions of a rater the last answer counts.
    """
    rows = Answer.objects.about_raters().filter(
        screen__session__study=study, **{f"screen__{owner}__pk__range": (first, last)}
    )
    answers_by_owner: dict = defaultdict(dict)
    for pk, step, key, value, text in rows.order_by("screen__session_id", "pk").values_list(
        f"screen__{owner}_id", "screen__kind", "key", "value", "text"
    ):
        answers_by_owner[pk][step, key] = Answer(value=value, text=text).words
    return answers_by_owner


@dataclass(frozen=True)
class Line:
    """A line of the demographics table: of all who completed, and of those who are not excluded."""

    label: str
    everybody: float | int | None
    counted: float | int | None
    n: int = 0  # means only
    n_counted: int = 0


def demographics(study):
    """Return [(title, Lines)] of the ready-made questions, of completed sessions, by one query."""
    done = Answer.objects.about_raters().filter(
        screen__session__study=study,
        screen__session__state=Session.State.COMPLETED,
        key__in=around.READY,
    )
    counted = Count("pk", filter=Q(screen__session__rater__excluded_because=""))
    rows = defaultdict(list)
    for key, value, text, n, fine in (
        done.order_by()
        .exclude(key="comments")
        .values_list("key", "value", "text")
        .annotate(n=Count("pk"), fine=counted)
    ):
        rows[key].append((value, text, n, fine))
    tables = [
        ("Gender", _genders(rows["gender"])),
        ("Age", _ages(rows["age"])),
        ("", [_mean(label, rows[key]) for key, label in MEANS.items() if rows[key]]),
    ]
    return [(title, lines) for title, lines in tables if lines]


def _genders(rows):
    counts_by_text = {text: (n, fine) for _, text, n, fine in rows}
    return [Line(text, *counts_by_text[text]) for text in around.GENDERS if text in counts_by_text]


def _ages(rows):
    lines = []
    for low, high, label in AGES:
        here = [(n, fine) for value, _, n, fine in rows if low <= value < high + 1]
        if here:
            lines.append(Line(label, *map(sum, zip(*here, strict=True))))
    return lines


def _mean(label, rows):
    n, fine = sum(row[2] for row in rows), sum(row[3] for row in rows)
    total = sum(value * count for value, _, count, _ in rows)
    total_fine = sum(value * count for value, _, _, count in rows)
    return Line(label, total / n, total_fine / fine if fine else None, n, fine)


# What the exclusion rules look at


def numbers(key):
    """Return a measure: the number that a rater gave to the exit question."""

    def measure(evidence, **parameters):
        return {pk: value for pk, value, _ in _given(evidence, key) if value is not None}

    return measure


def against(evidence, question, how, value):
    """Measure 1 where the answer is below, above or equal to the value, else 0."""
    return {
        pk: float(_holds(number, text, how, value))
        for pk, number, text in _given(evidence, question)
        if number is not None or how == "equals"
    }


def _holds(number, text, how, value):
    try:
        limit = float(value)
    except ValueError:
        limit = None
    if how == "equals":
        return text.casefold() == value.casefold() or (number is not None and number == limit)
    return limit is not None and (number < limit if how == "below" else number > limit)


def _given(evidence, key):
    """List (rater id, value, text) of the exit answers by raters who are not excluded."""
    rows = [row[1:] for row in evidence.said_at_exit if row[0] == key]
    return [(pk, value, text) for pk, value, text in rows if pk in evidence.raters]
