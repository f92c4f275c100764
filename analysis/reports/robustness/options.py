"""Declare the options of judges' robustness."""

from dataclasses import dataclass

from analysis.options.common import Drawn, Judged


@dataclass(frozen=True, kw_only=True)
class RobustnessOptions(Judged, Drawn):
    """Options of a report that compares judges with themselves."""
