"""Tabulate the checks of a judge in their order, groups of items, and every two systems."""

from dataclasses import dataclass
from math import isnan, nan

from analysis.figures.layout import Cell, Table, Words
from analysis.reports.verdict.own_words import one_tells_another
from analysis.reports.verdict.words import short
from analysis.stats.validation.evidence import largest_p

LADDERS = "ladders"  # of a report's curves: {(judge, role, question): its Rungs}
PEOPLE, ENOUGH, LEVEL = "People agree: ρ", "Enough of a rater: r − k ρ", "Level: judge − people"
BEYOND = "Beyond all that is known of an item: r′ − ½ ρ′"
REST = "Without the plainest items"
BESIDE = "After correction for all that was tried"
TIED = "\u00a0"  # a space at which no line ends
PASSED = {True: "✓", False: "✗"}


@dataclass(frozen=True)
class Rung:
    """A check. value, low, high: its estimate with a 95 % interval; of_people: ρ where it has both.

    p: of the check, the larger one where people and judge are both tested; skipped: why it was not
    made.
    """

    name: str
    passes: bool = False
    value: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    of_people: float = nan
    skipped: str = ""

    @property
    def words(self):
        """Write the rung as a cell of the table of checks."""
        if self.skipped:
            return f"not checked: {self.skipped}"
        parts = [PASSED[self.passes]]
        if not isnan(self.value):
            parts = [f"{parts[0]}{TIED}{short(self.value)}"]
        if not isnan(self.low):
            parts.append(f"[{short(self.low)},{TIED}{short(self.high)}]")
        if not isnan(self.of_people):
            parts.append(f"(raters there:{TIED}{short(self.of_people)})")
        return " ".join([*parts, f"p{TIED}{_p(self.p)}"])


def _p(p):
    return f"<{TIED}.001" if p < 0.001 else short(p, 3)


def rungs_of(evidence, criteria, p_adjusted):
    """Return the Rungs of a judge's Evidence; p_adjusted: after the correction for the family."""
    if not evidence.n:
        return []
    alpha = criteria.alpha
    rho, theta = evidence.agreement.rho, evidence.agreement.retention(criteria.retention)
    rungs = [
        _rung(PEOPLE, rho, rho.p_above(), alpha, also=rho.value >= criteria.floor),
        _rung(ENOUGH, theta, theta.p_above(), alpha),
        _beyond(evidence.beyond, criteria, alpha),
    ]
    if evidence.rest is not None:
        rungs.append(Rung(REST, evidence.rest.p < alpha, p=min(1.0, evidence.rest.p)))
    if evidence.level is None:
        rungs.append(Rung(LEVEL, skipped="it has a scale of its own"))
    else:
        p = evidence.level.p_within(evidence.level_margin)
        rungs.append(_rung(LEVEL, evidence.level.largest, p, alpha))
        rungs.append(Rung(BESIDE, p_adjusted < criteria.alpha, p=p_adjusted))
    return rungs


def _rung(name, quantity, p, alpha, *, also=True, of_people=nan):
    reach = quantity.reach(0.025)
    ends = quantity.value - reach, quantity.value + reach
    return Rung(name, bool(p < alpha and also), quantity.value, *ends, p, of_people)


def _beyond(beyond, criteria, alpha):
    if not beyond.parts:
        return Rung(BEYOND, skipped="nothing but the texts is known of an item")
    k = criteria.beyond_retention
    _, worst = beyond.worst(k)
    p = largest_p((beyond.judge_p(k), beyond.people_p))
    return _rung(BEYOND, worst.retention(k), p, alpha, of_people=worst.rho.value)


def ladder_table(entries, ladders, question, share):
    """Return a table with a line for each judge and a column for each check, in a list.

    entries: of judges that rate items; share: k, as words. The list is empty where no judge was
    tested.
    """
    several = len({entry.row["role"] for entry in entries}) > 1
    lines = []
    for row in (entry.row for entry in entries):
        rungs = ladders.get((row["evaluator"], row["role"], question), [])
        name = row["evaluator"] + (f" ({row['role']})" if several else "")
        lines.append((name, {rung.name: rung for rung in rungs}))
    names = _in_order([rungs for _, rungs in lines])
    if not names:
        return []
    cells = [
        (name, [Words(rungs[check].words if check in rungs else "–") for check in names])
        for name, rungs in lines
    ]
    caption = (
        f"{question}: every check of rating items, in the order in which they are asked. Each cell "
        "says whether it passed, its estimate, the 95 % interval, and p."
    )
    note = (
        f"ρ says how well {one_tells_another([entry.row for entry in entries])} (0 not at all, 1 "
        f"fully), r how well the judge's do. The judge has to reach a share k of ρ, here {share}: "
        "r − k ρ has to be above 0. Beyond what is known of an item without reading it (length, "
        "system, content, recipient, who rated it, and cells of two of them, at once) k is 1/2, "
        "and people have to agree there too: “raters there” is their ρ."
    )
    return [Table(caption, [Words(name) for name in names], cells, [], "Judge", note)]


def _in_order(ladders):
    """Return the names of all checks: those of the longest ladder, then what others add."""
    longest = sorted(ladders, key=len, reverse=True)
    return list(dict.fromkeys(name for ladder in longest for name in ladder))


def groups_table(entries, question, answer_of):
    """Return a table with a line for each judge and group, in a list; [] without groups."""
    if not entries:
        return []
    lines = [
        (f"{entry.row['evaluator']}: {entry.row['group']}", _cells(entry.row, answer_of))
        for entry in entries
    ]
    headings = ["In this group", "r − k ρ", "p, fails", "Level", "Items, clusters, raters"]
    return [
        Table(f"{question}: each judge by group of items.", headings, lines, [], "Judge, group")
    ]


def pairs_table(entries, question, answer_of):
    """Return a table with a line for each judge and two systems, in a list; [] without pairs."""
    pairs = [entry.row for entry in entries if entry.row["systems"]]
    if not pairs:
        return []
    lines = [
        (
            f"{row['evaluator']}: {row['systems']}",
            [
                answer_of(row),
                Cell({"low": row["level_low"], "high": row["level_high"]}, row["level"]),
                short(row["level_p"], 3),
                short(row["p_adjusted"], 3),
                short(row["p_winner"], 3),
            ],
        )
        for row in pairs
    ]
    headings = ["May it compare them?", "Judge − people", "p, within the margin"]
    headings += ["p, corrected for pairs (Holm)", "p, it tells them apart (max-T)"]
    caption = f"{question}: every two systems, by their difference."
    return [Table(caption, headings, lines, [], "Judge, systems")]


def _cells(row, answer_of):
    return [
        answer_of(row),
        short(row["retention"]),
        short(row["p_adjusted"], 3),
        Cell({"low": row["level_low"], "high": row["level_high"]}, row["level"]),
        f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}",
    ]
