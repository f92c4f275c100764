"""Compare each judge with people within the declared groups of items, and limit a yes to them."""

from dataclasses import replace

import numpy as np

from analysis.stats.validation.decision import Answer, Reason
from analysis.stats.validation.evidence import MOST_GROUPS, compare_groups

GROUP = "group"  # kind of the entries of groups
NOT_TESTED = " Groups of items were not tested."
LIMITS = {
    (Answer.YES, Reason.MAY): "shown for",
    (Answer.NOT_YET, Reason.UNDECIDED): "not shown for",
    (Answer.NO, Reason.MAY_NOT): "it fails in",
    (Answer.NOT_YET, Reason.TOO_FEW): "not tested",
}


def answer_in_group(result, criteria):
    """Return (answer, reason) of a GroupResult alone."""
    if result.fails:
        return Answer.NO, Reason.MAY_NOT
    if result.is_shown:
        return Answer.YES, Reason.MAY
    is_small = result.evidence.n < criteria.fewest_items
    return Answer.NOT_YET, Reason.TOO_FEW if is_small else Reason.UNDECIDED


def may_group(values):
    """Return whether a column with these values divides items into two to five groups."""
    return 2 <= len([value for value in values if value]) <= MOST_GROUPS


def groups_of(candidate):
    """Return {value of the declared column: its GroupResult}, in the order of the column."""
    asked = candidate.asked
    scores, reference = asked.scores, asked.reference
    column = scores.options.groups
    if not column or not reference.people.n or not candidate.evidence.n:
        return {}
    if candidate.evidence.is_fitted:
        return {}
    codes, names = scores.codes(column), list(scores.items[column].cat.categories)
    present = np.unique(codes[codes >= 0])
    people = reference.people.restrict(codes[reference.people.rows] >= 0)
    results = compare_groups(
        reference.with_people(people),
        candidate.judgments,
        np.maximum(np.searchsorted(present, codes), 0),
        len(present),
        scores.options.criteria,
        has_own_scale=candidate.has_own_scale,
    )
    return {str(names[code]): result for code, result in zip(present, results, strict=True)}


def limit_to_groups(decided, groups):
    """Return a verdict in which a yes that is shown in no declared group is none yet."""
    if decided.answer != Answer.YES or not groups:
        return decided
    if any(result.is_shown for result in groups.values()):
        return decided
    return replace(
        decided, answer=Answer.NOT_YET, reason=Reason.UNDECIDED, grade=None, missing="groups"
    )


def limits_of(groups, scores):
    """Say for which groups a yes is shown; where groups exist and none were declared, say so."""
    if not groups:
        return NOT_TESTED if not scores.options.groups and has_groups(scores) else ""
    criteria = scores.options.criteria
    words = list_limits([(name, *answer_in_group(own, criteria)) for name, own in groups.items()])
    return f" {words[0].upper()}{words[1:]}."


def list_limits(groups):
    """List in words the groups in which a judge is shown, is not, fails, and was not tested.

    groups: (name, answer, reason) of each.
    """
    names: dict = {words: [] for words in LIMITS.values()}
    for name, *answer in groups:
        names[LIMITS[tuple(answer)]].append(name)
    return "; ".join(f"{words}: {', '.join(own)}" for words, own in names.items() if own)


def has_groups(scores):
    """Return whether an extra column of the items divides them into two to five groups."""
    columns = (scores.items[name] for name in scores.answers.extra_columns)
    return any(
        may_group(column.cat.remove_unused_categories().cat.categories) for column in columns
    )
