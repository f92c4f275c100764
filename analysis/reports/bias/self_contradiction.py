"""How often a judge contradicts itself or says nothing that can be read."""

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


def add_position(add, scores, found, judges, keys):
    """Share of the answers that are another one when the order is turned round."""
    ordered = found[found["order"] != ""]
    for judge in judges:
        own = ordered[ordered["judge"] == judge]
        asked = [key for key in keys if (own["question"] == key).any()]
        estimates = [(key, _flips(scores, own[own["question"] == key])) for key in asked]
        estimates = [(key, one) for key, one in estimates if one.n]
        for key, estimate in estimates or [("all", Estimate(np.nan, reason=ONE_ORDER))]:
            add(POSITION, judge, key, "flip_rate", estimate)


def _flips(scores, rows):
    """Over all answers with two orders; with more orders all pairs of these count alike."""
    table = rows.pivot_table("value", ["run", "item", "sample"], "order", aggfunc="first")
    values = table.to_numpy(dtype=float)
    pairs = [values[:, [a, b]] for a, b in combinations(range(values.shape[1]), 2)]
    if not pairs:
        return Estimate(np.nan, reason=ONE_ORDER)
    known = [~np.isnan(pair).any(axis=1) for pair in pairs]
    turned = [np.where(k, p[:, 0] != p[:, 1], np.nan) for p, k in zip(pairs, known, strict=True)]
    clusters, kept = _clusters(scores, np.tile(table.index.get_level_values("item"), len(pairs)))
    return clustered_mean(np.concatenate(turned)[kept], is_share=True, **clusters)


def add_retest(add, scores, found, judges, keys):
    """How far several samples of one answer agree: exactly, by ICC, and their mean SD."""
    for judge in judges:
        own = found[found["judge"] == judge]
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
    """(clusters= and counts= of rows by their item, which rows have an item left in)."""
    places = dict(zip(scores.items["item"].astype(str), range(len(scores.items)), strict=True))
    found = np.array([places.get(item, -1) for item in items], dtype=np.intp)
    return scores.resampling(found[found >= 0]), found >= 0


def add_failures(add, found, judges, keys, systems):
    """Share of the judgments without a value, by why; of each system where there are any."""
    of_system = found["system"].fillna("")
    found = found[of_system.isin(systems)].assign(system=of_system)
    for judge in judges:
        own = found[found["judge"] == judge]
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
    """Part of the judgments in these states, with Wilson's interval."""
    n = int(rows["n"].sum())
    k = int(rows.loc[rows["state"].isin(states), "n"].sum())
    return Estimate(k / n, *wilson_interval(k, n), n=n)
