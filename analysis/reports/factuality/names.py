"""Class an imported measure by its name: of consistency, of similarity, or neither.

Nothing else tells: all of them come in as values of a judge. Source of the two families: Kabongo &
Guigue (2025), section IV-A: SEval, SummaC, AlignScore and QuestEval measure factual consistency;
BERTScore, STS, BARTScore and BLEURT similarity, as word overlaps do.
"""

import re

CONSISTENT = re.compile(r"(s[-_ ]?eval|summa[-_ ]?c|align[-_ ]?score|quest[-_ ]?eval)")
SIMILAR = re.compile(
    r"(bleu|rouge|meteor|chrf|sts|bert|bart|bleurt|(bert|bart|mover)[-_ ]?score)(?![a-z])"
)


def is_consistency(name):
    """Return whether a name begins like a measure of factual consistency, in any case."""
    return bool(CONSISTENT.match(name.lower()))


def is_similarity(name):
    """Return whether a name begins like a measure of similarity; "Bart Simpson" does too."""
    return bool(SIMILAR.match(name.lower()))


def are_answers(values, scale):
    """Return whether all values lie on the scale of a question that has ends, as ratings do.

    values: numbers without gaps.
    """
    return scale.has_ends and not scale.is_off(values).any()
