"""Judges without any insight, and single raters: what every judge is to be seen beside.

None is a candidate: no baseline is ever called good, and none counts in the family.
"""

from dataclasses import replace

import numpy as np

from analysis.reports.shared.scores import MOST_SINGLE_RATERS
from analysis.stats.validation.criteria import FEWEST_OF_A_PANEL
from analysis.stats.validation.evidence import gather_evidence

CONSTANT = "always the most frequent answer"
MEAN = "always the question's mean"
COIN = "a coin between the two most frequent answers"
DRAW = "an answer drawn as people answer"
LENGTH = "the length of the text"
OVERLAP = "the words shared with the reference"
GROUP_MEANS = {
    "system": "people's mean of each system",
    "content": "people's mean of each content",
    "recipient": "people's mean of each recipient",
}
A_RATER = "a rater, left out of the others"


def baseline_values(asked, seed):
    """Yield (name, values (items,)) of the baselines of a question."""
    values = asked.ratings
    if not len(values):
        return
    rng, n_items = np.random.default_rng([seed, asked.place]), len(asked.scores.items)
    rank = asked.item_ranks
    points, counts = np.unique(values, return_counts=True)
    ranked = points[np.argsort(-counts, kind="stable")]
    yield CONSTANT, np.full(n_items, ranked[0])
    if not asked.is_nominal:
        yield MEAN, np.full(n_items, np.nanmean(asked.means))
    if len(ranked) > 1:
        yield COIN, rng.choice(ranked[:2], n_items)[rank]
        yield DRAW, rng.choice(np.sort(values), n_items)[rank]
    if not asked.is_nominal:
        yield from _explained(asked)


def _explained(asked):
    """Yield what length, reference and groupings alone say, on people's scale."""
    reference, means = asked.reference, asked.means
    if reference.lengths is not None:
        yield LENGTH, scale_as_people(np.log1p(reference.lengths), means)
    if has_overlap(asked.scores.overlaps, means):
        yield OVERLAP, scale_as_people(asked.scores.overlaps, means)
    for name, words in GROUP_MEANS.items():
        if name in reference.groupings:
            yield words, means_of_others(means, reference.groupings[name])


def has_overlap(overlaps, means):
    """Return whether some item that people rated has a text and a reference."""
    return overlaps is not None and not np.isnan(overlaps + means).all()


def scale_as_people(values, means):
    """Return values with the mean and the spread of people's means; NaN stays."""
    defined = ~np.isnan(means + values)
    spread = values[defined].std()
    if not spread:
        return np.where(np.isnan(values), np.nan, means[defined].mean())
    return means[defined].mean() + (values - values[defined].mean()) * (
        means[defined].std() / spread
    )


def means_of_others(means, codes):
    """Return the mean of the other items of each item's group; NaN where there is no other."""
    defined = ~np.isnan(means)
    sizes = np.bincount(codes, defined, minlength=codes.max() + 1)[codes]
    sums = np.bincount(codes, np.where(defined, means, 0), minlength=codes.max() + 1)[codes]
    own = np.where(defined, means, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sizes - defined > 0, (sums - own) / (sizes - defined), np.nan)


def raters_left_out(asked, criteria, seed):
    """Yield (name, Evidence) of each rater against the others, or of one rater drawn an item.

    Raters with 30 items stand alone, if there are a dozen or fewer; the others are one row.
    """
    people = asked.reference.people
    counts = np.bincount(people.rater, minlength=people.n_raters)
    large = np.flatnonzero(counts >= FEWEST_OF_A_PANEL)
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
    drawn = np.empty(len(people.rater))
    drawn[np.lexsort((people.rater, asked.item_ranks[people.rows[people.item]]))] = rng.random(
        len(people.rater)
    )
    order = np.where(np.isin(people.rater, alone), np.inf, drawn)
    first = np.full(people.n, np.inf)
    np.minimum.at(first, people.item, order)
    return np.isfinite(order) & (order == first[people.item])


def _as_judge(asked, left_out, criteria):
    """Compare the ratings left out (N,) with the others of their items."""
    people = asked.reference.people
    shape = len(asked.scores.items), people.values.shape[1]
    judge = np.full(shape, np.nan)
    judge[people.rows[people.item[left_out]]] = people.values[left_out]
    others = replace(asked.reference, people=people.drop_ratings(left_out), tables=None)
    return gather_evidence(others, judge, criteria, has_own_scale=not asked.has_ends)
