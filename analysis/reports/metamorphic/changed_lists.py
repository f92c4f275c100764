"""How alike lists are to their recipient's baseline list, as tables of people and iterations."""

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
    """Lists of one cell beside the baselines. values: {measure: (people, R)}, NaN = undefined;
    skipped: {measure: Counter of reasons}; lists: how many there are, of {(person, iteration)}.
    """

    people: list
    iterations: list
    values: dict
    skipped: dict
    by_place: dict

    @property
    def n_lists(self):
        return len(self.by_place)


def compared(lists, baselines, people, persistence, matched_only):
    """The Compared of lists of one cell. baselines: {recipient: Listed}; people: their order."""
    iterations = sorted({each.iteration for each in lists})
    shape = len(people), len(iterations)
    found = Compared(
        people,
        iterations,
        {measure: np.full(shape, np.nan) for measure in MEASURES},
        {measure: Counter() for measure in MEASURES},
        {},
    )
    row = {person: at for at, person in enumerate(people)}
    column = {iteration: at for at, iteration in enumerate(iterations)}
    usable = []
    for each in lists:
        at = row[each.recipient], column[each.iteration]
        found.by_place[at] = each
        base = baselines.get(each.recipient)
        if why := _unusable(each, base):
            for counter in found.skipped.values():
                counter[why] += 1
        else:
            usable.append((at, base, each))
    _measure(found, usable, persistence, matched_only)
    return found


def why_no_list(each):
    """Why there is none, in words: of a reply that is no list what it lacks, else what became of
    the call.
    """
    if each.state in ("", None, str(Judgment.State.DONE), str(Judgment.State.UNPARSABLE)):
        return each.reason or STATES["unparsable"]
    return STATES.get(each.state, each.state)


def _unusable(each, base):
    if not each.is_parsed:
        return why_no_list(each)
    return NO_BASELINE if base is None or not base.is_parsed else ""


def _measure(found, usable, persistence, matched_only):
    """Fill in the values of lists that there are, those of one k at once."""
    by_k: dict = {}
    for one in usable:
        by_k.setdefault(one[2].k, []).append(one)
    for k, some in by_k.items():
        pairs = [tuple(each.identities(matched_only) for each in both) for _, *both in some]
        first, second = as_codes_of_lists(pairs)
        values = {
            TAU: tau_topk(first, second, k, NEUTRAL),
            TAU_OPTIMISTIC: tau_topk(first, second, k, OPTIMISTIC),
            TAU_COMMON: tau_common(first, second),
            RBO: rbo(first, second, persistence),
            OVERLAP: overlap(first, second, k),
        }
        for measure, each in values.items():
            for (at, base, listed), value in zip(some, each.tolist(), strict=True):
                found.values[measure][at] = value
                if np.isnan(value):
                    found.skipped[measure][_why(measure, base, listed)] += 1


def _why(measure, base, listed):
    """Why a measure of two lists that there are is undefined."""
    if measure in (TAU, TAU_OPTIMISTIC):
        twice = any(each.repeated and len(each.entries) < each.k for each in (base, listed))
        return REPEATED if twice else SHORT
    return FEW_COMMON if measure == TAU_COMMON else EMPTY
