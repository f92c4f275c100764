"""Say what the options of one study may take: its columns, roles, judges, versions and parts."""

from dataclasses import dataclass

from annotate.design.splits import CHOOSE, TEST, split_of
from annotate.models import Rater

ALL = "all"
MOST_GROUPS = 200  # values of a column to group by


@dataclass(frozen=True)
class Choices:
    """The values that the options of one study may take.

    columns: values by item column; roles: those whose ratings count, in the order of Rater.Role;
    judges: names, in the order of their first runs; versions: of the questionnaire, those that
    have answers; newest_version: whether they have or not; weighted: whether a judge has weighted
    values; split: the study's Split, None without one.
    """

    columns: dict
    roles: list
    judges: list
    versions: list
    newest_version: int
    weighted: bool = False
    split: object = None

    @classmethod
    def from_answers(cls, answers):
        """Collect the choices that a study's answers offer."""
        columns = {name: list(answers.items[name].cat.categories) for name in answers.items}
        people = answers.select_source("human")
        roles = set(people.loc[~people["excluded"], "role"].unique())
        return cls(
            columns,
            [role for role in Rater.Role.values if role in roles],
            answers.judges,
            answers.versions,
            answers.study.questionnaire_version,
            bool(answers.weighted),
            split_of(answers.study),
        )

    @property
    def reference(self):
        """Return the recipient's role, the ground truth, if recipients rated; else another role."""
        return self.roles[0] if self.roles else Rater.Role.THIRD_PARTY.value

    @property
    def grouping(self):
        """Return the item columns that reports may be grouped by: those that tell items apart."""
        return [name for name, values in self.columns.items() if 1 < len(values) <= MOST_GROUPS]

    @property
    def has_items(self):
        return bool(self.columns["item"])


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
