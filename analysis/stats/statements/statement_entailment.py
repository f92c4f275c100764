"""Compute StEnt, StEnt-bin and StCoh: how far statements of two texts entail one another.

statement_entailment(precision, recall)    {"ent", "ent_bin", "coh": Consistency}
"""

import numpy as np

from analysis.stats.inputs import Floats
from analysis.stats.statements.best_match import Pairs, mean_of_best
from analysis.stats.statements.consistency import Consistency, settled

MEASURES = ("ent", "ent_bin", "coh")


def statement_entailment(precision: Pairs, recall: Pairs) -> dict[str, Consistency]:
    """Compute precision, recall and F1 of each item (I,) by entailment between statements.

    precision: hypotheses are the generated statements, premises the reference's; recall: the
    reverse, from a second run of the model: what entails is not what is entailed, so the one
    is not the other transposed. "ent" scores a pair by E, "ent_bin" by 1 where E is the largest,
    "coh" by E − C (in −1..1, without F1). An item's precision is the mean over its hypotheses of
    the best premise. Empty sides: see `consistency.settled`. Raises ValueError where the two
    disagree on how many statements an item has.
    Source: Kabongo & Guigue (2025), equations 9 to 11.
    """
    same = np.array_equal(precision.hypotheses, recall.premises)
    if not same or not np.array_equal(precision.premises, recall.hypotheses):
        raise ValueError("precision and recall: expected the same statements in both directions")
    n, m = precision.hypotheses, precision.premises
    return {
        name: settled(
            mean_of_best(_scores(precision, name), precision),
            mean_of_best(_scores(recall, name), recall),
            n,
            m,
            is_share=name != "coh",
        )
        for name in MEASURES
    }


def _scores(pairs: Pairs, name: str) -> Floats:
    if name == "ent":
        return np.clip(pairs.entailment, 0.0, 1.0)
    return pairs.is_entailed if name == "ent_bin" else pairs.coherence
