"""Measure whether a judge prefers the same list as people, and sees what does not fit at all."""

from math import nan

import numpy as np

from analysis.reports.base import Report, columns_of, draw_notes, reason_notes, reasons_of
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.shared.scores import Scores
from analysis.reports.yes_no.confusion import Majorities
from analysis.stats.classification.classification import at_least
from analysis.stats.replacement.selection import misfit_precision, misfit_recall, model_selection

NOTHING = dict.fromkeys(
    (
        "msa",
        "wins",
        "ties",
        "losses",
        "win_share",
        "win_share_low",
        "win_share_high",
        "one_sided_ties",
        "one_sided_ties_low",
        "one_sided_ties_high",
        "n",
        "low",
        "high",
        "rsm",
        "rsm_low",
        "rsm_high",
        "rsm_n",
        "rsm_precision",
        "rsm_precision_low",
        "rsm_precision_high",
        "rsm_precision_n",
    )
)


def is_shown(question):
    """Return whether the report covers a question."""
    return question.scale.has_graded_points or tie_of(question) is not None


def selection(answers, options, questions=None):
    """Compute agreement on choices between lists, and misfits of Likert questions.

    questions: keys of those wanted; None means all.
    """
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("selection", answers.study.slug, options.as_dict())
    majorities = Majorities(scores)
    wanted = [
        (place, question)
        for place, question in enumerate(scores.questions)
        if is_shown(question) and (not questions or question.key in questions)
    ]
    for evaluator in evaluators(scores):
        for place, question in wanted:
            verdict = labels.verdict(evaluator.name, question)
            if verdict or labels.fits(evaluator.name, evaluator.values[:, place], question):
                add = _add_misfits if tie_of(question) is None else _add_lists
                add(report, scores, evaluator, place, labels, majorities)
    report.notes = [
        *policy_notes(scores),
        *_question_notes(wanted, options),
        *labels.sentences(),
        *majorities.sentences(),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question"]),
    ]
    return report


def _question_notes(wanted, options):
    notes = []
    likert = [question for _, question in wanted if tie_of(question) is None]
    if len(likert) < len(wanted):
        notes.append(
            "Lists: majority of the raters, ties of the majority dropped. MSA = (wins + ties) / n; "
            "a loss is everything else, ties of one side included."
        )
    for question in likert:
        cut = _misfit_below(question, options)
        notes.append(
            f"{question.key}: strongly misaligned is a mean rating of "
            f"{_strong_words(question, options)}; the judge says misfit below {cut:g}."
        )
    if not wanted:
        notes.append("No question is a Likert scale, or a choice of two lists with the label tie.")
    return notes


def _strong_words(question, options):
    most = strongly_of(question, options)
    return f"{most}, the bottom of the scale" if options.strong == 1 else f"{most} or less"


def strongly_of(question, options):
    """Return the mean rating from which downwards an item is strongly misaligned."""
    return question.scale.low + options.strong - 1


def _misfit_below(question, options):
    """Return the value below which a judge says misfit: the threshold, else the scale's middle."""
    scale = question.scale
    middle = (scale.low + scale.high) / 2
    return middle if options.threshold is None else options.threshold


def _add_lists(report, scores, evaluator, place, labels, majorities):
    question = scores.questions[place]
    judge = labels.labels(evaluator.name, evaluator.values[:, place], question)
    human = majorities.labels_for(evaluator, place)
    agreement = model_selection(human, judge, tie_of(question), **scores.resampling())
    facts = {
        "msa": agreement.msa.value,
        "wins": agreement.wins,
        "ties": agreement.ties,
        "losses": agreement.losses,
        **columns_of("win_share", agreement.win_share),
        **columns_of("one_sided_ties", agreement.one_sided_ties),
        "n": agreement.msa.n,
        "low": agreement.msa.low,
        "high": agreement.msa.high,
    }
    shown = {
        "msa": agreement.msa,
        "win_share": agreement.win_share,
        "one_sided_ties": agreement.one_sided_ties,
    }
    _add(report, evaluator, question, facts, shown)


def misfits_of(name, values, question, options, labels):
    """Return 1 (N,) where an evaluator's value says misfit, else 0; NaN where it is missing."""
    own = labels.verdict(name, question)
    return own.misfits(values) if own else 1 - at_least(values, _misfit_below(question, options))


def _add_misfits(report, scores, evaluator, place, labels, majorities):
    question = scores.questions[place]
    misfit = misfits_of(
        evaluator.name, evaluator.values[:, place], question, scores.options, labels
    )
    ratings, strongly = evaluator.reference[:, place], float(strongly_of(question, scores.options))
    recall = misfit_recall(ratings, misfit, strongly=strongly, **scores.resampling())
    precision = misfit_precision(ratings, misfit, strongly=strongly, **scores.resampling())
    facts = {
        **columns_of("rsm", recall),
        "rsm_n": recall.n,
        **columns_of("rsm_precision", precision),
        "rsm_precision_n": precision.n,
    }
    _add(report, evaluator, question, facts, {"rsm": recall, "rsm_precision": precision})


def _add(report, evaluator, question, facts, shown):
    report.add(
        {"evaluator": evaluator.name, "question": question.key, **NOTHING, **facts},
        reason=reasons_of(shown),
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=max(estimate.undefined_draws for estimate in shown.values()),
    )


def of_lists(row):
    """Return whether a row is about a choice between lists."""
    return row["n"] is not None


def number(value):
    """Return the value as a number: NaN if a row has none."""
    return nan if value is None or np.isnan(value) else value
