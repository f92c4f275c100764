"""Collect ratings from raters who drop out, look every ten items, and count wrong stops."""

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from analysis.stats.planning.stopping import (
    FIRST_LOOK,
    State,
    StoppingRule,
    agreement_check,
    complete_clusters,
    level_check,
    look,
    retention_check,
)
from analysis.stats.validation.checks import compare_beyond, measure_level
from analysis.stats.validation.evidence import gather_reference
from analysis.stats.validation.people import compare_judge, gather_people
from tests.analysis.stats.validation.simulated import FIVE, draw_means
from tests.calibration.crowds import KEPT, OF_LENGTH, compute_truth
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import most, not_above

NAME = "stopping"
TITLE = "The stopping rule"
RELIABILITY, M, ITEMS, EVERY, SESSION, AT_WORK = 0.3, 3, 600, 10, 10, 5
DROP_OUT = 0.2
LATER, MARGIN = 100, 0.25
STUDIES, FEW, RULE_STUDIES, FEW_RULES = 1000, 6, 1000, 3
ABOVE, ABOVE_LATER, BELOW = "theta > 0", f"theta > 0, looks from {LATER}", "theta < 0"
RULE, WHOLE_RULE = StoppingRule(), "stopping rule"
STATES = [state for state in State if state != State.CONTINUE]


@dataclass(frozen=True)
class Bounds:
    """A collection whose bounds of theta are followed, at theta = 0.

    size: items of a cluster; share: of clusters in quality; is_sample: whether raters count as a
    sample (None: where there are ten); at_work: raters at work at once.
    """

    size: int = 1
    share: float = 0.0
    drop_out: float = 0.0
    has_points: bool = True
    is_sample: bool | None = None
    at_work: int = AT_WORK


BOUNDS = {
    "normal scores, single items, one rater at a time, raters no sample": Bounds(
        has_points=False, is_sample=False, at_work=1
    ),
    "normal scores, single items, raters no sample": Bounds(has_points=False, is_sample=False),
    "normal scores, single items, nobody drops out": Bounds(has_points=False),
    "single items, nobody drops out": Bounds(),
    f"single items, {DROP_OUT:.0%} drop out": Bounds(drop_out=DROP_OUT),
    f"clusters of four items, {DROP_OUT:.0%} drop out": Bounds(4, 0.3, DROP_OUT),
}
# The whole rule on four systems, .2 of quality, contents as clusters, with drop-out
BOUNDARY, OFF, NOISE, SYSTEM, GOOD = (
    *("theta = 0", "q = .8, level off by the margin", "knows nothing", "knows only the system"),
    "q = .8",
)
JUDGES = (BOUNDARY, OFF, NOISE, SYSTEM, GOOD)


def collect(rng, n_items, size, drop_out, at_work=AT_WORK):
    """Yield (clusters complete, items, raters) at every look; a dropped session counts nothing.

    Sessions take the first ten items, in the stored order, that lack raters; some are at work at
    once and end in any order. Those who drop out leave their places to others.
    """
    places, filled = np.zeros(n_items, dtype=int), np.zeros(n_items, dtype=int)
    clusters = np.repeat(np.arange(n_items // size), size)
    active, items, raters, looked = [], [], [], 0
    number = 0
    while True:
        while len(active) < at_work and (free := np.flatnonzero(places < M)[:SESSION]).size:
            places[free] += 1
            active.append((number, free))
            number += 1
        if not active:
            return
        rater, own = active.pop(rng.integers(len(active)))
        if rng.random() < drop_out:
            places[own] -= 1
            continue
        filled[own] += 1
        items.append(own)
        raters.append(np.full(len(own), rater))
        unfinished = filled < M
        complete = int(unfinished.argmax()) if unfinished.any() else n_items
        if complete // EVERY > looked:
            looked = complete // EVERY
            t = complete_clusters(clusters, filled, M)
            if t >= FIRST_LOOK:
                yield t, np.concatenate(items), np.concatenate(raters)


def try_bounds(design, rng):
    """Follow the bounds of theta of a judge at theta = 0 over all looks."""
    size, share, has_points = design.size, design.share, design.has_points
    shared = np.repeat(rng.normal(size=ITEMS // size), size)
    quality = sqrt(share) * shared + sqrt(1 - share) * rng.normal(size=ITEMS)
    truth = compute_truth(RELIABILITY, drawn_share=share)
    q = truth.q_of_boundary if has_points else KEPT * sqrt(RELIABILITY)
    judge = 3 + q * quality + sqrt(1 - q**2) * rng.normal(size=ITEMS)
    outcomes = {ABOVE: False, ABOVE_LATER: False, BELOW: False}
    ratings = np.empty(0)
    for t, items, raters in collect(rng, ITEMS, size, design.drop_out, design.at_work):
        ratings = _rate(rng, quality, items, ratings, has_points)
        inside = items < t * size
        people = gather_people(
            ratings[inside],
            items[inside],
            raters[inside],
            t * size,
            clusters=np.arange(t * size) // size,
            is_sample=design.is_sample,
        )
        agreement = compare_judge(people, judge[people.rows, None])
        now = look(RULE, *_order(agreement), clusters=t)
        is_above = now.low[1] > 0
        outcomes[ABOVE] |= is_above
        outcomes[ABOVE_LATER] |= is_above and t >= LATER
        outcomes[BELOW] |= now.high[1] < 0
    return outcomes


def _rate(rng, quality, items, ratings, has_points):
    """Return the ratings so far with those of the items that have come since."""
    new = items[len(ratings) :]
    noise = sqrt(1 - RELIABILITY) * rng.normal(size=len(new))
    latent = 3 + sqrt(RELIABILITY) * quality[new] + noise
    return np.concatenate([ratings, np.clip(np.round(latent), 1, 5) if has_points else latent])


def _order(agreement, k=KEPT, name=""):
    """Return the checks that raters agree and that the judge keeps enough of it."""
    rho, r = agreement.rho, agreement.r
    retention = agreement.retention(k)
    return (
        agreement_check(rho.value, rho.error, f"agreement {name}"),
        retention_check(rho.value, r.value, retention.error, k, f"retention {name}"),
    )


def try_rule(rng):
    """Stop collecting for each judge where the rule says so, with all checks.

    The judges share one collection, which goes on until all have stopped. Returns {outcome of a
    judge and a state: whether it stopped so}.
    """
    systems, share, size = 4, 0.2, 4
    system = np.tile(np.arange(systems), ITEMS // size)
    effects = draw_means(rng, systems)
    own = rng.normal(size=ITEMS)
    quality = sqrt(share) * effects[system] + sqrt(1 - share) * own
    length = np.exp(6 + 0.5 * (OF_LENGTH * own + sqrt(1 - OF_LENGTH**2) * rng.normal(size=ITEMS)))
    truth = compute_truth(RELIABILITY, share, effects)
    judges = {name: _judge(name, rng, quality, effects[system], truth) for name in JUDGES}
    ratings, states = np.empty(0), dict.fromkeys(JUDGES, State.CONTINUE)
    for t, items, raters in collect(rng, ITEMS, size, DROP_OUT):
        ratings, n = _rate(rng, quality, items, ratings, True), t * size
        inside = items < n
        reference = gather_reference(
            ratings[inside],
            items[inside],
            raters[inside],
            n,
            FIVE,
            clusters=np.arange(n) // size,
            groupings={"system": system[:n]},
            lengths=length[:n],
        )
        for name in [name for name in JUDGES if states[name] == State.CONTINUE]:
            states[name] = _look(reference, judges[name], t, is_spent=n == ITEMS)
        if State.CONTINUE not in states.values():
            break
    return {_stopped(name, own): states[name] == own for name in JUDGES for own in STATES}


def _stopped(name, state):
    return f"{name}: {state}"


def _judge(name, rng, quality, by_system, truth):
    q = {BOUNDARY: truth.q_of_boundary, NOISE: 0.0, SYSTEM: 1.0}.get(name, 0.8)
    known_quality = by_system if name == SYSTEM else quality
    noise = rng.normal(size=len(quality))
    middle = truth.mean + (MARGIN if name == OFF else 0)
    return middle + 0.5 * (q * known_quality + sqrt(1 - q**2) * noise)


def _look(reference, judge, t, *, is_spent):
    people = reference.people
    scores = judge[people.rows, None]
    agreement = compare_judge(people, scores)
    level = measure_level(people, scores).largest
    others = [level_check(level.value, level.error, MARGIN, agreement.rho_value, agreement.r_value)]
    for name, part in compare_beyond(reference.left, scores):
        others += _order(part, 0.5, name)
    return look(RULE, *_order(agreement), others, clusters=t, is_budget_spent=is_spent).state


def experiments():
    """Return the bounds of theta in every design, and the rule for every judge."""
    bounds = [
        Experiment(_bounds_name(design), partial(try_bounds, options), STUDIES, FEW)
        for design, options in BOUNDS.items()
    ]
    return [*bounds, Experiment(WHOLE_RULE, try_rule, RULE_STUDIES, FEW_RULES)]


def _bounds_name(design):
    return f"bounds of theta, {design}"


def tables(tallies):
    """Return the tables of the bounds and of the rule."""
    outcomes = ABOVE, ABOVE_LATER, BELOW
    bounds = [
        Line(
            (design,),
            tuple(tallies[_bounds_name(design), outcome] for outcome in outcomes),
            (not_above(0.06),),
            BOUNDS_SAY,
        )
        for design in BOUNDS
    ]
    rules = []
    for judge in JUDGES:
        target = most(0.01) if judge in (NOISE, SYSTEM) else not_above(0.05)
        targets = (
            (target, None, None, None) if judge != GOOD else (None, not_above(0.05), None, None)
        )
        cells = tuple(tallies[WHOLE_RULE, _stopped(judge, state)] for state in STATES)
        rules.append(Line((judge,), cells, targets))
    return [
        Table(
            "Bounds of theta ever crossed at theta = 0", BOUNDS_TEXT, ("design", *outcomes), bounds
        ),
        Table("Where the rule stops", RULE_TEXT, ("judge", *map(str, STATES)), rules),
    ]


LOOKS = (
    f"A look every {EVERY} complete items from {FIRST_LOOK} clusters to {ITEMS} items, at the "
    f"longest run of complete clusters; reliability {RELIABILITY:g}, {M} ratings per item, "
    f"{AT_WORK} raters at work at once. The ratings of who drops out are lost, and others fill "
    "the places."
)
BOUNDS_TEXT = (
    f"{LOOKS} The share of studies in which the judge's theta, which is 0, is shown to be above "
    "(below) 0 at any look. The bounds are of level .05; the target allows .06, for they are "
    "asymptotic. The first two lines have standard errors from items alone, as with fewer than ten "
    "raters; in the others raters count as a sample, which makes the bounds wider. Where raters "
    "work one at a time there is a look at every ten items exactly; else some are passed over."
)
RULE_TEXT = (
    f"{LOOKS} {DROP_OUT:.0%} drop out; four systems carry .2 of quality, contents are the "
    "clusters. MAY asks for agreement, retention, level, and agreement and half of the retention "
    "beyond systems and length at once, all at one look. The judges share the collections."
)
BOUNDS_SAY = (
    "The report Stopping applies the rule and says that its bounds hold at all looks together; it "
    "does not say that they err a little more often at looks before 100 clusters. Looking from 100 "
    "clusters on, where clusters are single items, is the column beside it."
)
