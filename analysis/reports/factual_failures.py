"""What is made up and what is left out: unsupported statements, by topic and sentiment."""

import numpy as np

from analysis.reports.factual_items import GENERATED, REFERENCE
from analysis.stats.clustered_mean import means_by_group

ALL = "all"
WHAT = {"hallucinated": GENERATED, "forgotten": REFERENCE}
BY = ("topic", "sentiment")
NO_NAME = "(none)"


def add(work):
    """Share of the statements of each topic and sentiment that the other text does not support."""
    for evaluator, verdicts in work.measures.verdicts.items():
        for metric, side in WHAT.items():
            for by in BY:
                for system, inside in _systems(work):
                    _add(work, evaluator, verdicts, (metric, side, by, system), inside)


def _systems(work):
    """(name, which statements) of all systems together, and of each."""
    names, codes = work.explained.systems
    of_statement = codes[work.explained.statements.places]
    yield ALL, np.ones(len(of_statement), dtype=bool)
    if len(names) > 1:
        for code, name in enumerate(names):
            yield name, of_statement == code


def _add(work, evaluator, verdicts, about, inside):
    metric, side, by, system = about
    statements = work.explained.statements
    chosen = inside & (statements.sides == side) & ~np.isnan(verdicts)
    values = statements.topics if by == "topic" else statements.sentiments
    names, codes = np.unique(values[chosen].astype(str), return_inverse=True)
    clusters = work.explained.clusters[statements.places[chosen]]
    counts = work.scores.counts
    how = {} if counts is None else {"clusters": clusters, "counts": counts}
    judge = evaluator if evaluator in work.scores.judges else ""
    for code, estimate in means_by_group(1 - verdicts[chosen], codes, **how).items():
        work.add_estimate(
            "failure", estimate, domain=ALL, system=system, evaluator=evaluator, metric=metric,
            by=by, name=str(names[code]) or NO_NAME, judge=judge,
        )  # fmt: skip
