"""Measure precision and recall: how many of a judge's top items people find good."""

from analysis.reports.shared.positives import by_positive
from analysis.stats.classification.curves import average_precision, precision_recall_curve


def precision_recall(answers, options, questions=None):
    """Compute each evaluator's average precision and curve for each ordered question.

    questions: keys of those wanted; None means all.
    """
    return by_positive("precision_recall", "curve", answers, options, questions, _add)


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
