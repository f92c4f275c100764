"""Judges without any insight, and single raters: what every judge is to be seen beside.

None is a candidate: no baseline is ever called good, and none counts in the family. In figures of
other reports they are grey, with the best of the judges that compare texts with a reference; none
has a row there, is called best, or stands in a headline.
"""

from copy import copy
from dataclasses import replace
from math import isnan

import numpy as np

from analysis.reports.shared.scores import MOST_SINGLE_RATERS, Evaluator
from analysis.reports.verdict.questions import GROUPINGS, read_lengths
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL
from analysis.stats.validation.evidence import gather_evidence
from judges.models import Judge

BASELINE = "baseline"  # kind of an entry
BASELINES = "baselines"  # of a report's curves: their entries
TEXT_METRICS = "text metrics"  # of a report's curves: names of judges that compare texts
OF_TEXTS = (
    Judge.Kind.BLEU_1,
    Judge.Kind.BLEU_4,
    Judge.Kind.ROUGE_1,
    Judge.Kind.ROUGE_L,
    Judge.Kind.CHRF,
    Judge.Kind.STS,
    Judge.Kind.BERT_SCORE,
)
CONSTANT = "always the most frequent answer"
MEAN = "always the question's mean"
COIN = "a coin between the two most frequent answers"
DRAW = "an answer drawn as people answer"
LENGTH = "the length of the text"
OVERLAP = "the words shared with the reference"
GROUP_MEANS = {name: f"people's mean of each {name}" for name in GROUPINGS}
A_RATER = "a rater, left out of the others"


def baselines_of(asked):
    """Yield (name, values (items,)) of the baselines of a question with two ratings of an item."""
    reference = asked.reference
    described = reference.lengths, reference.groupings
    yield from _baseline_values(asked.scores, asked.place, asked.ratings, asked.means, *described)


def _baseline_values(scores, place, given, means, lengths, groupings):
    """Yield (name, values (items,)) of the baselines of one question.

    given: people's ratings (N,); means: of each item (items,); lengths: (items,) or None;
    groupings: {name: codes (items,)}, below 0 where an item has none. A choice without an order has
    those alone that give an answer.
    """
    if not len(given):
        return
    is_ordered = not scores.questions[place].scale.is_nominal and not np.isnan(means).all()
    points, counts = np.unique(given, return_counts=True)
    ranked = points[np.argsort(-counts, kind="stable")]
    yield CONSTANT, np.full(len(means), ranked[0])
    if is_ordered:
        yield MEAN, np.full(len(means), np.nanmean(means))
    if len(ranked) > 1:
        rng = np.random.default_rng([scores.options.seed, place])
        yield COIN, rng.choice(ranked[:2], len(means))[scores.item_ranks]
        yield DRAW, rng.choice(np.sort(given), len(means))[scores.item_ranks]
    if not is_ordered:
        return
    if lengths is not None:
        yield LENGTH, _scale_as_people(np.log1p(np.nan_to_num(lengths)), means)
    if scores.overlaps is not None and not np.isnan(scores.overlaps + means).all():
        yield OVERLAP, _scale_as_people(scores.overlaps, means)
    for name, codes in groupings.items():
        yield GROUP_MEANS[name], _means_of_others(means, codes)


def _scale_as_people(values, means):
    """Return values with the mean and the spread of people's means; NaN stays."""
    defined = ~np.isnan(means + values)
    spread = values[defined].std()
    if not spread:
        return np.where(np.isnan(values), np.nan, means[defined].mean())
    return means[defined].mean() + (values - values[defined].mean()) * (
        means[defined].std() / spread
    )


def _means_of_others(means, codes):
    """Return the mean of the other items of each item's group; NaN where there is no other."""
    defined = ~np.isnan(means) & (codes >= 0)
    own, n_groups = np.where(defined, means, 0), codes.max() + 1
    sizes = np.bincount(codes[defined], minlength=n_groups)[codes]
    sums = np.bincount(codes[defined], own[defined], minlength=n_groups)[codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (sums - own) / (sizes - defined)
    return np.where((sizes - defined > 0) & (codes >= 0), others, np.nan)


def raters_left_out(asked, criteria, seed):
    """Yield (name, Evidence) of each rater against the others, or of one rater drawn an item.

    Raters with 30 items stand alone, if there are a dozen or fewer; the others are one row.
    """
    people = asked.reference.people
    large = np.flatnonzero(people.counts >= FEWEST_OF_A_PANEL)
    alone = large if len(large) <= MOST_SINGLE_RATERS else large[:0]
    names = asked.scores.raters_of(asked.role)
    for place in alone:
        left_out = people.rater == place
        yield names[people.raters[place]], _as_judge(asked, left_out, criteria)
    if len(alone) < people.n_raters:
        yield A_RATER, _as_judge(asked, _one_an_item(asked, alone, seed), criteria)


def _one_an_item(asked, alone, seed):
    """Flag one rating (N,) of each item, drawn among those by raters who do not stand alone."""
    people, rng = asked.reference.people, np.random.default_rng([seed, 1])
    ranks = asked.scores.item_ranks[people.rows[people.item]]
    drawn = np.empty(len(people.rater))
    drawn[np.lexsort((people.rater, ranks))] = rng.random(len(people.rater))
    order = np.where(np.isin(people.rater, alone), np.inf, drawn)
    first = np.full(people.n, np.inf)
    np.minimum.at(first, people.item, order)
    return np.isfinite(order) & (order == first[people.item])


def _as_judge(asked, left_out, criteria):
    """Compare the ratings left out (N,) with the others of their items."""
    people = asked.reference.people
    judge = np.full((len(asked.scores.items), people.values.shape[1]), np.nan)
    judge[people.rows[people.item[left_out]]] = people.values[left_out]
    others = replace(asked.reference, people=people.drop_ratings(left_out), tables=None)
    return gather_evidence(others, judge, criteria, has_own_scale=not asked.has_ends)


# In figures of other reports


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
    codes = {name: scores.codes(name) for name in GROUPINGS}
    groupings = {name: own for name, own in codes.items() if len(np.unique(own[own >= 0])) > 1}
    values: dict = {}
    for place, question in enumerate(scores.questions):
        given = scores.given(place, scores.options.reference)[2]
        if not question.scale.has_values:
            continue
        described = given, reference[:, place], lengths, groupings
        for name, column in _baseline_values(scores, place, *described):
            values.setdefault(name, np.full(scores.shape, np.nan))[:, place] = column
    return [Evaluator(name, BASELINE, table, reference) for name, table in values.items()]


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


def keep_baselines(report, scores, entries_of):
    """Keep what is drawn grey: entries_of(scores without draws, baselines), and text metrics."""
    plain = without_draws(scores)
    report.curves[BASELINES] = list(entries_of(plain, baseline_evaluators(plain)))
    report.curves[TEXT_METRICS] = text_metrics(scores.answers)


def with_grey(report, entries, keep):
    """Return (all to be drawn, the baselines among them, what the caption says of grey).

    keep(row): whether a baseline's row belongs to these entries.
    """
    drawn = [entry for entry in report.curves.get(BASELINES, []) if keep(entry.row)]
    grey = [replace(entry, kind=BASELINE) for entry in drawn]
    return [*grey_metric(report, entries), *grey], grey, grey_words(report, grey)
