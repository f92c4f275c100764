"""Declare the options of the report on recommenders under test."""

from dataclasses import dataclass

from analysis.options.choices import ALL
from analysis.options.common import Drawn
from analysis.options.declare import choice, number

DEFAULT_PERSISTENCE = 0.9
MATCHED = "matched"


@dataclass(frozen=True, kw_only=True)
class MetamorphicOptions(Drawn):
    """Options of comparing lists.

    persistence: of rank-biased overlap; entries: that are compared, "all" or those "matched" to
    the catalogue.
    """

    persistence: float = number(
        DEFAULT_PERSISTENCE,
        0.01,
        0.99,
        "Persistence p of RBO",
        f"p of rank-biased overlap; default {DEFAULT_PERSISTENCE}",
    )
    entries: str = choice(
        ALL,
        "Entries compared",
        "all (default), or matched: those of the catalogue alone",
        [(ALL, "all"), (MATCHED, "matched to the catalogue")],
    )
