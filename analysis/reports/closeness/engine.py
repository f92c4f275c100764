"""What reports on closeness share: their notes, the headline, and tests of pairs of evaluators."""

from dataclasses import replace

from analysis.options.common import SKIP
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import LABELS, PARTS
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.measured import MeasuredReport
from analysis.stats.comparison.differences import holm, paired_differences
from analysis.stats.comparison.max_t import paired_max_t

CERTAIN = 0.05
MAX_T, HOLM = "max_t", "holm"


class ClosenessReport(MeasuredReport):
    """A report on how closely evaluators follow the reference.

    singles: whether raters are compared one by one; least: clusters below which there is no
    interval.
    """

    singles, least = True, 0

    def measure(self, report, scores, parts, **less):
        scores, notes = self.compare(report, scores, parts, **less)
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
        return Shown("measure", "Coefficient and level", [(part, in_words(part)) for part in PARTS])


def in_words(part):
    """Write a coefficient and its level, such as Pearson's r, user."""
    coefficient, level = part.split()
    return f"{LABELS[coefficient]}, {level}"


def add_family(report, about, family, shown, correction=MAX_T):
    """Add the rows of pairs of evaluators whose p-values are corrected for their number.

    family: [(first, other, both Estimates, what stands before n)], all on the same draws; shown:
    which of p, p_holm and p_adjusted the rows have. A pair that max-T leaves out has no interval
    either, whose reason says why.
    """
    flat = [estimate for *_, both, _ in family for estimate in both]
    places = [(place, place + 1) for place in range(0, len(flat), 2)]
    differences = paired_differences(flat, places)
    if correction == HOLM:
        p = [difference.p for difference in differences]
        adjusted = holm(p)
    else:
        tested = paired_max_t(flat, places)
        p, adjusted = tested.single, tested.p
    columns = {"p": p, "p_holm": holm(p), "p_adjusted": adjusted}
    for place, (first, other, (value, other_value), more) in enumerate(family):
        own = differences[place].estimate
        row = {"evaluator": first.name, "other": other.name} | about
        row |= {"value": value.value, "other_value": other_value.value}
        row |= {"difference": own.value, "low": own.low, "high": own.high}
        row |= {name: float(columns[name][place]) for name in shown}
        report.add(row | more | {"n": own.n}, {"difference": own}, **first.facts)


def as_difference(entry):
    """Return the entry for a figure: its value is the difference, its pair says of whom."""
    row = entry.row
    pair = f"{row['evaluator']} − {row['other']}"
    return replace(entry, row=row | {"pair": pair, "value": row["difference"]})
