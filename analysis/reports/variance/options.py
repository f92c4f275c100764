"""Declare the options of the components of variance."""

from dataclasses import dataclass

from analysis.options.common import Drawn, Referenced


@dataclass(frozen=True, kw_only=True)
class VarianceOptions(Referenced, Drawn):
    """Options of a report on the raters of one role."""
