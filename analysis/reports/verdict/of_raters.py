"""Say of the raters of a question what a reader of its verdicts should know.

Beside a yes, raters who agree with the judge more than with people; of a small panel, raters
without whom the others agree more; and few clusters. Nobody is excluded for it.
"""

from dataclasses import dataclass, replace

import numpy as np

from analysis.reports.verdict.words import short
from analysis.stats.validation.answers import Answer
from analysis.stats.validation.echo import find_echoes, find_lowering_raters
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.verdict import decide


@dataclass(frozen=True)
class Echoed:
    """What speaks for pasted answers.

    raters: those who can be named; without: the answer without them, None where nobody is named.
    """

    raters: tuple
    without: Answer | None


def echoes_of(asked, candidates):
    """Yield (key, Echoed) of the judges whose answers some raters seem to have pasted.

    candidates: {key: Candidate} of one question; they are tested together, on the items that all
    of them judged.
    """
    people, options = asked.reference.people, asked.scores.options
    if not candidates or not people.n:
        return
    judgments = [_as_table(candidate)[people.rows] for candidate in candidates.values()]
    common = ~np.any([np.isnan(table).any(axis=1) for table in judgments], axis=0)
    if not common.any():
        return
    here = people.restrict(common)
    common_judgments = np.stack([table[common] for table in judgments])
    echo = find_echoes(here, common_judgments)
    flags = echo.flag_raters(options.alpha)
    for place, (key, candidate) in enumerate(candidates.items()):
        if echo.study_p[place] < options.alpha:
            yield key, _described(asked, candidate, here.raters[flags[place]])


def _as_table(candidate):
    judgments = candidate.judgments
    return judgments[:, None] if judgments.ndim == 1 else judgments


def _described(asked, candidate, raters):
    """Name the raters, and decide once more without them."""
    if not len(raters):
        return Echoed((), None)
    people, names = asked.reference.people, asked.scores.raters_of(asked.role)
    others = replace(asked.reference, people=people.drop_raters(np.isin(people.raters, raters)))
    criteria = asked.scores.options.criteria
    evidence = gather_evidence(
        others, candidate.judgments, criteria, has_own_scale=candidate.has_own_scale
    )
    return Echoed(tuple(names[code] for code in raters), decide(evidence, criteria).answer)


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
