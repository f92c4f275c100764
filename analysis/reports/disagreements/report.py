"""List where a judge is furthest from people, or people from one another: one row an item."""

from dataclasses import dataclass

import numpy as np

from analysis.reports.base import Report
from analysis.reports.disagreements.options import BOTH, BY_PEOPLE, HIGHER
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.labels import on_another_scale
from analysis.reports.shared.scores import Scores
from analysis.stats.inputs import mean_of_defined, without_rounding

AVERAGE = "average"
PEOPLE = "humans"


@dataclass(frozen=True)
class Compared:
    """Arrays (items,) of one question or of their average; NaN where something is missing.

    difference: judge − people, NaN for labels; distance: its size, or the share of raters who
    gave another label. spread: of the ratings, their SD or the share of pairs that differ.
    """

    people: np.ndarray
    n_raters: np.ndarray
    judge: np.ndarray
    difference: np.ndarray
    distance: np.ndarray
    spread: np.ndarray


def disagreements(answers, options, parts=None):
    """List a row per item, question and judge, the largest distance first."""
    scores = Scores(answers, options)
    report = Report("disagreements", answers.study.slug, options.as_dict())
    people = options.order == BY_PEOPLE
    names = [question.key for question in rated_questions(scores)] + [AVERAGE]
    left_out = set()
    rows = []
    for judge in [None] if people else scores.judges:
        columns, other = _columns(scores, judge)
        left_out |= {f"{judge} ({key})" for key in other}
        for name in names if parts is None else parts:
            compared = average(scores, columns) if name == AVERAGE else columns.get(name)
            if compared is not None:
                rows += _rows(scores, name, judge or PEOPLE, compared)
    key = "spread" if people else "distance"
    rows.sort(key=lambda row: -row[key])
    for row in rows:
        report.add(row, judge="" if people else row["evaluator"], kind="judge")
    report.notes = _notes(scores, left_out)
    return report


def rated_questions(scores):
    """Return the questions whose answers are numbers or labels."""
    return [question for question in scores.questions if question.scale.has_values]


def _columns(scores, judge):
    """Return ({question: Compared}, questions on which the judge has another scale)."""
    values = None if judge is None else scores.judge(judge)
    own = judge in scores.answers.own_scale
    compared, other = {}, []
    for place, question in enumerate(scores.questions):
        if not question.scale.has_values:
            continue
        judge_values = np.full(len(scores.items), np.nan) if values is None else values[:, place]
        if own or on_another_scale(judge_values, question, scores.options.missing_judgment):
            other.append(question.key)
            continue
        ratings = scores.ratings(place, scores.options.reference)
        compare = _labels if question.scale.is_nominal else _numbers
        compared[question.key] = compare(ratings, judge_values)
    return compared, other


def _numbers(ratings, judge):
    is_rated = ~np.isnan(ratings)
    n = is_rated.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = without_rounding(np.where(is_rated, ratings, 0).sum(axis=1) / n, ratings, n)
        squares = np.where(is_rated, (ratings - mean[:, None]) ** 2, 0).sum(axis=1)
        spread = np.sqrt(squares / np.where(n > 1, n - 1, np.nan))
    difference = judge - mean
    return Compared(mean, n, judge, difference, np.abs(difference), spread)


def _labels(ratings, judge):
    """Compare labels: people's most frequent label, NaN at a tie; the share of differing pairs."""
    is_rated = ~np.isnan(ratings)
    n = is_rated.sum(axis=1)
    points = np.unique(ratings[is_rated])
    counts = (
        np.stack([(ratings == point).sum(axis=1) for point in points], axis=1)
        if len(points)
        else np.zeros((len(ratings), 1), dtype=int)
    )
    top = counts.max(axis=1)
    single = (counts == top[:, None]).sum(axis=1) == 1
    most = points[counts.argmax(axis=1)] if len(points) else np.full(len(ratings), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        other = 1 - (ratings == judge[:, None]).sum(axis=1) / n
        spread = 1 - (counts * (counts - 1)).sum(axis=1) / np.where(n > 1, n * (n - 1), np.nan)
    nan = np.full(len(ratings), np.nan)
    distance = np.where(np.isnan(judge) | (n == 0), nan, other)
    return Compared(np.where(single & (n > 0), most, nan), n, judge, nan, distance, spread)


def average(scores, columns):
    """Average people, judge, distance and spread over the questions; None without any.

    On scales of different lengths, values count as shares of their scale's length.
    """
    lengths = _lengths(scores, columns)
    if not lengths:
        return None
    same = len(set(lengths.values())) == 1
    by = {name: 1.0 if same else length for name, length in lengths.items()}
    names = list(by)

    def mean(field):
        values = np.stack([getattr(columns[name], field) / by[name] for name in names])
        return mean_of_defined(values, axis=0)

    fields = [mean(f) for f in ("people", "judge", "difference", "distance", "spread")]
    raters = np.max([columns[name].n_raters for name in names], axis=0)
    if not same:  # means of values on different scales say nothing
        fields[:2] = [np.full(len(raters), np.nan)] * 2
    return Compared(fields[0], raters, *fields[1:])


def _lengths(scores, columns):
    """Return {question: length of its scale} of those with ends; 1 for labels."""
    lengths = {}
    for question in scores.questions:
        scale = question.scale
        if question.key in columns and scale.is_nominal:
            lengths[question.key] = 1.0
        elif question.key in columns and scale.has_ends:
            lengths[question.key] = float(scale.high - scale.low)
    return lengths


def _rows(scores, question, evaluator, compared):
    options = scores.options
    people = options.order == BY_PEOPLE
    keep = (compared.n_raters >= options.least_raters) & ~np.isnan(
        compared.spread if people else compared.distance
    )
    if options.direction != BOTH and not people:
        sign = 1 if options.direction == HIGHER else -1
        with np.errstate(invalid="ignore"):
            keep &= compared.difference * sign > 0
    items = scores.items["item"].astype(str).to_numpy()
    columns = [
        items[keep],
        compared.people[keep],
        compared.n_raters[keep],
        compared.judge[keep],
        compared.difference[keep],
        compared.distance[keep],
        compared.spread[keep],
    ]
    for item, mean, n, judge, difference, distance, spread in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield {
            "item": item,
            "question": question,
            "evaluator": evaluator,
            "people": mean,
            "n_raters": n,
            "judge": judge,
            "difference": difference,
            "distance": distance,
            "spread": spread,
        }


def _notes(scores, left_out):
    options, notes = scores.options, policy_notes(scores, compared=False)
    notes.append(f"Items with fewer than {options.least_raters} raters are left out.")
    lengths = set(_lengths(scores, {q.key for q in scores.questions}).values())
    if len(lengths) > 1:
        notes.append(
            "Average: the scales differ in length, so distances and spreads are shares of each."
        )
    if left_out:
        notes.append(f"On a scale of its own, so not compared: {', '.join(sorted(left_out))}.")
    return notes
