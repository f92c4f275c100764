"""Gather all that a verdict on one judge and one question rests on.

evidence = gather_evidence(reference, judge)              for each judge of the question
results = compare_groups(reference, judge, codes, 3)      a GroupResult for each group of items
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, as_codes
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.beyond import compare_beyond
from analysis.stats.validation.criteria import Criteria, Scale
from analysis.stats.validation.errors import Quantity, bounded
from analysis.stats.validation.held import CLOSE, CLOSER, Held, find_held
from analysis.stats.validation.level import Level, measure_level
from analysis.stats.validation.rare_class import (
    RareClass,
    choose_rare_label,
    measure_rare_class,
)
from analysis.stats.validation.reference import Reference
from analysis.stats.validation.rest import FEWEST, TIMES, Rest, ends_of


@dataclass(frozen=True)
class Beyond:
    """How judge and raters agree beyond all that is known of an item without reading it.

    parts: (name, agreement): the joint check, then those within small groupings; names: what the
    joint check takes out; skipped: {name: why} of what it could not.
    """

    parts: tuple[tuple[str, Agreement], ...] = ()
    names: tuple[str, ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)

    def judge_p(self, retention: float) -> float:
        """Return the p of theta' > 0 in every part; NaN without any."""
        return largest_p(part.retention(retention).p_above() for _, part in self.parts)

    @property
    def people_p(self) -> float:
        """Return the p of rho' > 0 in every part; NaN without any."""
        return largest_p(part.rho.p_above() for _, part in self.parts)

    def worst(self, retention: float) -> tuple[str, Agreement]:
        """Return the part with the largest p, the joint check of equal ones."""
        p = [
            largest_p((part.rho.p_above(), part.retention(retention).p_above()))
            for _, part in self.parts
        ]
        return self.parts[int(np.argmax(p))]


def largest_p(values: Iterable[float]) -> float:
    """Return the largest p, undefined ones as 1; NaN of none."""
    p = np.nan_to_num(list(values), nan=1.0)
    return float(p.max()) if len(p) else np.nan


@dataclass(frozen=True)
class Evidence:
    """The quantities of one judge and one question.

    n: items with two ratings and a judgment; n_single: with one rating; n_missing, n_off_scale:
    with two ratings, but no judgment or none on the scale; n_rated: items with a judgment that r
    rests on, where these are more than n. most_ratings: of an item.
    level: None for a judge on a scale of its own. has_one_point: its answers, rounded to
    the points of the scale, are all the same. held: what it holds of people's ratings; rest:
    whether it agrees without the plainest items, None where that is not asked. r_squared: of
    judgments and mean ratings. are_sample: whether raters count as one; is_binary: two answers.
    """

    n: int
    n_clusters: int
    n_raters: int
    most_ratings: int
    agreement: Agreement
    beyond: Beyond
    level: Level | None
    level_margin: float
    rare_class: RareClass | None = None
    n_single: int = 0
    n_missing: int = 0
    n_off_scale: int = 0
    n_rated: int = 0
    held: Held | None = None
    rest: Rest | None = None
    is_fitted: bool = False
    has_one_point: bool = False
    r_squared: float = np.nan
    are_sample: bool = True
    is_binary: bool = False

    @property
    def share_missing(self) -> float:
        """Return the share 0..1 of the items compared that have no judgment on the scale."""
        missing = self.n_missing + self.n_off_scale
        return missing / (missing + max(self.n, self.n_rated)) if missing else 0.0


def gather_evidence(
    reference: Reference,
    judge: ArrayLike,
    criteria: Criteria | None = None,
    *,
    has_own_scale: bool = False,
    is_fitted: bool = False,
) -> Evidence:
    """Compute the quantities of one judge on the items that it and two raters answered.

    judge: (n_items,) or, for labels, indicators (n_items, K); NaN is no judgment, and one outside
    the scale counts as none. has_own_scale: the judge does not answer on the raters' scale; then
    it has no level. is_fitted: the judge was fitted on these ratings. Raises ValueError for another
    shape.
    """
    criteria = criteria or Criteria()
    rows, answers = reference.people.rows, _as_columns(judge)
    if answers.shape[1] != reference.people.values.shape[1] or len(answers) <= rows.max(initial=-1):
        raise ValueError(f"judge: expected a row for each item, found shape {answers.shape}")
    given = ~np.isnan(answers[rows].sum(axis=1))
    inside = given if has_own_scale else given & _is_inside(answers[rows], reference.scale)
    here = reference.with_people(reference.people.restrict(inside))
    people, scores = here.people, answers[rows][inside]
    margin = criteria.level_margin
    agreement, beyond = compare_judge(people, scores), _compare_beyond(here, scores)
    passes = agreement.retention(criteria.retention).p_above() < criteria.alpha
    if beyond.parts:
        passes &= max(beyond.judge_p(criteria.beyond_retention), beyond.people_p) < criteria.alpha
    return Evidence(
        n=people.n,
        n_clusters=people.n_clusters,
        n_raters=people.n_raters,
        most_ratings=int(people.m.max(initial=0)),
        agreement=agreement,
        beyond=beyond,
        level=None if has_own_scale else measure_level(people, scores),
        level_margin=reference.level_margin if margin is None else margin,
        held=_find_held(reference, answers, has_own_scale, agreement, criteria),
        rest=_measure_rest(here, scores) if passes else None,
        rare_class=None
        if has_own_scale
        else find_rare_class(people.means, scores, here.scale, criteria.rare_share),
        n_single=people.n_single,
        n_missing=int((~given).sum()),
        n_off_scale=int((given & ~inside).sum()),
        is_fitted=is_fitted,
        has_one_point=not has_own_scale and has_one_point(scores, here.scale),
        r_squared=_squared_correlation(people.means, scores),
        are_sample=people.adds_raters,
        is_binary=here.scale.step == here.scale.range,
    )


def _find_held(
    reference: Reference,
    answers: Floats,
    has_own_scale: bool,
    agreement: Agreement,
    criteria: Criteria,
) -> Held | None:
    scale = reference.scale
    given = answers if has_own_scale else scale.keep_inside(answers)
    results = (
        (name, find_held(table, given[:, 0], scale)) for name, table in reference.rated.items()
    )
    held = next((replace(own, question=name) for name, own in results if own), None)
    return held or follows_too_closely(agreement, criteria)


def follows_too_closely(agreement: Agreement, criteria: Criteria) -> Held | None:
    """Say whether a judge follows people closer than people can, which a mean of ratings does."""
    rho = agreement.rho
    agree = rho.value >= criteria.floor and rho.p_above() < criteria.alpha
    if agree and agreement.excess.p_above() < CLOSER:
        return Held(CLOSE, 0, agreement.n, np.nan)
    return None


def _measure_rest(here: Reference, scores: Floats) -> Rest | None:
    """Ask whether judge and raters agree beyond what is known, without the items at an end."""
    if scores.shape[1] > 1 or here.scale.step == here.scale.range:
        return None
    own = [(out, here.with_people(here.people.restrict(~out))) for out in ends_of(scores[:, 0])]
    rests = [
        Rest(
            1.0 if (~out).sum() < FEWEST else times * _p_of_rest(rest, scores[~out]),
            float(out.mean()),
        )
        for times, parts in ((1, own), (TIMES, here.rests))
        for out, rest in parts
    ]
    return max(rests, key=lambda rest: rest.p, default=None)


def _p_of_rest(rest: Reference, scores: Floats) -> float:
    """Return the p of r' > 0 on these items; 1 for a judge that is constant there."""
    return largest_p([compare_beyond(rest.left, scores)[0][1].r.p_above()])


def _as_columns(judge: ArrayLike) -> Floats:
    answers = np.asarray(judge, dtype=np.float64)
    answers = answers[:, None] if answers.ndim == 1 else answers
    if answers.ndim != 2:
        raise ValueError(f"judge: expected (items,) or (items, labels), found {answers.shape}")
    return answers


def _is_inside(answers: Floats, scale: Scale) -> Flags:
    return ~np.isnan(scale.keep_inside(answers).sum(axis=1))


def _compare_beyond(here: Reference, scores: Floats) -> Beyond:
    if not here.people.n:
        return Beyond()
    left = here.left
    parts = compare_beyond(left, scores)
    return Beyond(parts if left.features.names else parts[1:], left.features.names, left.skipped)


def find_rare_class(
    means: Floats, scores: Floats, scale: Scale, rare_share: float
) -> RareClass | None:
    """Return recall and precision for the rare label of a binary question or a choice.

    means, scores: of people and judge, (n, K). None where no label is rare.
    """
    if means.shape[1] == 1 and scale.step is not None and scale.step == scale.range:
        means, scores = (
            np.hstack([scale.high - values, values - scale.low]) / scale.range
            for values in (means, scores)
        )
    label = choose_rare_label(means, rare_share) if len(means) else None
    return None if label is None else measure_rare_class(means[:, label], scores[:, label], label)


def has_one_point(scores: Floats, scale: Scale) -> bool:
    """Return whether answers, rounded to the points of the scale, are all the same.

    scores: without NaN. A scale without a step has no points to round to, and none is no answer.
    """
    return scale.step is not None and scores.size > 0 and bool(np.ptp(scale.round(scores)) == 0)


def _squared_correlation(first: Floats, second: Floats) -> float:
    """Return the squared correlation of (n, K) with (n, K); NaN where one is constant."""
    if not len(first):
        return np.nan
    x, y = first - first.mean(axis=0), second - second.mean(axis=0)
    scale = float((x * x).sum() * (y * y).sum())
    return bounded(float((x * y).sum() ** 2 / scale)) if scale > 0 else np.nan


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
