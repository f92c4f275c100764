"""Attack the verdict with judges that know several things at once, spot a few items, or copy."""

from dataclasses import dataclass, replace
from functools import partial
from math import sqrt

import numpy as np
from scipy.stats import norm

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import Reference, gather_evidence, gather_reference
from tests.analysis.stats.validation.simulated import draw_means
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import least, most, not_above

NAME = "attacks"
TITLE = "Attacks"
STUDIES, FEW = 300, 6
ITEMS, RATINGS, EACH = 300, 3, 10
RELIABILITIES = (0.1, 0.3, 0.6)
YES, TOLD, LEVEL = "yes", "told that it holds them", "level is near at the margin"


@dataclass
class World:
    """A study: reference of its question, quality (n,), what items belong to, ratings by item."""

    reference: Reference
    quality: np.ndarray
    system: np.ndarray
    topic: np.ndarray
    length: np.ndarray
    slots: np.ndarray
    ratings: np.ndarray
    raters: np.ndarray
    leniency: np.ndarray
    rng: np.random.Generator
    answer: object

    def draw_rating(self, reliability):
        """One more rater's answers (n,)."""
        noise = self.rng.normal(size=len(self.quality))
        return self.answer(sqrt(reliability) * self.quality + sqrt(1 - reliability) * noise)

    def first_ratings(self):
        """The first rating of each item (n,)."""
        first = np.full(len(self.quality), np.nan)
        first[self.slots[::-1]] = self.ratings[::-1]
        return first

    def know(self, *columns):
        """What a judge says that knows only these codes or numbers: the fit of people's means."""
        means = self.reference.people.means[:, 0]
        tables = [
            column[:, None] if column.dtype.kind == "f" else np.eye(column.max() + 1)[column]
            for column in columns
        ]
        table = np.hstack([np.ones((len(means), 1)), *tables])
        return table @ np.linalg.lstsq(table, means, rcond=None)[0]


def answer_on(points, shares=None):
    """Return (scale, the function from latent values of SD 1 to answers on these points).

    shares: of the points in the ratings; by default five, or more, points around the middle.
    """
    if shares is not None:
        cuts = norm.ppf(np.cumsum(shares)[:-1])
        return Scale(1, points), lambda latent: 1.0 + np.searchsorted(cuts, latent)
    middle, width = (1 + points) / 2, (points - 1) / 4
    return Scale(1, points), lambda latent: np.clip(np.round(middle + width * latent), 1, points)


def make_world(
    rng,
    reliability,
    *,
    scale=None,
    systems=4,
    topics=5,
    shares=(0.0, 0.0, 0.0),
    leniency=0.0,
    heavy=False,
    broken=0.0,
    rest=None,
):
    """Simulate 300 items by three raters of ten items each.

    shares: of systems, topics and their cells in the variance of quality, which correlates .4 with
    the length; leniency: of raters in what is not quality; heavy: one of 31 raters has half of all
    ratings; broken: share of items to which everybody gives the lowest answer.
    """
    scale, answer = scale or answer_on(5)
    place = np.arange(ITEMS)
    system, topic = place % systems, place // systems % topics
    own = rng.normal(size=ITEMS)
    length_z = 0.4 * own + sqrt(1 - 0.16) * rng.normal(size=ITEMS)
    codes = system, topic, system * topics + topic
    quality = sqrt(1 - sum(shares)) * own
    for share, code in zip(shares, codes, strict=True):
        quality += sqrt(share) * draw_means(rng, code.max() + 1)[code]
    slots = np.concatenate([rng.permutation(ITEMS) for _ in range(RATINGS)])
    raters = np.arange(len(slots)) // EACH
    if heavy:
        slots = np.concatenate([place, rng.permutation(ITEMS)])
        raters = np.concatenate([np.zeros(ITEMS, int), 1 + place // EACH])
    by_rater = rng.normal(size=raters.max() + 1)
    noise = sqrt(leniency) * by_rater[raters] + sqrt(1 - leniency) * rng.normal(size=len(slots))
    ratings = answer(sqrt(reliability) * quality[slots] + sqrt(1 - reliability) * noise)
    is_broken = place < broken * ITEMS
    ratings = np.where(is_broken[slots], scale.low, ratings)
    length = np.round(np.exp(6 + 0.5 * length_z))
    reference = gather_reference(
        ratings,
        slots,
        raters,
        ITEMS,
        scale,
        groupings={"system": system, "topic": topic},
        lengths=length,
    )
    means = np.bincount(slots, by_rater[raters]) / np.bincount(slots)
    return World(
        *(reference, quality, system, topic, length, slots, ratings, raters, means, rng, answer)
    )


def raters_means(world):
    """The mean (n,) of what an item's raters gave to their other items, less 3."""
    counts = np.bincount(world.raters)[world.raters]
    others = (np.bincount(world.raters, world.ratings)[world.raters] - world.ratings) / (counts - 1)
    return np.bincount(world.slots, others - 3) / np.bincount(world.slots)


def is_yes(reference, judge):
    """Say whether a judge, with its answers set to the scale's ends, may rate items."""
    scale = reference.scale
    return decide(gather_evidence(reference, np.clip(judge, scale.low, scale.high))).answer == "yes"


def try_several(reliability, rng):
    """Ask about judges that know several things of an item, and nothing else."""
    plain = make_world(rng, reliability, shares=(0.3, 0.0, 0.0))
    both = make_world(rng, reliability, shares=(0.2, 0.2, 0.0))
    crossed = make_world(rng, reliability, shares=(0.0, 0.0, 0.4))
    lenient = make_world(rng, reliability, leniency=0.25)
    judges = {
        "system and length": (plain, plain.know(plain.system, np.log(plain.length))),
        "system and topic": (both, both.know(both.system, both.topic)),
        "system, topic and length": (both, both.know(both.system, both.topic, np.log(both.length))),
        "cells of system × topic": (crossed, crossed.know(crossed.system * 5 + crossed.topic)),
        "what its raters gave to others": (lenient, 3 + raters_means(lenient)),
        OPEN: (lenient, 3 + lenient.leniency),
    }
    return {name: is_yes(world.reference, judge) for name, (world, judge) in judges.items()}


def try_broken(reliability, rng):
    """Ask about judges that spot broken texts, to which everybody gives 1."""
    outcomes = {}
    for share in BROKEN:
        world = make_world(rng, reliability, broken=share)
        is_broken = np.arange(ITEMS) < share * ITEMS
        judges = {
            "3 for the others": np.full(ITEMS, 3.0),
            "length for the others": world.know(np.log(world.length)),
            "noise for the others": 3 + 0.3 * rng.normal(size=ITEMS),
        }
        for name, judge in judges.items():
            outcomes[_broken(share, name)] = is_yes(
                world.reference, np.where(is_broken, 1.0, judge)
            )
    return outcomes


def try_points(scale, reliability, rng):
    """Ask about copies of ratings, and about honest judges, on scales of other points."""
    world = make_world(rng, reliability, scale=scale)
    low, high = world.reference.scale.low, world.reference.scale.high
    honest = {
        "equal": world.draw_rating(reliability),
        "q = .8": np.clip((low + high) / 2 + (high - low) / 4 * 0.8 * world.quality, low, high),
    }
    copies = {"first rating": world.first_ratings(), "mean": world.reference.people.means[:, 0]}
    outcomes = {("yes", "equal"): is_yes(world.reference, honest["equal"])}
    for kind, judge in (honest | copies).items():
        told = decide(gather_evidence(world.reference, judge)).reason == "holds_ratings"
        outcomes[TOLD, kind] = told
    return {_points(*key): value for key, value in outcomes.items()}


def try_other_question(reliability, rng):
    """Ask about a judge that holds ratings of another question, which are raters' halo."""
    first = make_world(rng, reliability)
    noise = rng.normal(size=len(first.slots))
    same = first.ratings + np.where(noise > 1, 1, np.where(noise < -1, -1, 0))
    same = np.clip(same, 1, 5)
    other = gather_reference(same, first.slots, first.raters, ITEMS, first.reference.scale)
    held = np.full(ITEMS, np.nan)
    held[first.slots[::-1]] = same[::-1]
    tables = {"": first.reference.rated[""], "other": other.rated[""]}
    evidence = gather_evidence(replace(first.reference, tables=tables), held)
    return {TOLD: decide(evidence).reason == "holds_ratings"}


def try_heavy(reliability, rng):
    """Test a level that is off by exactly the margin, where one of 31 raters has half of all."""
    world = make_world(rng, reliability, heavy=True, leniency=0.2)
    evidence = gather_evidence(world.reference, world.draw_rating(reliability) * 0 + 3.25)
    is_sample = world.reference.people.adds_raters
    return {LEVEL: is_sample and evidence.level.p_within(0.25) < 0.05}


BROKEN = (0.05, 0.1)
SEVERAL = (
    *("system and length", "system and topic", "system, topic and length"),
    *("cells of system × topic", "what its raters gave to others"),
)
OPEN = "raters' true leniency"  # nothing in a study tells it; the page says so
OF_BROKEN = ("3 for the others", "length for the others", "noise for the others")
SCALES = {  # with the reliability at which two raters' answers correlate by .30
    "two points, half and half": (answer_on(2, (0.5, 0.5)), 0.454),
    "two points, a quarter": (answer_on(2, (0.75, 0.25)), 0.489),
    "three points": (answer_on(3, (0.3, 0.4, 0.3)), 0.368),
    "five points": (answer_on(5), 0.329),
    "five points, skewed": (answer_on(5, (0.02, 0.05, 0.13, 0.3, 0.5)), 0.365),
    "seven points": (answer_on(7), 0.315),
    "ten points": (answer_on(10), 0.308),
}


def _broken(share, name):
    return f"{share:.0%} broken, {name}"


def _points(outcome, kind):
    return f"{kind}: {outcome}"


def experiments():
    """Return every attack."""
    made = [
        *((f"several things at {rho}", partial(try_several, rho)) for rho in RELIABILITIES),
        *((f"broken texts at {rho}", partial(try_broken, rho)) for rho in (0.0, 0.1, 0.3)),
        *(
            (f"copies on {name}", partial(try_points, scale, reliability))
            for name, (scale, reliability) in SCALES.items()
        ),
        ("another question's ratings", partial(try_other_question, 0.3)),
        ("a heavy rater", partial(try_heavy, 0.3)),
    ]
    return [Experiment(name, simulate, STUDIES, FEW) for name, simulate in made]


def tables(tallies):
    """Return the tables of tricks together, broken texts, copies, and heavy raters."""
    several = [
        Line(
            (name,),
            tuple(tallies[f"several things at {rho}", name] for rho in RELIABILITIES),
            (None if name == OPEN else most(0.02),),
        )
        for name in (*SEVERAL, OPEN)
    ]
    broken = [
        Line(
            (name,),
            tuple(tallies[f"broken texts at {rho}", name] for rho in (0.0, 0.1, 0.3)),
            (most(0.02),),
        )
        for name in (_broken(share, of) for share in BROKEN for of in OF_BROKEN)
    ]
    targets = {
        _points(YES, "equal"): least(0.68),
        _points(TOLD, "first rating"): least(0.99),
        _points(TOLD, "mean"): least(0.99),
        _points(TOLD, "equal"): most(0.01),
        _points(TOLD, "q = .8"): most(0.01),
    }
    copies = [
        Line(
            (outcome, name),
            (tallies[f"copies on {name}", outcome],),
            (None if name.startswith("two") and "first" in outcome else target,),
        )
        for outcome, target in targets.items()
        for name in SCALES
    ]
    others = [
        Line(
            ("holds another question's ratings", TOLD),
            (tallies["another question's ratings", TOLD],),
            (least(0.99),),
        ),
        Line(
            ("off by the margin, one of 31 raters has half", LEVEL),
            (tallies["a heavy rater", LEVEL],),
            (not_above(0.06),),
        ),
    ]
    columns = (*(f"{rho:g}"[1:] for rho in RELIABILITIES),)
    return [
        Table("Judges that know several things", KNOWN_TEXT, ("judge knows", *columns), several),
        Table("Judges that spot broken texts", BROKEN_TEXT, ("judge", "0", ".1", ".3"), broken),
        Table("Judges that hold ratings", COPIES_TEXT, ("judge", "scale", "share"), copies),
        Table("Other attacks", OTHERS_TEXT, ("what", "outcome", "share"), others),
    ]


KNOWN_TEXT = (
    "300 items by three raters, 4 systems × 5 topics; the judge is the fit of people's own means "
    "by what it knows: a yes is false. The columns are reliabilities."
)
BROKEN_TEXT = (
    "Everybody gives 1 to the broken texts, and so does the judge, which knows nothing, or the "
    "length, of the others. The columns are reliabilities among the others."
)
COPIES_TEXT = (
    "A copy of the first rating of each item, the mean of its raters, one more rater, and a judge "
    "that follows quality, on several scales; two raters agree by about .30."
)
OTHERS_TEXT = (
    "Ratings of another question that are raters' answers to this one or a point beside; a level "
    "that is off by exactly the margin."
)
