"""Declare the options of judges' thresholds."""

from dataclasses import dataclass

from analysis.options.declare import choice
from analysis.reports.shared.options import YesNoOptions

YOUDEN, F1 = "youden", "f1"


@dataclass(frozen=True, kw_only=True)
class ThresholdsOptions(YesNoOptions):
    """Options of thresholds. criterion: by which one is chosen, "youden" or "f1"."""

    criterion: str = choice(
        YOUDEN,
        "Threshold chosen by",
        "youden (default) or f1",
        [(YOUDEN, "Youden's J"), (F1, "F1")],
    )
