"""Correlate evaluators with the reference at the dataset, user, pair and system level."""

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import (
    evaluators,
    interval_note,
    policy_notes,
    undefined_note,
)
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.in_figures import (
    BASELINES,
    TEXT_METRICS,
    baseline_evaluators,
    text_metrics,
    without_draws,
)
from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.correlation.correlation import (
    dataset_correlation,
    grouped_correlation,
    system_correlation,
)
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate

LEVELS = ("dataset", "user", "pair", "system")
AVERAGE = "average"
OF_LEVEL = {"user": "recipient", "system": "system"}


def correlation(answers, options, coefficients=COEFFICIENTS, levels=LEVELS):
    """Correlate every evaluator with the reference, a row per question, level and coefficient."""
    scores = Scores(answers, options)
    report = Report("correlation", answers.study.slug, options.as_dict())
    places = comparable(scores)
    for evaluator in evaluators(scores):
        for level in levels:
            for coefficient in coefficients:
                _add_rows(report, scores, evaluator, places, level, coefficient)
    if levels is LEVELS:  # for a page, not for a headline
        report.curves[BASELINES] = _baselines(scores, places, coefficients, levels)
        report.curves[TEXT_METRICS] = text_metrics(answers)
    report.notes = [
        *policy_notes(scores),
        undefined_note(options),
        *question_notes(scores, places),
        "average: mean of the unrounded values of the questions.",
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question", "level"]),
    ]
    return report


def _baselines(scores, places, coefficients, levels):
    """Return the entries of what no insight would give, for figures alone: no rows, no intervals.

    As each judge they are compared with the mean of the reference.
    """
    plain, drawn = without_draws(scores), Report("correlation", "", {})
    for evaluator in baseline_evaluators(plain):
        for level in levels:
            for coefficient in coefficients:
                _add_rows(drawn, plain, evaluator, places, level, coefficient)
    return drawn.entries


def comparable(scores):
    """Return the places of the questions with an order and with different reference values."""
    reference = scores.reference()
    return [
        place
        for place, question in enumerate(scores.questions)
        if question.scale.is_ordered and _differ(reference[:, place])
    ]


def _differ(values):
    defined = values[~np.isnan(values)]
    return len(defined) > 0 and defined.min() < defined.max()


def question_notes(scores, places):
    """Write a note on the questions that have no correlation, if there are any."""
    left_out = [q.key for place, q in enumerate(scores.questions) if place not in places]
    if not left_out:
        return []
    return [
        f"No correlation for {', '.join(left_out)}: the scale has no order, nobody of the "
        "reference answered, or all reference values are equal."
    ]


def _add_rows(report, scores, evaluator, places, level, coefficient):
    estimates = []
    for place in places:
        estimate = correlate(scores, evaluator, place, level, coefficient)
        estimates.append(estimate)
        _add(report, evaluator, scores.questions[place].key, level, coefficient, estimate)
    if estimates:
        _add(report, evaluator, AVERAGE, level, coefficient, average(estimates))


def _add(report, evaluator, question, level, coefficient, estimate):
    report.add(
        {
            "evaluator": evaluator.name,
            "question": question,
            "level": level,
            "coefficient": coefficient,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n": estimate.n,
            "groups": estimate.groups,
            "skipped": estimate.skipped,
        },
        reason=estimate.reason,
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=estimate.undefined_draws,
    )


def correlate(scores, evaluator, place, level, coefficient):
    """Return the Estimate of one evaluator's correlation for one question at one level."""
    x, y = evaluator.values[:, place], evaluator.reference[:, place]
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    return correlate_rows(scores, x[rows], y[rows], rows, level, coefficient)


def correlate_rows(scores, x, y, items, level, coefficient):
    """Return the Estimate of the correlation of x and y (N,) at one level.

    items (N,): the place of each pair's item, where an item may stand several times.
    """
    groups = {"user": scores.recipients, "pair": scores.pairs, "system": scores.systems}.get(level)
    if groups is None:
        return dataset_correlation(x, y, coefficient, **scores.resampling(items))
    if not (groups >= 0).any():
        return Estimate(np.nan, groups=0, skipped=0, reason=f"no item has a {OF_LEVEL[level]}")
    has_group = groups[items] >= 0
    x, y, items = x[has_group], y[has_group], items[has_group]
    resampling = scores.resampling(items)
    if level == "system":
        return system_correlation(x, y, groups[items], coefficient, **resampling)
    return grouped_correlation(
        x,
        y,
        groups[items],
        coefficient,
        undefined=scores.options.undefined,
        **resampling,
    )
