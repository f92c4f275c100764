"""Compare lists with their recipient's baseline list, as tables of people and iterations."""

from collections import Counter

import numpy as np

from analysis.stats.ranked_lists.iterations import mean_of_iterations
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

TAU, TAU_OPTIMISTIC, TAU_COMMON = "tau_topk", "tau_topk_optimistic", "tau_common"
RBO, OVERLAP = "rbo", "overlap"
MEASURES = (TAU, TAU_OPTIMISTIC, TAU_COMMON, RBO, OVERLAP)
MATCHED = "matched"
STATES = {state: str(label).lower() for state, label in Judgment.State.choices}
SAID = ("", None, str(Judgment.State.DONE), str(Judgment.State.UNPARSABLE))
NO_BASELINE = "the baseline list is missing"
SHORT, REPEATED = "fewer than k entries", "fewer than k entries, as some were said twice"
FEW_COMMON, EMPTY = "fewer than two entries in common", "an empty list"


class ComparedLists:
    """The lists of one cell, compared with the baselines.

    listed: the first of them; values: {measure: (people, R)}, NaN = undefined; skipped: {measure:
    Counter of reasons}; by_place: {(person, iteration): Listed}; means: {measure: Iterations}.
    """

    def __init__(self, lists, baselines, people, options, counts):
        """Compare lists. baselines: {recipient: Listed}; people: their order; counts: of draws."""
        iterations = sorted({listed.iteration for listed in lists})
        shape = len(people), len(iterations)
        self.listed, self.by_place = lists[0], {}
        self.values = {measure: np.full(shape, np.nan) for measure in MEASURES}
        self.skipped = {measure: Counter() for measure in MEASURES}
        row = {person: position for position, person in enumerate(people)}
        column = {iteration: position for position, iteration in enumerate(iterations)}
        usable_by_k: dict = {}
        for listed in lists:
            position = row[listed.recipient], column[listed.iteration]
            self.by_place[position] = listed
            base = baselines.get(listed.recipient)
            why = "" if listed.is_parsed else why_no_list(listed)
            if not why and (base is None or not base.is_parsed):
                why = NO_BASELINE
            if why:
                for reasons in self.skipped.values():
                    reasons[why] += 1
            else:
                usable_by_k.setdefault(listed.k, []).append((position, base, listed))
        for k, usable in usable_by_k.items():
            self._measure(k, usable, options)
        self.means = {
            measure: mean_of_iterations(values, counts=counts)
            for measure, values in self.values.items()
        }

    def _measure(self, k, usable, options):
        """Fill in the values of all usable lists, (position, base, listed), of one k."""
        matched_only = options.entries == MATCHED
        pairs = [tuple(side.identities(matched_only) for side in both) for _, *both in usable]
        first, second = as_codes_of_lists(pairs)
        values_by_measure = {
            TAU: tau_topk(first, second, k, NEUTRAL),
            TAU_OPTIMISTIC: tau_topk(first, second, k, OPTIMISTIC),
            TAU_COMMON: tau_common(first, second),
            RBO: rbo(first, second, options.persistence),
            OVERLAP: overlap(first, second, k),
        }
        for measure, values in values_by_measure.items():
            for (position, *both), value in zip(usable, values.tolist(), strict=True):
                self.values[measure][position] = value
                if np.isnan(value):
                    self.skipped[measure][_why_undefined(measure, both)] += 1

    def of_people(self, measure):
        """Return each person's mean over the iterations (people,); NaN without any."""
        values = self.values[measure]
        has_value = ~np.isnan(values)
        sums = np.where(has_value, values, 0.0).sum(axis=1)
        return sums / np.where(has_value.any(axis=1), has_value.sum(axis=1), np.nan)


def why_no_list(listed):
    """Return what a reply that is no list lacks; else what became of the call."""
    if listed.state in SAID:
        return listed.reason or STATES["unparsable"]
    return STATES.get(listed.state, listed.state)


def _why_undefined(measure, both):
    """Return why a measure of two existing lists is undefined."""
    if measure in (TAU, TAU_OPTIMISTIC):
        twice = any(side.repeated and len(side.entries) < side.k for side in both)
        return REPEATED if twice else SHORT
    return FEW_COMMON if measure == TAU_COMMON else EMPTY
