"""Measure by ROC curves and their areas whether a judge tells good items from the rest."""

from math import nan

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of
from analysis.reports.shared.positives import cuts_of, threshold_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.in_figures import (
    BASELINES,
    TEXT_METRICS,
    baseline_evaluators,
    text_metrics,
    without_draws,
)
from analysis.stats.classification.classification import at_least, auc, ordinal_auc, roc_curve
from analysis.stats.classification.curves import roc_band

GRID = np.linspace(0, 1, 51)  # false positive rates at which the band is drawn
MOST_BANDS = 3  # of a question: more would hide each other


def roc(answers, options, questions=None, every_cut=True):
    """Compute each evaluator's AUC and curve with a band, for each ordered question.

    questions: keys of those wanted; None means all. The first row of an evaluator and question is
    at the threshold of the options; with every_cut further ones follow, at the other points of
    the scale and, with an undefined threshold, the ordinal AUC.
    """
    scores = Scores(answers, options)
    report = Report("roc", answers.study.slug, options.as_dict())
    cuts = cuts_of(scores, questions)
    compared = list(evaluators(scores))
    for evaluator in compared:
        for place, cut in cuts.items():
            if cut is not None:
                _add_main(report, scores, evaluator, place, cut)
                if every_cut and not scores.questions[place].scale.is_binary:
                    _add_others(report, scores, evaluator, place, cut)
    for place, cut in cuts.items() if every_cut and scores.counts is not None else ():
        if cut is not None:
            _add_bands(report, scores, compared, place, cut)
    if every_cut:  # for a page, not for a headline
        drawn = _baselines(scores, cuts)
        report.curves |= drawn.curves | {BASELINES: drawn.entries}
        report.curves[TEXT_METRICS] = text_metrics(answers)
    report.notes = [
        *policy_notes(scores),
        *threshold_notes(scores, cuts),
        *_balanced_note(scores, cuts),
        *_ordinal_notes(report),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question"]),
    ]
    return report


def _baselines(scores, cuts):
    """Return a Report of what no insight would give, for figures alone: without intervals."""
    plain, drawn = without_draws(scores), Report("roc", "", {})
    for evaluator in baseline_evaluators(plain):
        for place, cut in cuts.items():
            if cut is not None:
                _add_main(drawn, plain, evaluator, place, cut)
    return drawn


def _add_main(report, scores, evaluator, place, cut):
    """Add the row at the chosen threshold, and its curve."""
    positive = at_least(evaluator.reference[:, place], cut)
    values, key = evaluator.values[:, place], scores.questions[place].key
    report.curves[evaluator.name, key] = roc_curve(values, positive)
    _add_cut(report, scores, evaluator, place, cut)


def _add_bands(report, scores, compared, place, cut):
    """Add bands of one question: of the judges with the largest areas, then of others."""
    key = scores.questions[place].key
    areas = {e.row["evaluator"]: e.row["auc"] for e in main_entries(report, key)}
    defined = [evaluator for evaluator in compared if not np.isnan(areas[evaluator.name])]
    defined.sort(key=lambda evaluator: (not evaluator.judge, -areas[evaluator.name]))
    for evaluator in defined[:MOST_BANDS]:
        positive = at_least(evaluator.reference[:, place], cut)
        values = evaluator.values[:, place]
        report.bands[evaluator.name, key] = roc_band(values, positive, GRID, **scores.resampling())


def _add_others(report, scores, evaluator, place, chosen):
    """Add rows at the other points of the scale above its first, and the ordinal AUC."""
    points = labels_of(scores.questions[place])
    for cut in points[1:] if len(points) <= MOST_LABELS else ():
        if cut != chosen:
            _add_cut(report, scores, evaluator, place, float(cut))
    values, reference = evaluator.values[:, place], evaluator.reference[:, place]
    estimate = ordinal_auc(values, reference, **scores.resampling())
    _add(report, scores.questions[place].key, evaluator, nan, estimate, None)


def _add_cut(report, scores, evaluator, place, cut):
    positive = at_least(evaluator.reference[:, place], cut)
    has_both = ~np.isnan(evaluator.values[:, place]) & ~np.isnan(positive)
    estimate = auc(evaluator.values[:, place], positive, **scores.resampling())
    positives = int(positive[has_both].sum())
    _add(report, scores.questions[place].key, evaluator, cut, estimate, positives)


def _add(report, question, evaluator, cut, estimate, positives):
    report.add(
        {
            "evaluator": evaluator.name,
            "question": question,
            "threshold": cut,
            "auc": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "positives": positives,
            "negatives": None if positives is None else estimate.n - positives,
            "n": estimate.n,
        },
        reason=estimate.reason,
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=estimate.undefined_draws,
    )


def main_entries(report, question=None):
    """Return the first entry of each evaluator and question: that at the chosen threshold."""
    first_entries = {}
    for entry in report.entries:
        if question not in (None, entry.row["question"]):
            continue
        first_entries.setdefault((entry.row["evaluator"], entry.row["question"]), entry)
    return list(first_entries.values())


def _ordinal_notes(report):
    if not any(np.isnan(row["threshold"]) for row in report.rows):
        return []
    return [
        "Rows without a threshold: the ordinal AUC, (Somers' D + 1) / 2, over every two items that "
        "people rate differently; ties of the judge count half."
    ]


def _balanced_note(scores, cuts):
    binary = any(scores.questions[place].scale.is_binary for place in cuts)
    verdicts = any(own.neutral for own in scores.answers.own_scale.values())
    if binary or verdicts:
        return ["The AUC of a judge that answers only 0 or 1 is its balanced accuracy."]
    return []
