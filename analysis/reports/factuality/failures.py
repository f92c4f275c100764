"""Compute how often statements are made up or left out, by topic and sentiment."""

import numpy as np

from analysis.reports.factuality.items import GENERATED, REFERENCE
from analysis.stats.intervals.clustered_mean import means_by_group

ALL = "all"
WHAT = {"hallucinated": GENERATED, "forgotten": REFERENCE}
BY = ("topic", "sentiment")
NO_NAME = "(none)"


def add(work):
    """Add the share of statements that the other text does not support, by topic and sentiment.

    Of everything, each system, each domain, and each system in it; by evaluator.
    """
    for evaluator, verdicts in work.measures.verdicts.items():
        for metric, side in WHAT.items():
            for by in BY:
                for domain, system, inside in _groups(work):
                    _add(work, evaluator, verdicts, (metric, side, by, domain, system), inside)


def _groups(work):
    """Yield (domain, system, mask of statements); no systems in a study of a single system."""
    is_single = len(work.explained.systems[0]) < 2
    for domain, system, inside in work.groups:
        if system == ALL or not is_single:
            yield domain, system, inside[work.explained.statements.places]


def _add(work, evaluator, verdicts, about, inside):
    metric, side, by, domain, system = about
    statements = work.explained.statements
    chosen = inside & (statements.sides == side) & ~np.isnan(verdicts)
    values = statements.topics if by == "topic" else statements.sentiments
    names, codes = np.unique(values[chosen].astype(str), return_inverse=True)
    clusters = work.explained.clusters[statements.places[chosen]]
    counts = work.scores.counts
    how = {} if counts is None else {"clusters": clusters, "counts": counts}
    judge = evaluator if evaluator in work.scores.judges else ""
    for code, estimate in means_by_group(1 - verdicts[chosen], codes, is_share=True, **how).items():
        work.add_estimate(
            "failure",
            estimate,
            domain=domain,
            system=system,
            evaluator=evaluator,
            metric=metric,
            by=by,
            name=str(names[code]) or NO_NAME,
            judge=judge,
        )
