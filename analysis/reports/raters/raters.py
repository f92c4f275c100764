"""Describe raters one by one: how much, how fast, which answers, and how close to the others."""

from dataclasses import replace
from functools import partial
from math import isnan, nan
from statistics import median

import numpy as np
import pandas as pd

from analysis.figures.dots import dot_figure
from analysis.figures.layout import MOST_ROWS, Cell, Figure, Layout, interval_cell, listing
from analysis.figures.likert import likert
from analysis.options.choices import ALL
from analysis.reports.base import columns_of
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.labels import MOST_LABELS
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import PeopleOptions
from analysis.reports.words import notes_beside
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.clustered_median import clustered_median
from annotate.models import Rating
from annotate.templatetags.concord import duration, leading_point

FEWEST = 2  # Likert answers to an item that make a straight line
MOST_BARS = 30
MINUTE = 60
say = notes_beside(__file__, "raters")


class Raters(MeasuredReport):
    """A row for each rater and question; excluded raters are compared with nobody."""

    name, title, options = "raters", "Raters", PeopleOptions
    named_by, of_judges, is_drawn = ("rater", "question"), False, False
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))

    def measure(self, report, scores, keys):
        people = scores.answers.study.raters.order_by("key")
        people = people.values_list("pk", "key", "role", "excluded_because")
        seconds, answers = _seconds(scores), _answers(scores)
        n_items = seconds.groupby(level="rater").size()
        paces = _by_rater(clustered_median, seconds, scores)
        lines = _by_rater(
            partial(clustered_mean, is_share=True), _straight(answers, scores), scores
        )
        groups = answers.groupby(["rater", "question"], observed=True)["value"]
        given = {key: values.to_numpy() for key, values in groups}
        for place, question in enumerate(scores.questions):
            if not question.scale.has_values or not (keys is None or question.key in keys):
                continue
            points = question.scale.points
            labels = [] if question.scale.is_nominal else [label for _, label in points]
            report.curves[question.key] = labels  # of the bars
            with_others = _with_others(scores, place)
            for pk, key, role, why in people:
                if pk not in n_items:
                    continue
                none = Estimate(nan, reason="no answer of theirs counts")
                r, values = with_others.get(key, none), given.get((key, question.key), ())
                pace, straight = paces[pk], lines.get(key, Estimate(nan))
                row = {"rater": key, "role": role, "question": question.key}
                row |= {"n_items": int(n_items[pk]), "n_answers": len(values)}
                row |= columns_of("seconds", pace) | {"seconds_n": pace.n}
                row |= {"r": r.value, "low": r.low, "high": r.high, "n": r.n}
                row |= columns_of("straight", straight) | {"straight_n": straight.n}
                row |= {"counts": [int(np.sum(np.equal(values, point))) for point, _ in points]}
                row |= {"excluded": bool(why), "reason": why}
                shown = {"r": r, "seconds": pace, "straight": straight}
                report.add(row, shown, kind="rater")
        notes = [
            say(case, least=FEWEST) for case in ("seconds", "r", "straight", "counts", "names")
        ]
        return [*item_notes(scores), *notes, interval_note(scores)]

    def layout(self, report, question, looks):
        """Return the page of one question: the bars, the agreement with the others, the table."""
        entries, labels = report.entries, report.curves.get(question, [])
        rows, figures = [row for row in report.rows if sum(row["counts"])][:MOST_BARS], []
        if rows and 1 < len(labels) <= MOST_LABELS:
            plot = likert([(r["rater"], [*zip(labels, r["counts"], strict=True)]) for r in rows])
            caption = f"{question}: answers of each rater; the middle of the scale around zero."
            figures.append(Figure("bars", caption, plot))
        drawn = [replace(e, row=e.row | {"value": e.row["r"]}) for e in entries]
        drawn = sorted(drawn, key=lambda e: (isnan(r := e.row["r"]), -r))[: 2 * MOST_BARS]
        caption = f"{question}: agreement with the mean of the others. Lines: 95 % intervals."
        shown = drawn, "rater", "question", looks, "r with the others"
        figures += dot_figure("with_others", caption, *shown, of="items")
        names = [row["rater"] for row in report.rows[:MOST_ROWS]]
        caption = f"Raters on {question}."
        return Layout(figures, [listing(caption, "Rater", names, entries[:MOST_ROWS], COLUMNS)])

    def find(self, report, question):
        """Say who follows the other raters least."""
        rows = defined(pick(report, "rater", question=question), "r")
        if not rows[1:]:
            return ""
        middle = leading_point(median(row["r"] for row in rows))
        return (
            f"Of {len(rows)} raters {rows[-1]['rater']} follows the others least on {question}: "
            f"r {with_interval(rows[-1], 'r')}; the median is {middle}."
        )


def _in_seconds(value):
    """Write seconds with a decimal below a minute, as an interval may be narrower than a second."""
    return f"{value:.1f} s" if 0 <= value < MINUTE else duration(value)


def _pace(row):
    """Write a rater's pace with its interval: 11.2 s [10.9 s, 12.0 s]."""
    words, *ends = [_in_seconds(row[name]) for name in ("seconds", "seconds_low", "seconds_high")]
    return words if isnan(row["seconds_low"]) else f"{words} [{', '.join(ends)}]"


def _straight_cell(row):
    cell = interval_cell(row, "straight")
    return replace(cell, size=f"n = {row['straight_n']:,}") if row["straight_n"] else None


COLUMNS = {
    "answers": lambda e: f"{e.row['n_answers']:,}",
    "items": lambda e: f"{e.row['n_items']:,}",
    "seconds an item": lambda e: _pace(e.row),
    "r with the others": lambda e: Cell(e.row, e.row["r"], e.reason, f"n = {e.row['n']:,}"),
    "straight lines": lambda e: _straight_cell(e.row),
    "state": lambda e: f"excluded: {e.row['reason']}" if e.row["excluded"] else "counts",
}


def _seconds(scores):
    """Return the seconds to the last answer by (rater's id, place of the item); NaN where unknown.

    Of all answers to the items left in, whether or not they count.
    """
    columns = scores.answers.rating_columns
    rows = Rating.objects.filter(session__study=scores.answers.study).with_shown_item()
    names = ["session__rater", "shown_item", "seconds", *(["data"] if columns else [])]
    place_of = {pk: place for place, pk in enumerate(scores.item_ids)}
    kept = (
        (rater, place_of[item], seconds)
        for rater, item, seconds, *data in rows.values_list(*names).iterator(20_000)
        if item in place_of and (not data or scores.takes(*data, columns))
    )
    types = [("rater", "i8"), ("place", "i8"), ("seconds", "f8")]
    return pd.DataFrame(np.fromiter(kept, types)).groupby(["rater", "place"])["seconds"].max()


def _answers(scores):
    """Return people's answers to the items left in with the `place` of each item, in any state."""
    people = scores.answers.select_source("human")
    people = people.assign(place=scores.place[people["item"].cat.codes])
    return people[people["place"] >= 0]


def _straight(answers, scores):
    """Return whether all Likert answers of a rater to an item, two or more, are equal."""
    likert_keys = [q.key for q in scores.questions if q.scale.has_graded_points]
    own = answers[answers["question"].isin(likert_keys)]
    items = own.groupby(["rater", "place"], observed=True)["value"].agg(["nunique", "count"])
    return (items["nunique"] == 1)[items["count"] >= FEWEST]


def _by_rater(statistic, values, scores):
    """Return {rater: Estimate} of the values by (rater, place of the item)."""
    estimates = {}
    for rater, own in values.groupby(level="rater", observed=True):
        places = own.index.get_level_values("place").to_numpy()
        estimates[rater] = statistic(own.to_numpy(dtype=float), **scores.resampling(places))
    return estimates


def _with_others(scores, place):
    """Return {rater: Pearson's r with the mean of all others}; undefined for words."""
    if not scores.questions[place].scale.is_ordered:
        none = Estimate(nan, reason="words have no correlation")
        return dict.fromkeys(scores.raters, none)
    ratings, estimates = scores.ratings(place, ALL), {}
    is_rated = ~np.isnan(ratings)
    total, count = np.nansum(ratings, axis=1), is_rated.sum(axis=1)
    for column, name in enumerate(scores.raters_of(ALL)):
        rows = np.flatnonzero(is_rated[:, column] & (count > 1))
        own = ratings[rows, column]
        others = np.round((total[rows] - own) / (count[rows] - 1), 12)
        estimates[name] = dataset_correlation(own, others, "pearson", **scores.resampling(rows))
    return estimates


KIND = Raters().kind()
