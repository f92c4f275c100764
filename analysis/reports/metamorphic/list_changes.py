"""Count what a recommender's replies lacked, and show the lists that changed most."""

from collections import Counter

import numpy as np

from analysis.reports.metamorphic.changed_lists import RBO, why_no_list
from judges.perturbations.relations import NO_CHANGE

COUNTS, LARGEST = "counts", "largest_change"
NO_LIST, SHORT_LIST = "no_list", "short"
OF_ENTRIES = ("unmatched", "from_history", "repeated", "extra")
MOST_CHANGED = 3  # recipients of a relation
BETWEEN = " | "


def add_counts(work, lists):
    """Add rows of one cell: lists that are missing or short, and entries of each strange kind."""
    there = [listed for listed in lists if listed.is_parsed]
    states = Counter(why_no_list(listed) for listed in lists if not listed.is_parsed)
    why = "; ".join(f"{state}: {n}" for state, n in states.most_common())
    short = sum(len(listed.entries) < listed.k for listed in there)
    kept = sum(len(listed.entries) for listed in there)
    totals = {
        name: sum(getattr(listed, attribute) for listed in there)
        for name, attribute in zip(
            OF_ENTRIES, ("unmatched", "known", "repeated", "extra"), strict=True
        )
    }
    all_entries = kept + totals["repeated"] + totals["extra"]
    rows = [
        (NO_LIST, len(lists) - len(there), len(lists), why),
        (SHORT_LIST, short, len(there), ""),
    ]
    rows += [(name, totals[name], kept, "") for name in OF_ENTRIES[:2]]
    rows += [(name, totals[name], all_entries, "") for name in OF_ENTRIES[2:]]
    for measure, value, n, words in rows:
        work.add(
            COUNTS,
            measure=measure,
            value=float(value),
            n=n,
            why=words,
            lists=len(lists),
            **facts_of(lists[0]),
        )


def add_largest(work, cells, baselines):
    """Add for each relation the recipients with the lowest mean RBO, and their lowest list."""
    for listed, comparison, _ in cells.values():
        if listed.relation == NO_CHANGE:
            continue
        values = comparison.values[RBO]
        defined = ~np.isnan(values)
        means = [
            row[some].mean() if some.any() else np.inf
            for row, some in zip(values, defined, strict=True)
        ]
        for place in np.argsort(means, kind="stable")[:MOST_CHANGED]:
            if np.isinf(means[place]):
                continue
            lowest = int(np.nanargmin(values[place]))
            shown = comparison.by_place[int(place), lowest]
            work.add(
                LARGEST,
                measure=RBO,
                value=float(values[place, lowest]),
                n=int(defined[place].sum()),
                recipient=shown.recipient,
                iteration=shown.iteration,
                baseline=BETWEEN.join(baselines[shown.recipient].titles),
                list=BETWEEN.join(shown.titles),
                **facts_of(listed),
            )


def facts_of(listed):
    """Return the columns that tell a list's cell."""
    return {
        "evaluator": listed.evaluator,
        "relation": listed.relation,
        "cell": listed.cell,
        "k": listed.k,
        "l": listed.l,
    }
