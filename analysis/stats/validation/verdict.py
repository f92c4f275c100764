"""Decide whether a judge may rate items in place of a rater, by the first condition that holds.

verdict = decide(evidence)
verdict.answer, verdict.reason, verdict.grouping, verdict.half, verdict.grade
"""

from collections.abc import Callable
from functools import partial
from math import nan

import numpy as np

from analysis.stats.validation.answers import Answer, Grade, Half, Reason, Verdict
from analysis.stats.validation.beyond import LENGTH
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Beyond, Evidence

MANY_MISSING = 0.1

Outcome = tuple[Answer, Reason, dict[str, object]]
Rule = Callable[[Evidence, Criteria, float], Outcome | None]


def decide(
    evidence: Evidence, criteria: Criteria | None = None, *, passes_correction: bool = True
) -> Verdict:
    """Return the verdict on one judge and one question: may it rate items?

    passes_correction: whether it holds over the family of judges too (correct_family). With known
    probabilities of the items each test is at criteria.alpha_weighted. "No" and "people disagree"
    rest on one-sided bounds that no correction widens.
    """
    criteria = criteria or Criteria()
    alpha = criteria.alpha_weighted if evidence.is_weighted else criteria.alpha
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
        warnings=collect_warnings(evidence, alpha),
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

    A judge that gives one answer only, or never the rarer one, counts with 1; one without
    comparable items or on a scale of its own does not count.
    """
    criteria = criteria or Criteria()
    if not evidence.n or evidence.is_fitted or evidence.level is None:
        return nan
    if evidence.has_one_point or _never_finds(evidence):
        return 1.0
    p = [evidence.agreement.retention(criteria.retention).p_above()]
    p += [evidence.level.p_within(evidence.level_margin)]
    halves = [beyond.agreement for beyond in evidence.beyond if beyond.agreement]
    p += [half.retention(criteria.beyond_retention).p_above() for half in halves]
    return float(np.max(np.nan_to_num(p, nan=1.0)))


def largest_people_p(evidence: Evidence) -> float:
    """Return the largest p of "raters agree", over all items and beyond each grouping."""
    p = [evidence.agreement.rho.p_above()]
    p += [beyond.agreement.rho.p_above() for beyond in evidence.beyond if beyond.agreement]
    return float(np.max(np.nan_to_num(p, nan=1.0)))


def collect_warnings(evidence: Evidence, alpha: float = 0.05) -> tuple[str, ...]:
    """Return the names of what a reader should know whatever the answer is."""
    warnings = {
        "closer_than_people": evidence.agreement.excess.p_above() < alpha,
        "seen_rater": len(evidence.seen_raters) > 0,
        "missing": evidence.share_missing > MANY_MISSING,
    }
    return tuple(name for name, holds in warnings.items() if holds)


def _ask_comparable(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if evidence.n and not evidence.is_fitted:
        return None
    return Answer.NOT_TESTABLE, Reason.NOT_COMPARABLE, {}


def _ask_amount(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    if evidence.agreement.is_constant:
        return Answer.NO, Reason.SAYS_NOTHING, {}
    enough = evidence.n >= criteria.fewest_items
    if enough and evidence.n_clusters >= criteria.fewest_clusters:
        return None
    return Answer.NOT_YET, Reason.TOO_FEW, {}


def _ask_people(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    rho = evidence.agreement.rho
    if np.isnan(rho.value) or (rho.value < criteria.floor and rho.upper(alpha) < criteria.hopeless):
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
    outcomes = (_ask_grouping(beyond, criteria, alpha) for beyond in evidence.beyond)
    return next((outcome for outcome in outcomes if outcome), None)


def _ask_grouping(beyond: Beyond, criteria: Criteria, alpha: float) -> Outcome | None:
    if beyond.agreement is None:
        return None
    rho = beyond.agreement.rho
    theta = beyond.agreement.retention(criteria.beyond_retention)
    people_pass, judge_passes = rho.p_above() < alpha, theta.p_above() < alpha
    if people_pass and judge_passes:
        return None
    is_flat = np.isnan(rho.value)
    if not people_pass and (is_flat or rho.upper(alpha) < criteria.beyond_floor):
        answer = Answer.PEOPLE_DISAGREE
    elif people_pass and (beyond.agreement.is_constant or theta.upper(alpha) < 0):
        answer = Answer.NO
    else:
        answer = Answer.NOT_YET
    reason = Reason.LENGTH_ONLY if beyond.name == LENGTH else Reason.SYSTEM_ONLY
    half = Half.JUDGE if people_pass else Half.PEOPLE
    return answer, reason, {"grouping": beyond.name, "half": half}


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


def _ask_rare_class(evidence: Evidence, criteria: Criteria, alpha: float) -> Outcome | None:
    rare = evidence.rare_class
    if rare and rare.n_majority < criteria.fewest_of_rare_class:
        return Answer.NOT_YET, Reason.UNDECIDED, {"missing": "rare_class"}
    if _never_finds(evidence):
        return Answer.NOT_YET, Reason.UNDECIDED, {"missing": "rare_answer"}
    return None


def _never_finds(evidence: Evidence) -> bool:
    """Return whether some answer is rare and the judge gives it to no item."""
    return evidence.rare_class is not None and not evidence.rare_class.n_marked


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
    _ask_points,
    _ask_level,
    _ask_rare_class,
)
