"""Measure agreement among people, with a judge as one more rater, and of a judge with a role."""

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.given import Given
from analysis.reports.shared.labels import LabelNotes, as_labels, labels_of
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.in_figures import (
    BASELINES,
    TEXT_METRICS,
    baseline_evaluators,
    text_metrics,
    without_draws,
)
from analysis.stats.agreement.measures import LABELS, MEASURES, Rated
from analysis.stats.estimate import Estimate

HUMANS = "humans"
POOLED = "pooled"


def agreement(answers, options, judge_measures=MEASURES):
    """Compute each measure for people, for people with each judge, and for judges with a role."""
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("agreement", answers.study.slug, options.as_dict())
    groups = {HUMANS: ALL}
    if len(scores.roles) > 1:
        groups |= {f"{HUMANS} ({role})": role for role in scores.roles}
    for place, question in enumerate(scores.questions):
        table = _Table(report, scores, labels, place, question)
        for name, role in groups.items():
            table.add(name, table.ratings(role), MEASURES)
        _add_judges(table, scores, judge_measures)
    pool = pooled_places(scores)
    if pool:
        table = _Pooled(report, scores, labels, pool)
        for name, role in groups.items():
            table.add(name, table.ratings(role), MEASURES)
        _add_judges(table, scores, judge_measures)
    if judge_measures:  # none are for the headline
        report.curves[BASELINES] = _baselines(scores, judge_measures)
        report.curves[TEXT_METRICS] = text_metrics(answers)
    report.notes = [
        *policy_notes(scores),
        *_pool_notes(scores, pool),
        "humans: all people whose ratings count, whatever the reference role.",
        "Percent, κ, AC, nominal and ordinal α compare labels: values rounded to the scale, halves "
        "down. Interval α, ICC and Kendall's W take values as they are.",
        "Cohen's κ of several raters: unweighted mean over pairs with two common items or more; a "
        "judge against a role: mean over its raters.",
        "ICC (A) and (C) and Kendall's W take the items that every rater rated, ICC (1) and (k), "
        "Fleiss' κ, AC1 and AC2 those with two ratings or more.",
        *labels.sentences(),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["raters", "question", "measure"]),
    ]
    return report


def _baselines(scores, measures):
    """Return the entries of people with a baseline as one more rater, for the figure alone."""
    plain, drawn = without_draws(scores), Report("agreement", "", {})
    for evaluator in baseline_evaluators(plain):
        for place, question in enumerate(scores.questions):
            values = evaluator.values[:, place]
            if not np.isnan(values).all():
                table = _Table(drawn, plain, LabelNotes(), place, question)
                people = table.ratings(ALL)
                table.add(f"{HUMANS} + {evaluator.name}", people.beside(values), measures)
    return drawn.entries


def pooled_places(scores):
    """Return the places of the questions that share the most frequent scale; [] if all differ."""
    by_scale: dict = {}
    for place, question in enumerate(scores.questions):
        if labels_of(question):
            scale = question.scale
            by_scale.setdefault((scale.kind, *labels_of(question)), []).append(place)
    most = max(by_scale.values(), key=len, default=[])
    return most if len(most) > 1 else []


def _pool_notes(scores, pool):
    if pool:
        keys = ", ".join(scores.questions[place].key for place in pool)
        yield f"{POOLED}: the answers to {keys} together, each item and question a unit."


def _add_judges(table, scores, measures):
    role = scores.options.reference
    versus = "all people" if role == ALL else role
    for judge in scores.judges:
        if not table.fits(judge):
            continue
        values = table.judged(judge)
        people = table.ratings(ALL)
        people = people.with_values(table.apart(judge, people.values))
        table.add(f"{HUMANS} + {judge}", people.beside(values), measures, judge)
        pairs = [key for key in measures if MEASURES[key].pairs]
        table.add(f"{judge} vs {versus}", table.ratings(role), pairs, judge, values)


class _Table:
    """Adds the rows of one question to a report."""

    def __init__(self, report, scores, labels, place, question):
        self.report, self.scores, self.labels = report, scores, labels
        self.place, self.question = place, question
        self.key = question.key

    def ratings(self, role):
        """Return the ratings by raters of a role, as a Given."""
        return self.scores.narrow(self.place, role)

    def judged(self, judge):
        """Return the judge's values (units,)."""
        return self._answers(judge, self.place)

    def _answers(self, judge, place):
        values = self.scores.judge(judge)[:, place]
        return self.labels.answers(judge, values, self.scores.questions[place])

    def apart(self, judge, values):
        """Blank the values of the items that the judge's examples are drawn from."""
        return self.scores.apart(judge, values)

    def fits(self, judge):
        """Return whether the judge uses the question's scale."""
        if not labels_of(self.question):
            return True
        return self._fits(judge, self.place)

    def _fits(self, judge, place):
        question = self.scores.questions[place]
        if self.labels.says_yes_or_no(judge, question):
            return True
        return self.labels.fits(judge, self.scores.judge(judge)[:, place], question)

    def add(self, raters, ratings, measures, judge="", judge_values=None):
        """Add a row for each measure of the ratings, a Given.

        judge_values (units,): the judge's side of the pairs, where it is compared with the raters.
        """
        n_raters = ratings.n_raters + (judge_values is not None)
        units = np.flatnonzero((~np.isnan(ratings.values)).any(axis=1))
        ratings = ratings.of_units(units)
        forms = self._forms(judge or "people", ratings.values)
        data = {form: ratings.with_values(values) for form, values in forms.items()}
        versus = None
        if judge_values is not None:
            versus = self._forms(judge, judge_values[units])
        for key, measure in MEASURES.items():
            if key in measures and measure.metric in self.question.scale.metrics:
                estimate = self._estimate(measure, data, versus, units)
                row = self._row(raters, key, estimate, n_raters)
                self.report.add(
                    row,
                    reason=estimate.reason,
                    judge=judge,
                    kind=("versus" if judge_values is not None else "joined") if judge else HUMANS,
                    undefined_draws=estimate.undefined_draws,
                )

    def _forms(self, name, values):
        """Return the values as they are (False) and, on a scale with labels, as labels (True)."""
        if not labels_of(self.question):
            return {False: values}
        return {False: values, True: self.labels.labels(name, values, self.question)}

    def _estimate(self, measure, data, versus, units):
        if not len(units):
            return Estimate(np.nan, reason="nobody answered")
        on_labels = measure.takes == LABELS
        ratings = data[on_labels]
        values, rows = ratings.values, units % max(len(self.scores.items), 1)
        if measure.complete:
            complete, values = ratings.complete()
            rows = rows[complete]
        return measure.estimate(
            Rated(
                values,
                labels_of(self.question),
                judge=None if versus is None else versus[on_labels],
                raters=ratings.raters,
                resampling=self.scores.resampling(rows),
            )
        )

    def _row(self, raters, measure, estimate, n_raters):
        return {
            "raters": raters,
            "question": self.key,
            "measure": measure,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n_units": estimate.n,
            "n_raters": n_raters,
        }


class _Pooled(_Table):
    """Adds the rows of several questions on one scale, whose items are stacked as more units."""

    def __init__(self, report, scores, labels, places):
        super().__init__(report, scores, labels, places[0], scores.questions[places[0]])
        self.places, self.key = places, POOLED

    def ratings(self, role):
        return Given.below([self.scores.narrow(place, role) for place in self.places])

    def judged(self, judge):
        return np.concatenate([self._answers(judge, place) for place in self.places])

    def apart(self, judge, values):
        parts = np.split(values, len(self.places))
        return np.concatenate([self.scores.apart(judge, part) for part in parts])

    def fits(self, judge):
        return all(self._fits(judge, place) for place in self.places)

    def _forms(self, name, values):
        """Return both forms; the rows of the single questions count what lies off the scale."""
        return {False: values, True: as_labels(values, self.question)}
