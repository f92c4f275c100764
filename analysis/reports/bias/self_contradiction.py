"""Measure how often a judge contradicts itself or gives an unreadable reply."""

from itertools import combinations
from math import nan

import numpy as np

from analysis.answers.repeats import repeats_and_outcomes
from analysis.options.choices import ALL
from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.wilson_interval import wilson_interval
from judges.models import Judgment

POSITION, RETEST, FAILURES = OF_ITSELF = "position", "retest", "failures"
State = Judgment.State
KINDS = {
    "unparsable": ("Not understood", {State.UNPARSABLE}),
    "refused": ("Refused", {State.REFUSED}),
    "failed": ("Failed", {State.FAILED}),
    "no_value": ("Without a value", Judgment.NO_VALUE),
}
ONE_ORDER = "no judgment was asked in two orders"
ONE_SAMPLE = "each answer was asked once"


def of_itself(scores, biases, keys):
    """Yield (bias, judge, question, measure, Estimate, and a group) of the biases without people.

    keys: of the questions.
    """
    if not set(biases) & set(OF_ITSELF):
        return
    options, items = scores.options, scores.items[["item", "system"]].astype(str)
    some = options.part != ALL or options.only or options.exclude
    systems = dict(items.itertuples(index=False)) if some else None
    repeats, outcomes = repeats_and_outcomes(scores.answers.study, options.version, systems)
    of_system = outcomes["system"].fillna("")
    outcomes = outcomes[of_system.isin(set(items["system"]))].assign(system=of_system)
    measures = {POSITION: _positions, RETEST: _retests, FAILURES: _failures}
    frames = {POSITION: repeats[repeats["order"] != ""], RETEST: repeats, FAILURES: outcomes}
    for name in biases:
        for judge in scores.judges if name in measures else ():
            if judge not in scores.ensembles:
                own = frames[name][frames[name]["judge"] == judge]
                rows_of = {key: own[own["question"] == key] for key in keys}
                rows_of = {key: rows for key, rows in rows_of.items() if len(rows)}
                for key, *numbers in measures[name](scores, rows_of):
                    yield name, judge, key, *numbers


def _positions(scores, rows_of):
    """Return the share of answers that change when the order of presentation is reversed."""
    rates = [(key, "flip_rate", _flips(scores, rows)) for key, rows in rows_of.items()]
    none = [("all", "flip_rate", Estimate(nan, reason=ONE_ORDER))]
    return [rate for rate in rates if rate[2].n] or none


def _flips(scores, rows):
    """Return the share of changed answers among all pairs of orders of an answer."""
    table = rows.pivot_table("value", ["run", "item", "sample"], "order", aggfunc="first")
    values = table.to_numpy(dtype=float)
    pairs = list(combinations(values.T, 2))
    if not pairs:
        return Estimate(nan, reason=ONE_ORDER)
    turned = [np.where(np.isnan(a) | np.isnan(b), nan, a != b) for a, b in pairs]
    clusters, kept = _clusters(scores, np.tile(table.index.get_level_values("item"), len(pairs)))
    return clustered_mean(np.concatenate(turned)[kept], is_share=True, **clusters)


def _retests(scores, rows_of):
    """Yield how far repeated samples of one answer agree: exactly, by ICC, and their mean SD."""
    index = ["run", "item", "order"]
    tables = {
        key: rows.pivot_table("value", index, "sample", aggfunc="first")
        for key, rows in rows_of.items()
    }
    tables = {key: table for key, table in tables.items() if table.shape[1] > 1}
    if not tables:
        yield "all", "exact_agreement", Estimate(nan, reason=ONE_SAMPLE)
    for key, table in tables.items():
        clusters, kept = _clusters(scores, table.index.get_level_values("item"))
        values = table.to_numpy(dtype=float)[kept]
        several = (~np.isnan(values)).sum(axis=1) > 1
        spread = np.full(len(values), nan)
        spread[several] = np.nanstd(values[several], axis=1, ddof=1)
        yield key, "exact_agreement", percent_agreement(values, **clusters)
        yield key, "icc_1_1", icc(values, "1,1", **clusters)
        yield key, "mean_sd", clustered_mean(spread, **clusters)


def _clusters(scores, items):
    """Return (clusters= and counts= of the rows with an item left in, a mask of these rows)."""
    places = dict(zip(scores.items["item"].astype(str), range(len(scores.items)), strict=True))
    places_of_rows = np.array([places.get(item, -1) for item in items], dtype=np.intp)
    return scores.resampling(places_of_rows[places_of_rows >= 0]), places_of_rows >= 0


def _failures(scores, rows_of):
    """Yield the share of judgments without a value, by cause, and by system where there are any."""
    for key, rows in rows_of.items():
        for measure, (_, states) in KINDS.items():
            yield key, measure, _share(rows, states), "all"
        if rows["state"].isin(Judgment.NO_VALUE).any():
            for system, part in rows[rows["system"] != ""].groupby("system", sort=False):
                yield key, "no_value", _share(part, Judgment.NO_VALUE), str(system)


def _share(rows, states):
    """Return the share of the judgments in these states, with Wilson's interval."""
    n = int(rows["n"].sum())
    k = int(rows.loc[rows["state"].isin(states), "n"].sum())
    return Estimate(k / n, *wilson_interval(k, n), n=n)
