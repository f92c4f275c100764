"""Name the measures on which evaluators are compared; each rests on the report that has it.

A measure turns an evaluator's values and people's into what it counts (`sides`), and these, on the
rows that both evaluators have, into an Estimate (`estimate`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from analysis.reports.compare.sides import Undefined
from analysis.reports.correlation.report import LEVELS, correlate_rows
from analysis.reports.selection.report import misfits_of, strongly_of
from analysis.reports.shared.labels import MOST_LABELS, as_labels, labels_of, positive_from
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.yes_no.confusion import sides_of
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.classification.classification import at_least, auc
from analysis.stats.correlation.coefficients import COEFFICIENTS
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.replacement.selection import misfit_recall, model_selection

METRICS = ("ordinal", "nominal", "interval")  # of Krippendorff's alpha, the first that fits
BETTER, WORSE, NEITHER = 1, -1, 0  # what a larger value is


@dataclass(frozen=True)
class Measure:
    """A measure of an evaluator.

    key: its name in options; label: on pages; symbol: in sentences; takes(question): whether a
    question has it; sides(sides, name, values, people, place): what is counted of each, people's
    None where they do not matter; estimate(scores, values, people, items, place): the Estimate of
    rows (N,); larger: BETTER, WORSE or NEITHER; more, less: what an evaluator does that has a
    larger or a smaller value than another, up to its name.
    """

    key: str
    label: str
    symbol: str
    takes: Callable
    sides: Callable
    estimate: Callable
    more: str
    less: str
    larger: int = BETTER


def _as_they_are(sides, name, values, people, place):
    return values, people


def _on_scale(sides, name, values, people, place):
    """Return values that are on the question's scale."""
    if not sides.labels.fits(name, values, sides.scores.questions[place]):
        raise Undefined(f"{name} answers on a scale of its own")
    return values, people


def _as_labels(sides, name, values, people, place):
    question = sides.scores.questions[place]
    _on_scale(sides, name, values, people, place)
    if not question.scale.has_points:
        return values, people
    return sides.labels.labels(name, values, question), as_labels(people, question)


def _positives(sides, name, values, people, place):
    cut = positive_from(sides.scores.questions[place], sides.scores.options.threshold)
    if cut is None:
        raise Undefined("a number without ends needs a threshold")
    return values, at_least(people, cut)


def _same_labels(sides, name, values, people, place):
    question, options = sides.scores.questions[place], sides.scores.options
    labels = sides_of(name, values, people, question, options.threshold, sides.labels)
    if labels is None:
        raise Undefined(f"{name} answers on a scale of its own")
    human, own, *_ = labels
    return own, human


def _ties(sides, name, values, people, place):
    question = sides.scores.questions[place]
    labels, _ = _as_labels(sides, name, values, values, place)
    return np.where(np.isnan(labels), np.nan, labels == tie_of(question)), None


def _misfits(sides, name, values, people, place):
    question, options = sides.scores.questions[place], sides.scores.options
    if sides.labels.verdict(name, question) is None:
        _on_scale(sides, name, values, people, place)
    return misfits_of(name, values, question, options, sides.labels), people


def _correlation(level, coefficient, scores, values, people, items, place):
    return correlate_rows(scores, values, people, items, level, coefficient)


def _alpha(scores, values, people, items, place):
    metric = next(m for m in METRICS if m in scores.questions[place].scale.metrics)
    both = np.column_stack([values, people])
    return krippendorff_alpha(both, metric, **scores.resampling(items))


def _auc(scores, values, people, items, place):
    return auc(values, people, **scores.resampling(items))


def _accuracy(scores, values, people, items, place):
    same = (values == people).astype(float)
    return clustered_mean(same, is_share=True, **scores.resampling(items))


def _msa(scores, values, people, items, place):
    tie = tie_of(scores.questions[place])
    return model_selection(people, values, tie, **scores.resampling(items)).msa


def _rsm(scores, values, people, items, place):
    strongly = float(strongly_of(scores.questions[place], scores.options))
    return misfit_recall(people, values, strongly=strongly, **scores.resampling(items))


def _share(scores, values, people, items, place):
    return clustered_mean(values, is_share=True, **scores.resampling(items))


def _mean(scores, values, people, items, place):
    return clustered_mean(values, **scores.resampling(items))


def _distance(scores, values, people, items, place):
    return clustered_mean(np.abs(values - people), **scores.resampling(items))


def _is_ordered(question):
    return question.scale.is_ordered


def _is_choice_of_lists(question):
    return tie_of(question) is not None


NAMES = {"pearson": ("Pearson’s r", "r"), "spearman": ("Spearman’s ρ", "ρ")}
NAMES["kendall"] = ("Kendall’s τ", "τ")
WITHIN = {
    "dataset": ("all items", ""),
    "user": ("within recipients", " within recipients"),
    "pair": ("within recipient and content", " within recipient and content"),
    "system": ("over systems", " over systems"),
}


def _correlations():
    for coefficient, level in product(COEFFICIENTS, LEVELS):
        (name, symbol), (words, within) = NAMES[coefficient], WITHIN[level]
        yield Measure(
            f"{coefficient}-{level}",
            f"{name}, {words}",
            f"{symbol}{within}",
            _is_ordered,
            _as_they_are,
            partial(_correlation, level, coefficient),
            "follows people more closely than",
            "follows people less closely than",
        )


COST = "cost"
_LIST = [
    *_correlations(),
    Measure(
        "alpha",
        "Krippendorff’s α with people",
        "α",
        lambda question: bool(question.scale.metrics),
        _as_labels,
        _alpha,
        "agrees with people more than",
        "agrees with people less than",
    ),
    Measure(
        "auc",
        "ROC-AUC",
        "AUC",
        _is_ordered,
        _positives,
        _auc,
        "tells what people find good better than",
        "tells what people find good less well than",
    ),
    Measure(
        "accuracy",
        "Accuracy: the same label as people",
        "accuracy",
        lambda question: 0 < len(labels_of(question)) <= MOST_LABELS,
        _same_labels,
        _accuracy,
        "gives people’s label more often than",
        "gives people’s label less often than",
    ),
    Measure(
        "msa",
        "MSA: the list that people prefer",
        "MSA",
        _is_choice_of_lists,
        _as_labels,
        _msa,
        "prefers the list that people prefer more often than",
        "prefers the list that people prefer less often than",
    ),
    Measure(
        "rsm",
        "RSM: what people find badly misaligned",
        "RSM",
        lambda question: question.scale.has_graded_points,
        _misfits,
        _rsm,
        "sees more of what people find badly misaligned than",
        "sees less of what people find badly misaligned than",
    ),
    Measure(
        "ties",
        "Share of ties",
        "the share of ties",
        _is_choice_of_lists,
        _ties,
        _share,
        "says tie more often than",
        "says tie less often than",
        NEITHER,
    ),
    Measure(
        "mae",
        "Mean absolute error",
        "mean absolute error",
        _is_ordered,
        _on_scale,
        _distance,
        "is further from people’s ratings than",
        "is closer to people’s ratings than",
        WORSE,
    ),
    Measure(
        COST,
        "Cost of 1,000 items",
        "the cost of 1,000 items",
        lambda question: False,  # an item costs what it costs, whatever it is asked
        _as_they_are,
        _mean,
        "costs more than",
        "costs less than",
        WORSE,
    ),
]
MEASURES = {measure.key: measure for measure in _LIST}


def measures_of(questions):
    """Return the keys of the measures that some question has, and of the cost."""
    return [
        key
        for key, measure in MEASURES.items()
        if key == COST or any(map(measure.takes, questions))
    ]
