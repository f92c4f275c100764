"""Compare cheaper counterfactual scores with those of retraining in full."""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from analysis.reports.shared.few_clusters import or_no_interval
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
    pairs = _pairs(work)
    if not pairs:
        return
    times = work.beside.times(work.scores.options.version)
    for full, cheaper in pairs:
        for judge in cheaper:
            _add_agreement(work, judge, full)
        for judge in (full, *cheaper):
            _add_seconds(work, judge, times.get(judge))


def _pairs(work):
    """Return [(judge that retrains in full, cheaper judges)] that share all settings."""
    alike = defaultdict(lambda: defaultdict(list))
    for judge in work.judges:
        if kind_and_recipe := work.scores.answers.of_explanations.get(judge):
            kind, recipe = kind_and_recipe
            alike[recipe][kind].append(judge)
    return [
        (full, cheaper)
        for kinds in alike.values()
        for full in kinds[Judge.Kind.CF]
        if (cheaper := [judge for kind in CHEAPER for judge in kinds[kind]])
    ]


def _add_agreement(work, judge, full):
    x, y = (one_value(work.scores.judge(name)) for name in (judge, full))
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    x, y, facts = x[rows], y[rows], {"score": judge, "other": full, "judge": judge}
    for coefficient in RANKS:
        estimate = dataset_correlation(x, y, coefficient, **work.scores.resampling(rows))
        estimate = or_no_interval(estimate, work.scores, rows)
        work.add_estimate(PART, estimate, measure=coefficient, **facts)
    far, resampling = np.abs(x - y), work.scores.resampling(rows)
    reason = "" if len(far) else "no explanation has both scores"
    largest = Estimate(float(far.max()) if len(far) else np.nan, n=len(far), reason=reason)
    typical = replace(clustered_mean(far, **resampling), **({"reason": reason} if reason else {}))
    typical = or_no_interval(typical, work.scores, rows)
    for measure, difference in ((LARGEST, largest), (TYPICAL, typical)):
        work.add_estimate(PART, difference, measure=measure, **facts)


def one_value(values):
    """Return a judge's value of each item (items,), which is the same for all its questions."""
    defined = ~np.isnan(values)
    first = values[np.arange(len(values)), defined.argmax(axis=1)] if values.shape[1] else []
    return np.asarray(first, dtype=float)


def _add_seconds(work, judge, time):
    scores = time.scores if time else 0
    seconds = time.seconds / scores if scores else np.nan
    estimate = Estimate(seconds, n=scores, reason="" if scores else UNTIMED)
    work.add_estimate(PART, estimate, measure=SECONDS, score=judge, judge=judge)


def notes(report):
    """Write notes on these numbers, or on how to get them if there are none."""
    if any(row["part"] == PART for row in report.rows):
        yield (
            "Exactness: rank agreement with the judge that retrains in full, of judges with the "
            "same settings, over the explanations that both have scored; a judge's score is the "
            "same for all questions. The largest difference is that of one explanation, and a run "
            "has one time for all its scores: neither has an interval. Seconds: "
            "from the beginning of a judge's runs to their last score, pauses left out, over their "
            "scores, those without a value included; the first "
            "training of a model is in it, and several workers share it. A recipient who is made "
            "up has an original model of their own: its training is in the seconds of the judge "
            "that needed it first, and the others of the same settings read it. They are of all "
            "items of the runs, whatever part or items are looked at."
        )
    else:
        yield (
            "Exactness against cost: no numbers, as no judge of the kind cf has another of the "
            "kind cf-a or cf-warm with the same settings beside it."
        )
