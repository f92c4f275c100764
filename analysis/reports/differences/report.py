"""Test whether one judge follows the reference more closely than another."""

from itertools import combinations, product

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.correlation.report import (
    AVERAGE,
    COEFFICIENTS,
    LEVELS,
    comparable,
    correlate,
    question_notes,
)
from analysis.reports.shared.evaluators import (
    evaluators,
    interval_note,
    policy_notes,
    undefined_note,
)
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.stats.comparison.differences import holm, paired_differences
from analysis.stats.ensembles.average import average

CERTAIN = 0.05
PARTS = [f"{coefficient} {level}" for coefficient, level in product(COEFFICIENTS, LEVELS)]


def differences(answers, options, parts=None):
    """Compare the correlations of every two judges, or with a chosen one, on the same items.

    parts: e.g. "pearson dataset"; all of PARTS where none are named.
    """
    scores = Scores(answers, options)
    report = Report("differences", answers.study.slug, options.as_dict())
    judges = [evaluator for evaluator in evaluators(scores) if evaluator.judge]
    common = _Common(scores, judges)
    for part in parts or PARTS:
        coefficient, level = part.split()
        _add_part(report, common, level, coefficient)
    report.notes = [
        *policy_notes(scores),
        undefined_note(options),
        *question_notes(scores, comparable(scores)),
        *_notes(common),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "other", "question", "level"]),
    ]
    return report


class _Common:
    """The judges on the items that all of them and the reference have, question by question."""

    def __init__(self, scores, judges):
        self.scores, self.places = scores, comparable(scores)
        has_all = [evaluator for evaluator in judges if self._has_all(evaluator)]
        self.without = [evaluator.name for evaluator in judges if evaluator not in has_all]
        is_complete = np.ones(scores.shape, dtype=bool)
        for evaluator in has_all:
            is_complete &= ~np.isnan(evaluator.values) & ~np.isnan(evaluator.reference)
        self.judges = [
            Evaluator(
                evaluator.name,
                evaluator.kind,
                np.where(is_complete, evaluator.values, np.nan),
                evaluator.reference,
            )
            for evaluator in has_all
        ]

    def _has_all(self, evaluator):
        values = evaluator.values[:, self.places]
        return not np.isnan(values).all(axis=0).any()

    def pairs(self):
        """Return (first, second) of every two judges, or of each other judge and the chosen one."""
        names = [judge.name for judge in self.judges]
        against = self.scores.options.against
        if not against:
            return list(combinations(names, 2))
        return [(name, against) for name in names if name != against and against in names]

    def estimates(self, level, coefficient):
        """Return {judge: {question: Estimate}}, the average over the questions last."""
        estimates = {}
        for judge in self.judges:
            own = {
                self.scores.questions[place].key: correlate(
                    self.scores, judge, place, level, coefficient
                )
                for place in self.places
            }
            estimates[judge.name] = own | ({AVERAGE: average([*own.values()])} if own else {})
        return estimates


def _add_part(report, common, level, coefficient):
    """Add all pairs at one level; the pairs of one question are one family of tests."""
    pairs, estimates = common.pairs(), common.estimates(level, coefficient)
    place = {name: number for number, name in enumerate(estimates)}
    places = [(place[first], place[other]) for first, other in pairs]
    for question in next(iter(estimates.values()), {}):
        own = [by_question[question] for by_question in estimates.values()]
        tested = paired_differences(own, places)
        adjusted = holm([test.p for test in tested]).tolist()
        for pair, (first, other), test, p_holm in zip(pairs, places, tested, adjusted, strict=True):
            both = own[first], own[other]
            _add(report, pair, (question, level, coefficient), both, test, p_holm)


def _add(report, pair, about, both, difference, p_holm):
    (first, second), (question, level, coefficient) = pair, about
    estimate = difference.estimate
    report.add(
        {
            "evaluator": first,
            "other": second,
            "question": question,
            "level": level,
            "coefficient": coefficient,
            "value": both[0].value,
            "other_value": both[1].value,
            "difference": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "p": difference.p,
            "p_holm": p_holm,
            "n": estimate.n,
        },
        reason=estimate.reason,
        judge=first,
        kind="judge",
        undefined_draws=estimate.undefined_draws,
    )


def _notes(common):
    against, pairs = common.scores.options.against, common.pairs()
    if common.without:
        yield (f"Left out, as they have no value of some question: {', '.join(common.without)}.")
    if against and not pairs:
        yield f"{against} cannot be compared: it is left out, or not among the chosen judges."
    if len(common.judges) < 2:
        yield "A difference needs two judges with values of every question."
    yield (
        "Differences are taken on the items that all judges shown here and the reference have; "
        "both judges are computed on the same draws."
    )
    smallest = 2 * len(pairs) / (common.scores.options.draws + 1)
    if common.scores.options.draws and smallest > CERTAIN:
        yield (
            f"With {common.scores.options.draws:,} draws no p_holm of {len(pairs)} pairs can be "
            f"below {min(smallest, 1):.2f}: take more draws, fewer judges, or differences from one."
        )
    yield (
        "p: two-sided, from the share of draws on the other side of no difference, with (k + 1) / "
        f"(draws + 1); p_holm: adjusted for the {len(pairs)} pairs of one question and level."
    )
