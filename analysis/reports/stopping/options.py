"""Declare the options of a look at unfinished collecting."""

from dataclasses import dataclass

from analysis.options.common import Referenced
from analysis.options.declare import number

MOST_COST = 100_000


@dataclass(frozen=True, kw_only=True)
class StopOptions(Referenced):
    """Options of a look. item_cost: dollars for all ratings of an item; None: the study's own."""

    item_cost: float | None = number(
        None,
        0,
        MOST_COST,
        "Cost of an item",
        "dollars that all ratings of one item cost; default: by the study's own pay, else its own "
        "time",
    )
