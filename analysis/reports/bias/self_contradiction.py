"""Measure how often a judge contradicts itself or gives an unreadable reply."""

from itertools import combinations

import numpy as np

from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.wilson_interval import wilson_interval
from judges.models import Judgment

POSITION, RETEST, FAILURES = "position", "retest", "failures"
State = Judgment.State
KINDS = {
    "unparsable": {State.UNPARSABLE},
    "refused": {State.REFUSED},
    "failed": {State.FAILED},
    "no_value": Judgment.NO_VALUE,
}
ONE_ORDER = "no judgment was asked in two orders"
ONE_SAMPLE = "each answer was asked once"


def add_position(add, scores, repeats, judges, keys):
    """Add the share of answers that change when the order of presentation is reversed."""
    ordered = repeats[repeats["order"] != ""]
    for judge in judges:
        own = ordered[ordered["judge"] == judge]
        asked = [key for key in keys if (own["question"] == key).any()]
        estimates = [(key, _flips(scores, own[own["question"] == key])) for key in asked]
        estimates = [(key, rate) for key, rate in estimates if rate.n]
        for key, estimate in estimates or [("all", Estimate(np.nan, reason=ONE_ORDER))]:
            add(POSITION, judge, key, "flip_rate", estimate)


def _flips(scores, rows):
    """Return the share of changed answers among all pairs of orders of an answer."""
    table = rows.pivot_table("value", ["run", "item", "sample"], "order", aggfunc="first")
    values = table.to_numpy(dtype=float)
    pairs = [values[:, [a, b]] for a, b in combinations(range(values.shape[1]), 2)]
    if not pairs:
        return Estimate(np.nan, reason=ONE_ORDER)
    both_defined = [~np.isnan(pair).any(axis=1) for pair in pairs]
    turned = [
        np.where(k, p[:, 0] != p[:, 1], np.nan) for p, k in zip(pairs, both_defined, strict=True)
    ]
    clusters, kept = _clusters(scores, np.tile(table.index.get_level_values("item"), len(pairs)))
    return clustered_mean(np.concatenate(turned)[kept], is_share=True, **clusters)


def add_retest(add, scores, repeats, judges, keys):
    """Add how far repeated samples of one answer agree: exactly, by ICC, and their mean SD."""
    for judge in judges:
        own = repeats[repeats["judge"] == judge]
        rows_of = {key: own[own["question"] == key] for key in keys}
        tables = {key: _samples(rows) for key, rows in rows_of.items() if len(rows)}
        tables = {key: table for key, table in tables.items() if table.shape[1] > 1}
        if not tables:
            add(RETEST, judge, "all", "exact_agreement", Estimate(np.nan, reason=ONE_SAMPLE))
        for key, table in tables.items():
            clusters, kept = _clusters(scores, table.index.get_level_values("item"))
            values = table.to_numpy(dtype=float)[kept]
            several = (~np.isnan(values)).sum(axis=1) > 1
            spread = np.full(len(values), np.nan)
            spread[several] = np.nanstd(values[several], axis=1, ddof=1)
            add(RETEST, judge, key, "exact_agreement", percent_agreement(values, **clusters))
            add(RETEST, judge, key, "icc_1_1", icc(values, "1,1", **clusters))
            add(RETEST, judge, key, "mean_sd", clustered_mean(spread, **clusters))


def _samples(rows):
    return rows.pivot_table("value", ["run", "item", "order"], "sample", aggfunc="first")


def _clusters(scores, items):
    """Return (clusters= and counts= of the rows with an item left in, a mask of these rows)."""
    places = dict(zip(scores.items["item"].astype(str), range(len(scores.items)), strict=True))
    places_of_rows = np.array([places.get(item, -1) for item in items], dtype=np.intp)
    return scores.resampling(places_of_rows[places_of_rows >= 0]), places_of_rows >= 0


def add_failures(add, outcomes, judges, keys, systems):
    """Add the share of judgments without a value, by cause, and by system where there are any."""
    of_system = outcomes["system"].fillna("")
    outcomes = outcomes[of_system.isin(systems)].assign(system=of_system)
    for judge in judges:
        own = outcomes[outcomes["judge"] == judge]
        for key in keys:
            rows = own[own["question"] == key]
            if not len(rows):
                continue
            for measure, states in KINDS.items():
                add(FAILURES, judge, key, measure, _share(rows, states), "all")
            if rows["state"].isin(Judgment.NO_VALUE).any():
                for system, part in rows[rows["system"] != ""].groupby("system", sort=False):
                    share = _share(part, Judgment.NO_VALUE)
                    add(FAILURES, judge, key, "no_value", share, str(system))


def _share(rows, states):
    """Return the share of the judgments in these states, with Wilson's interval."""
    n = int(rows["n"].sum())
    k = int(rows.loc[rows["state"].isin(states), "n"].sum())
    return Estimate(k / n, *wilson_interval(k, n), n=n)
