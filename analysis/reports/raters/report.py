"""Describe raters one by one: how much, how fast, which answers, and how close to the others."""

from collections import defaultdict
from functools import partial

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes, reasons_of
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.scores import Scores
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.clustered_median import clustered_median
from annotate.models import Rating

FEWEST = 2  # Likert answers to an item that make a straight line
NAN = float("nan")


def raters(answers, options, parts=None):
    """Compute a row per rater and question, by name; excluded raters are compared with nobody."""
    scores = Scores(answers, options)
    report = Report("raters", answers.study.slug, options.as_dict())
    people = answers.study.raters.order_by("key").values_list("key", "role", "excluded_because")
    rated = _Answers(scores)
    for place, question in enumerate(scores.questions):
        if not question.scale.has_values or not (parts is None or question.key in parts):
            continue
        points = question.scale.points if not question.scale.is_nominal else []
        report.curves[question.key] = [label for _, label in points]  # of the bars
        estimates = _with_others(scores, place)
        for key, role, why in people:
            if not rated.n_items[key]:
                continue
            estimate = estimates.get(key, Estimate(NAN, reason="no answer of theirs counts"))
            row = {"rater": key, "role": role, "question": question.key}
            row |= _row(rated, key, question, estimate)
            row |= {"excluded": bool(why), "reason": why}
            shown = {"r": estimate, "seconds": rated.pace[key], "straight": rated.straight[key]}
            lost = max(number.undefined_draws for number in shown.values())
            report.add(row, kind="rater", reason=reasons_of(shown), undefined_draws=lost)
    report.notes = [
        *item_notes(scores),
        *_notes(),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["rater", "question"]),
    ]
    return report


def _row(rated, key, question, estimate):
    """Return a rater's numbers on a question; pace and straight lines are over all questions."""
    seconds, straight = rated.pace[key], rated.straight[key]
    values = rated.values.get((key, question.key), ())
    return {
        "n_items": rated.n_items[key],
        "n_answers": len(values),
        "seconds": seconds.value,
        "seconds_low": seconds.low,
        "seconds_high": seconds.high,
        "seconds_n": seconds.n,
        "r": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "straight": straight.value,
        "straight_low": straight.low,
        "straight_high": straight.high,
        "straight_n": straight.n,
        "counts": [int(np.sum(np.equal(values, p))) for p, _ in question.scale.points],
    }


class _Answers:
    """Each rater's answers to the items left in, whether or not they count.

    values: {(rater, question): values}; n_items, pace and straight by rater: how many items, the
    median seconds on one, the share of those whose Likert answers are all equal.
    """

    def __init__(self, scores):
        self.scores = scores
        people = scores.answers.select_source("human")
        places = {key: number for number, key in enumerate(scores.items["item"].astype(str))}
        place = [places.get(str(key), -1) for key in people["item"].cat.categories]
        people = people.assign(place=np.array(place, dtype=np.intp)[people["item"].cat.codes])
        people = people[people["place"] >= 0]
        groups = people.groupby(["rater", "question"], observed=True)["value"]
        self.values = {key: values.to_numpy() for key, values in groups}
        seconds = self._seconds()
        self.n_items = defaultdict(int, {rater: len(rows) for rater, (rows, _) in seconds.items()})
        self.pace = self._by_rater(clustered_median, seconds)
        self.straight = self._by_rater(
            partial(clustered_mean, is_share=True), self._straight(people)
        )

    def _seconds(self):
        """Return {rater: (places of items, seconds to the last answer)}."""
        place_of = {pk: number for number, pk in enumerate(self.scores.item_ids)}
        longest: dict = defaultdict(dict)
        answers = self.scores.answers
        columns, names = answers.rating_columns, ["session__rater__key", "shown_item", "seconds"]
        rows = Rating.objects.filter(session__study=answers.study).with_shown_item()
        rows = rows.values_list(*names, *(["data"] if columns else []))
        for rater, item, seconds, *data in rows.iterator(20_000):
            place = place_of.get(item)
            if place is None:  # left out, or of another part of a split
                continue
            if data and not self.scores.takes(*data, columns):
                continue
            longest_yet = longest[rater].get(place)
            better = longest_yet is None or (seconds is not None and not longest_yet >= seconds)
            longest[rater][place] = (NAN if seconds is None else seconds) if better else longest_yet
        return {
            rater: (
                np.fromiter(by_place, dtype=np.intp),
                np.array([*by_place.values()], dtype=float),
            )
            for rater, by_place in longest.items()
        }

    def _straight(self, people):
        """Return {rater: (places of items, whether all Likert answers, two or more, are equal)}."""
        likert = [q.key for q in self.scores.questions if q.scale.has_graded_points]
        people = people[people["question"].isin(likert)]
        items = people.groupby(["rater", "place"], observed=True)["value"].agg(["nunique", "count"])
        same = items.loc[items["count"] >= FEWEST, "nunique"] == 1
        return {
            rater: (part.index.get_level_values("place").to_numpy(), part.to_numpy(dtype=float))
            for rater, part in same.groupby(level="rater", observed=True)
        }

    def _by_rater(self, statistic, values_of_raters):
        """Return {rater: Estimate of the values of their items}, undefined for other raters."""
        estimates = defaultdict(lambda: Estimate(NAN))
        for rater, (rows, values) in values_of_raters.items():
            estimates[rater] = statistic(values, **self.scores.resampling(rows))
        return estimates


def _with_others(scores, place):
    """Return {rater: Pearson's r with the mean of all others}; undefined for words."""
    if not scores.questions[place].scale.is_ordered:
        none = Estimate(NAN, reason="words have no correlation")
        return dict.fromkeys(scores.raters, none)
    names, ratings = scores.raters_of(ALL), scores.ratings(place, ALL)
    is_rated = ~np.isnan(ratings)
    total, count = np.where(is_rated, ratings, 0).sum(axis=1), is_rated.sum(axis=1)
    estimates = {}
    for column, name in enumerate(names):
        rows = np.flatnonzero(is_rated[:, column] & (count > 1))
        others = np.round((total[rows] - ratings[rows, column]) / (count[rows] - 1), 12)
        estimates[name] = dataset_correlation(
            ratings[rows, column], others, "pearson", **scores.resampling(rows)
        )
    return estimates


def _notes():
    return [
        "seconds: median over a rater's items of the time to the last answer, of seconds_n items "
        "with one; loaded ratings may have none. Where a rater's items are all of one cluster, as "
        "those of a recipient about their own, nothing of theirs has an interval.",
        "r: Pearson's, of a rater's answers with the mean of all others on the same items; raters "
        "who are excluded are no part of the others.",
        f"straight: share of the items with {FEWEST} Likert answers or more that are all equal, "
        "of straight_n such items.",
        "items, answers and counts are plain counts of the items left in, those that do not count "
        "included.",
        "Raters go by their pseudonyms.",
    ]
