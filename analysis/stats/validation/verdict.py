"""Decide whether a judge may rate items in place of a rater, by the first condition that holds.

verdict = decide(evidence)
verdict.answer, verdict.reason, verdict.grouping, verdict.half, verdict.grade
family = correct_family(judge_p, people_p, question)      family.passes, family.p_adjusted
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, as_codes, as_floats
from analysis.stats.validation.agreement import Agreement
from analysis.stats.validation.answers import Answer, Grade, Half, Reason, Verdict
from analysis.stats.validation.beyond import JOINT
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence, largest_p

MANY_MISSING = 0.1

Outcome = tuple[Answer, Reason, dict[str, object]]
Rule = Callable[[Evidence, Criteria, float], Outcome | None]


def decide(
    evidence: Evidence, criteria: Criteria | None = None, *, passes_correction: bool = True
) -> Verdict:
    """Return the verdict on one judge and one question: may it rate items?

    passes_correction: whether it holds over the family of judges too (correct_family). "No"
    and "people disagree" rest on one-sided bounds that no correction widens.
    """
    criteria = criteria or Criteria()
    alpha = criteria.alpha
    rules: tuple[Rule, ...] = (*RULES, partial(_ask_correction, passes=passes_correction))
    outcomes = (rule(evidence, criteria, alpha) for rule in rules)
    answer, reason, details = next(
        (outcome for outcome in outcomes if outcome), (Answer.YES, Reason.MAY, {})
    )
    if answer == Answer.YES:
        details = {"grade": grade_worth(evidence, alpha)}
    return Verdict(
        answer,
        reason,
        judge_p=largest_judge_p(evidence, criteria),
        people_p=largest_people_p(evidence),
        warnings=collect_warnings(evidence),
        **details,  # type: ignore[arg-type]
    )


def grade_worth(evidence: Evidence, alpha: float = 0.05) -> Grade:
    """Return what a judge that may rate is as good as, by its least worth."""
    worth = evidence.agreement.least_worth(alpha)
    if evidence.most_ratings > 1 and worth >= evidence.most_ratings:
        return Grade.PANEL
    return Grade.RATER if worth >= 1 else Grade.SHARE


def largest_judge_p(evidence: Evidence, criteria: Criteria | None = None) -> float:
    """Return the largest p of the judge's checks; NaN where it is no candidate.

    A judge that gives one answer only, or holds ratings, counts with 1; one without comparable
    items or on a scale of its own does not count.
    """
    criteria = criteria or Criteria()
    if not evidence.n or evidence.is_fitted or evidence.level is None:
        return nan
    if evidence.has_one_point or evidence.held:
        return 1.0
    p = [evidence.agreement.retention(criteria.retention).p_above()]
    p += [evidence.level.p_within(evidence.level_margin)]
    if evidence.beyond.parts:
        p.append(evidence.beyond.judge_p(criteria.beyond_retention))
    if evidence.rest:
        p.append(evidence.rest.p)
    return min(1.0, largest_p(p))


def largest_people_p(evidence: Evidence) -> float:
    """Return the largest p of "raters agree", over all items and beyond what is known of them."""
    p = [part.rho.p_above() for _, part in evidence.beyond.parts]
    return largest_p([evidence.agreement.rho.p_above(), *p])


def collect_warnings(evidence: Evidence) -> tuple[str, ...]:
    """Return the names of what a reader should know whatever the answer is."""
    warnings = {
        "missing": evidence.share_missing > MANY_MISSING,
    }
    return tuple(name for name, holds in warnings.items() if holds)


def _ask_comparable(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if not evidence.n or evidence.is_fitted:
        return Answer.NOT_TESTABLE, Reason.NOT_COMPARABLE, {}
    return (Answer.NOT_TESTABLE, Reason.HOLDS_RATINGS, {}) if evidence.held else None


def _ask_amount(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if evidence.agreement.is_constant:
        return Answer.NO, Reason.SAYS_NOTHING, {}
    enough = evidence.n >= criteria.fewest_items
    if enough and evidence.n_clusters >= criteria.fewest_clusters:
        return None
    return Answer.NOT_YET, Reason.TOO_FEW, {}


def _ask_people(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    rho = evidence.agreement.rho
    if np.isnan(rho.value) or rho.upper(alpha) < criteria.floor:
        return Answer.PEOPLE_DISAGREE, Reason.RATERS_DISAGREE, {}
    if rho.value < criteria.floor or not rho.p_above() < alpha:
        return Answer.NOT_YET, Reason.PEOPLE_UNSURE, {}
    return None


def _ask_order(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    theta = evidence.agreement.retention(criteria.retention)
    if theta.upper(alpha) < 0:
        return Answer.NO, Reason.MAY_NOT, {}
    return None if theta.p_above() < alpha else (Answer.NOT_YET, Reason.UNDECIDED, {})


def _ask_beyond(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    outcomes = (_ask_part(*part, criteria, alpha) for part in evidence.beyond.parts)
    return next((outcome for outcome in outcomes if outcome), None)


def _ask_part(name: str, agreement: Agreement, criteria: Criteria, alpha: float) -> Outcome | None:
    rho, theta = agreement.rho, agreement.retention(criteria.beyond_retention)
    people_pass, judge_passes = rho.p_above() < alpha, theta.p_above() < alpha
    if people_pass and judge_passes:
        return None
    is_flat = np.isnan(rho.value)
    if not people_pass and (is_flat or rho.upper(alpha) < criteria.floor):
        answer = Answer.PEOPLE_DISAGREE
    elif people_pass and (agreement.is_constant or theta.upper(alpha) < 0):
        answer = Answer.NO
    else:
        answer = Answer.NOT_YET
    half = Half.JUDGE if people_pass else Half.PEOPLE
    grouping = "" if name == JOINT else name
    return answer, Reason.KNOWN_FEATURES, {"grouping": grouping, "half": half}


def _ask_rest(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if evidence.rest is None or evidence.rest.p < alpha:
        return None
    return Answer.NO, Reason.EXTREMES_ONLY, {}


def _ask_points(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if not evidence.has_one_point:
        return None
    return Answer.NOT_YET, Reason.ORDER_ONLY, {"missing": "points"}


def _ask_level(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if evidence.level is None:
        return Answer.NOT_YET, Reason.ORDER_ONLY, {"missing": "scale"}
    if evidence.level.is_off(evidence.level_margin, alpha):
        return Answer.NO, Reason.LEVEL_OFF, {}
    if not evidence.level.p_within(evidence.level_margin) < alpha:
        return Answer.NOT_YET, Reason.ORDER_ONLY, {}
    return None


def _ask_correction(
    evidence: Evidence, criteria: Criteria, alpha: float, *, passes: bool
) -> Outcome | None:
    return None if passes else (Answer.NOT_YET, Reason.UNDECIDED, {"missing": "correction"})


RULES: tuple[Rule, ...] = (
    _ask_comparable,
    _ask_amount,
    _ask_people,
    _ask_order,
    _ask_beyond,
    _ask_rest,
    _ask_points,
    _ask_level,
)


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
