"""Define what a recipe of a paper is made of, and compare its numbers with the printed ones."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import isnan, nan

from analysis.stats.estimate import Estimate
from judges.models import Judge

EQUAL, INSIDE, DIFFERS, MISSING = "equal", "inside the interval", "differs", "not computed"
NOT_MEASURED = "the study's reports have no such number"
NOBODY = "no judge of the study is {}"
SEVERAL = "several judges are {}: {}; choose one for the role {}"


@dataclass(frozen=True)
class Published:
    """A number as a paper prints it, and where: its table, row and column.

    digits: behind the point.
    """

    table: str
    row: str
    column: str
    value: float
    digits: int

    @property
    def place(self):
        """Return where the number stands."""
        return self.table, self.row, self.column

    @property
    def number(self):
        """Return the value, as a whole number where the paper prints one."""
        return self.value if self.digits else int(self.value)


@dataclass(frozen=True)
class Role:
    """What a judge does in a paper, and which judges of a study do the same.

    what: such a judge in words; settings: those that it has to have; key: its name, where nothing
    but the name tells; model: a pattern that its model's name has to have, in small letters.
    """

    name: str
    what: str
    kind: str = str(Judge.Kind.LLM)
    method: str = str(Judge.Method.QUESTIONS)
    settings: dict = field(default_factory=dict)
    key: str = ""
    model: str = ""

    def is_done_by(self, judge):
        """Return whether a judge does this."""
        return bool(
            (judge.kind, judge.method) == (self.kind, self.method)
            and self.key in ("", judge.key)
            and (not self.model or re.search(self.model, judge.endpoint.model.lower()))
            and all(
                getattr(judge.settings, name, None) == value
                for name, value in self.settings.items()
            )
        )

    def may_be_done_by(self, judge):
        """Return whether a researcher may choose a judge for this, whatever its settings."""
        is_brought = judge.kind == Judge.Kind.IMPORTED and not judge.judges_nothing
        judges_something = self.method not in Judge.JUDGING_NOTHING
        is_alike = (judge.kind, judge.method) == (self.kind, self.method)
        return is_alike or (is_brought and judges_something)


@dataclass(frozen=True)
class Chosen:
    """The study's judges of a recipe. judges: {role: name}; missing: {role: why it has none}."""

    judges: dict
    missing: dict


@dataclass(frozen=True)
class Compared:
    """A place of a table: the printed number, None where the paper has none, and the measured."""

    place: tuple
    printed: Published | None
    measured: Estimate

    @property
    def verdict(self):
        """Say how the two compare; blank where none is printed."""
        return compare(self.printed, self.measured) if self.printed else ""


class Recipe(ABC):
    """What a paper did: its judges, its printed numbers, and what the recipe cannot repeat.

    about: what it asks, in a sentence or two; reads: the reports whose other data it reads.
    """

    key = title = citation = about = ""
    reads: tuple = ()
    published: tuple = ()
    roles: tuple = ()
    cannot: tuple = ()

    @abstractmethod
    def lacks(self, study):
        """List in sentences which data of the paper the study lacks."""

    @abstractmethod
    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}. judges: {role: name of the study's judge}."""

    @abstractmethod
    def role_of(self, place):
        """Return the name of the role that a printed number needs; blank if none."""

    def why_not(self, place, missing):
        """Return why the study has no number for a printed one."""
        return missing.get(self.role_of(place)) or NOT_MEASURED

    def compared(self, answers, chosen):
        """List a Compared for all that is printed, then for what only the study has."""
        measured = self.measured(answers, chosen.judges)
        both = []
        for printed in self.published:
            own = measured.pop(printed.place, None)
            if own is None:
                own = Estimate(nan, reason=self.why_not(printed.place, chosen.missing))
            both.append(Compared(printed.place, printed, own))
        return both + [Compared(place, None, own) for place, own in measured.items()]


def compare(printed, measured):
    """Return the verdict on a printed number (Published) and a measured one (Estimate).

    EQUAL: it rounds to the printed digits; INSIDE: the printed number lies in its 95 % interval,
    ends included; MISSING: it is NaN; else DIFFERS.
    """
    if isnan(measured.value):
        return MISSING
    if round(measured.value, printed.digits) == printed.value:
        return EQUAL
    if measured.low <= printed.value <= measured.high:
        return INSIDE
    return DIFFERS


def choose(recipe, study, named):
    """Return the Chosen of a study; ValueError names what is unknown in named, {role: judge}.

    A role that is not named goes to the one judge that does the same, if there is only one.
    """
    every_judge = Judge.objects.filter(study=study).select_related("endpoint")
    judges = list(every_judge.order_by("pk"))
    roles = [role.name for role in recipe.roles]
    for role, key in named.items():
        if role not in roles:
            raise ValueError(f"{recipe.key} has no role {role!r}; it has: {', '.join(roles)}.")
        if key not in [judge.key for judge in judges]:
            raise ValueError(f"The study has no judge {key!r}.")
    judge_of_role, missing = dict(named), {}
    for role in recipe.roles:
        able = [j.key for j in judges if not j.is_archived and role.is_done_by(j)]
        if role.name in named:
            continue
        if len(able) == 1:
            judge_of_role[role.name] = able[0]
        elif able:
            missing[role.name] = SEVERAL.format(role.what, ", ".join(able), role.name)
        else:
            missing[role.name] = NOBODY.format(role.what)
    return Chosen(judge_of_role, missing)


def named_in(texts):
    """Return {role: judge} of texts such as "support=my judge"; ValueError for any other text."""
    named = {}
    for text in texts:
        role, sign, name = text.partition("=")
        if not (role and sign and name):
            raise ValueError(f"Found {text!r}; expected ROLE=NAME.")
        named[role] = name
    return named
