"""Say of the people of each question what a reader of any judge's verdict should know.

Raters without whom the others agree more are named, never excluded; few clusters are told.
"""

from analysis.reports.verdict.words import short
from analysis.stats.validation.lowering import find_lowering_raters

LOWERS_RHO, FEW_CLUSTERS = "lowers_rho", "few_clusters"
FEWEST_CLUSTERS = 10
MOST_NAMED = 3  # raters in a sentence


def warn_of_people(questions, entries):
    """Return sentences on the people of questions that judges answered.

    entries: of judges that rate items; the key of each warning is added to their rows.
    """
    sentences = []
    for asked in questions:
        rows = [entry.row for entry in entries if entry.row["question"] == asked.question.key]
        if rows:
            sentences += _warn_of_raters(asked, rows) + _warn_of_clusters(asked, rows)
    return sentences


def _warn_of_raters(asked, rows):
    lowering = find_lowering_raters(asked.reference.people, asked.scores.options.alpha)
    if not len(lowering.raters):
        return []
    for row in rows:
        _add_key(row, LOWERS_RHO)
    names = asked.scores.raters_of(asked.role)
    pairs = list(zip(lowering.raters, lowering.without, strict=True))
    named = ", ".join(f"{names[code]} ({short(rho)})" for code, rho in pairs[:MOST_NAMED])
    others = len(pairs) - MOST_NAMED
    more = f" and {others} more" if others > 0 else ""
    rho = short(asked.reference.people.rho)
    return [
        f"{asked.question.key}: two raters agree by {rho}, and significantly more without "
        f"{named}{more}. Nobody is excluded for that: look at these ratings, and at what "
        "the raters were told."
    ]


def _warn_of_clusters(asked, rows):
    for row in rows:
        if 0 < row["clusters"] < FEWEST_CLUSTERS:
            _add_key(row, FEW_CLUSTERS)
    n = asked.reference.people.n_clusters
    if not 0 < n < FEWEST_CLUSTERS:
        return []
    return [
        f"{asked.question.key}: the items come from {n} cluster{'' if n == 1 else 's'}, fewer than "
        f"{FEWEST_CLUSTERS} (recipients, else contents): with so few, tests err more often than "
        "they say."
    ]


def _add_key(row, key):
    row["warnings"] = " ".join(filter(None, (row["warnings"], key)))
