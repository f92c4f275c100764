"""Look beside each yes for raters who agree with the judge more than with people."""

from dataclasses import dataclass, replace

import numpy as np

from analysis.stats.validation.answers import Answer
from analysis.stats.validation.echo import find_echoes
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
