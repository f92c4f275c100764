"""Draw the verdict's baselines grey in figures of other reports: what no insight would give.

They are in figures alone. None has a row, is ever called best, or stands in a headline. The best
of a study's judges that compare texts with a reference is drawn grey too: it reads nothing.
"""

from copy import copy
from dataclasses import replace
from math import isnan

import numpy as np

from analysis.reports.shared.scores import Evaluator
from analysis.reports.verdict.baselines import (
    COIN,
    CONSTANT,
    DRAW,
    GROUP_MEANS,
    LENGTH,
    MEAN,
    OVERLAP,
    has_overlap,
    means_of_others,
    scale_as_people,
)
from analysis.reports.verdict.questions import read_lengths
from judges.models import Judge

BASELINES = "baselines"  # of a report's curves: their entries
TEXT_METRICS = "text metrics"  # of a report's curves: names of judges that compare texts
BASELINE = "baseline"
OF_TEXTS = (
    Judge.Kind.BLEU_1,
    Judge.Kind.BLEU_4,
    Judge.Kind.ROUGE_1,
    Judge.Kind.ROUGE_L,
    Judge.Kind.CHRF,
    Judge.Kind.STS,
    Judge.Kind.BERT_SCORE,
)


def without_draws(scores):
    """Return the same scores without a bootstrap: baselines have no intervals."""
    plain = copy(scores)
    plain.counts = None
    return plain


def text_metrics(answers):
    """Return the names of the judges that compare texts with a reference."""
    return [name for name, (kind, _) in answers.kinds.items() if kind in OF_TEXTS]


def baseline_evaluators(scores):
    """Return an Evaluator for each baseline that some question has."""
    reference, lengths = scores.reference(), read_lengths(scores)
    values: dict = {}
    for place in range(len(scores.questions)):
        for name, column in _columns(scores, place, reference[:, place], lengths):
            values.setdefault(name, np.full(scores.shape, np.nan))[:, place] = column
    return [Evaluator(name, BASELINE, table, reference) for name, table in values.items()]


def _columns(scores, place, means, lengths):
    """Yield (name, values (items,)) of the baselines of one question.

    Of a choice without an order those that give an answer; of others also what the mean, the length
    of the text, the reference, and the means of systems, contents and recipients say.
    """
    scale, given = scores.questions[place].scale, scores.given(place, scores.options.reference)[2]
    if not len(given) or not scale.has_values:
        return
    points, counts = np.unique(given, return_counts=True)
    ranked = points[np.argsort(-counts, kind="stable")]
    yield CONSTANT, np.full(len(means), ranked[0])
    if len(ranked) > 1:
        rng = np.random.default_rng([scores.options.seed, place])
        ranks = np.argsort(np.argsort(scores.items["item"].astype(str).to_numpy()))
        yield COIN, rng.choice(ranked[:2], len(means))[ranks]
        yield DRAW, rng.choice(np.sort(given), len(means))[ranks]
    if scale.is_nominal or np.isnan(means).all():
        return
    yield MEAN, np.full(len(means), np.nanmean(means))
    if lengths is not None:
        yield LENGTH, scale_as_people(np.log1p(np.nan_to_num(lengths)), means)
    if has_overlap(scores.overlaps, means):
        yield OVERLAP, scale_as_people(scores.overlaps, means)
    for grouping, name in GROUP_MEANS.items():
        codes = scores.codes(grouping)
        if len(np.unique(codes[codes >= 0])) > 1:
            by_group = means_of_others(means, np.where(codes < 0, codes.max() + 1, codes))
            yield name, np.where(codes < 0, np.nan, by_group)


def grey_entries(report, keep):
    """Return the baselines' entries whose rows are to be drawn."""
    return [
        replace(entry, kind=BASELINE)
        for entry in report.curves.get(BASELINES, [])
        if keep(entry.row)
    ]


def grey_words(report, grey, of_metrics=True):
    """Say in a caption what is grey in its figure; blank where nothing is.

    of_metrics: whether the figure has the best text metric in grey, as dots do and curves do not.
    """
    if not grey:
        return ""
    has_metric = of_metrics and report.curves.get(TEXT_METRICS)
    metric = ", and the best text metric" if has_metric else ""
    return f" Grey: what no insight would give{metric}."


def grey_metric(report, entries):
    """Return the entries with the best text metric grey, by its largest value."""
    metrics = report.curves.get(TEXT_METRICS, [])
    own = [e for e in entries if e.judge in metrics and not isnan(e.row["value"])]
    if not own:
        return entries
    best = max(own, key=lambda entry: entry.row["value"]).judge
    return [replace(e, kind=BASELINE) if e.judge == best else e for e in entries]
