"""Gather all that a verdict on one judge and one question rests on.

reference = gather_reference(values, items, raters, n_items, Scale(1, 5),
                             clusters=contents, groupings={"system": systems})
evidence = gather_evidence(reference, judge)              for each judge of the question
evidence = gather_repeat_evidence(Repeats(first, second, recipients, Scale(1, 5)), judge)
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import Flags, Floats, Ints, as_codes
from analysis.stats.validation.checks import (
    FEW_A_GROUP,
    FEWEST_OF_REST,
    ITEMS_A_GROUP,
    JOINT,
    LENGTH,
    RATERS,
    SAME_WITHIN,
    TIMES,
    Held,
    Known,
    Left,
    Level,
    RareClass,
    RatingTable,
    Rest,
    compare_beyond,
    describe_items,
    ends_of,
    find_held,
    find_rare_class,
    follows_too_closely,
    measure_level,
    raters_other_ratings,
    tabulate_ratings,
    take_out,
)
from analysis.stats.validation.criteria import FEWEST_RATERS, LEVEL_SDS, Criteria, Scale
from analysis.stats.validation.people import (
    CONSTANT,
    FLAT,
    Agreement,
    Errors,
    People,
    bounded,
    compare_judge,
    covariance_by_cluster,
    effective_number,
    gather_people,
)


@dataclass(frozen=True)
class Reference:
    """What judges of a question are compared with: its people, groupings and lengths.

    groupings: {name: codes (n_items,)}; lengths: (n_items,) or None; tables: {question: ratings}
    that a judge may hold, its own question's under "".
    """

    people: People
    scale: Scale
    groupings: dict[str, Ints] = field(default_factory=dict)
    lengths: Floats | None = None
    tables: dict[str, RatingTable] | None = None

    @cached_property
    def level_margin(self) -> float:
        """Return how far a judge's mean may be off: the scale's margin, or .2 SD of the ratings."""
        values = self.people.values
        spread = float(values.std()) if values.size and values.shape[1] == 1 else 0.0
        return max(self.scale.level_margin, LEVEL_SDS * spread)

    @cached_property
    def rated(self) -> dict[str, RatingTable]:
        """Return the tables of ratings that a judge may hold; of a choice none."""
        if self.people.values.shape[1] > 1 or not self.people.n:
            return {}
        own = self.tables
        return {"": tabulate_ratings(self.people, self.scale)} if own is None else own

    @cached_property
    def rests(self) -> list[tuple[Flags, "Reference"]]:
        """Return the items at either end of people's means, and the reference of the others."""
        return [
            (out, self.with_people(self.people.restrict(~out)))
            for out in ends_of(self.people.means[:, 0])
        ]

    @cached_property
    def left(self) -> Left:
        """Return the people beyond all that is known of their items."""
        people, rows = self.people, self.people.rows
        few = people.counts[~people.is_in_panel]
        # Fewer raters share most items, so that their other ratings tell this one's.
        is_crowd = effective_number(few) >= FEWEST_RATERS
        features = describe_items(
            people.n,
            None if self.lengths is None else self.lengths[rows],
            {name: codes[rows] for name, codes in self.groupings.items()},
            {RATERS: raters_other_ratings(people)} if is_crowd else None,
        )
        return take_out(people, features)

    def with_people(self, people: People) -> "Reference":
        """Return the reference of some of its people."""
        if people is self.people:
            return self
        return replace(self, people=people)


def gather_reference(
    values: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    n_items: int,
    scale: Scale,
    *,
    groupings: dict[str, Ints] | None = None,
    lengths: ArrayLike | None = None,
    **options: ArrayLike | bool | None,
) -> Reference:
    """Gather a question's people with what else may explain their ratings.

    values, items, raters, options: as in gather_people. scale: SHARES for indicators of labels.
    groupings: {name: codes (n_items,)}, checked in this order. lengths: (n_items,), characters or
    entries; NaN counts as 0. Raises ValueError for other shapes.
    """
    people = gather_people(values, items, raters, n_items, **options)  # type: ignore[arg-type]
    checked = {name: as_codes(c, name, n_items) for name, c in (groupings or {}).items()}
    if lengths is None:
        return Reference(people, scale, checked)
    long = np.nan_to_num(np.asarray(lengths, dtype=np.float64))
    if long.shape != (n_items,) or (long < 0).any():
        raise ValueError(f"{LENGTH}: expected {n_items} values of at least 0")
    return Reference(people, scale, checked, long)


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

    n: items with two ratings and a judgment; n_missing: with two ratings, but no judgment on the
    scale; n_rated: items with a judgment that r rests on, where these are more than n.
    most_ratings: of an item.
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
    n_missing: int = 0
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
        missing = self.n_missing
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
    if not has_own_scale:
        answers = reference.scale.keep_inside(answers)
    inside = ~np.isnan(answers[rows].sum(axis=1))
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
        held=_find_held(reference, answers, agreement, criteria),
        rest=_measure_rest(here, scores) if passes else None,
        rare_class=None
        if has_own_scale
        else find_rare_class(people.means, scores, here.scale, criteria.rare_share),
        n_missing=int((~inside).sum()),
        is_fitted=is_fitted,
        has_one_point=not has_own_scale and has_one_point(scores, here.scale),
        r_squared=_squared_correlation(people.means, scores),
        are_sample=people.adds_raters,
        is_binary=here.scale.step == here.scale.range,
    )


def _find_held(
    reference: Reference, answers: Floats, agreement: Agreement, criteria: Criteria
) -> Held | None:
    """Say what a judge holds of people's ratings; answers: those on people's scale, else all."""
    results = (
        (name, find_held(table, answers[:, 0], reference.scale))
        for name, table in reference.rated.items()
    )
    held = next((replace(own, question=name) for name, own in results if own), None)
    return held or follows_too_closely(agreement, criteria)


def _measure_rest(here: Reference, scores: Floats) -> Rest | None:
    """Ask whether judge and raters agree beyond what is known, without the items at an end."""
    if scores.shape[1] > 1 or here.scale.step == here.scale.range:
        return None
    own = [(out, here.with_people(here.people.restrict(~out))) for out in ends_of(scores[:, 0])]
    rests = [
        Rest(
            1.0 if (~out).sum() < FEWEST_OF_REST else times * _p_of_rest(rest, scores[~out]),
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


def _compare_beyond(here: Reference, scores: Floats) -> Beyond:
    if not here.people.n:
        return Beyond()
    left = here.left
    parts = compare_beyond(left, scores)
    return Beyond(parts if left.features.names else parts[1:], left.features.names, left.skipped)


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
    has_first = ~np.isnan(repeats.first)
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
        beyond=_compare_left(_known(repeats, keep, cluster), first, second, score, cluster),
        level=None if has_own_scale else _measure_level(score - first, cluster, len(codes)),
        level_margin=usual if margin is None else margin,
        held=follows_too_closely(agreement, criteria),
        n_missing=int((has_first & ~keep).sum()),
        n_rated=int(keep.sum()),
        rare_class=None
        if has_own_scale
        else find_rare_class(first[:, None], score[:, None], repeats.scale, criteria.rare_share),
        is_fitted=is_fitted,
        has_one_point=not has_own_scale and has_one_point(score, repeats.scale),
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
    fewest = ITEMS_A_GROUP | {RECIPIENT: FEWEST_OF_A_RECIPIENT}
    groupings |= {RECIPIENT: cluster}
    return describe_items(len(cluster), lengths, groupings, fewest=fewest)


def _compare_left(
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
