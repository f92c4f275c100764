"""Draw what no insight would give grey in a report's figures, beside what it measures."""

from analysis.reports.verdict.in_figures import (
    BASELINES,
    TEXT_METRICS,
    baseline_evaluators,
    grey_entries,
    grey_metric,
    grey_words,
    text_metrics,
    without_draws,
)


def keep_baselines(report, scores, entries_of):
    """Keep what is drawn grey: entries_of(scores without draws, baselines), and text metrics."""
    plain = without_draws(scores)
    report.curves[BASELINES] = list(entries_of(plain, baseline_evaluators(plain)))
    report.curves[TEXT_METRICS] = text_metrics(scores.answers)


def with_grey(report, entries, keep):
    """Return (all to be drawn, the baselines among them, what the caption says of grey).

    keep(row): whether a baseline's row belongs to these entries.
    """
    grey = grey_entries(report, keep)
    return [*grey_metric(report, entries), *grey], grey, grey_words(report, grey)
