"""Choose a judge's threshold on one half of the recipients, and measure it on the other."""

from dataclasses import dataclass

import numpy as np

from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.positives import by_positive
from analysis.reports.thresholds.options import YOUDEN
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.operating_point import at_threshold, best_threshold
from analysis.stats.ensembles.subsets import folds_of
from analysis.stats.intervals.bootstrap import draw_counts

HALVES = ("A", "B")
CHOOSE = "choose"  # instead of a half, where the items are the test part of a split
PART = {CHOOSE: "choose part"}
MEASURES = ("sensitivity", "specificity", "f1")
CRITERIA = {YOUDEN: "Youden's J = sensitivity + specificity − 1", "f1": "F1"}


def thresholds(answers, options, questions=None):
    """Measure a threshold chosen on half A on half B, and one chosen on B on A.

    For the test part of a split, the threshold is chosen on the choose part.

    questions: keys of those wanted; None means all.
    """
    add = _Elsewhere() if answers.choosing else _Halves()
    report = by_positive("thresholds", "threshold", answers, options, questions, add)
    report.notes += [
        *add.notes(options),
        f"The threshold has the largest {CRITERIA[options.criterion]} on the items where it is "
        "chosen, of equal ones it is the highest. in_sample: the same number on these.",
    ]
    return report


class _Halves:
    """Chooses on either half and measures on the other."""

    def __init__(self):
        self.halves = {}

    def __call__(self, report, scores, evaluator, place, cut, positive):
        if not self.halves:
            self.halves.update(_halves(scores))
        values = evaluator.values[:, place]
        for chosen_on, measured_on in (HALVES, HALVES[::-1]):
            here, there = self.halves[chosen_on], self.halves[measured_on]
            chosen = chosen_on, values[here.rows], positive[here.rows]
            measured = values[there.rows], positive[there.rows], there.resampling
            _add(report, scores, evaluator, place, cut, chosen, measured)

    def notes(self, options):
        """Yield a note on the halves."""
        sizes = [f"{name} has {len(half.rows)} items" for name, half in self.halves.items()]
        yield (
            f"Halves: whole recipients (else contents, else items), drawn with seed {options.seed}"
            f"{'; ' + ' and '.join(sizes) if sizes else ''}. The intervals draw the recipients of "
            "the half that is measured; the threshold stays."
        )


class _Elsewhere:
    """Chooses on the choose part of a test split and measures on the test part, once."""

    def __init__(self):
        self.by_name = None

    def __call__(self, report, scores, evaluator, place, cut, positive):
        if self.by_name is None:
            self.by_name = {
                (other.name, other.kind): other for other in evaluators(scores.choosing)
            }
        own = self.by_name.get((evaluator.name, evaluator.kind))
        chosen = CHOOSE, np.zeros(0), np.zeros(0)
        if own is not None:
            chosen = CHOOSE, own.values[:, place], at_least(own.reference[:, place], cut)
        measured = evaluator.values[:, place], positive, scores.resampling()
        _add(report, scores, evaluator, place, cut, chosen, measured)

    def notes(self, _):
        """Yield a note on where the threshold is chosen."""
        yield "The threshold is chosen on the choose part of the split, measured on the test part."


@dataclass(frozen=True)
class Half:
    """One half of the items: its rows, and the draws of its own clusters."""

    name: str
    rows: np.ndarray
    resampling: dict


def _halves(scores):
    """Return {name: Half} of two halves of the clusters."""
    rng = np.random.default_rng(scores.options.seed)
    fold = folds_of(scores.clusters, 2, rng)
    return {name: _half(scores, name, fold == number, rng) for number, name in enumerate(HALVES)}


def _half(scores, name, inside, rng):
    rows = np.flatnonzero(inside)
    if scores.counts is None or not len(rows):
        return Half(name, rows, {})
    present, clusters = np.unique(scores.clusters[rows], return_inverse=True)
    counts = draw_counts(len(present), scores.options.draws, rng)
    return Half(name, rows, {"clusters": clusters, "counts": counts})


def _add(report, scores, evaluator, place, cut, chosen, measured):
    """Add the rows of one choice: a threshold of some items, three measures on others.

    chosen: (what these items are, values, positive); measured: (values, positive, resampling).
    """
    chosen_on, *there = chosen
    *here, resampling = measured
    threshold = best_threshold(*there, scores.options.criterion)
    is_chosen = not np.isnan(threshold)
    point = at_threshold(*here, threshold, **resampling)
    own = at_threshold(*there, threshold)
    one_class = f"the {PART.get(chosen_on, 'half')} has one class only"
    for measure in MEASURES:
        estimate = getattr(point, measure)
        report.add(
            {
                "evaluator": evaluator.name,
                "question": scores.questions[place].key,
                "positive_from": cut,
                "chosen_on": chosen_on,
                "threshold": threshold,
                "measure": measure,
                "value": estimate.value if is_chosen else np.nan,
                "low": estimate.low if is_chosen else np.nan,
                "high": estimate.high if is_chosen else np.nan,
                "n": estimate.n,
                "in_sample": getattr(own, measure).value if is_chosen else np.nan,
            },
            reason=estimate.reason if is_chosen else one_class,
            judge=evaluator.judge,
            kind=evaluator.kind,
            undefined_draws=estimate.undefined_draws if is_chosen else 0,
        )
