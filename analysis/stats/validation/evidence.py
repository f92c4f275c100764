"""Gather all that a verdict on one judge and one question rests on.

evidence = gather_evidence(reference, judge)      for each judge of the question
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.beyond import Within, compare_beyond
from analysis.stats.validation.closeness import measure_closeness
from analysis.stats.validation.criteria import Criteria, Scale
from analysis.stats.validation.errors import Quantity, bounded
from analysis.stats.validation.familiarity import find_seen_raters
from analysis.stats.validation.level import Level, measure_level
from analysis.stats.validation.rare_class import (
    RareClass,
    choose_rare_label,
    measure_rare_class,
)
from analysis.stats.validation.reference import Reference


@dataclass(frozen=True)
class Beyond:
    """How judge and raters agree beyond a grouping; skipped: why there is no such check."""

    name: str
    agreement: Agreement | None = None
    skipped: str = ""


@dataclass(frozen=True)
class Evidence:
    """The quantities of one judge and one question.

    n: items with two ratings and a judgment; n_single: with one rating; n_missing, n_off_scale:
    with two ratings, but no judgment or none on the scale; n_rated: items with a judgment that r
    rests on, where these are more than n. most_ratings: of an item.
    level, closeness: None for a judge on a scale of its own. has_one_point: its answers, rounded to
    the points of the scale, are all the same. seen_raters: codes of raters whose answers the judge
    may have seen. r_squared: of judgments and mean ratings.
    """

    n: int
    n_clusters: int
    n_raters: int
    most_ratings: int
    agreement: Agreement
    beyond: tuple[Beyond, ...]
    level: Level | None
    level_margin: float
    closeness: Quantity | None = None
    rare_class: RareClass | None = None
    n_single: int = 0
    n_missing: int = 0
    n_off_scale: int = 0
    n_rated: int = 0
    is_weighted: bool = False
    is_fitted: bool = False
    has_one_point: bool = False
    seen_raters: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    r_squared: float = np.nan

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
    margin = here.scale.level_margin if margin is None else margin
    return Evidence(
        n=people.n,
        n_clusters=people.n_clusters,
        n_raters=people.n_raters,
        most_ratings=int(people.m.max(initial=0)),
        agreement=compare_judge(people, scores),
        beyond=tuple(_compare_within(within, scores) for within in here.within),
        level=None if has_own_scale else measure_level(people, scores),
        level_margin=margin,
        closeness=None if has_own_scale else measure_closeness(people, scores, here.scale),
        rare_class=None
        if has_own_scale
        else find_rare_class(people.means, scores, here.scale, criteria.rare_share),
        n_single=people.n_single,
        n_missing=int((~given).sum()),
        n_off_scale=int((given & ~inside).sum()),
        is_weighted=people.is_weighted,
        is_fitted=is_fitted,
        has_one_point=not has_own_scale and has_one_point(scores, here.scale),
        seen_raters=find_seen_raters(people, scores),
        r_squared=_squared_correlation(people.means, scores),
    )


def _as_columns(judge: ArrayLike) -> Floats:
    answers = np.asarray(judge, dtype=np.float64)
    answers = answers[:, None] if answers.ndim == 1 else answers
    if answers.ndim != 2:
        raise ValueError(f"judge: expected (items,) or (items, labels), found {answers.shape}")
    return answers


def _is_inside(answers: Floats, scale: Scale) -> Flags:
    return ~np.isnan(scale.keep_inside(answers).sum(axis=1))


def _compare_within(within: Within, scores: Floats) -> Beyond:
    if within.skipped:
        return Beyond(within.name, skipped=within.skipped)
    return Beyond(within.name, compare_beyond(within, scores))


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
