"""List where a judge is furthest from people, or people from one another: one row an item."""

from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.figures.layout import Layout
from analysis.options.common import Compared
from analysis.options.declare import choice, whole_number
from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.findings import defined
from analysis.reports.shared.labels import on_another_scale
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.words import notes_beside
from analysis.stats.inputs import mean_of_defined, without_rounding

say = notes_beside(__file__, "disagreements")
AVERAGE = "average"
PEOPLE = "humans"
BOTH, HIGHER, LOWER = "both", "higher", "lower"
SIGNS = {HIGHER: 1, LOWER: -1}
COLUMNS = ("people", "n_raters", "judge", "difference", "distance", "spread")
BY_JUDGE, BY_PEOPLE = "judge", "people"


@dataclass(frozen=True, kw_only=True)
class DisagreementsOptions(Compared):
    """Options of the list.

    least_raters: how many an item needs; direction: where the judge stands; order: what is first.
    """

    least_raters: int = whole_number(
        1, 1, 1000, "Raters, at least", "raters that an item needs; default 1"
    )
    direction: str = choice(
        BOTH,
        "Direction",
        "both (default), higher or lower: where the judge stands",
        [(BOTH, "either way"), (HIGHER, "judge higher"), (LOWER, "judge lower")],
    )
    order: str = choice(
        BY_JUDGE,
        "Order",
        "judge (default), or people: those divided most come first",
        [(BY_JUDGE, "judge furthest from people"), (BY_PEOPLE, "people most divided")],
    )


class Disagreements(MeasuredReport):
    """A row for each item, question and judge, the largest distance first."""

    name, title, options = "disagreements", "Disagreements", DisagreementsOptions

    def list_parts(self, questions):
        """Return the questions, and their mean, of which the page shows one."""
        keys = [question.key for question in questions if question.scale.has_values]
        choices = [(AVERAGE, "mean over the questions"), *((key, key) for key in keys)]
        return Shown("question", "Question", choices if keys else [])

    def measure(self, report, scores, keys):
        options, rows, other = scores.options, [], []
        is_of_people, rated = options.order == BY_PEOPLE, rated_questions(scores)
        by = "spread" if is_of_people else "distance"
        items = scores.items["item"].astype(str).to_numpy()
        for judge in [None] if is_of_people else scores.judges:
            evaluator = judge or PEOPLE
            compared = {question.key: _compare(scores, judge, question) for question in rated}
            other += [f"{judge} ({key})" for key, own in compared.items() if own is None]
            compared = {key: own for key, own in compared.items() if own is not None}
            compared[AVERAGE] = average(scores, compared)
            for key in [*(q.key for q in rated), AVERAGE] if keys is None else keys:
                if columns := compared.get(key):
                    keep = ~np.isnan(columns[by]) & (columns["n_raters"] >= options.least_raters)
                    if options.direction != BOTH and not is_of_people:
                        keep &= columns["difference"] * SIGNS[options.direction] > 0
                    kept = [items[keep], *(own[keep] for own in columns.values())]
                    for item, *values in zip(*(own.tolist() for own in kept), strict=True):
                        about = {"item": item, "question": key, "evaluator": evaluator}
                        rows.append(about | dict(zip(columns, values, strict=True)))
        for row in sorted(rows, key=lambda row: -row[by]):
            report.add(row, judge="" if is_of_people else row["evaluator"], kind="judge")
        notes = [*policy_notes(scores, compared=False), say("few", least=options.least_raters)]
        if len(set(_lengths(scores, [question.key for question in rated]).values())) > 1:
            notes.append(say("lengths"))
        return notes + ([say("other_scale", names=", ".join(sorted(other)))] if other else [])

    def layout(self, report, question, looks):
        """Return an empty layout, as the page lists items."""
        return Layout([], [])

    def find(self, report, question):
        """Say on which item a judge and people are furthest apart."""
        rows = defined([row for row in report.rows if row["question"] == question], "distance")
        if not rows:
            return ""
        first = rows[0]
        others = sum(row["distance"] == first["distance"] for row in rows) - 1
        where = "by the mean over the questions" if question == AVERAGE else f"on {question}"
        also = f"; {others:,} more are as far" if others else ""
        return f"Furthest apart {where}: {first['evaluator']} and people, on {first['item']}{also}."


def rated_questions(scores):
    """Return the questions whose answers are numbers or labels."""
    return [question for question in scores.questions if question.scale.has_values]


def _compare(scores, judge, question):
    """Return columns of rows, {name: values (items,)}, NaN where something is missing.

    difference: judge − people, NaN of labels; distance: its size, or the share of raters who gave
    another label; spread: of the ratings, their SD or the share of pairs that differ. None where
    the judge has another scale; judge: None for nobody.
    """
    place = scores.questions.index(question)
    values = np.full(len(scores.items), nan) if judge is None else scores.judge(judge)[:, place]
    filled = scores.options.missing_judgment
    if judge in scores.answers.own_scale or on_another_scale(values, question, filled):
        return None
    ratings = scores.ratings(place, scores.options.reference)
    is_rated = ~np.isnan(ratings)
    n, compare = is_rated.sum(axis=1), _labels if question.scale.is_nominal else _numbers
    with np.errstate(divide="ignore", invalid="ignore"):
        people, *others = compare(ratings, is_rated, n, values)
    return dict(zip(COLUMNS, (people, n, values, *others), strict=True))


def _numbers(ratings, is_rated, n, judge):
    mean = without_rounding(np.where(is_rated, ratings, 0).sum(axis=1) / n, ratings, n)
    squares = np.where(is_rated, (ratings - mean[:, None]) ** 2, 0).sum(axis=1)
    spread = np.sqrt(squares / np.where(n > 1, n - 1, nan))
    return mean, judge - mean, np.abs(judge - mean), spread


def _labels(ratings, is_rated, n, judge):
    """Compare labels: people's most frequent label, NaN at a tie; the share of differing pairs."""
    points = np.append(np.unique(ratings[is_rated]), nan)  # the last counts nobody
    counts = (ratings[:, :, None] == points).sum(axis=1)
    top = counts.max(axis=1, keepdims=True)
    is_single = ((counts == top).sum(axis=1) == 1) & (n > 0)
    most = np.where(is_single, points[counts.argmax(axis=1)], nan)
    other = 1 - (ratings == judge[:, None]).sum(axis=1) / n
    distance = np.where(np.isnan(judge) | (n == 0), nan, other)
    spread = 1 - (counts * (counts - 1)).sum(axis=1) / np.where(n > 1, n * (n - 1), nan)
    return most, np.full(len(n), nan), distance, spread


def average(scores, columns_by_key):
    """Average {question: columns}; None without any.

    On scales of different lengths, values count as shares of their scale's length.
    """
    lengths = _lengths(scores, columns_by_key)
    if not lengths:
        return None
    is_same = len(set(lengths.values())) == 1
    columns: dict = {}
    for name in next(iter(columns_by_key.values())):
        values = np.stack([columns_by_key[key][name] for key in lengths])
        if name == "n_raters":
            columns[name] = values.max(axis=0)
        elif not is_same and name in ("people", "judge"):
            columns[name] = np.full(values.shape[1], nan)  # means of several scales say nothing
        else:
            by = 1.0 if is_same else np.array([*lengths.values()])[:, None]
            columns[name] = mean_of_defined(values / by, axis=0)
    return columns


def _lengths(scores, keys):
    """Return {question: length of its scale} of those with ends; 1 for labels."""
    asked = [question for question in scores.questions if question.key in keys]
    return {
        q.key: 1.0 if q.scale.is_nominal else float(q.scale.high - q.scale.low)
        for q in asked
        if q.scale.is_nominal or q.scale.has_ends
    }


KIND = Disagreements().kind()
