"""Plan from a pilot: draw studies of other sizes from its clusters, and decide each of them.

pilot = make_pilot(reference, judge)
curve = predict_states(pilot, [100, 200, 400], np.random.default_rng(1))
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.planning.drawn import Agreements, Drawn
from analysis.stats.validation.answers import Reason
from analysis.stats.validation.beyond import LENGTH, SAME_WITHIN
from analysis.stats.validation.criteria import FEWEST_ITEMS_A_GROUP, Criteria
from analysis.stats.validation.people import People
from analysis.stats.validation.rare_class import MAJORITY, choose_rare_label
from analysis.stats.validation.reference import SAME_GROUPS, Reference
from analysis.stats.validation.small_groups import PeopleWithinGroups

DRAWS, PILOTS, DRAWS_A_PILOT = 500, 20, 25
ROUGH_BELOW, FEWEST = 100, 50  # items with two ratings
BATCH = 40_000  # ratings that are computed at once, over drawn studies

Comparison = Callable[[list[Floats], list[Floats], float], Agreements]


@dataclass(frozen=True)
class Pilot:
    """The items of a pilot with two ratings and a judgment: its people and the judge's (n, K)."""

    reference: Reference
    judge: Floats

    @property
    def people(self) -> People:
        """Return the people of these items."""
        return self.reference.people


@dataclass(frozen=True)
class Forecast:
    """What studies of one size would be told.

    items: of a study; shares: {reason: share of the draws}; yes: share of "may"; low, high: 10th
    and 90th percentile of that share over bootstrapped pilots; assurance: its mean over these.
    """

    items: int
    shares: dict[Reason, float]
    yes: float
    low: float
    high: float
    assurance: float


def make_pilot(reference: Reference, judge: Floats) -> Pilot:
    """Keep the items with two ratings and a judgment on the scale.

    judge: (n_items,) or indicators of labels (n_items, K), NaN = none.
    """
    table = judge[:, None] if judge.ndim == 1 else judge
    scores = reference.scale.keep_inside(table[reference.people.rows])
    inside = np.isnan(scores).sum(axis=1) == 0
    people = reference.people.restrict(inside)
    return Pilot(reference.with_people(people), scores[inside])


def predict_states(
    pilot: Pilot,
    sizes: list[int],
    rng: np.random.Generator,
    criteria: Criteria | None = None,
) -> list[Forecast]:
    """Predict for each number of items which verdicts studies of that size would get.

    500 studies are drawn from the pilot's clusters, and 25 from each of 20 bootstrapped pilots: the
    band holds a Monte Carlo error of .10 at most. The correction for several judges is left out.
    """
    n_clusters = pilot.people.n_clusters
    own = np.full(n_clusters, 1 / n_clusters)
    pilots = rng.multinomial(n_clusters, own, size=PILOTS) / n_clusters
    chances = np.vstack([np.tile(own, (DRAWS, 1)), np.repeat(pilots, DRAWS_A_PILOT, axis=0)])
    return [_forecast(pilot, size, chances, rng, criteria or Criteria()) for size in sizes]


def _forecast(
    pilot: Pilot, size: int, chances: Floats, rng: np.random.Generator, criteria: Criteria
) -> Forecast:
    drawn = int(np.ceil(pilot.people.n_clusters * size / pilot.people.n))
    counts = rng.multinomial(drawn, chances)
    step = max(BATCH // len(pilot.people.item), 1)
    starts = range(0, len(counts), step)
    batches = [states_of(pilot, counts[start : start + step], criteria) for start in starts]
    states = np.concatenate(batches)
    own, others = states[:DRAWS], states[DRAWS:] == Reason.MAY
    by_pilot = others.reshape(PILOTS, DRAWS_A_PILOT).mean(axis=1)
    low, high = np.quantile(by_pilot, [0.1, 0.9])
    shares = {reason: float((own == reason).mean()) for reason in Reason}
    return Forecast(
        size,
        {reason: share for reason, share in shares.items() if share},
        shares[Reason.MAY],
        float(low),
        float(high),
        float(by_pilot.mean()),
    )


def states_of(pilot: Pilot, counts: Floats | Ints, criteria: Criteria | None = None) -> Floats:
    """Return the reason (B,) of the verdict on each study with so many copies of each cluster.

    counts: (B, G). The conditions and their order are those of validation/verdict.py.
    """
    criteria = criteria or Criteria()
    drawn = Drawn(pilot.people, np.asarray(counts, dtype=np.float64))
    values = [np.broadcast_to(v, (len(counts), len(v))) for v in pilot.people.values.T]
    judge = [np.broadcast_to(v, (len(counts), len(v))) for v in pilot.judge.T]
    reasons = np.full(len(counts), Reason.MAY, dtype=object)
    conditions = [
        *_ask_all(drawn, values, judge, criteria),
        *_ask_beyond(pilot, drawn, values, judge, criteria),
        *_ask_level(pilot, drawn, values, judge, criteria),
        *_ask_rare_class(pilot, drawn, criteria),
    ]
    for holds, reason in reversed(conditions):
        reasons[holds] = reason
    return reasons


def _ask_all(
    drawn: Drawn, values: list[Floats], judge: list[Floats], criteria: Criteria
) -> list[tuple[Flags, Reason]]:
    """Return the conditions on all items, in order."""
    floor, alpha = drawn.flat_floor(judge), criteria.alpha
    agreement = drawn.compare(values, judge, criteria.retention, floor)
    rho, theta = agreement.rho, agreement.theta
    few = (drawn.n_items < criteria.fewest_items) | (drawn.n_clusters < criteria.fewest_clusters)
    low = rho.value < criteria.floor
    hopeless = low & (rho.value + rho.reach(alpha) < criteria.hopeless)
    return [
        (agreement.is_constant, Reason.SAYS_NOTHING),
        (few, Reason.TOO_FEW),
        (np.isnan(rho.value) | hopeless, Reason.RATERS_DISAGREE),
        (low | ~rho.is_above(0.0, alpha), Reason.PEOPLE_UNSURE),
        (theta.value + theta.reach(alpha) < 0, Reason.MAY_NOT),
        (~theta.is_above(0.0, alpha), Reason.UNDECIDED),
    ]


def _ask_beyond(
    pilot: Pilot, drawn: Drawn, values: list[Floats], judge: list[Floats], criteria: Criteria
) -> list[tuple[Flags, Reason]]:
    """Return the condition beyond the length and each grouping, in order."""
    alpha, conditions = criteria.alpha, []
    for name, compare in _checks(pilot, drawn):
        agreement = compare(values, judge, criteria.beyond_retention)
        passes = agreement.rho.is_above(0.0, alpha) & agreement.theta.is_above(0.0, alpha)
        reason = Reason.LENGTH_ONLY if name == LENGTH else Reason.SYSTEM_ONLY
        conditions.append((~passes, reason))
    return conditions


def _checks(pilot: Pilot, drawn: Drawn) -> Iterator[tuple[str, Comparison]]:
    """Yield (name, comparison of ratings and judge) of each check that studies would have."""
    people, reference = pilot.people, pilot.reference
    factor = float(drawn.n_items.mean()) / people.n
    if reference.lengths is not None:
        table = _length_columns(reference.lengths[people.rows])
        if table is not None:
            yield LENGTH, partial(_compare_left, drawn, partial(drawn.fit_columns, table=table))
    for within in reference.within:
        codes = reference.groupings.get(within.name)
        if codes is None or within.skipped == SAME_GROUPS:
            continue
        joined = _join_groups(codes[people.rows], people.cluster, factor)
        if joined is not None:
            fit = partial(drawn.average_by_group, codes=joined)
            yield within.name, partial(_compare_left, drawn, fit)
        elif isinstance(within.people, PeopleWithinGroups) and within.keep is not None:
            yield within.name, partial(_compare_inside, drawn, within.people, within.keep)


def _compare_left(
    drawn: Drawn,
    fit: Callable[[Floats], Floats],
    values: list[Floats],
    judge: list[Floats],
    k: float,
) -> Agreements:
    """Compare what a fit leaves of the ratings and of the judge."""
    people, spread = drawn.people, _spread(drawn, judge)
    means = [drawn.sum_by_item(v) / people.m for v in values]
    left = [v - fit(x)[:, people.item] for v, x in zip(values, means, strict=True)]
    return drawn.compare(left, [v - fit(v) for v in judge], k, SAME_WITHIN * spread)


def _compare_inside(
    drawn: Drawn,
    kept: PeopleWithinGroups,
    keep: Flags,
    values: list[Floats],
    judge: list[Floats],
    k: float,
) -> Agreements:
    """Compare within groups of few items."""
    inside, rated = drawn.restrict(kept, keep), keep[drawn.people.item]
    scored = [v[:, keep] for v in judge]
    floor = SAME_WITHIN * _spread(inside, scored)
    return inside.compare([v[:, rated] for v in values], scored, k, floor)


def _spread(drawn: Drawn, judge: list[Floats]) -> Floats:
    """Return the variance of the judge in each study, (B,)."""
    parts = [drawn.average((v - drawn.average(v)[:, None]) ** 2) for v in judge]
    return np.asarray(np.sum(parts, axis=0))


def _length_columns(lengths: Floats) -> Floats | None:
    """Return the columns (n, C) that the check of length takes out: as the pilot's deciles."""
    if np.ptp(lengths) == 0:
        return None
    log_length = np.log1p(lengths)
    deciles = np.unique(np.quantile(log_length, np.arange(1, 10) / 10))
    spread = (log_length - log_length.mean()) / log_length.std()
    return np.column_stack([np.ones(len(lengths)), spread, log_length[:, None] > deciles])


def _join_groups(codes: Ints, cluster: Ints, factor: float) -> Ints | None:
    """Return the codes of a grouping in a study `factor` times as large; None without a check.

    Groups that lie in one cluster each do not grow with the study, others do; small ones are
    joined, as validation/beyond.py does.
    """
    compact = np.unique(codes, return_inverse=True)[1]
    sizes = np.bincount(compact).astype(np.float64)
    pairs = np.unique(np.column_stack([compact, cluster]), axis=0)
    if len(pairs) > len(sizes):
        sizes = sizes * factor
    if sizes.sum() < FEWEST_ITEMS_A_GROUP * len(sizes):
        return None
    is_small = sizes < FEWEST_ITEMS_A_GROUP
    joined = np.where(is_small[compact], len(sizes), compact)
    joined = np.unique(joined, return_inverse=True)[1]
    return joined if joined.max() > 0 else None


def _ask_level(
    pilot: Pilot, drawn: Drawn, values: list[Floats], judge: list[Floats], criteria: Criteria
) -> list[tuple[Flags, Reason]]:
    margin, alpha = criteria.level_margin, criteria.alpha
    margin = pilot.reference.scale.level_margin if margin is None else margin
    levels = [drawn.measure_level(v, x) for v, x in zip(values, judge, strict=True)]
    off = [np.abs(level.value) - level.reach(alpha) > margin for level in levels]
    within = [level.is_within(margin, alpha) for level in levels]
    return [
        (np.any(off, axis=0), Reason.LEVEL_OFF),
        (~np.all(within, axis=0), Reason.ORDER_ONLY),
    ]


def _ask_rare_class(pilot: Pilot, drawn: Drawn, criteria: Criteria) -> list[tuple[Flags, Reason]]:
    """Return the condition on a rare answer, where the pilot has one."""
    means, scale = pilot.people.means, pilot.reference.scale
    if means.shape[1] == 1 and scale.step is not None and scale.step == scale.range:
        means = np.hstack([scale.high - means, means - scale.low]) / scale.range
    label = choose_rare_label(means, criteria.rare_share)
    if label is None:
        return []
    counts = drawn.weight @ (means[:, label] > MAJORITY)
    return [(counts < criteria.fewest_of_rare_class, Reason.UNDECIDED)]
