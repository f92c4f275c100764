"""Compare lists with their recipient's baseline list, as tables of people and iterations."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from analysis.stats.ranked_lists.ranked_lists import (
    NEUTRAL,
    OPTIMISTIC,
    as_codes_of_lists,
    overlap,
    rbo,
    tau_common,
    tau_topk,
)
from judges.models import Judgment

TAU, TAU_OPTIMISTIC, TAU_COMMON, RBO, OVERLAP = (
    "tau_topk",
    "tau_topk_optimistic",
    "tau_common",
    "rbo",
    "overlap",
)
MEASURES = (TAU, TAU_OPTIMISTIC, TAU_COMMON, RBO, OVERLAP)
STATES = {state: str(label).lower() for state, label in Judgment.State.choices}
NO_BASELINE = "the baseline list is missing"
SHORT, REPEATED = "fewer than k entries", "fewer than k entries, as some were said twice"
FEW_COMMON, EMPTY = "fewer than two entries in common", "an empty list"


@dataclass
class Compared:
    """The lists of one cell compared with the baselines.

    values: {measure: (people, R)}, NaN = undefined; skipped: {measure: Counter of reasons};
    by_place: {(person, iteration): Listed}.
    """

    people: list
    iterations: list
    values: dict
    skipped: dict
    by_place: dict

    @property
    def n_lists(self):
        """Return how many lists there are, those that cannot be compared included."""
        return len(self.by_place)


def compared(lists, baselines, people, persistence, matched_only):
    """Return the Compared of one cell's lists.

    baselines: {recipient: Listed}; people: their order.
    """
    iterations = sorted({listed.iteration for listed in lists})
    shape = len(people), len(iterations)
    comparison = Compared(
        people,
        iterations,
        {measure: np.full(shape, np.nan) for measure in MEASURES},
        {measure: Counter() for measure in MEASURES},
        {},
    )
    row = {person: position for position, person in enumerate(people)}
    column = {iteration: position for position, iteration in enumerate(iterations)}
    usable = []
    for listed in lists:
        position = row[listed.recipient], column[listed.iteration]
        comparison.by_place[position] = listed
        base = baselines.get(listed.recipient)
        if why := _unusable(listed, base):
            for counter in comparison.skipped.values():
                counter[why] += 1
        else:
            usable.append((position, base, listed))
    _measure(comparison, usable, persistence, matched_only)
    return comparison


def why_no_list(listed):
    """Return why a reply gave no list.

    If the reply is no list, what it lacks; else what became of the call.
    """
    if listed.state in ("", None, str(Judgment.State.DONE), str(Judgment.State.UNPARSABLE)):
        return listed.reason or STATES["unparsable"]
    return STATES.get(listed.state, listed.state)


def _unusable(listed, base):
    if not listed.is_parsed:
        return why_no_list(listed)
    return NO_BASELINE if base is None or not base.is_parsed else ""


def _measure(comparison, usable, persistence, matched_only):
    """Fill in the values of the usable lists, all lists of one k at once."""
    by_k: dict = {}
    for usable_list in usable:
        by_k.setdefault(usable_list[2].k, []).append(usable_list)
    for k, some in by_k.items():
        pairs = [tuple(part.identities(matched_only) for part in both) for _, *both in some]
        first, second = as_codes_of_lists(pairs)
        values = {
            TAU: tau_topk(first, second, k, NEUTRAL),
            TAU_OPTIMISTIC: tau_topk(first, second, k, OPTIMISTIC),
            TAU_COMMON: tau_common(first, second),
            RBO: rbo(first, second, persistence),
            OVERLAP: overlap(first, second, k),
        }
        for measure, part in values.items():
            for (position, base, listed), value in zip(some, part.tolist(), strict=True):
                comparison.values[measure][position] = value
                if np.isnan(value):
                    comparison.skipped[measure][_why(measure, base, listed)] += 1


def _why(measure, base, listed):
    """Return why a measure of two existing lists is undefined."""
    if measure in (TAU, TAU_OPTIMISTIC):
        twice = any(side.repeated and len(side.entries) < side.k for side in (base, listed))
        return REPEATED if twice else SHORT
    return FEW_COMMON if measure == TAU_COMMON else EMPTY
