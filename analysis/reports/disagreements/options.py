"""Declare the options of the list of disagreements."""

from dataclasses import dataclass

from analysis.options.common import Compared
from analysis.options.declare import choice, whole_number

BOTH, HIGHER, LOWER = "both", "higher", "lower"
BY_JUDGE, BY_PEOPLE = "judge", "people"


@dataclass(frozen=True, kw_only=True)
class DisagreementsOptions(Compared):
    """Options of the list.

    least_raters: how many an item needs; direction: where the judge stands; order: what is first.
    """

    least_raters: int = whole_number(
        1, 1, 1000, "Raters, at least", "raters that an item needs; default 1"
    )
    direction: str = choice(
        BOTH,
        "Direction",
        "both (default), higher or lower: where the judge stands",
        [(BOTH, "either way"), (HIGHER, "judge higher"), (LOWER, "judge lower")],
    )
    order: str = choice(
        BY_JUDGE,
        "Order",
        "judge (default), or people: those divided most come first",
        [(BY_JUDGE, "judge furthest from people"), (BY_PEOPLE, "people most divided")],
    )
