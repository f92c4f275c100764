"""Learn an ensemble's weights from people, for each item without its own recipient.

learned_weights(members, ratings, recipients, rng)            cross-fitted
learned_elsewhere(members, ratings, recipients, others)       fitted on these, for other items
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

FOLDS = 5
LEAST_RECIPIENTS = 8  # with a rating and all members' scores, in what each fold learns from

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]


@dataclass(frozen=True)
class Learned:
    """Weights learned from people, or why there are none.

    values (items,), weights (folds, members), constants (folds,). n: recipients that the weights
    were learned from, all folds together.
    """

    values: Floats
    weights: Floats
    constants: Floats
    n: int = 0
    reason: str = ""


def learned_weights(
    members: Floats, ratings: Floats, recipients: Ints, rng: np.random.Generator
) -> Learned:
    """Fit the mean rating by non-negative least squares on members' scores, cross-fitted.

    members: (members, items), ratings: (items,), both floats with NaN where missing; recipients:
    code of each item's recipient, from 0. The recipients are dealt to five folds, by `rng` alone
    and not by who was rated; the weights of a fold come from the items of the other folds. So
    nobody's rating has a part in the value of an item of theirs. A constant is fitted beside the
    weights: members may be on scales of their own. A value is in the unit of the ratings; NaN
    where a member has no score. All are NaN, and `reason` says why, where a fold would learn from
    fewer than 8 recipients or from fewer items than twice the members.
    Raises ValueError where the shapes do not fit.
    Source: stacked regressions with non-negative weights, Breiman (1996), Machine Learning 24.
    """
    if members.ndim != 2 or members.shape[1:] != ratings.shape or ratings.shape != recipients.shape:
        raise ValueError("learned_weights: members, ratings and recipients have other lengths")
    complete = ~np.isnan(members).any(axis=0)
    labelled = complete & ~np.isnan(ratings)
    n = len(np.unique(recipients[labelled]))
    fold = _folds(recipients, rng)
    values = np.full(len(ratings), np.nan)
    weights = np.full((FOLDS, len(members)), np.nan)
    constants = np.full(FOLDS, np.nan)
    for place in range(FOLDS):
        rows = labelled & (fold != place)
        if reason := _too_few(recipients[rows], len(members)):
            nothing = np.full_like(values, np.nan)
            return Learned(nothing, weights * np.nan, constants * np.nan, n, reason)
        weights[place], constants[place] = _fitted(members[:, rows].T, ratings[rows])
        own = complete & (fold == place)
        values[own] = constants[place] + weights[place] @ members[:, own]
    return Learned(values, weights, constants, n)


def learned_elsewhere(
    members: Floats, ratings: Floats, recipients: Ints, others: Floats
) -> Learned:
    """Fit non-negative least squares on some items, once, and predict values of other items.

    members: (members, items), ratings, recipients: (items,), of those learned from; others:
    (members, N). The weights are (1, members). Values (N,), in the unit of the ratings, are NaN
    where a member has no score, and all with a `reason` where learned_weights would give none.
    Raises ValueError where the shapes do not fit.
    Source: as for learned_weights.
    """
    if members.ndim != 2 or members.shape[1:] != ratings.shape or ratings.shape != recipients.shape:
        raise ValueError("learned_elsewhere: members, ratings and recipients have other lengths")
    if others.ndim != 2 or len(others) != len(members):
        raise ValueError("learned_elsewhere: the others have another number of members")
    rows = ~np.isnan(members).any(axis=0) & ~np.isnan(ratings)
    if reason := _too_few(recipients[rows], len(members)):
        return nothing_learned(others, reason)
    weights, constant = _fitted(members[:, rows].T, ratings[rows])
    complete = ~np.isnan(others).any(axis=0)
    values = np.full(others.shape[1], np.nan)
    values[complete] = constant + weights @ others[:, complete]
    n = len(np.unique(recipients[rows]))
    return Learned(values, weights[None], np.array([constant]), n)


def nothing_learned(members: Floats, reason: str) -> Learned:
    """Return a Learned of NaN for items of (members, items), with the reason."""
    nothing = np.full((1, len(members)), np.nan)
    return Learned(np.full(members.shape[1], np.nan), nothing, nothing[:, 0], 0, reason)


def _folds(recipients: Ints, rng: np.random.Generator) -> Ints:
    """Return the fold of each item: its recipient's fold."""
    count = int(recipients.max()) + 1 if len(recipients) else 0
    dealt = rng.permutation(count) % FOLDS
    return dealt[recipients] if count else np.zeros(0, dtype=np.int_)


def _too_few(recipients: Ints, members: int) -> str:
    n_recipients = len(np.unique(recipients))
    if n_recipients < LEAST_RECIPIENTS:
        return (
            f"too few recipients to learn weights from: {n_recipients} beside those of a fold, "
            f"at least {LEAST_RECIPIENTS} are needed"
        )
    if len(recipients) < 2 * members:
        return f"too few rated items to learn {members} weights from: {len(recipients)}"
    return ""


def _fitted(scores: Floats, ratings: Floats) -> tuple[Floats, float]:
    """Fit weights (members,) of scores (items, members), and the constant: free, so by centring."""
    means, mean = scores.mean(axis=0), float(ratings.mean())
    weights, _ = nnls(scores - means, ratings - mean)
    return weights, mean - float(weights @ means)
