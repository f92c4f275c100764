"""Find each hypothesis's best match among its item's premises, for all items at once.

Pairs(probabilities, hypotheses, premises)    NLI probabilities of every pair of every item
mean_of_best(scores, pairs)                   mean over hypotheses of the largest over premises
summac_zs(pairs), align_score(pairs)          the same of sentences and chunks
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Floats, Ints, as_codes, as_floats

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Pairs:
    """NLI probabilities of all pairs of all items, one direction.

    probabilities: (P, 3), entailment, neutral, contradiction; sorted by item, then hypothesis, then
    premise. hypotheses, premises: (I,) how many of each an item has, so that P is the sum of their
    products. Raises ValueError for other sizes and for values outside 0..1.
    """

    probabilities: Floats
    hypotheses: Ints
    premises: Ints

    def __post_init__(self) -> None:
        """Check that sizes and values fit."""
        values = as_floats(self.probabilities, "probabilities", 2)
        n = len(np.asarray(self.hypotheses))
        hypotheses = as_codes(self.hypotheses, "hypotheses", n)
        premises = as_codes(self.premises, "premises", n)
        expected = int((hypotheses * premises).sum()), 3
        if values.shape != expected:
            raise ValueError(f"probabilities: expected shape {expected}, found {values.shape}")
        if not ((values >= -TOLERANCE) & (values <= 1 + TOLERANCE)).all():
            raise ValueError("probabilities: expected values within 0..1")
        for name, array in (
            ("probabilities", values),
            ("hypotheses", hypotheses),
            ("premises", premises),
        ):
            object.__setattr__(self, name, array)

    @property
    def entailment(self) -> Floats:
        """Return E of each pair (P,)."""
        return self.probabilities[:, ENTAILMENT]

    @property
    def coherence(self) -> Floats:
        """Return E − C of each pair (P,), in −1..1."""
        return self.probabilities[:, ENTAILMENT] - self.probabilities[:, CONTRADICTION]

    @property
    def is_entailed(self) -> Floats:
        """Return 1 where E is the largest of the three (P,), a tie included; else 0."""
        largest = self.probabilities.max(axis=1, initial=0.0)
        return (self.entailment >= largest).astype(np.float64)


def mean_of_best(scores: ArrayLike, pairs: Pairs) -> Floats:
    """Average over an item's hypotheses the largest score among its premises (I,).

    scores: (P,) in the order of the pairs. NaN where an item has no hypothesis or no premise.
    Source: Laban et al. (2022), SummaC, section 3.2 (ZS); Kabongo & Guigue (2025), equations 4, 9.
    """
    values = as_floats(scores, "scores")
    if len(values) != len(pairs.probabilities):
        raise ValueError(f"expected {len(pairs.probabilities)} scores, found {len(values)}")
    n = len(pairs.hypotheses)
    filled = np.flatnonzero((pairs.hypotheses > 0) & (pairs.premises > 0))
    rows = pairs.hypotheses[filled]
    if not len(filled):
        return np.full(n, np.nan)
    lengths = np.repeat(pairs.premises[filled], rows)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    best = np.maximum.reduceat(values, starts)
    means = np.full(n, np.nan)
    item_of_row = np.repeat(np.arange(len(filled)), rows)
    means[filled] = np.bincount(item_of_row, best, minlength=len(filled)) / rows
    return means


def summac_zs(pairs: Pairs) -> Floats:
    """Compute SummaC-ZS of each item (I,), in −1..1: sentences, score E − C.

    Hypotheses are the sentences of the generated text, premises those of the reference. NaN where
    either has none. Source: Laban et al. (2022); Kabongo & Guigue (2025), equation 4.
    """
    return mean_of_best(pairs.coherence, pairs)


def align_score(pairs: Pairs) -> Floats:
    """Compute AlignScore's aggregation of each item (I,), in 0..1: the score is E.

    Hypotheses are the sentences of the generated text, premises the chunks of the reference. 0
    where one of them is empty, NaN where both are.
    Source: Zha et al. (2023), AlignScore, section 3.2; Kabongo & Guigue (2025), equation 5.
    """
    best = mean_of_best(pairs.entailment, pairs)
    one_empty = (pairs.hypotheses == 0) != (pairs.premises == 0)
    return np.where(one_empty, 0.0, best)
