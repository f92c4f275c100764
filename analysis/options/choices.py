"""Say what the options of one study may take: its columns, roles, judges, versions and parts."""

from dataclasses import dataclass, field

from annotate.design.checks import settings_of
from annotate.design.splits import CHOOSE, TEST, split_of
from annotate.models import Answer, Rater

ALL = "all"
MOST_GROUPS = 200  # values of a column to group by


@dataclass(frozen=True)
class Choices:
    """The values that the options of one study may take.

    columns: values by item column; answer_columns: the same of the extra columns of ratings and
    judgments; roles: those whose ratings count, in the order of Rater.Role;
    judges: names, in the order of their first runs; versions: of the questionnaire, those that
    have answers; newest_version: whether they have or not; weighted: whether a judge has weighted
    values; split: the study's Split, None without one; tested: the role with most items that can
    test a judge, blank where there is none; raters: {name: items rated} of those who count.
    """

    columns: dict
    roles: list
    judges: list
    versions: list
    newest_version: int
    weighted: bool = False
    split: object = None
    tested: str = ""
    raters: dict = field(default_factory=dict)
    answer_columns: dict = field(default_factory=dict)

    @classmethod
    def from_answers(cls, answers):
        """Collect the choices that a study's answers offer."""
        columns, own = (
            {name: list(table[name].cat.categories) for name in names}
            for table, names in (
                (answers.items, answers.items),
                (answers.table, answers.answer_columns),
            )
        )
        people = answers.select_source("human")
        people = people[~people["excluded"]]
        roles = set(people["role"].unique())
        rated = people.groupby("rater", observed=True)["item"].nunique()
        return cls(
            columns,
            [role for role in Rater.Role.values if role in roles],
            answers.judges,
            answers.versions,
            answers.study.questionnaire_version,
            bool(answers.weighted),
            split_of(answers.study),
            role_that_tests(answers.study, people),
            {str(name): int(n) for name, n in rated.items()},
            own,
        )

    @property
    def filters(self):
        """Return the values by column of all columns that a condition may name."""
        return self.columns | self.answer_columns

    @property
    def reference(self):
        """Return the recipient's role, the ground truth, if recipients rated; else another role."""
        return self.roles[0] if self.roles else Rater.Role.THIRD_PARTY.value

    @property
    def testing_reference(self):
        """Return the role whose ratings can test judges, of several the one with most such items.

        A judge is compared with two ratings of an item; with one, only recipients can say how far
        they repeat themselves. Where no role can, it is the usual reference.
        """
        return self.tested or self.reference

    @property
    def grouping(self):
        """Return the columns that reports may be grouped by.

        Each has several values, and some of them more than one item: nothing can be said of
        groups of one item.
        """
        most = min(MOST_GROUPS, len(self.columns["item"]) - 1)
        return [name for name, values in self.filters.items() if 1 < len(values) <= most]

    @property
    def has_items(self):
        return bool(self.columns["item"])


def role_that_tests(study, people):
    """Return the role with most pairs of an item and a question that can test a judge, or blank.

    people: rows of ratings that count. A pair counts with two ratings by the role, or with the
    recipient's second own answer.
    """
    raters = people.groupby(["role", "question", "item"], observed=True).size()
    counts = (raters > 1).groupby("role", observed=True).sum()
    by_role = {role: int(counts[role]) for role in Rater.Role.values if role in counts}
    own = Rater.Role.RECIPIENT.value
    if len(by_role) > 1 and by_role.get(own) == 0 and settings_of(study).repeat_share:
        twice = Answer.objects.for_analysis().filter(screen__session__study=study)
        by_role[own] = sum(1 for _ in twice.filter(screen__session__rater__role=own).test_retest())
    best = max(by_role, key=lambda role: by_role[role], default="")
    return best if by_role.get(best) else ""


def version_asked(study, text):
    """Return the questionnaire version that an option names; None for all or an unknown version.

    It is needed before the form, which reports what is wrong: the form's choices depend on it.
    """
    number = int(text) if text and text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= study.questionnaire_version else None


PARTS = [(CHOOSE, "choose"), (TEST, "test"), (ALL, "all")]


def parts_of(split):
    """Return [(part, its name)] that may be asked for: one part while the split is locked."""
    if split is None:
        return [(ALL, ALL)]
    return PARTS[:1] if split.is_locked else PARTS


def usual_part(split):
    """Return the part that is shown by default: the first of those that may be asked for."""
    return parts_of(split)[0][0]


def refusal(split):
    """Return the message why another part is not shown; %(value)s stands for the part asked for."""
    if split is None:
        return "Found “%(value)s”; this study has no test split, so there is only all."
    if split.is_locked:
        return (
            f"Found “%(value)s”; the test part is locked since {split.since.words}. There is only "
            "choose until an owner unlocks it, on the page Test split."
        )
    return "Found “%(value)s”; allowed is choose, test or all."


def part_asked(study, text):
    """Return the part that an option names; else, or if it may not be shown, the usual part.

    Like the version it is needed before the form, which tells what is wrong.
    """
    split = split_of(study)
    return text if text in dict(parts_of(split)) else usual_part(split)
