"""ROC curves and their areas: does a judge tell good items from the rest?"""

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.labels import ORDERED, positive_from
from analysis.reports.scores import Scores
from analysis.stats.classification import at_least, auc, roc_curve


def roc(answers, options, questions=None):
    """AUC of every evaluator for each question with an order, and the points of its curve.

    questions: keys of those wanted; None means all.
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
                _add_row(report, scores, evaluator, place, cut)
    report.notes = [
        *policy_notes(scores),
        *_threshold_notes(scores, cuts),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question"]),
    ]
    return report


def _add_row(report, scores, evaluator, place, cut):
    question = scores.questions[place].key
    values = evaluator.values[:, place]
    positive = at_least(evaluator.reference[:, place], cut)
    estimate = auc(values, positive, **scores.resampling())
    curve = roc_curve(values, positive)
    report.curves[evaluator.name, question] = curve
    report.add(
        {
            "evaluator": evaluator.name,
            "question": question,
            "threshold": cut,
            "auc": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "positives": curve.positives,
            "negatives": curve.negatives,
        },
        reason=estimate.reason,
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=estimate.undefined_draws,
    )


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
