"""Plan from a pilot: draw studies of other sizes from its clusters, and decide each of them.

pilot = make_pilot(reference, judge)
curve = predict_states(pilot, [100, 200, 400], np.random.default_rng(1))
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.planning.drawn import Drawn
from analysis.stats.validation.answers import Reason
from analysis.stats.validation.beyond import SAME_WITHIN
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.people import People
from analysis.stats.validation.rare_class import MAJORITY, choose_rare_label
from analysis.stats.validation.reference import Reference
from analysis.stats.validation.small_groups import PeopleWithinGroups

DRAWS, PILOTS, DRAWS_A_PILOT = 500, 20, 25
ROUGH_BELOW, FEWEST = 100, 50  # items with two ratings
BATCH = 40_000  # ratings that are computed at once, over drawn studies


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
    hopeless = rho.value + rho.reach(alpha) < criteria.floor
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
    """Return the condition beyond all that is known of items; of raters what the pilot knows."""
    left, people, alpha = pilot.reference.left, drawn.people, criteria.alpha
    table = left.features.columns
    spread, n = SAME_WITHIN * _spread(drawn, judge), drawn.n_items[:, None]
    scale = np.sqrt(n / np.maximum(n - left.features.rank, 1))
    means = [drawn.sum_by_item(v) / people.m for v in values]
    rest = [
        v + (scale * (x - drawn.fit_columns(x, table)) - x)[:, people.item]
        for v, x in zip(values, means, strict=True)
    ]
    scored = [v - drawn.fit_columns(v, table) for v in judge]
    parts = [drawn.compare(rest, scored, criteria.beyond_retention, spread)]
    for _, kept, keep in left.small:
        if isinstance(kept, PeopleWithinGroups):
            inside = drawn.restrict(kept, keep)
            own = [v[:, keep[people.item]] for v in rest], [v[:, keep] for v in scored]
            parts.append(inside.compare(*own, criteria.beyond_retention, spread))
    passes = [p.rho.is_above(0.0, alpha) & p.theta.is_above(0.0, alpha) for p in parts]
    return [(~np.all(passes, axis=0), Reason.KNOWN_FEATURES)]


def _spread(drawn: Drawn, judge: list[Floats]) -> Floats:
    """Return the variance of the judge in each study, (B,)."""
    parts = [drawn.average((v - drawn.average(v)[:, None]) ** 2) for v in judge]
    return np.asarray(np.sum(parts, axis=0))


def _ask_level(
    pilot: Pilot, drawn: Drawn, values: list[Floats], judge: list[Floats], criteria: Criteria
) -> list[tuple[Flags, Reason]]:
    margin, alpha = criteria.level_margin, criteria.alpha
    margin = pilot.reference.level_margin if margin is None else margin
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
