"""What stands beside a recommender's numbers: what its replies lacked, and whose lists changed."""

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
    """Rows of one cell: lists that are missing or short, and entries of each strange kind."""
    there = [each for each in lists if each.is_parsed]
    states = Counter(why_no_list(each) for each in lists if not each.is_parsed)
    why = "; ".join(f"{state}: {n}" for state, n in states.most_common())
    short = sum(len(each.entries) < each.k for each in there)
    kept = sum(len(each.entries) for each in there)
    totals = {
        name: sum(getattr(each, attribute) for each in there)
        for name, attribute in zip(
            OF_ENTRIES, ("unmatched", "known", "repeated", "extra"), strict=True
        )
    }
    said = kept + totals["repeated"] + totals["extra"]
    rows = [
        (NO_LIST, len(lists) - len(there), len(lists), why),
        (SHORT_LIST, short, len(there), ""),
    ]
    rows += [(name, totals[name], kept, "") for name in OF_ENTRIES[:2]]
    rows += [(name, totals[name], said, "") for name in OF_ENTRIES[2:]]
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


def add_largest(work, found, baselines):
    """Of each relation the recipients with the lowest mean RBO, and the list that changed most."""
    for each, one, _ in found.values():
        if each.relation == NO_CHANGE:
            continue
        values = one.values[RBO]
        known = ~np.isnan(values)
        means = [
            row[some].mean() if some.any() else np.inf
            for row, some in zip(values, known, strict=True)
        ]
        for at in np.argsort(means, kind="stable")[:MOST_CHANGED]:
            if np.isinf(means[at]):
                continue
            lowest = int(np.nanargmin(values[at]))
            shown = one.by_place[int(at), lowest]
            work.add(
                LARGEST,
                measure=RBO,
                value=float(values[at, lowest]),
                n=int(known[at].sum()),
                recipient=shown.recipient,
                iteration=shown.iteration,
                baseline=BETWEEN.join(baselines[shown.recipient].titles),
                list=BETWEEN.join(shown.titles),
                **facts_of(each),
            )


def facts_of(each):
    """What a row says of the list's cell."""
    return {
        "evaluator": each.evaluator,
        "relation": each.relation,
        "cell": each.cell,
        "k": each.k,
        "l": each.l,
    }
