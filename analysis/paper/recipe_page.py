"""Arrange a recipe's table, and its choice of judges, as the page shows them."""

import re
from dataclasses import dataclass, field
from math import isnan
from urllib.parse import urlencode

from analysis.recipes.base import MISSING, Role
from judges.models import Judge


@dataclass(frozen=True)
class Line:
    """A measure with the printed number and the study's, written with as many digits."""

    measure: str
    printed: str
    own: str
    interval: str
    verdict: str
    reason: str


@dataclass(frozen=True)
class Part:
    """A table or figure of the paper. lines: with a number of the study; missing: without."""

    title: str
    lines: list = field(default_factory=list)
    missing: list = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """A role, the judge that has it (blank: none), and the judges that may have it.

    is_named: whether the address names the judge.
    """

    role: Role
    name: str
    is_named: bool
    offered: list

    @property
    def way(self):
        """Return the query of the page New judge for such a judge; blank where a file brings it.

        It has the settings of the paper; a box that is not ticked is blank.
        """
        role = self.role
        if role.kind == Judge.Kind.IMPORTED:
            return ""
        settings = {name: "" if value is False else value for name, value in role.settings.items()}
        return urlencode({"kind": role.kind, "method": role.method} | settings)


def parts_of(recipe, report):
    """Return the Parts of a recipe's Report, those with a number of the study first."""
    printed = {number.place: number for number in recipe.published}
    parts: dict = {}
    for row in report.rows:
        part = parts.setdefault(row["table"], Part(title_of(row["table"])))
        line = _line(row, printed.get((row["table"], row["row"], row["column"])))
        (part.missing if isnan(row["ours"]) else part.lines).append(line)
    return sorted(parts.values(), key=lambda part: not part.lines)


def title_of(table):
    """Return the title of a table; figures and others have one that is a word."""
    return f"Table {table}" if re.fullmatch(r"\d+[a-z]?|[IVX]+", table) else table


def _line(row, printed):
    digits = printed.digits if printed else None
    ends = [written(row[end], digits) for end in ("low", "high") if not isnan(row[end])]
    return Line(
        f"{row['row']} · {row['column']}",
        written(printed.value, digits) if printed else "",
        written(row["ours"], digits),
        f"[{', '.join(ends)}]" if ends else "",
        row["verdict"] or ("" if printed else MISSING * isnan(row["ours"])),
        row["reason"],
    )


def written(value, digits):
    """Write a number with these digits behind the point; with four in all where none are given."""
    if isnan(value):
        return "–"
    return f"{value:.4g}" if digits is None else f"{value:,.{digits}f}"


def choices_of(study, asked):
    """Return a Choice for each role of a recipe."""
    judges = Judge.objects.filter(study=study).current().select_related("endpoint")
    every_judge = list(judges.order_by("pk"))
    return [
        Choice(
            role,
            asked.chosen.judges.get(role.name, ""),
            role.name in asked.named,
            [judge.key for judge in every_judge if role.may_be_done_by(judge)],
        )
        for role in asked.recipe.roles
    ]
