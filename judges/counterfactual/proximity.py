"""Compute counterfactual proximity: how near an explanation is to being a recommendation's reason.

Yao, Wang & Li, "Counterfactually Evaluating Explanations in Recommender Systems" (2022), equation
3: after the model forgets the recipient's interactions with the explaining contents, by how much
the best other content stands above the recommended one. Positive: it would no longer be
recommended.
"""

from dataclasses import dataclass

import numpy as np

NO_GENRES = "the recommended content has no genres"


class NoScore(ValueError):
    """Raised for an explanation that cannot be scored; the message says why.

    Other errors are faults.
    """


@dataclass(frozen=True)
class Proximity:
    """One explanation's effect.

    value: raw over the range of the original model's scores, clipped to ±1. Ranks count from 1
    among what could be recommended, before and after.
    """

    raw: float
    spread: float
    rank_before: int
    rank_after: int

    @property
    def value(self):
        return float(np.clip(self.raw / self.spread, -1, 1))

    @property
    def is_clipped(self):
        return abs(self.raw) > self.spread

    @property
    def moved(self):
        """Return by how many ranks the recommended content falls; negative where it rises."""
        return self.rank_after - self.rank_before


def proximity(before, after, content, seen, explaining, top=1):
    """Compute the Proximity of one explanation; NoScore says why it has none.

    before, after: scores of all contents for the recipient, by the original model and by the one
    that forgot. content: the recommended column; seen: columns of the history; explaining: of the
    explanation. top: with K, whether it falls out of the K best, measured against the K-th best
    other one.
    """
    spread = spread_of(before)
    open_before, open_after = _open(len(before), seen), _open(len(before), seen)
    open_after[explaining] = True
    others = open_after.copy()
    others[content] = False
    if others.sum() < top:
        raise NoScore(f"fewer than {top} other contents could be recommended")
    rivals = after[others]
    benchmark = rivals.max() if top == 1 else np.partition(rivals, -top)[-top]
    return Proximity(
        raw=float(benchmark - after[content]),
        spread=spread,
        rank_before=_rank(before, content, open_before),
        rank_after=_rank(after, content, open_after),
    )


def leads(after, content, seen, explaining, top=1):
    """Compute `raw` of several explanations of as many contents each, at once: (n,); NoScore.

    after: (n, contents), scores by the model that forgot each explanation; it is written over.
    """
    own, rows = after[:, content].copy(), np.arange(len(after))[:, None]
    forgotten = after[rows, explaining]
    after[:, seen] = after[:, content] = -np.inf
    after[rows, explaining] = forgotten
    if after.shape[1] < top:
        raise NoScore(f"fewer than {top} other contents could be recommended")
    best = after.max(axis=1) if top == 1 else np.partition(after, -top, axis=1)[:, -top]
    if not np.isfinite(best).all():
        raise NoScore(f"fewer than {top} other contents could be recommended")
    return best - own


def spread_of(before):
    """Return the range of the original model's scores, which divides a raw effect; NoScore."""
    spread = float(before.max() - before.min())
    if not spread > 0:
        raise NoScore("the model gives every content the same score")
    return spread


def _open(n, seen):
    """Mark the contents that can be recommended: those that are not in the history."""
    is_open = np.ones(n, dtype=bool)
    is_open[seen] = False
    return is_open


def _rank(scores, content, among):
    return 1 + int(np.count_nonzero(scores[among] > scores[content]))


def similarity(contents, content, explaining):
    """Average the cosines of the explaining contents' factors with the recommended's; NoScore."""
    lengths = np.linalg.norm(contents[[content, *explaining]], axis=1)
    if not lengths.all():
        raise NoScore("the model knows nothing of a content: nobody has it in their history")
    products = contents[explaining] @ contents[content]
    return float(np.clip(products / (lengths[0] * lengths[1:]), -1, 1).mean())


def overlap(own, others):
    """Average the Jaccard indices of sets of genres, [set] against one set; NoScore."""
    if not own:
        raise NoScore(NO_GENRES)
    return float(np.mean([len(own & genres) / len(own | genres) for genres in others]))


def genre_set(value):
    """Return the set of genres of a column `genres`: a list, or a text with | between them."""
    names = value if isinstance(value, list) else str(value or "").split("|")
    return {name for text in names if (name := str(text).strip().lower())} - {"(no genres listed)"}
