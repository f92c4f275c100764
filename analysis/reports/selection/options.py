"""Declare the options of the report on lists."""

from dataclasses import dataclass

from analysis.options.declare import choice
from analysis.reports.shared.options import YesNoOptions


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(YesNoOptions):
    """Options of the choice of lists. strong: how many of the lowest ratings are strong misfits."""

    strong: int = choice(
        1,
        "Strong misfits",
        "1 (default) or 2, how many of the lowest ratings are strong misfits",
        [(1, "the lowest"), (2, "the two lowest")],
    )
