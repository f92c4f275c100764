"""Say beside verdicts what simulated studies with a known truth showed (docs/CALIBRATION.md)."""

from analysis.reports.verdict.words import short
from analysis.stats.validation.answers import Answer

FEW_CLUSTERS = 30  # below which the coverage of intervals was not simulated
HARDLY_AGREE = 0.2  # rho, below which the bounds of worth hold more often than they should


def simulation_notes(rows):
    """Yield what simulations showed that bears on these rows of judges on rating items."""
    yield (
        "In simulations a check at .05 errs in .05 to .07 of studies exactly at its boundary. A "
        "constant, chance, text length, the system alone or the content alone got a yes in at most "
        "1 % of studies, of two, four or eleven systems (docs/CALIBRATION.md). They are taken out "
        "one at a time: a judge that knows two of them, and nothing else, can get a yes."
    )
    tested = [row for row in rows if row["answer"] != Answer.NOT_TESTABLE]
    yield from _of_intervals(tested)
    if any("echo" in row["warnings"].split() for row in rows):
        yield (
            "That some raters agree with a judge more than with people is said for nothing in 5 % "
            "of studies in which nobody pastes its answers."
        )


def _of_intervals(rows):
    """Yield how often intervals hold the truth, and with few clusters or little agreement."""
    covered = (
        "95 % intervals held the truth in about .93 to .97 of simulated studies with "
        f"{FEW_CLUSTERS} clusters or more"
    )
    fewest = min((row["clusters"] for row in rows), default=FEW_CLUSTERS)
    few = f"; with {fewest} they may hold it less often" if fewest < FEW_CLUSTERS else ""
    yield f"{covered}{few}."
    if any(row["rho"] < HARDLY_AGREE for row in rows):
        yield (
            f"Where raters agree by less than {short(HARDLY_AGREE)}, the bounds of a judge's worth "
            "are on the safe side: they hold the truth in more than 95 % of studies."
        )
