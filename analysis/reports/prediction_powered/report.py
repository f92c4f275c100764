"""Estimate means from few human labels and a judge's many scores (prediction-powered)."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.reports.base import Report, reason_notes
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.labels import positive_from
from analysis.reports.shared.scores import Scores
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.verdict_correction import corrected_share
from analysis.stats.replacement.prediction_powered import (
    FEWEST,
    MOST_TRIED,
    ROUGH,
    PredictionPowered,
    prediction_powered_mean,
)

HUMANS = "humans"
EVERYTHING = "all"  # in the place of a system
MEAN, DIFFERENCE, CORRECTED = "mean", "difference", "corrected share"
FEWEST_SCORES = 2  # without a label, for a judge to add anything
MOST_SYSTEMS = 12  # of which every two are compared
CONDITIONS = (
    "This holds if the labelled ones are a random part of all, and the judge scored all in the "
    "same way. It needs no judge that is right: a poor one only adds little."
)


def prediction_powered(answers, options, questions=None):
    """Estimate the reference's means per system and their differences, with and without judges.

    questions: keys of those wanted; None means all.
    """
    scores = Scores(answers, options)
    report = Report("prediction_powered", answers.study.slug, options.as_dict())
    systems = _systems(scores)
    partly = 0
    for place, question in enumerate(scores.questions):
        if question.scale.is_ordered and (not questions or question.key in questions):
            table = _Table(report, scores, systems, place)
            table.add_all()
            partly = max(partly, table.partly)
    report.verdict = _verdicts(report, _units(scores))
    report.notes = [
        *policy_notes(scores, compared=False),
        _unit_note(scores, partly),
        f"Below {FEWEST} labels there is no number; below {ROUGH} the interval is rough.",
        *_system_notes(systems),
        *_correction_notes(report),
        *_reach_notes(report),
        "Intervals: 95 %, Student's t; no bootstrap.",
        *reason_notes(report, ["evaluator", "question", "system"]),
    ]
    return report


def _systems(scores):
    """Return the names of the systems of the items left in, in their order, without the blank."""
    present = scores.items["system"].cat.remove_unused_categories().cat.categories
    return [name for name in present if name]


def _units(scores):
    """Name the unit of a label: items that share a recipient or content are taken together."""
    if len(np.unique(scores.clusters)) == len(scores.items):
        return "items"
    return "recipients" if (scores.recipients >= 0).any() else "contents"


def _unit_note(scores, partly):
    units = _units(scores)
    if units == "items":
        return "n counts items: no two of them share a recipient or a content."
    some = (
        f" Of {partly} {units} only a part was labelled: their items without a label are left out."
        if partly
        else ""
    )
    return (
        f"n counts {units}, each with the mean of its items (recipient, else content), as items "
        f"of one depend on each other.{some}"
    )


def _system_notes(systems):
    if len(systems) <= MOST_SYSTEMS:
        return []
    return [f"No differences: there are {len(systems)} systems, shown up to {MOST_SYSTEMS}."]


def _correction_notes(report):
    if not any(row["method"] == CORRECTED for row in report.rows):
        return []
    return [
        "Corrected shares of yes/no questions: the judge's share of yes among items without a "
        "label, corrected by its sensitivity and specificity on those with one; items are taken "
        "as independent, so that the interval is too narrow where they share recipients."
    ]


def _reach_notes(report):
    """Explain why a number of labels is blank although the mean has an interval."""
    far = [row for row in report.rows if np.isinf(row["more_to_halve"])]
    if far:
        yield (
            f"More to halve: in {len(far)} of {len(report.rows)} rows no {MOST_TRIED:,} labels do; "
            "the judge's scores of everything are worth more than these."
        )


@dataclass
class _Means:
    """Means by cluster and system (G, S): of labels, of scores where labelled, of other scores.

    The first column takes the items of all systems together. A cluster with labels and other
    scores counts as labelled, by its labelled part.
    """

    labels: np.ndarray
    scores: np.ndarray
    others: np.ndarray
    partly: int  # clusters of the first column with labelled and other items

    def arguments(self, column):
        """Return labels, scores and other scores of one column."""
        return self._taken(*(part[:, column] for part in (self.labels, self.scores, self.others)))

    def differences(self, first, other):
        """Return labels, scores and other scores of the differences between two columns."""
        parts = [part[:, first] - part[:, other] for part in (self.labels, self.scores)]
        whole = np.where(np.isnan(self.scores), self.others, self.scores)
        return self._taken(*parts, whole[:, first] - whole[:, other])

    def _taken(self, labels, scores, others):
        labelled = ~np.isnan(labels) & ~np.isnan(scores)
        return labels[labelled], scores[labelled], others[~labelled & ~np.isnan(others)]


class _Table:
    """Adds the rows of one question to a report."""

    def __init__(self, report, scores, systems, place):
        self.report, self.scores, self.place = report, scores, place
        self.question = scores.questions[place]
        self.names = [EVERYTHING, *systems]
        codes = scores.items["system"].astype(str).map({n: c for c, n in enumerate(self.names)})
        self.columns = codes.fillna(-1).to_numpy(dtype=int)
        # Labels that were put in would all count as human ones.
        self.labels = scores.role_mean(scores.options.reference)[:, place]
        self.partly = 0

    def add_all(self):
        """Add the rows of people alone, then those of every judge."""
        self._add_rows(HUMANS, "", self.labels)
        for judge in self.scores.judges:
            values = self.scores.judge(judge)[:, self.place]
            self._add_rows(judge, judge, values)
            if self.question.scale.is_binary:
                self._add_corrected(judge, values)

    def _add_rows(self, evaluator, judge, values):
        means = self._means(values)
        if judge:
            self.partly = max(self.partly, means.partly)
        for column, name in enumerate(self.names):
            mean = prediction_powered_mean(*means.arguments(column))
            self._add(evaluator, judge, name, MEAN, mean)
        pairs = combinations(range(1, len(self.names)), 2)
        for first, other in pairs if len(self.names) - 1 <= MOST_SYSTEMS else ():
            mean = prediction_powered_mean(*means.differences(first, other))
            name = f"{self.names[first]} − {self.names[other]}"
            self._add(evaluator, judge, name, DIFFERENCE, mean)

    def _means(self, values):
        both = ~np.isnan(self.labels) & ~np.isnan(values)
        alone = np.isnan(self.labels) & ~np.isnan(values)
        labels, scores = self._grid(self.labels, both), self._grid(values, both)
        others = self._grid(values, alone)
        partly = int((~np.isnan(scores) & ~np.isnan(others))[:, 0].sum())
        return _Means(labels, scores, others, partly)

    def _grid(self, values, chosen):
        """Return means of the chosen items' values by cluster and column (G, 1 + systems)."""
        clusters, width = self.scores.clusters[chosen], len(self.names)
        size = (int(self.scores.clusters.max(initial=-1)) + 1) * width
        columns, values = self.columns[chosen], values[chosen]
        of_system = columns >= 0
        cells = np.concatenate([clusters * width, (clusters * width + columns)[of_system]])
        weights = np.concatenate([values, values[of_system]])
        counts = np.bincount(cells, minlength=size)
        sums = np.bincount(cells, weights, minlength=size)
        means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
        return means.reshape(-1, width)

    def _add_corrected(self, judge, values):
        cut = positive_from(self.question)
        people, verdicts = at_least(self.labels, cut), at_least(values, cut)
        labelled = ~np.isnan(people) & ~np.isnan(verdicts)
        yes, no = labelled & (people == 1), labelled & (people == 0)
        free = np.isnan(people) & ~np.isnan(verdicts)
        share = corrected_share(
            _share(verdicts[free]),
            int(free.sum()),
            1 - _share(verdicts[no]),
            int(no.sum()),
            _share(verdicts[yes]),
            int(yes.sum()),
        )
        result = PredictionPowered(
            share.value,
            share.low,
            share.high,
            power=np.nan,
            n=int(labelled.sum()),
            n_unlabelled=share.n,
            reason=share.reason,
        )
        self._add(judge, judge, EVERYTHING, CORRECTED, result)

    def _add(self, evaluator, judge, system, method, result):
        self.report.add(
            {
                "evaluator": evaluator,
                "question": self.question.key,
                "system": system,
                "estimate": result.value,
                "low": result.low,
                "high": result.high,
                "lambda": result.power,
                "n": result.n,
                "n_unlabelled": result.n_unlabelled,
                "n_effective": result.n_effective,
                "more_to_halve": result.to_halve,
                "method": method,
            },
            reason=result.reason,
            judge=judge,
            kind="judge" if judge else HUMANS,
        )


def _share(flags):
    return float(flags.mean()) if len(flags) else 0.0


def best_judge(report, question):
    """Return the judge whose scores are worth the most labels; blank if no judge adds any."""
    worth = [
        (entry.row["n_effective"], entry.judge)
        for entry in report.entries
        if entry.judge
        and (entry.row["question"], entry.row["system"]) == (question, EVERYTHING)
        and entry.row["method"] == MEAN
        and entry.row["n_unlabelled"] >= FEWEST_SCORES
        and not np.isnan(entry.row["n_effective"])
    ]
    return max(worth, key=lambda pair: pair[0])[1] if worth else ""


def overall(report, question, evaluator):
    """Return the row of an evaluator's mean over everything; None if there is no row."""
    wanted = {"question": question, "evaluator": evaluator, "system": EVERYTHING, "method": MEAN}
    return next((row for row in report.rows if wanted.items() <= row.items()), None)


def _verdicts(report, units):
    questions = dict.fromkeys(row["question"] for row in report.rows)
    sentences = [_verdict(report, question, units) for question in questions]
    return [*sentences, CONDITIONS] if any(report.entries) else []


def _verdict(report, question, units):
    alone = overall(report, question, HUMANS)
    if alone["n"] < FEWEST:
        return (
            f"{question}: nothing can be said from {alone['n']} labelled {units}; {FEWEST} are "
            "needed."
        )
    words = f"{question}: people alone say {_with_interval(alone)} on {alone['n']} {units}"
    judge = best_judge(report, question)
    if not judge:
        return f"{words}. {_why_alone(report, question, units)}"
    row = overall(report, question, judge)
    rough = "" if row["n"] >= ROUGH else f" With fewer than {ROUGH} labels this is rough."
    return (
        f"{words}. With {judge} it is {_with_interval(row)}: your {row['n']} labelled {units} do "
        f"as well as {row['n_effective']:.0f} alone would (λ = {row['lambda']:.2f}, "
        f"{row['n_unlabelled']} more scored by the judge only). {_halving(row, units)}{rough}"
    )


def _why_alone(report, question, units):
    judged = [e.row for e in report.entries if e.judge and e.row["question"] == question]
    if any(row["n"] and row["n_unlabelled"] < FEWEST_SCORES for row in judged):
        return f"A judge adds nothing, as people labelled all {units} that it scored."
    return "No judge adds to this."


def _with_interval(row):
    if np.isnan(row["low"]):
        return f"{row['estimate']:.2f} (no interval)"
    return f"{row['estimate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def _halving(row, units):
    if not np.isfinite(row["more_to_halve"]):
        return "No number of labels within reach halves the interval."
    return f"To halve the interval, label {row['more_to_halve']:.0f} more {units}."
