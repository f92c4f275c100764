"""Declare the options of the differences between judges."""

from dataclasses import dataclass

from analysis.options.common import judge_or_none
from analysis.options.declare import choice
from analysis.reports.shared.options import CorrelationOptions

MAX_T, HOLM = "max_t", "holm"


@dataclass(frozen=True, kw_only=True)
class DifferencesOptions(CorrelationOptions):
    """Options of differences.

    against: the judge that the others differ from, "" = every two; correction: of the p-values
    for the number of pairs, "max_t" or "holm".
    """

    against: str = judge_or_none(
        "Differences from",
        "judge that the others differ from; default: every two judges",
        "every two judges",
    )
    correction: str = choice(
        MAX_T,
        "Correction of p",
        "max_t (default) or holm: how p is corrected for the number of pairs",
        [(MAX_T, "max-T, of the same draws"), (HOLM, "Holm")],
    )
