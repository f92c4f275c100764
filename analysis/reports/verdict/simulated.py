"""Say beside verdicts what simulated studies with a known truth showed (docs/CALIBRATION.md)."""

from analysis.reports.shared.few_clusters import FEW_CLUSTERS
from analysis.reports.verdict.own_words import OWN_ANSWERS
from analysis.reports.verdict.unchecked import names_of
from analysis.reports.verdict.words import short
from analysis.stats.validation.answers import Answer

# What is ruled out where it is known.
ONE_TRICK = {
    "length": "text length",
    "system": "the system alone",
}
OF_CONTENTS = (
    "Where contents have two to four items, within which all else is fitted, a judge that knows "
    "only people's own mean of each content got none."
)
AT_ONCE = (
    "Length, system, content, who rated an item, and cells of two groupings are taken out at once. "
    "Judges that know several of them and nothing else were simulated with 300 items by three "
    "raters, four systems and contents of 60 items (docs/CALIBRATION.md, Attacks); not where "
    "recipients rate their own items, nor where contents are small or cut across recipients."
)
HARDLY_AGREE = 0.2  # rho, below which the bounds of worth hold more often than they should


def simulation_notes(rows):
    """Yield what simulations showed that bears on these rows of judges on rating items."""
    spared = list(dict.fromkeys(name for row in rows for name in names_of(row)))
    of_raters = [row for row in rows if OWN_ANSWERS not in row["warnings"].split()]
    if of_raters or not rows:
        yield (
            "In simulated studies whose truth lies exactly at the boundary of a check at .05, it "
            f"passed wrongly in .02 to .10 of 300. {_tricks(spared)} got a yes in at most 1 % of "
            f"studies on five points, of two, four or eleven systems (docs/CALIBRATION.md). "
            f"{OF_CONTENTS} {AT_ONCE}"
        )
    else:  # what was simulated of recipients' own answers stands with them
        yield AT_ONCE
    if spared:
        yield (
            f"Some judge with a yes was not checked for the {' and the '.join(spared)}: a judge "
            "that knows nothing else can get such a yes."
        )
    if of_raters or not rows:
        yield from _of_intervals([r for r in of_raters if r["answer"] != Answer.NOT_TESTABLE])
    if any("echo" in row["warnings"].split() for row in rows):
        yield (
            "That some raters agree with a judge more than with people is said for nothing in 5 % "
            "of studies in which nobody pastes its answers."
        )


def _tricks(spared):
    """Name the judges that were simulated, but for those whose check some yes was spared."""
    judges = ["a constant", "chance"] + [
        ONE_TRICK[name] for name in ONE_TRICK if name not in spared
    ]
    return f"{', '.join(judges[:-1])} or {judges[-1]}".capitalize()


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
