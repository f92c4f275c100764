"""Lay out the verdict: judges and questions in a matrix, then one question with its evidence."""

from dataclasses import dataclass, replace
from math import isnan, nan
from urllib.parse import urlencode

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Figure, Layout, Link, Table, Words, interval_cell
from analysis.reports.verdict.baselines import grey_metric, grey_words
from analysis.reports.verdict.candidates import JUDGE, RATER
from analysis.reports.verdict.groups import GROUP
from analysis.reports.verdict.options import SHARES
from analysis.reports.verdict.order import judges_by_rank
from analysis.reports.verdict.published import differs
from analysis.reports.verdict.sentences import percent
from analysis.reports.verdict.summary import (
    UNPROVEN_NAME,
    answer_of,
    say_spared,
    say_worth,
    stood_in_for,
    warns,
)
from analysis.reports.verdict.texts import A_RATER, COMPARE, RATE
from analysis.reports.words import short
from analysis.stats.validation.decision import Answer
from analysis.stats.validation.evidence import largest_p

MATRIX = "matrix"  # of a report's curves: the rows of judges on all questions
LADDERS = "ladders"  # of a report's curves: {(judge, role, question): its Rungs}
REASONS = "table-1-3"  # anchor of the table that says why, and what next
MOST_WORTH = 999.5  # raters; the computation ends at 1,000
# An answer is a word and a sign, never a colour alone.
SIGNS = {
    Answer.YES: "✓",
    Answer.NOT_YET: "…",
    Answer.NO: "✗",
    Answer.PEOPLE_DISAGREE: "≠",
    Answer.NOT_TESTABLE: "–",
}
MATRICES = {
    RATE: "May it rate items in place of a rater?",
    COMPARE: "May it compare systems in place of people?",
}
WHY = {RATE: "rating items", COMPARE: "comparing systems"}
PEOPLE, ENOUGH, LEVEL = "People agree: ρ", "Enough of a rater: r − k ρ", "Level: judge − people"
BEYOND = "Beyond all that is known of an item: r′ − ½ ρ′"
REST = "Without the plainest items"
BESIDE = "After correction for all that was tried"
TIED = "\u00a0"  # a space at which no line ends
NUMBERS_NOTE = (
    "Worth in raters: the mean of so many raters follows people's shared opinion as well as the "
    "judge does. Share of ρ: the largest that r is shown to reach. r′ (ρ′): r and ρ beyond all "
    "that is known of an item without reading it. p: corrected for so many pairs of a judge and a "
    "question. The published test decides nothing."
)


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
        """The rung as a cell of the table of checks."""
        if self.skipped:
            return f"not checked: {self.skipped}"
        parts = ["✓" if self.passes else "✗"]
        if not isnan(self.value):
            parts = [f"{parts[0]}{TIED}{short(self.value)}"]
        if not isnan(self.low):
            parts.append(f"[{short(self.low)},{TIED}{short(self.high)}]")
        if not isnan(self.of_people):
            parts.append(f"(raters there:{TIED}{short(self.of_people)})")
        p = f"<{TIED}.001" if self.p < 0.001 else short(self.p, 3)
        return " ".join([*parts, f"p{TIED}{p}"])


def rungs_of(candidate):
    """Return the Rungs of a judge, in the order in which they are asked."""
    evidence, criteria = candidate.evidence, candidate.criteria
    if not evidence.n:
        return []
    alpha, k, beyond = criteria.alpha, criteria.beyond_retention, evidence.beyond
    rho, theta = evidence.agreement.rho, evidence.agreement.retention(criteria.retention)
    rungs = [
        _rung(PEOPLE, rho, rho.p_above(), alpha, also=rho.value >= criteria.floor),
        _rung(ENOUGH, theta, theta.p_above(), alpha),
    ]
    if beyond.parts:
        _, worst = beyond.worst(k)
        p = largest_p((beyond.judge_p(k), beyond.people_p))
        rungs.append(_rung(BEYOND, worst.retention(k), p, alpha, of_people=worst.rho.value))
    else:
        rungs.append(Rung(BEYOND, skipped="nothing but the texts is known of an item"))
    if evidence.rest is not None:
        rungs.append(Rung(REST, evidence.rest.p < alpha, p=min(1.0, evidence.rest.p)))
    if evidence.level is None:
        return [*rungs, Rung(LEVEL, skipped="it has a scale of its own")]
    p = evidence.level.p_within(evidence.level_margin)
    level = _rung(LEVEL, evidence.level.largest, p, alpha)
    return [*rungs, level, Rung(BESIDE, candidate.p_adjusted < alpha, p=candidate.p_adjusted)]


def _rung(name, quantity, p, alpha, *, also=True, of_people=nan):
    ends = quantity.interval()
    return Rung(name, bool(p < alpha and also), quantity.value, *ends, p, of_people)


def layout(report, question, looks):
    """Return the page: both matrices, then the chosen question's figure, reasons and numbers."""
    every = report.curves.get(MATRIX, [])
    address = _address(report.options)
    own = [entry for entry in report.entries if entry.row["question"] == question]
    judged = [entry for entry in own if entry.kind == JUDGE]
    rating = _sorted([entry for entry in judged if entry.row["use"] == RATE])
    comparing = _sorted([entry for entry in judged if entry.row["use"] == COMPARE])
    tables = [
        *(_matrix(every, use, caption, address) for use, caption in MATRICES.items()),
        _reasons(rating, question, RATE),
        *_ladder(rating, report.curves.get(LADDERS, {}), question, report.options["retention"]),
        _reasons(comparing, question, COMPARE),
        _numbers([e for e in own if e.row["use"] == RATE and e.kind != GROUP], question),
        _groups([entry.row for entry in own if entry.kind == GROUP], question),
        _pairs([entry.row for entry in comparing if entry.row["systems"]], question),
    ]
    for table in tables[3:]:
        table.is_folded = True
    return Layout(_figures(own, question, report, looks), tables)


def _address(options):
    """Return a function from a question to the address of its reasons; None on a page of groups."""
    if options.get("by"):
        return None
    given = {name: value for name, value in options.items() if value not in (None, "", [])}
    return lambda key: f"?{urlencode(given | {'question': key}, doseq=True)}#{REASONS}"


def _sorted(entries):
    """Return the entries of one use as the matrix sorts judges."""
    ranked = judges_by_rank([entry.row for entry in entries])
    return sorted(entries, key=lambda entry: ranked.index(entry.row["evaluator"]))


def _namer(rows, key="evaluator"):
    """Return a function that names a row, with its role where the rows are of several."""
    several = len({row["role"] for row in rows}) > 1
    return lambda row: f"{row[key]} ({row['role']})" if several else row[key]


def _matrix(rows, use, caption, address):
    """Tabulate answers by judge and question; the best judge first.

    Each answer on rating items leads to its reason, what next, and the checks.
    """
    rows = [row for row in rows if row["use"] == use and not row["systems"]]
    columns = {(row["role"], row["question"]): row for row in rows}
    cells = {}
    for row in rows:
        answer, key = _answer(row), row["question"]
        is_linked = use == RATE and address is not None
        place = row["evaluator"], row["role"], key
        cells[place] = Link(answer, address(key)) if is_linked else answer
    lines = [
        (name, [cells.get((name, *column)) for column in columns]) for name in judges_by_rank(rows)
    ]
    headings = [*map(_namer(rows, "question"), columns.values())]
    return Table(caption, headings, lines, [], "Judge")


def _answer(row):
    words = f"{SIGNS[row['answer']]} {answer_of(row)}"
    if row["answer"] == Answer.YES:
        words += say_worth(row).replace("worth at least", "≥")
    unproven = "named without proof" if warns(row, UNPROVEN_NAME) else ""
    return "; ".join(filter(None, (words, unproven, say_spared(row))))


def _reasons(entries, question, use):
    name = _namer([entry.row for entry in entries])
    lines = [
        (name(row), [Words(_answer(row)), Words(entry.reason), Words(row["next"])])
        for entry in entries
        if not (row := entry.row)["systems"]
    ]
    headings = [Words("Answer"), Words("Why"), Words("What next")]
    return Table(f"{question}: why, and what next, for {WHY[use]}.", headings, lines, [], "Judge")


def _ladder(entries, ladders, question, share):
    """Return a table with a line for each judge and a column for each check, in a list.

    share: k, as words. The list is empty where no judge was tested.
    """
    rows = [entry.row for entry in entries]
    name, lines = _namer(rows), []
    for row in rows:
        rungs = ladders.get((row["evaluator"], row["role"], question), [])
        lines.append((name(row), {rung.name: Words(rung.words) for rung in rungs}))
    # The checks of the longest ladder, then what others add.
    longest = sorted((rungs for _, rungs in lines), key=len, reverse=True)
    checks = list(dict.fromkeys(check for rungs in longest for check in rungs))
    if not checks:
        return []
    told = "one rater's answers tell another's"
    if stood_in_for(rows) != A_RATER:
        told = "recipients' second answers tell their first"
    caption = (
        f"{question}: every check of rating items, in the order in which they are asked. Each cell "
        "says whether it passed, its estimate, the 95 % interval, and p."
    )
    note = (
        f"ρ says how well {told} (0 not at all, 1 fully), r how well the judge's do. The judge has "
        f"to reach a share k of ρ, here {share}: r − k ρ has to be above 0. Beyond what is known "
        "of an item without reading it (length, system, content, recipient, who rated it, and "
        "cells of two of them, at once) k is 1/2, and people have to agree there too: “raters "
        "there” is their ρ."
    )
    cells = [(name, [rungs.get(check, Words("–")) for check in checks]) for name, rungs in lines]
    return [Table(caption, [*map(Words, checks)], cells, [], "Judge", note)]


def _numbers(entries, question):
    """Tabulate what the verdict rests on, of judges, baselines and single raters.

    A rater without whom no item has two ratings has no line.
    """
    lines = []
    for entry in entries:
        row = entry.row
        if entry.kind == RATER and not row["items"]:
            continue
        kind = "" if entry.kind == JUDGE else f" ({entry.kind})"
        share, p = row["share_proven"], row["p_adjusted"]
        within, test = short(row["agreement_within"]), short(row["winning_rate"])
        cells = [
            _worth_cell(row),
            "–" if isnan(share) else percent(max(share, 0)),
            interval_cell(row, "agreement"),
            interval_cell(row, "rho"),
            f"{within} ({short(row['rho_within'])})" if within != "–" else "–",
            interval_cell(row, "level"),
            test + (f", says {row['published_test']}" if differs(row) else ""),
            "–" if isnan(p) else f"{short(p, 3)} ({row['family']:,})",
            _sizes(row),
        ]
        lines.append((f"{row['evaluator']}{kind}", cells))
    headings = [
        "Worth in raters",
        "Share of ρ, at least",
        "Agreement r",
        "Raters' own ρ",
        "r′ (ρ′) beyond groups",
        "Level: judge − people",
        "Published test ω",
        "p, corrected (of so many)",
        "Items, clusters, raters",
    ]
    caption = f"{question}: the numbers of judges, baselines and single raters."
    return Table(caption, headings, lines, [], "Judge, baseline or rater", NUMBERS_NOTE)


def _worth_cell(row):
    """Return the worth in raters; in words what is more than can be measured."""
    low, high = row["worth_low"], row["worth_high"]
    if isnan(high) or high < MOST_WORTH:
        return interval_cell(row, "worth")
    value = short(row["worth"]) if row["worth"] < MOST_WORTH else "not measurable"
    return f"{value} [{short(low) if low < MOST_WORTH else 'any'}, any]"


def _sizes(row):
    return f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}"


def _groups(rows, question):
    """Tabulate each judge and group; the page leaves a table without lines out."""
    lines = []
    for row in rows:
        theta, p = short(row["retention"]), short(row["p_adjusted"], 3)
        cells = [_answer(row), theta, p, interval_cell(row, "level"), _sizes(row)]
        lines.append((f"{row['evaluator']}: {row['group']}", cells))
    headings = ["In this group", "r − k ρ", "p, fails", "Level", "Items, clusters, raters"]
    caption = f"{question}: each judge by group of items."
    return Table(caption, headings, lines, [], "Judge, group")


def _pairs(rows, question):
    """Tabulate each judge and two systems."""
    lines = []
    for row in rows:
        p = [short(row[name], 3) for name in ("level_p", "p_adjusted", "p_winner")]
        cells = [_answer(row), interval_cell(row, "level"), *p]
        lines.append((f"{row['evaluator']}: {row['systems']}", cells))
    headings = ["May it compare them?", "Judge − people", "p, within the margin"]
    headings += ["p, corrected for pairs (Holm)", "p, it tells them apart (max-T)"]
    caption = f"{question}: every two systems, by their difference."
    return Table(caption, headings, lines, [], "Judge, systems")


def _figures(entries, question, report, looks):
    """Draw r of judges, baselines and raters, with lines at one rater and the share to keep."""
    rated = [entry for entry in entries if entry.row["use"] == RATE]
    shown = []
    for entry in rated:
        row = entry.row
        ends = {"low": row["agreement_low"], "high": row["agreement_high"], "n": row["items"]}
        about = {"evaluator": row["evaluator"], "question": question, "value": row["agreement"]}
        if not isnan(row["agreement"]):
            shown.append(replace(entry, row=about | ends))
    if not shown:
        return []
    rho = next((e.row["rho"] for e in entries if e.kind == JUDGE and not isnan(e.row["rho"])), None)
    share = report.options["retention"]
    whom = stood_in_for([entry.row for entry in rated if entry.kind == JUDGE])
    mark, told = "one rater", "a rater answers, beside what one rater tells of another"
    if whom != A_RATER:
        mark = "own second answer"
        told = "a recipient answers, beside what the recipient's own second answer tells"
    marks = [] if rho is None else [(SHARES[share] * rho, f"{share} of it"), (rho, mark)]
    shown.sort(key=lambda entry: -entry.row["value"])
    title = f"Agreement r with {whom} (n = {span(entry.row['n'] for entry in shown)} items)"
    shown = grey_metric(report, shown)
    plot = dots(shown, "evaluator", "question", looks, title, marks=marks)
    caption = (
        f"{question}: how well each judge tells what {told} (“{mark}”) and {share} of that. "
        f"Lines: 95 % intervals.{grey_words(report, [True])}"
    )
    return [Figure("verdict", caption, plot)]
