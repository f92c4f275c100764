"""Name the measures on which evaluators are compared; each rests on the report that has it."""

from dataclasses import replace
from itertools import product

import numpy as np

from analysis.reports.closeness.sides import Undefined
from analysis.reports.lists.selection import misfits_of, strongly_of
from analysis.reports.shared.correlations import LEVELS, correlate_rows
from analysis.reports.shared.labels import MOST_LABELS, as_labels, labels_of, positive_from
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.words import texts_beside
from analysis.reports.yes_no.confusion import sides_of
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.classification.classification import at_least, auc
from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.replacement.selection import misfit_recall, model_selection

METRICS = ("ordinal", "nominal", "interval")  # of Krippendorff's alpha, the first that fits
BETTER, WORSE, NEITHER = 1, -1, 0  # what a larger value is
EVERYTHING = "all questions"  # the question of a measure that has none


class Measure:
    """A measure of an evaluator; the answers as they are, unless it counts something of them.

    key: its name in options; larger: BETTER, WORSE or NEITHER. In about.yaml: label: on pages;
    symbol: in sentences; more, less: what an evaluator does that has a larger or a smaller value
    than another, up to its name.
    """

    key: str
    larger = BETTER

    def __init__(self, words):
        self.label, self.symbol, self.more, self.less = (
            words[name] for name in ("label", "symbol", "more", "less")
        )

    def takes(self, question):
        """Return whether a question has this measure."""
        return question.scale.is_ordered

    def places(self, questions):
        """Return {name of a row's question: its place} of the questions that it takes."""
        return {own.key: place for place, own in enumerate(questions) if self.takes(own)}

    def rows(self, sides, first, other, place):
        """Return the Rows that are measured; raises Undefined."""
        rows, question = sides.rows(first, other, place), sides.scores.questions[place]
        (first_counted, people), (other_counted, others_people) = (
            self.counted(sides, named.name, values, rows.people, question)
            for named, values in ((first, rows.first), (other, rows.other))
        )
        if not np.array_equal(people, others_people, equal_nan=True):
            raise Undefined("they are compared with different labels of people")
        return replace(rows, first=first_counted, other=other_counted, people=people)

    def counted(self, sides, name, values, people, question):
        """Return what is counted of an evaluator and of people (N,); raises Undefined."""
        return values, people

    def estimate(self, rows, values):
        """Return the Estimate of one evaluator's values (N,) on Rows without gaps."""
        raise NotImplementedError


class Correlation(Measure):
    def __init__(self, coefficient, level, words):
        self.coefficient, self.level, self.key = coefficient, level, f"{coefficient}-{level}"
        own, where = words[coefficient], words[level]
        both = {name: own[name] + where[name] for name in ("label", "symbol")}
        super().__init__(words | both)

    def estimate(self, rows, values):
        both = values, rows.people
        return correlate_rows(rows.scores, *both, rows.items, self.level, self.coefficient)


def _check_scale(sides, name, values, question):
    if not sides.labels.fits(name, values, question):
        raise Undefined(f"{name} answers on a scale of its own")


class OnScale(Measure):
    """A measure of answers that are labels of the question's scale."""

    def counted(self, sides, name, values, people, question):
        _check_scale(sides, name, values, question)
        if not question.scale.has_points:
            return values, people
        return sides.labels.labels(name, values, question), as_labels(people, question)


class Alpha(OnScale):
    key = "alpha"

    def takes(self, question):
        return bool(question.scale.metrics)

    def estimate(self, rows, values):
        metric = next(m for m in METRICS if m in rows.question.scale.metrics)
        return krippendorff_alpha(np.column_stack([values, rows.people]), metric, **rows.resampling)


class Auc(Measure):
    key = "auc"

    def counted(self, sides, name, values, people, question):
        cut = positive_from(question, sides.scores.options.threshold)
        if cut is None:
            raise Undefined("a number without ends needs a threshold")
        return values, at_least(people, cut)

    def estimate(self, rows, values):
        return auc(values, rows.people, **rows.resampling)


class Accuracy(Measure):
    key = "accuracy"

    def takes(self, question):
        return 0 < len(labels_of(question)) <= MOST_LABELS

    def counted(self, sides, name, values, people, question):
        threshold = sides.scores.options.threshold
        labels = sides_of(name, values, people, question, threshold, sides.labels)
        if labels is None:
            raise Undefined(f"{name} answers on a scale of its own")
        return labels[1], labels[0]

    def estimate(self, rows, values):
        same = (values == rows.people).astype(float)
        return clustered_mean(same, is_share=True, **rows.resampling)


class Msa(OnScale):
    key = "msa"

    def takes(self, question):
        return tie_of(question) is not None

    def estimate(self, rows, values):
        return model_selection(rows.people, values, tie_of(rows.question), **rows.resampling).msa


class Rsm(Measure):
    key = "rsm"

    def takes(self, question):
        return question.scale.has_graded_points

    def counted(self, sides, name, values, people, question):
        if sides.labels.verdict(name, question) is None:
            _check_scale(sides, name, values, question)
        return misfits_of(name, values, question, sides.scores.options, sides.labels), people

    def estimate(self, rows, values):
        strongly = float(strongly_of(rows.question, rows.scores.options))
        return misfit_recall(rows.people, values, strongly=strongly, **rows.resampling)


class Ties(Msa):
    key, larger = "ties", NEITHER

    def counted(self, sides, name, values, people, question):
        labels, _ = super().counted(sides, name, values, values, question)
        ties = np.where(np.isnan(labels), np.nan, labels == tie_of(question))
        return ties, np.zeros(len(ties))

    def estimate(self, rows, values):
        return clustered_mean(values, is_share=True, **rows.resampling)


class AbsoluteError(Measure):
    key, larger = "mae", WORSE

    def counted(self, sides, name, values, people, question):
        _check_scale(sides, name, values, question)
        return values, people

    def estimate(self, rows, values):
        return clustered_mean(np.abs(values - rows.people), **rows.resampling)


class Cost(Measure):
    key, larger = "cost", WORSE

    def places(self, questions):
        return {EVERYTHING: None}  # an item costs what it costs, whatever it is asked

    def rows(self, sides, first, other, place):
        return sides.prices(first, other)

    def estimate(self, rows, values):
        return clustered_mean(values, **rows.resampling)


WORDS = texts_beside(__file__)["compare"]["measures"]
_CORRELATIONS = [Correlation(*both, WORDS["correlation"]) for both in product(COEFFICIENTS, LEVELS)]
_OTHERS = (Alpha, Auc, Accuracy, Msa, Rsm, Ties, AbsoluteError, Cost)
MEASURES = {own.key: own for own in [*_CORRELATIONS, *(own(WORDS[own.key]) for own in _OTHERS)]}
COST = MEASURES["cost"]


def measures_of(questions):
    """Return the keys of the measures that some question has, and of the cost."""
    return [key for key, measure in MEASURES.items() if measure.places(questions)]
