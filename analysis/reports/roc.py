"""ROC curves and their areas: does a judge tell good items from the rest?"""

from math import nan

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.labels import MOST_LABELS, ORDERED, labels_of, positive_from
from analysis.reports.scores import Scores
from analysis.stats.classification import at_least, auc, ordinal_auc, roc_curve


def roc(answers, options, questions=None, every_cut=True):
    """AUC of every evaluator for each question with an order, and the points of its curve.

    questions: keys of those wanted; None means all. The first row of an evaluator and question is
    at the threshold of the options; with every_cut further ones follow, at the other points of
    the scale and, with an undefined threshold, the ordinal AUC.
    """
    scores = Scores(answers, options)
    report = Report("roc", answers.study.slug, options.as_dict())
    cuts = {
        place: positive_from(question, options.threshold)
        for place, question in enumerate(scores.questions)
        if question.scale.kind in ORDERED and (not questions or question.key in questions)
    }
    for evaluator in evaluators(scores):
        for place, cut in cuts.items():
            if cut is not None:
                _add_main(report, scores, evaluator, place, cut)
                if every_cut and scores.questions[place].scale.kind != "binary":
                    _add_others(report, scores, evaluator, place, cut)
    report.notes = [
        *policy_notes(scores),
        *_threshold_notes(scores, cuts),
        *_ordinal_notes(report),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question"]),
    ]
    return report


def _add_main(report, scores, evaluator, place, cut):
    """The row at the chosen threshold, and its curve."""
    positive = at_least(evaluator.reference[:, place], cut)
    curve = roc_curve(evaluator.values[:, place], positive)
    report.curves[evaluator.name, scores.questions[place].key] = curve
    _add_cut(report, scores, evaluator, place, cut)


def _add_others(report, scores, evaluator, place, chosen):
    """Rows at the other points of the scale above its first, and the ordinal one."""
    points = labels_of(scores.questions[place])
    for cut in points[1:] if len(points) <= MOST_LABELS else ():
        if cut != chosen:
            _add_cut(report, scores, evaluator, place, float(cut))
    values, reference = evaluator.values[:, place], evaluator.reference[:, place]
    estimate = ordinal_auc(values, reference, **scores.resampling())
    _add(report, scores.questions[place].key, evaluator, nan, estimate, None)


def _add_cut(report, scores, evaluator, place, cut):
    positive = at_least(evaluator.reference[:, place], cut)
    known = ~np.isnan(evaluator.values[:, place]) & ~np.isnan(positive)
    estimate = auc(evaluator.values[:, place], positive, **scores.resampling())
    positives = int(positive[known].sum())
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


def main_entries(report):
    """The first entry of each evaluator and question: the one at the chosen threshold."""
    found = {}
    for entry in report.entries:
        found.setdefault((entry.row["evaluator"], entry.row["question"]), entry)
    return list(found.values())


def _ordinal_notes(report):
    if not any(np.isnan(row["threshold"]) for row in report.rows):
        return []
    return [
        "Rows without a threshold: the ordinal AUC, (Somers' D + 1) / 2, over every two items that "
        "people rate differently; ties of the judge count half."
    ]


def _threshold_notes(scores, cuts):
    keys = {place: scores.questions[place].key for place in cuts}
    given = [f"{keys[place]} ≥ {cut:g}" for place, cut in cuts.items() if cut is not None]
    missing = [keys[place] for place, cut in cuts.items() if cut is None]
    notes = [f"Positive is a reference of: {', '.join(given)}."] if given else []
    if missing:
        notes.append(f"No ROC for {', '.join(missing)}: a number without ends needs a threshold.")
    if any(scores.questions[place].scale.kind == "binary" for place in cuts):
        notes.append("The AUC of a judge that answers only 0 or 1 is its balanced accuracy.")
    return notes
