"""Measure precision and recall: how many of a judge's top items people find good."""

from dataclasses import replace

from analysis.reports.base import Report
from analysis.reports.shared.positives import by_positive, cuts_of
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.in_figures import (
    BASELINES,
    TEXT_METRICS,
    baseline_evaluators,
    text_metrics,
)
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.curves import average_precision, precision_recall_curve


def precision_recall(answers, options, questions=None, has_figures=True):
    """Compute each evaluator's average precision and curve for each ordered question.

    questions: keys of those wanted; None means all. has_figures: false for a headline, which draws
    no baselines.
    """
    report = by_positive("precision_recall", "curve", answers, options, questions, _add)
    if has_figures:
        drawn = _baselines(answers, options, questions)
        report.curves |= drawn.curves | {BASELINES: drawn.entries}
        report.curves[TEXT_METRICS] = text_metrics(answers)
    return report


def _baselines(answers, options, questions):
    """Return a Report of what no insight would give, for figures alone: without intervals."""
    plain, drawn = Scores(answers, replace(options, draws=0)), Report("precision_recall", "", {})
    cuts = {place: cut for place, cut in cuts_of(plain, questions).items() if cut is not None}
    for evaluator in baseline_evaluators(plain):
        for place, cut in cuts.items():
            positive = at_least(evaluator.reference[:, place], cut)
            _add(drawn, plain, evaluator, place, cut, positive)
    return drawn


def _add(report, scores, evaluator, place, cut, positive):
    values, key = evaluator.values[:, place], scores.questions[place].key
    curve = precision_recall_curve(values, positive)
    estimate = average_precision(values, positive, **scores.resampling())
    report.curves[evaluator.name, key] = curve
    report.add(
        {
            "evaluator": evaluator.name,
            "question": key,
            "threshold": cut,
            "average_precision": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "positives": curve.positives,
            "n": estimate.n,
        },
        reason=estimate.reason,
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=estimate.undefined_draws,
    )
