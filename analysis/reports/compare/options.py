"""Declare the options of a comparison."""

from dataclasses import dataclass

from analysis.options.common import Drawn, Grouped, Positive, Referenced
from analysis.options.declare import number
from analysis.options.evaluators import evaluator_or_none, evaluators
from analysis.reports.selection.options import SelectionOptions


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Referenced, Grouped, Positive, Drawn):
    """Options of a comparison.

    of: names of the evaluators to compare, () for the first judge of Results; other: the one that
    they are compared with, "" for a usual one; margin: by how much an evaluator may be worse, in
    the unit of the measure, None for no such test.
    """

    of: tuple = evaluators(
        "Compare",
        "evaluator to compare: a judge, a rater, “a rater” (each rating with the mean of the "
        "others'), “mean of ROLE”, or a panel “A + B”; default: the first judge of Results",
        "the first judge",
    )
    other: str = evaluator_or_none(
        "With",
        "evaluator to compare with; default: a rater, else the mean of another role, else the next "
        "judge",
        "the usual",
        flag="--with",
    )
    margin: float | None = number(
        None,
        0,
        1e6,
        "Not worse by",
        "how much worse it may be, in the unit of the measure, to be called not worse; default: no "
        "such test",
    )


@dataclass(frozen=True, kw_only=True)
class AskedOptions(SelectionOptions, Grouped):
    """What the measures read of options, the judges that are compared among them."""
