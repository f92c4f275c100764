"""Compare a judge with recipients' own second answers, where each item has one rater.

answers = Repeats(first, second, recipients, Scale(1, 5))
evidence = gather_repeat_evidence(answers, judge)      for `decide`
"""

from dataclasses import dataclass, field
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.agreement import CONSTANT, Agreement
from analysis.stats.validation.beyond import (
    FEW_A_GROUP,
    FEWEST,
    JOINT,
    SAME_WITHIN,
    Known,
    describe_items,
)
from analysis.stats.validation.criteria import LEVEL_SDS, Criteria, Scale
from analysis.stats.validation.errors import FLAT, Errors, bounded, covariance_by_cluster
from analysis.stats.validation.evidence import (
    Beyond,
    Evidence,
    find_rare_class,
    follows_too_closely,
)
from analysis.stats.validation.level import Level

RECIPIENT = "recipient"
FEWEST_OF_A_RECIPIENT = 2  # an own error leaks into no product of a first and a second answer
NO_REPEAT = "no item has two answers and a judgment"
ALL_EQUAL = "all answers are equal"


@dataclass(frozen=True)
class Repeats:
    """Recipients' answers to their own items (n_items,), NaN = missing.

    second: the same recipient's answer when asked again. recipients: codes (n_items,).
    groupings, lengths: as in gather_reference; the recipients are always checked.
    """

    first: Floats
    second: Floats
    recipients: Ints
    scale: Scale
    groupings: dict[str, Ints] = field(default_factory=dict)
    lengths: Floats | None = None

    def __post_init__(self) -> None:
        """Refuse answers, codes and lengths of other numbers of items."""
        columns = (self.second, self.recipients, *self.groupings.values())
        lengths = () if self.lengths is None else (self.lengths,)
        if any(np.shape(column) != np.shape(self.first) for column in (*columns, *lengths)):
            raise ValueError("repeats: expected columns of the same number of items")


def gather_repeat_evidence(
    repeats: Repeats,
    judge: ArrayLike,
    criteria: Criteria | None = None,
    *,
    has_own_scale: bool = False,
    is_fitted: bool = False,
) -> Evidence:
    """Compute a judge's quantities with the second own answer in the place of a second rater.

    judge: (n_items,), NaN = none; one outside the scale counts as none. rho is of the repeated
    items, r of all items with a first answer. Evidence.n counts the repeated items; worth is in
    own answers; clusters are the recipients who answered some item twice. has_own_scale, is_fitted:
    as in gather_evidence. Raises ValueError for another shape.
    """
    criteria = criteria or Criteria()
    answers = np.asarray(judge, dtype=np.float64)
    if answers.shape != np.shape(repeats.first):
        raise ValueError(f"judge: expected {len(repeats.first)} values, found {answers.shape}")
    has_first, given = ~np.isnan(repeats.first), ~np.isnan(answers)
    inside = answers if has_own_scale else repeats.scale.keep_inside(answers)
    keep = has_first & ~np.isnan(inside)
    first, second, score = (v[keep] for v in (repeats.first, repeats.second, answers))
    codes, cluster = np.unique(repeats.recipients[keep], return_inverse=True)
    agreement = compare_repeats(first, second, score, cluster)
    margin = criteria.level_margin
    usual = max(repeats.scale.level_margin, LEVEL_SDS * float(first.std()) if len(first) else 0.0)
    return Evidence(
        n=int((~np.isnan(second)).sum()),
        n_clusters=agreement.errors.n_clusters,
        n_raters=len(codes),
        most_ratings=1,
        agreement=agreement,
        beyond=_compare_beyond(_known(repeats, keep, cluster), first, second, score, cluster),
        level=None if has_own_scale else _measure_level(score - first, cluster, len(codes)),
        level_margin=usual if margin is None else margin,
        held=follows_too_closely(agreement, criteria),
        n_missing=int((has_first & ~given).sum()),
        n_off_scale=int((has_first & given & ~keep).sum()),
        n_rated=int(keep.sum()),
        rare_class=None
        if has_own_scale
        else find_rare_class(first[:, None], score[:, None], repeats.scale, criteria.rare_share),
        is_fitted=is_fitted,
        r_squared=agreement.r_value**2,
    )


def compare_repeats(
    first: Floats, second: Floats, judge: Floats, cluster: Ints, floor: float | None = None
) -> Agreement:
    """Return r of judge and first answer, rho of first and second answer, with their errors.

    first, judge: (n,) without NaN; second: (n,), NaN = not asked again; cluster: codes (n,) of the
    recipients. floor: as in compare_judge. NaN without repeated items, or without variance. rho
    rests on the recipients who answered some item twice: their number counts as that of clusters.
    """
    n, is_repeated = len(first), ~np.isnan(second)
    n_repeated = int(is_repeated.sum())
    n_clusters = int(cluster.max(initial=-1)) + 1
    n_twice = len(np.unique(cluster[is_repeated]))
    empty = Errors(np.full((2, 2), nan), np.zeros((2, 2)), n_twice, n_twice)
    if not n_repeated:
        return Agreement(nan, nan, empty, n, nan, NO_REPEAT)
    z, again = first - first.mean(), np.where(is_repeated, second - first.mean(), 0.0)
    v_1, a, c = float(np.mean(z**2)), is_repeated * (z**2 + again**2) / 2, z * again
    v_h = float(a.sum()) / n_repeated
    if min(v_h, v_1) <= FLAT * float(np.mean(first**2)):
        return Agreement(nan, nan, empty, n, float(np.var(judge)), ALL_EQUAL)
    rho = bounded(float(c.sum()) / n_repeated / v_h)
    psi_h = (c - rho * a) / v_h * (n / n_repeated)
    centred = judge - judge.mean()
    v_f = float(np.mean(centred**2))
    is_constant = v_f <= (FLAT * float(np.mean(judge**2)) if floor is None else floor)
    scale = nan if is_constant else sqrt(v_f * v_1)
    f = centred * z
    r = bounded(float(f.mean()) / scale)
    psi_f = np.zeros(n) if is_constant else f / scale - r / 2 * (centred**2 / v_f + z**2 / v_1)
    psi = np.stack([psi_f, psi_h])
    items = covariance_by_cluster(psi, cluster, n_clusters, n_twice)
    errors = Errors(items, empty.raters, n_twice, n_twice)
    return Agreement(r, rho, errors, n, v_f, CONSTANT if is_constant else "", psi)


def _known(repeats: Repeats, keep: Flags, cluster: Ints) -> Known:
    groupings = {name: codes[keep] for name, codes in repeats.groupings.items()}
    lengths = None if repeats.lengths is None else repeats.lengths[keep]
    fewest = FEWEST | {RECIPIENT: FEWEST_OF_A_RECIPIENT}
    groupings |= {RECIPIENT: cluster}
    return describe_items(len(cluster), lengths, groupings, fewest=fewest)


def _compare_beyond(
    features: Known, first: Floats, second: Floats, judge: Floats, cluster: Ints
) -> Beyond:
    """Compare what is left of both answers and the judge; both lose the fit of the first."""
    skipped = features.skipped | dict.fromkeys(features.small, FEW_A_GROUP)
    if not len(first) or not features.names:
        return Beyond(skipped=skipped)
    own, scored = features.fit(np.column_stack([first, judge])).T
    floor = SAME_WITHIN * float(np.var(judge))
    left = compare_repeats(first - own, second - own, judge - scored, cluster, floor)
    return Beyond(((JOINT, left),), features.names, skipped)


def _measure_level(differences: Floats, cluster: Ints, n_clusters: int) -> Level:
    b = float(differences.mean()) if len(differences) else nan
    items = covariance_by_cluster((differences - b)[None], cluster, n_clusters)
    errors = Errors(items, np.zeros((1, 1)), n_clusters, n_clusters)
    return Level((errors.quantity(b, np.ones(1)),))
