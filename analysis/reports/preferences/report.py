"""Measure which system's lists people and judges prefer, and how often they are undecided."""

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes, reasons_of
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.list_pairs import systems_of_sides, tie_of, values_of_sides
from analysis.reports.shared.scores import Scores
from analysis.reports.yes_no.confusion import Majorities
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.preference import system_preference
from analysis.stats.replacement.selection import share

ALL = "all"
PREFERRED, WON, TIED = "preferred", "won", "tied"
BOTH_TIE = "both_tie"
NO_PAIR = "no pair of lists has a verdict of both"


def preferences(answers, options, questions=None):
    """Compute the shares of pairs in which each system is preferred, by people and by judges.

    questions: keys of those wanted; None means all.
    """
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("preferences", answers.study.slug, options.as_dict())
    majorities = Majorities(scores)
    wanted = [
        (place, question)
        for place, question in enumerate(scores.questions)
        if tie_of(question) is not None and (not questions or question.key in questions)
    ]
    sides = systems_of_sides(scores)
    for evaluator in evaluators(scores) if wanted else ():
        for place, question in wanted:
            if labels.fits(evaluator.name, evaluator.values[:, place], question):
                _add_systems(report, scores, evaluator, place, labels, majorities, sides)
    report.notes = [
        *policy_notes(scores),
        *_notes(wanted),
        *labels.sentences(),
        *majorities.sentences(),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question", "system", "measure"]),
    ]
    return report


def _notes(wanted):
    if not wanted:
        return ["No question is a choice of two lists with the label tie."]
    return [
        "People and the judge are counted on the same pairs, those with a verdict of both; people: "
        "majority of the raters, ties of the majority dropped.",
        "A system's pairs: those of which one list is its own and the other is not, the system of "
        "a list being that of all its parts. preferred = won + tied / 2.",
    ]


def _add_systems(report, scores, evaluator, place, labels, majorities, sides):
    question, (systems, names) = scores.questions[place], sides
    judge = labels.labels(evaluator.name, evaluator.values[:, place], question)
    human = majorities.labels_for(evaluator, place)
    both = ~np.isnan(judge) & ~np.isnan(human)
    verdicts = [np.where(both, values, np.nan) for values in (judge, human)]
    for system in np.unique(systems[systems >= 0]).tolist():
        counts = [
            system_preference(
                values, systems, system, values_of_sides(question), **scores.resampling()
            )
            for values in verdicts
        ]
        for measure in (PREFERRED, WON, TIED):
            pair = [getattr(count, measure) for count in counts]
            _add(report, evaluator, question, names[system], measure, *pair)
    _add_ties(report, scores, evaluator, question, *verdicts)


def _add_ties(report, scores, evaluator, question, judge, human):
    """Add how often the evaluator, people, and both of them say tie."""
    tie, both = tie_of(question), ~np.isnan(judge)

    def share_of(flags):
        return share(flags & both, both, NO_PAIR, **scores.resampling())

    _add(report, evaluator, question, ALL, TIED, share_of(judge == tie), share_of(human == tie))
    nobody = Estimate(np.nan, n=int(both.sum()))
    twice = share_of((judge == tie) & (human == tie))
    _add(report, evaluator, question, ALL, BOTH_TIE, twice, nobody)


def _add(report, evaluator, question, system, measure, judge, people):
    report.add(
        {
            "evaluator": evaluator.name,
            "question": question.key,
            "system": system,
            "measure": measure,
            "value": judge.value,
            "low": judge.low,
            "high": judge.high,
            "people": people.value,
            "people_low": people.low,
            "people_high": people.high,
            "n": judge.n,
        },
        reason=reasons_of({"judge": judge, "people": people}),
        judge=evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=max(judge.undefined_draws, people.undefined_draws),
    )
