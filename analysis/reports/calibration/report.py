"""Measure calibration: whether people find more items good where a judge's value is higher."""

from math import nan

import numpy as np

from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.positives import by_positive
from analysis.stats.classification.calibration import calibration_curve, expected_calibration_error
from analysis.stats.estimate import Estimate

BIN, ERROR = "bin", "error"


def calibration(answers, options, questions=None):
    """Compute the share of positives by the judge's value, and the expected calibration error.

    questions: keys of those wanted; None means all.
    """
    labels = LabelNotes(options.missing_judgment, answers.own_scale)

    def add(report, scores, evaluator, place, cut, positive):
        shares = _as_shares(evaluator, place, scores.questions[place], labels)
        _add_bins(report, scores, evaluator, place, cut, positive, shares)
        estimate = Estimate(nan, reason="the values are on a scale of their own")
        if shares is not None:
            estimate = expected_calibration_error(shares, positive, **scores.resampling())
        _add(report, scores, evaluator, place, cut, ERROR, (nan, nan, nan), estimate)

    report = by_positive("calibration", "calibration", answers, options, questions, add)
    report.notes += [
        "A bin for each value of a judge with at most 11 different ones; else deciles.",
        "The calibration error needs values between 0 and 1, or on the question's scale, which is "
        "stretched to 0..1. Chance alone makes it larger than 0, and larger again in the draws: "
        "its interval may lie above it.",
    ]
    return report


def _add_bins(report, scores, evaluator, place, cut, positive, shares):
    values, places = evaluator.values[:, place], []
    has_both = ~np.isnan(values) & ~np.isnan(positive)
    for value_bin in calibration_curve(values, positive, **scores.resampling()):
        ends = value_bin.least, value_bin.most, value_bin.mean
        _add(report, scores, evaluator, place, cut, BIN, ends, value_bin.share)
        if shares is not None:
            inside = shares[has_both & (values >= value_bin.least) & (values <= value_bin.most)]
            inside = inside[~np.isnan(inside)]
            # One for each bin: what lies off the scale has a share, but no place in the figure.
            places.append(float(inside.mean()) if len(inside) else None)
    if shares is not None:
        report.curves[evaluator.name, scores.questions[place].key] = places


def _as_shares(evaluator, place, question, labels):
    """Scale the values (items,) to 0..1; None where they are on a scale of their own.

    NaN where a value lies off the question's scale.
    """
    values, scale = evaluator.values[:, place], question.scale
    defined = values[~np.isnan(values)]
    bounded = scale.has_ends and evaluator.name not in labels.own_scale
    if bounded and labels.fits(evaluator.name, values, question):
        return _within((values - scale.low) / (scale.high - scale.low))
    return values if len(defined) and defined.min() >= 0 and defined.max() <= 1 else None


def _within(shares):
    """Set shares outside 0..1 to NaN."""
    return np.where((shares >= 0) & (shares <= 1), shares, nan)


def _add(report, scores, evaluator, place, cut, part, ends, estimate):
    least, most, mean = ends
    report.add(
        {
            "evaluator": evaluator.name,
            "question": scores.questions[place].key,
            "threshold": cut,
            "part": part,
            "least": least,
            "most": most,
            "mean": mean,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n": estimate.n,
        },
        reason=estimate.reason,
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=estimate.undefined_draws,
    )
