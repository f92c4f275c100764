"""Compare each judge with people within the declared groups of items, and limit a yes to them."""

from dataclasses import dataclass, replace

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
BY_NOTE = (
    "Each group has a verdict of its own, which is not corrected for the number of groups: with "
    "many groups some judge passes somewhere by chance. To test a judge in groups use the option "
    "Groups of items."
)


@dataclass(frozen=True)
class Group:
    """What is shown of a judge in one group of items, by the group's name."""

    name: str
    result: object
    is_small: bool

    @property
    def answer(self):
        """Return (answer, reason) for this group alone."""
        if self.result.fails:
            return Answer.NO, Reason.MAY_NOT
        if self.result.is_shown:
            return Answer.YES, Reason.MAY
        return Answer.NOT_YET, Reason.TOO_FEW if self.is_small else Reason.UNDECIDED


def may_group(values):
    """Return whether a column with these values divides items into two to five groups."""
    return 2 <= len([value for value in values if value]) <= MOST_GROUPS


def groups_of(candidate):
    """Return a Group for each value of the declared column, in the order of the column."""
    asked = candidate.asked
    scores, reference = asked.scores, asked.reference
    column = scores.options.groups
    if not column or not reference.people.n or not candidate.evidence.n:
        return []
    if candidate.evidence.is_fitted:
        return []
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
    least = scores.options.criteria.fewest_items
    return [
        Group(str(names[code]), result, result.evidence.n < least)
        for code, result in zip(present, results, strict=True)
    ]


def limit_to_groups(decided, groups):
    """Return a verdict in which a yes that is shown in no declared group is none yet."""
    if decided.answer != Answer.YES or not groups:
        return decided
    if any(group.result.is_shown for group in groups):
        return decided
    return replace(
        decided, answer=Answer.NOT_YET, reason=Reason.UNDECIDED, grade=None, missing="groups"
    )


def limits_of(groups, scores):
    """Say for which groups a yes is shown; where groups exist and none were declared, say so."""
    if not groups:
        return NOT_TESTED if not scores.options.groups and has_groups(scores) else ""
    words = list_limits([(group.name, *group.answer) for group in groups])
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
