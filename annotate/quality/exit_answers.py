"""Read what raters answered about themselves after their items: for exports, pages and rules."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate.design import around
from annotate.models import ExitAnswer, Session

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


def keys(study):
    """List the keys of the exit questions, then those that only have answers."""
    if around.EXIT not in study.extra:
        return []
    asked = [question.key for question in around.exit_of(study)]
    given = ExitAnswer.objects.filter(session__study=study).order_by().values_list("key")
    return list(dict.fromkeys([*asked, *sorted(key for (key,) in given.distinct())]))


def said_between(study, owner, first, last):
    """Return {pk of the owner: {key: words or number}}; owner: session, or session__rater.

    Of several sessions of a rater the last answer counts.
    """
    rows = ExitAnswer.objects.filter(session__study=study, **{f"{owner}__pk__range": (first, last)})
    answers_by_owner: dict = defaultdict(dict)
    for pk, key, value, text in rows.order_by("session_id", "pk").values_list(
        f"{owner}_id", "key", "value", "text"
    ):
        answers_by_owner[pk][key] = ExitAnswer(key=key, value=value, text=text).as_shown
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
    done = ExitAnswer.objects.filter(
        session__study=study, session__state=Session.State.COMPLETED, key__in=around.READY
    ).order_by()
    counted = Count("pk", filter=Q(session__rater__excluded_because=""))
    rows = defaultdict(list)
    for key, value, text, n, fine in (
        done.exclude(key="comments")
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
