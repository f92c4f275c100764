"""Correct the verdicts of a study for the number of its judges and questions.

family = correct_family(judge_p, people_p, question)      family.passes, family.p_adjusted
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, as_codes, as_floats
from analysis.stats.validation.criteria import Criteria


@dataclass(frozen=True)
class Family:
    """Whether each judge x question passes (M,) after the correction for the family.

    p_adjusted: (M,), to be compared with `alpha`; NaN where nothing is tested. size: of the family:
    all that were ever run, but what cannot be a candidate.
    """

    passes: Flags
    p_adjusted: Floats
    size: int


def correct_family(
    judge_p: ArrayLike,
    people_p: ArrayLike,
    question: ArrayLike,
    *,
    named: ArrayLike | None = None,
    criteria: Criteria | None = None,
) -> Family:
    """Control the false discoveries among judges, and the family error among questions.

    judge_p: (M,), the largest p of each judge's own checks; NaN is no candidate. people_p: (Q,),
    the largest p of "raters agree" of each question. question: codes (M,) below Q. named: flags
    (M,) of what was named before any judgment was seen; it is tested at `alpha` alone and takes no
    part in the correction of the others. Judges are corrected by Benjamini & Hochberg, questions by
    Holm, both at `family_alpha`, together at most twice that. Raises ValueError for other shapes.
    Source: Benjamini & Hochberg (1995), JRSS B 57; Holm (1979), Scandinavian J. of Statistics 6.
    """
    criteria = criteria or Criteria()
    own, of_question = as_floats(judge_p, "judge_p"), as_floats(people_p, "people_p")
    codes = as_codes(question, "question", len(own))
    if len(codes) and codes.max() >= len(of_question):
        raise ValueError(f"question: expected codes below {len(of_question)}, found {codes.max()}")
    is_named = np.zeros(len(own), bool) if named is None else np.asarray(named, dtype=bool)
    if is_named.shape != own.shape:
        raise ValueError(f"named: expected {len(own)} flags, found shape {is_named.shape}")
    others = ~np.isnan(own) & ~is_named
    adjusted = np.full(len(own), np.nan)
    if others.any():
        adjusted[others] = false_discovery_control(own[others], method="bh")
    # In units of alpha, so that one number is compared with one level.
    adjusted = np.maximum(adjusted, holm(of_question)[codes])
    adjusted = np.minimum(1.0, adjusted * criteria.alpha / criteria.family_alpha)
    adjusted = np.where(is_named, np.maximum(own, of_question[codes]), adjusted)
    size = int((~np.isnan(own)).sum())
    return Family(adjusted < criteria.alpha, adjusted, size)
