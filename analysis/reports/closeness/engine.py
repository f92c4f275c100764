"""What reports on closeness share: their notes, the headline, and tests of pairs of evaluators."""

from dataclasses import dataclass, replace

from analysis.options.common import SKIP
from analysis.options.declare import choice
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import LABELS, PARTS
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.measured import MeasuredReport
from analysis.stats.comparison.differences import holm, paired_differences
from analysis.stats.comparison.max_t import paired_max_t
from analysis.stats.estimate import Estimate

CERTAIN = 0.05
MAX_T, HOLM = "max_t", "holm"
CORRECTION = choice(
    MAX_T,
    "Correction of p",
    "max_t (default) or holm: how p is corrected for the number of pairs",
    [(MAX_T, "max-T, of the same draws"), (HOLM, "Holm")],
)


class ClosenessReport(MeasuredReport):
    """A report on how closely evaluators follow the reference.

    singles: whether raters are compared one by one; least: clusters below which there is no
    interval.
    """

    singles, least = True, 0

    def measure(self, report, scores, parts):
        scores, notes = self.compare(report, scores, parts)
        what = "left out of the mean" if scores.options.undefined == SKIP else "counted as 0"
        return [
            *policy_notes(scores, compared=self.singles),
            f"Groups in which the coefficient is undefined are {what}.",
            *notes,
            interval_note(scores, self.least),
        ]

    def compare(self, report, scores, parts):
        """Add the rows and the verdict; return the Scores compared and the report's own notes."""
        raise NotImplementedError

    def list_parts(self, questions):
        """Return the coefficients and levels of which the page shows one."""
        names = [(part, *part.split()) for part in PARTS]
        choices = [(part, f"{LABELS[key]}, {level}") for part, key, level in names]
        return Shown("measure", "Coefficient and level", choices)


@dataclass(frozen=True)
class Tested:
    """The difference of two Estimates on the same rows, with its p-values within a family."""

    first: Estimate
    other: Estimate
    difference: Estimate
    p: float
    p_holm: float
    p_adjusted: float


def test_family(both, correction=MAX_T):
    """Return the Tested of pairs of Estimates that share their draws, [(first, other)].

    A pair that max-T leaves out has no interval either, whose reason says why.
    """
    flat = [estimate for pair in both for estimate in pair]
    places = [(place, place + 1) for place in range(0, len(flat), 2)]
    differences = paired_differences(flat, places)
    if correction == HOLM:
        p = [difference.p for difference in differences]
        adjusted = holm(p)
    else:
        family = paired_max_t(flat, places)
        p, adjusted = family.single, family.p
    return [
        Tested(*pair, difference.estimate, *map(float, numbers))
        for pair, difference, *numbers in zip(both, differences, p, holm(p), adjusted, strict=True)
    ]


def add_tested(report, about, tested, numbers, **facts):
    """Add the row of two evaluators; numbers: what stands between the interval and n."""
    difference = tested.difference
    report.add(
        about
        | {"value": tested.first.value, "other_value": tested.other.value}
        | {"difference": difference.value, "low": difference.low, "high": difference.high}
        | numbers
        | {"n": difference.n},
        {"difference": difference},
        **facts,
    )


def as_difference(entry):
    """Return the entry for a figure: its value is the difference, its pair says of whom."""
    row = entry.row
    pair = f"{row['evaluator']} − {row['other']}"
    return replace(entry, row=row | {"pair": pair, "value": row["difference"]})
