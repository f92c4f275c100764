"""Look for declared groups of items in which a judge fails: languages, topics, recipients.

results = compare_groups(reference, judge, codes, 3)      a GroupResult for each group
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import as_codes
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.errors import Quantity
from analysis.stats.validation.evidence import Evidence, gather_evidence
from analysis.stats.validation.level import Level
from analysis.stats.validation.reference import Reference

MOST_GROUPS = 5


@dataclass(frozen=True)
class GroupResult:
    """Retention and level of one group.

    is_shown: a yes holds for this group too (30 items, and theta_k significantly above 0).
    fails_p: p of theta_k < 0 by Holm over the groups, NaN untestable; fails: it is below alpha.
    """

    group: int
    n: int
    n_clusters: int
    n_raters: int
    retention: Quantity
    level: Level | None
    is_shown: bool
    fails_p: float
    fails: bool


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
    evidence = []
    for place in range(n_groups):
        inside = plain.people.restrict(group[plain.people.rows] == place)
        evidence.append(
            gather_evidence(
                plain.with_people(inside), answers, criteria, has_own_scale=has_own_scale
            )
        )
    kept = [item.agreement.retention(criteria.retention) for item in evidence]
    p = holm([theta.p_below() for theta in kept])
    return tuple(
        _describe(place, item, theta, float(adjusted), criteria)
        for place, (item, theta, adjusted) in enumerate(zip(evidence, kept, p, strict=True))
    )


def _describe(
    group: int, evidence: Evidence, theta: Quantity, p: float, criteria: Criteria
) -> GroupResult:
    is_shown = evidence.n >= criteria.fewest_items and theta.lower(criteria.alpha) > 0
    fails = p < criteria.alpha
    sizes = evidence.n, evidence.n_clusters, evidence.n_raters
    return GroupResult(group, *sizes, theta, evidence.level, is_shown, p, fails)
