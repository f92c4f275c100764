"""Compare any two evaluators on any measure: paired, by clusters, corrected for their number."""

from dataclasses import fields
from math import nan

import numpy as np

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.compare.measures import COST, MEASURES, NEITHER, measures_of
from analysis.reports.compare.options import AskedOptions
from analysis.reports.compare.prices import Prices
from analysis.reports.compare.sides import Rows, Sides, Undefined
from analysis.reports.compare.usual import choose_pairs
from analysis.reports.compare.words import EVERYTHING, LEVEL, NOBODY, list_notes, list_sentences
from analysis.reports.correlation.report import AVERAGE
from analysis.reports.shared.evaluators import interval_note, policy_notes, undefined_note
from analysis.reports.shared.few_clusters import FEWEST, or_no_interval
from analysis.stats.comparison.differences import holm, not_worse, paired_difference
from analysis.stats.comparison.max_t import paired_max_t
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate

NOTHING_IN_COMMON = "no item has answers of both, and of people"


def compare(answers, options, parts=None):
    """Compare each of some evaluators with another one, a row per pair, measure and question.

    parts: keys of measures; all that some question has where none are named.
    """
    report = Report("compare", answers.study.slug, options.as_dict())
    given = {field.name: getattr(options, field.name) for field in fields(options)}
    everybody = Sides(answers, AskedOptions.choose(**given))
    of, other = choose_pairs(everybody.scores, options)
    named = [everybody.find(name) for name in (*of, other) if name]
    judges = tuple(dict.fromkeys(judge for own in named for judge in own.judges))
    sides = Sides(answers, AskedOptions.choose(**given, judges=judges))
    if of and other:
        work = _Work(sides, named, options.margin)
        for key in parts or measures_of(answers.questions):
            _add_measure(report, work, MEASURES[key])
    report.verdict = list_sentences(report) or [NOBODY]
    report.notes = [
        *policy_notes(sides.scores, compared=False),
        *list_notes(named, sides, options, {row["measure"] for row in report.rows}),
        undefined_note(options),
        *sides.labels.sentences(),
        interval_note(sides.scores, FEWEST),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "other", "question", "measure"]),
    ]
    return report


class _Work:
    """The pairs of a report, and the estimates of both on the rows that both have."""

    def __init__(self, sides, named, margin):
        *of, other = named
        self.sides, self.scores, self.margin = sides, sides.scores, margin
        self.pairs = [(first, other) for first in of]
        self.prices = Prices(sides)

    def places(self, measure):
        """Return the places of the questions that a measure takes; None stands for all of them."""
        if measure.key == COST:
            return [None]
        return [p for p, question in enumerate(self.scores.questions) if measure.takes(question)]

    def key_of(self, place):
        """Return the key of a question."""
        return EVERYTHING if place is None else self.scores.questions[place].key

    def estimate_both(self, measure, pair, place):
        """Return the Estimates of both evaluators on the same rows; n is 0 where there are none."""
        try:
            rows = self.prices.rows(*pair) if place is None else self._counted(measure, pair, place)
        except Undefined as why:
            return (Estimate(nan, reason=str(why)),) * 2
        rows = rows.kept(~np.isnan(np.stack([rows.first, rows.other, rows.people])).any(axis=0))
        if not len(rows.items):
            return (Estimate(nan, reason=NOTHING_IN_COMMON),) * 2
        both = (
            measure.estimate(self.scores, values, rows.people, rows.items, place)
            for values in (rows.first, rows.other)
        )
        return tuple(or_no_interval(own, self.scores, rows.items) for own in both)

    def _counted(self, measure, pair, place):
        """Return the Rows of what a measure counts."""
        rows = self.sides.rows(*pair, place)
        (first, people), (other, of_other) = (
            measure.sides(self.sides, named.name, values, rows.people, place)
            for named, values in zip(pair, (rows.first, rows.other), strict=True)
        )
        if people is None:
            people = of_other = np.zeros(len(first))
        if not np.array_equal(people, of_other, equal_nan=True):
            raise Undefined("they are compared with different labels of people")
        return Rows(rows.items, first, other, people)


def _add_measure(report, work, measure):
    """Add the rows of one measure: of each question, whose pairs are one family, and on average."""
    places = work.places(measure)
    by_place = {
        place: [work.estimate_both(measure, pair, place) for pair in work.pairs] for place in places
    }
    for place, family in by_place.items():
        shown = [pair for pair, both in zip(work.pairs, family, strict=True) if _is_shown(both)]
        estimates = [both for both in family if _is_shown(both)]
        _add_family(report, work, measure, work.key_of(place), shown, estimates)
    if len(places) > 1:
        means = [_average(family) for family in zip(*by_place.values(), strict=True)]
        _add_family(report, work, measure, AVERAGE, work.pairs, means)


def _is_shown(both):
    """Return whether two evaluators have a question at all."""
    return both[0].reason != NOTHING_IN_COMMON


def _average(family):
    """Return both means over the questions that both have rows of."""
    usable = [both for both in family if both[0].n]
    if not usable:
        return next((both for both in family if _is_shown(both)), family[0])
    return tuple(average(own) for own in zip(*usable, strict=True))


def _add_family(report, work, measure, question, pairs, estimates):
    """Add the rows of a family of tests: its pairs, on one question."""
    differences = [paired_difference(*both).estimate for both in estimates]
    own = [estimate for both in estimates for estimate in both]
    tests = paired_max_t(own, [(2 * place, 2 * place + 1) for place in range(len(pairs))])
    margin = None if measure.larger == NEITHER else work.margin
    margin_p = [_margin_p(difference, measure, margin) for difference in differences]
    columns = zip(pairs, estimates, differences, tests.single, tests.p, holm(margin_p), strict=True)
    for pair, both, difference, p, p_adjusted, not_worse_p in columns:
        report.add(
            {
                "evaluator": pair[0].name,
                "other": pair[1].name,
                "measure": measure.key,
                "question": question,
                "value": both[0].value,
                "other_value": both[1].value,
                "difference": difference.value,
                "low": difference.low,
                "high": difference.high,
                "p": float(p),
                "p_adjusted": float(p_adjusted),
                "margin": margin,
                "margin_p": float(not_worse_p),
                "not_worse": None if np.isnan(not_worse_p) else bool(not_worse_p <= LEVEL),
                "n": difference.n,
            },
            reason=difference.reason,
            judge=next(iter(pair[0].judges), ""),
            kind=pair[0].kind,
            undefined_draws=difference.undefined_draws,
        )


def _margin_p(difference, measure, margin):
    """Return the one-sided p of being worse by the margin or more; NaN without a test."""
    if margin is None or difference.draws is None:
        return nan
    return not_worse(measure.larger * difference.draws, margin)
