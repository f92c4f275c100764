"""Name the options that several reports take together."""

from dataclasses import dataclass

from analysis.options.common import Compared, Drawn, Filled, Grouped, OfAnswers, Positive


@dataclass(frozen=True, kw_only=True)
class PeopleOptions(OfAnswers, Drawn):
    """Options of a report on people alone."""


@dataclass(frozen=True, kw_only=True)
class AgreementOptions(Compared, Drawn):
    """Options of a report on agreement, which fills in no reference."""


@dataclass(frozen=True, kw_only=True)
class DeviationOptions(Compared, Filled, Drawn):
    """Options of a report on judges' distance from a reference."""


@dataclass(frozen=True, kw_only=True)
class CorrelationOptions(Compared, Filled, Grouped, Drawn):
    """Options of a report on correlation, within groups too."""


@dataclass(frozen=True, kw_only=True)
class YesNoOptions(Compared, Filled, Positive, Drawn):
    """Options of a report on means that count as yes or no."""
