"""Compare cheaper counterfactual scores with those of retraining in full."""

from collections import defaultdict
from dataclasses import replace
from math import isnan

import numpy as np

from analysis.figures.layout import Table, cell_of
from analysis.reports.base import pivot
from analysis.reports.shared.few_clusters import is_why, or_no_interval
from analysis.reports.words import small
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from judges.models import Judge

PART = "exactness"
RANKS = ("kendall", "spearman")
LARGEST, TYPICAL, SECONDS = "largest_difference", "mean_difference", "seconds"
CHEAPER = (Judge.Kind.CF_WARM, Judge.Kind.CF_APPROXIMATE)
UNTIMED = "no run here computed it: values from a file have no time"


def add(work):
    """Add agreement and time of the judges that approximate a full retraining, and its own time."""
    alike: defaultdict = defaultdict(lambda: defaultdict(list))
    for judge in work.judges:
        if kind_and_recipe := work.scores.answers.of_explanations.get(judge):
            kind, recipe = kind_and_recipe
            alike[recipe][kind].append(judge)
    for kinds in alike.values():
        cheaper = [judge for kind in CHEAPER for judge in kinds[kind]]
        for full in kinds[Judge.Kind.CF] if cheaper else ():
            for judge in cheaper:
                _add_agreement(work, judge, full)
            for judge in (full, *cheaper):
                _add_seconds(work, judge)


def _add_agreement(work, judge, full):
    x, y = (one_value(work.scores.judge(name)) for name in (judge, full))
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    x, y, resampling = x[rows], y[rows], work.scores.resampling(rows)
    far, reason = np.abs(x - y), "" if len(rows) else "no explanation has both scores"
    estimates = {name: dataset_correlation(x, y, name, **resampling) for name in RANKS}
    largest = Estimate(float(far.max()) if len(far) else np.nan, n=len(far), reason=reason)
    typical = clustered_mean(far, **resampling)
    estimates |= {LARGEST: largest, TYPICAL: replace(typical, reason=reason or typical.reason)}
    for measure, estimate in estimates.items():
        shown = or_no_interval(estimate, work.scores, rows) if measure != LARGEST else largest
        work.add_estimate(PART, shown, measure=measure, score=judge, other=full, judge=judge)


def _add_seconds(work, judge):
    time = work.beside.times(work.scores.options.version).get(judge)
    n = time.scores if time else 0
    estimate = Estimate(time.seconds / n if n else np.nan, n=n, reason="" if n else UNTIMED)
    work.add_estimate(PART, estimate, measure=SECONDS, score=judge, judge=judge)


def one_value(values):
    """Return a judge's value of each item (items,), which is the same for all its questions."""
    defined = ~np.isnan(values)
    first = values[np.arange(len(values)), defined.argmax(axis=1)] if values.shape[1] else []
    return np.asarray(first, dtype=float)


def table(entries):
    """Tabulate for each judge how far it ranks as the full retraining does, and its time."""
    lines = []
    # The judge that retrains is there once for each that is compared with it.
    for score, own in pivot(entries, "score", column="measure").items():
        cells = ["retrained in full", *"––––"]
        if RANKS[0] in own:
            cells = [own[RANKS[0]].row["other"]]
            cells += [cell_of(own[name], size_of(own[name])) for name in RANKS]
            cells += [_with_ends(own[name].row) for name in (LARGEST, TYPICAL)]
        seconds = own[SECONDS].row
        time = "unknown" if isnan(seconds["value"]) else small(seconds["value"])
        lines.append((score, [*cells, time, f"{seconds['n']:,}"]))
    headings = ["Compared with", "Kendall's τ-b", "Spearman's ρ", "Largest difference"]
    headings += ["Mean difference", "Seconds a score", "Scores timed"]
    caption = "Exactness against cost: the same explanations, with and without full retraining."
    return Table(caption, headings, lines, [], "Score")


def size_of(entry):
    """Write an entry's n, and that it has no interval if too few clusters are the reason."""
    return f"n = {entry.row['n']:,}{', no interval' if is_why(entry.reason) else ''}"


def _with_ends(row):
    """Write .02 [.01, .04], for a number on the scores' own scale."""
    ends = "" if isnan(row["low"]) else f" [{small(row['low'])}, {small(row['high'])}]"
    return f"{small(row['value'])}{ends}"
