"""Compute how often statements are made up or left out, by topic and sentiment."""

from itertools import product

import numpy as np

from analysis.figures.layout import cell_of, cross_table
from analysis.options.choices import ALL
from analysis.reports.factuality.items import GENERATED, REFERENCE
from analysis.reports.factuality.names import by_domain, heading, within
from analysis.stats.intervals.clustered_mean import means_by_group
from annotate.templatetags.concord import called

SIDES = {"hallucinated": GENERATED, "forgotten": REFERENCE}
TITLES = {
    "hallucinated": "Made up: share of the explanations' statements that nothing supports",
    "forgotten": "Left out: share of the references' statements that the explanation lacks",
}
BY = ("topic", "sentiment")
NO_NAME = "(none)"


def add(work):
    """Add the share of statements that the other text does not support, by topic and sentiment.

    Of everything, each system, each domain, and each system in it, unless there is one system; by
    evaluator.
    """
    explained, statements = work.explained, work.explained.statements
    is_single = len(explained.systems[0]) < 2
    groups = [group for group in work.groups if group[1] == ALL or not is_single]
    values_by = dict(zip(BY, (statements.topics, statements.sentiments), strict=True))
    for (evaluator, verdicts), metric, by, (domain, system, inside) in product(
        work.measures.verdicts.items(), SIDES, BY, groups
    ):
        chosen = inside[statements.places] & (statements.sides == SIDES[metric])
        chosen &= ~np.isnan(verdicts)
        names, codes = np.unique(values_by[by][chosen].astype(str), return_inverse=True)
        how = work.resampling(explained.clusters[statements.places[chosen]])
        facts = {"domain": domain, "system": system, "evaluator": evaluator}
        facts |= {"metric": metric, "by": by}
        facts["judge"] = evaluator if evaluator in work.scores.judges else ""
        shares = means_by_group(1 - verdicts[chosen], codes, is_share=True, **how)
        for code, estimate in shares.items():
            work.add_estimate("failure", estimate, **facts, name=str(names[code]) or NO_NAME)


def tables(entries):
    """Yield tables of each evaluator's failures by topic, then by sentiment."""
    evaluators = dict.fromkeys(entry.row["evaluator"] for entry in entries)
    for metric, by, evaluator in product(TITLES, BY, evaluators):
        about = {"metric": metric, "by": by, "evaluator": evaluator}
        own = [entry for entry in entries if about.items() <= entry.row.items()]
        yield _table(own, f"{TITLES[metric]}, by {by}; checked by {called(evaluator)}.", by)


def _table(entries, caption, by):
    """Tabulate failures of all domains together, then of each, the most frequent first."""
    shares = {
        (entry.row["domain"], entry.row["name"]): entry.row["value"]
        for entry in entries
        if entry.row["system"] == ALL
    }
    systems = list(dict.fromkeys(entry.row["system"] for entry in entries))
    entries = sorted(entries, key=lambda e: -shares[e.row["domain"], e.row["name"]])
    cells = {
        (f"{within(e.row)}{e.row['name']}", e.row["system"]): cell_of(e, f"n = {e.row['n']:,}")
        for e in by_domain(entries)
    }
    table = cross_table(caption, by.capitalize(), cells, systems)
    table.headings = [heading(system) for system in systems]
    return table
