"""Decide whether a judge may rate items in place of a rater, by the first condition that holds.

verdict = decide(evidence)
verdict.answer, verdict.reason, verdict.grouping, verdict.half, verdict.grade
family = correct_family(judge_p, people_p, question)      family.passes, family.p_adjusted
results = compare_groups(reference, judge, codes, 3)      a GroupResult for each group of items
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, as_codes, as_floats
from analysis.stats.validation.checks import JOINT
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence, Reference, gather_evidence, largest_p
from analysis.stats.validation.people import Agreement, Quantity


class Answer(StrEnum):
    """The five answers."""

    YES = "yes"
    NOT_YET = "not_yet"
    NO = "no"
    PEOPLE_DISAGREE = "people_disagree"
    NOT_TESTABLE = "not_testable"


class Reason(StrEnum):
    """Why an answer was given, in the order in which conditions are asked."""

    NOT_COMPARABLE = "not_comparable"
    HOLDS_RATINGS = "holds_ratings"
    SAYS_NOTHING = "says_nothing"
    TOO_FEW = "too_few"
    RATERS_DISAGREE = "raters_disagree"
    PEOPLE_UNSURE = "people_unsure"
    MAY_NOT = "may_not"
    UNDECIDED = "undecided"
    KNOWN_FEATURES = "known_features"
    EXTREMES_ONLY = "extremes_only"
    LEVEL_OFF = "level_off"
    ORDER_ONLY = "order_only"
    MAY = "may"
    NO_DIFFERENCE = "no_difference"  # these three: of systems
    FAVOURS = "favours"
    FEW_SYSTEMS = "few_systems"


class Half(StrEnum):
    """Which half of the check beyond all that is known of an item failed."""

    PEOPLE = "people"
    JUDGE = "judge"


class Grade(StrEnum):
    """How much a yes says: a share of a rater, one rater, or a panel as large as the raters'."""

    SHARE = "share"
    RATER = "rater"
    PANEL = "panel"


@dataclass(frozen=True)
class Verdict:
    """An answer with its reason.

    half: of a failed check beyond what is known of items; grouping: the small one in which it
    failed, blank where it is the joint check. missing: what else a "not yet" waits for
    ("correction", "scale", "points", "groups"). grade: of a yes.
    warnings: "missing".
    """

    answer: Answer
    reason: Reason
    grouping: str = ""
    half: Half | None = None
    missing: str = ""
    grade: Grade | None = None
    warnings: tuple[str, ...] = ()


MANY_MISSING = 0.1

Condition = tuple[bool, Answer, Reason, dict[str, object]]


def decide(
    evidence: Evidence, criteria: Criteria | None = None, *, passes_correction: bool = True
) -> Verdict:
    """Return the verdict on one judge and one question: may it rate items?

    passes_correction: whether it holds over the family of judges too (correct_family). "No"
    and "people disagree" rest on one-sided bounds that no correction widens.
    """
    criteria = criteria or Criteria()
    conditions = _conditions(evidence, criteria, passes_correction)
    _, answer, reason, details = next(condition for condition in conditions if condition[0])
    return Verdict(
        answer,
        reason,
        warnings=("missing",) if evidence.share_missing > MANY_MISSING else (),
        **details,  # type: ignore[arg-type]
    )


def _conditions(evidence: Evidence, criteria: Criteria, passes: bool) -> Iterator[Condition]:
    """Yield (whether it holds, answer, reason, details) in the order in which they are asked.

    The first that holds decides; what comes after it is not computed.
    """
    alpha, agreement, level = criteria.alpha, evidence.agreement, evidence.level
    not_yet, no = Answer.NOT_YET, Answer.NO
    is_given = evidence.n > 0 and not evidence.is_fitted
    yield not is_given, Answer.NOT_TESTABLE, Reason.NOT_COMPARABLE, {}
    yield bool(evidence.held), Answer.NOT_TESTABLE, Reason.HOLDS_RATINGS, {}
    yield agreement.is_constant, no, Reason.SAYS_NOTHING, {}
    yield evidence.n < criteria.fewest_items, not_yet, Reason.TOO_FEW, {}
    yield evidence.n_clusters < criteria.fewest_clusters, not_yet, Reason.TOO_FEW, {}
    rho, theta = agreement.rho, agreement.retention(criteria.retention)
    is_hopeless = np.isnan(rho.value) or rho.upper(alpha) < criteria.floor
    yield is_hopeless, Answer.PEOPLE_DISAGREE, Reason.RATERS_DISAGREE, {}
    are_sure = rho.value >= criteria.floor and rho.p_above() < alpha
    yield not are_sure, not_yet, Reason.PEOPLE_UNSURE, {}
    yield theta.upper(alpha) < 0, no, Reason.MAY_NOT, {}
    yield not theta.p_above() < alpha, not_yet, Reason.UNDECIDED, {}
    for name, part in evidence.beyond.parts:
        yield _ask_part(name, part, criteria)
    p_of_rest = evidence.rest.p if evidence.rest else 0.0
    yield not p_of_rest < alpha, no, Reason.EXTREMES_ONLY, {}
    yield evidence.has_one_point, not_yet, Reason.ORDER_ONLY, {"missing": "points"}
    if level is None:
        yield True, not_yet, Reason.ORDER_ONLY, {"missing": "scale"}
        return
    yield level.is_off(evidence.level_margin, alpha), no, Reason.LEVEL_OFF, {}
    is_near = level.p_within(evidence.level_margin) < alpha
    yield not is_near, not_yet, Reason.ORDER_ONLY, {}
    yield not passes, not_yet, Reason.UNDECIDED, {"missing": "correction"}
    yield True, Answer.YES, Reason.MAY, {"grade": grade_worth(evidence, alpha)}


def _ask_part(name: str, agreement: Agreement, criteria: Criteria) -> Condition:
    """Return the condition that a part of the check beyond what is known of items fails."""
    alpha, rho = criteria.alpha, agreement.rho
    theta = agreement.retention(criteria.beyond_retention)
    people_pass, judge_passes = rho.p_above() < alpha, theta.p_above() < alpha
    answer = Answer.NOT_YET
    if not people_pass and (np.isnan(rho.value) or rho.upper(alpha) < criteria.floor):
        answer = Answer.PEOPLE_DISAGREE
    elif people_pass and (agreement.is_constant or theta.upper(alpha) < 0):
        answer = Answer.NO
    half = Half.JUDGE if people_pass else Half.PEOPLE
    details: dict[str, object] = {"grouping": "" if name == JOINT else name, "half": half}
    return not (people_pass and judge_passes), answer, Reason.KNOWN_FEATURES, details


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


MOST_GROUPS = 5


@dataclass(frozen=True)
class GroupResult:
    """The evidence of one group, its retention, and what follows of them.

    fails_p: p of theta_k < 0 by Holm over the groups, NaN untestable; below alpha the answer is no.
    A yes holds for a group of 30 items in which theta_k is significantly above 0.
    """

    evidence: Evidence
    retention: Quantity
    fails_p: float
    answer: Answer
    reason: Reason


def compare_groups(
    reference: Reference,
    judge: ArrayLike,
    codes: ArrayLike,
    n_groups: int,
    criteria: Criteria | None = None,
    *,
    has_own_scale: bool = False,
) -> tuple[GroupResult, ...]:
    """Compare the judge with the raters within each declared group of items.

    judge: (n_items,) or (n_items, K), NaN = none; codes: (n_items,), below n_groups. A group
    without items has NaN. has_own_scale: the judge has no level. Raises ValueError for more than
    five groups, or other shapes.
    """
    criteria = criteria or Criteria()
    answers = np.asarray(judge, dtype=np.float64)
    group = as_codes(codes, "codes", len(answers))
    if n_groups > MOST_GROUPS or (len(group) and group.max() >= n_groups):
        raise ValueError(f"codes: expected at most {MOST_GROUPS} groups, below n_groups")
    plain = Reference(reference.people, reference.scale, tables={})
    inside = [plain.people.restrict(group[plain.people.rows] == g) for g in range(n_groups)]
    evidence = [
        gather_evidence(plain.with_people(own), answers, criteria, has_own_scale=has_own_scale)
        for own in inside
    ]
    kept = [item.agreement.retention(criteria.retention) for item in evidence]
    results = []
    for own, theta, p in zip(
        evidence, kept, holm([theta.p_below() for theta in kept]).tolist(), strict=True
    ):
        answer, reason = Answer.NOT_YET, Reason.UNDECIDED
        if p < criteria.alpha:
            answer, reason = Answer.NO, Reason.MAY_NOT
        elif own.n < criteria.fewest_items:
            reason = Reason.TOO_FEW
        elif theta.lower(criteria.alpha) > 0:
            answer, reason = Answer.YES, Reason.MAY
        results.append(GroupResult(own, theta, p, answer, reason))
    return tuple(results)
