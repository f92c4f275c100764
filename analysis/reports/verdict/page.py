"""Show the verdict: all judges and questions at a glance, then one question with its evidence."""

from dataclasses import replace
from math import isnan
from urllib.parse import urlencode

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Cell, Figure, Layout, Link, Table, Words
from analysis.reports.kind import NO_JUDGE, Kind, no_value, of_questions
from analysis.reports.verdict.groups import GROUP
from analysis.reports.verdict.groups_table import groups_table
from analysis.reports.verdict.in_figures import grey_metric, grey_words
from analysis.reports.verdict.ladder import LADDERS, ladder_table
from analysis.reports.verdict.named import UNPROVEN_NAME
from analysis.reports.verdict.options import SHARES, VerdictOptions
from analysis.reports.verdict.own_words import figure_words
from analysis.reports.verdict.report import (
    COMPARE,
    JUDGE,
    MATRIX,
    RATE,
    least_worth,
    verdict,
)
from analysis.reports.verdict.ways_on import list_ways_on
from analysis.reports.verdict.words import ANSWERS, short
from analysis.stats.validation.answers import Answer

REASONS = "table-1-3"  # anchor of the table that says why, and what next
NO_PROOF = "named without proof"
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
list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page: both matrices, then the chosen question's figure, reasons and numbers."""
    every = report.curves.get(MATRIX, [])
    address = _address(report.options)
    tables = [_matrix(every, use, caption, address) for use, caption in MATRICES.items()]
    own = [entry for entry in report.entries if entry.row["question"] == question]
    judged = [entry for entry in own if entry.kind == JUDGE]
    rating = _sorted([entry for entry in judged if entry.row["use"] == RATE])
    comparing = _sorted([entry for entry in judged if entry.row["use"] == COMPARE])
    tables += [
        _reasons(rating, question, RATE),
        *ladder_table(rating, report.curves.get(LADDERS, {}), question),
        _reasons(comparing, question, COMPARE),
        _numbers([e for e in own if e.row["use"] == RATE and e.kind != GROUP], question),
    ]
    tables += groups_table([entry for entry in own if entry.kind == GROUP], question, _answer)
    for table in tables[3:]:
        table.is_folded = True
    return Layout(_figures(own, question, report, looks), tables)


def _address(options):
    """Return a function from a question to the address of its reasons; None on a page of groups."""
    if options.get("by"):
        return None
    given = {name: value for name, value in options.items() if value not in (None, "", [])}
    return lambda key: f"?{urlencode(given | {'question': key}, doseq=True)}#{REASONS}"


def _matrix(rows, use, caption, address):
    """Tabulate answers by judge and question; the judges with most yes, then most worth, first.

    Each answer on rating items leads to its reason, what next, and the checks.
    """
    rows = [row for row in rows if row["use"] == use and not row["systems"]]
    columns = list(dict.fromkeys((row["role"], row["question"]) for row in rows))
    several = len({role for role, _ in columns}) > 1
    is_linked = use == RATE and address is not None
    cells = {
        (row["evaluator"], row["role"], row["question"]): Link(
            _answer(row), address(row["question"])
        )
        if is_linked
        else _answer(row)
        for row in rows
    }
    lines = [
        (name, [cells.get((name, *column)) for column in columns])
        for name in sorted(dict.fromkeys(row["evaluator"] for row in rows), key=_order(rows))
    ]
    headings = [f"{key} ({role})" if several else key for role, key in columns]
    return Table(caption, headings, lines, [], "Judge")


def _order(rows):
    """Return a key that sorts names by their number of yes, then by their least worth.

    Where people disagree, the worth of a judge says nothing.
    """
    yes: dict = {}
    best: dict = {}
    for row in rows:
        name, answer, least = row["evaluator"], row["answer"], row["worth_low"]
        if isnan(least) or answer == Answer.PEOPLE_DISAGREE:
            least = 0.0
        yes[name] = yes.get(name, 0) + (answer == Answer.YES)
        best[name] = max(best.get(name, 0.0), least)
    return lambda name: (-yes[name], -best[name])


def _answer(row):
    words = f"{SIGNS[row['answer']]} {ANSWERS[row['answer']]}"
    if row["answer"] == Answer.YES and not isnan(row["worth_low"]):
        words = f"{words}, {least_worth(row).replace('at least', '≥')}"
    if UNPROVEN_NAME in row["warnings"].split():
        words += f"; {NO_PROOF}"
    return words


def _sorted(entries):
    """Return the entries of one use as the matrix sorts judges."""
    order = _order([entry.row for entry in entries])
    return sorted(entries, key=lambda entry: order(entry.row["evaluator"]))


def _reasons(entries, question, use):
    caption = {
        RATE: f"{question}: why, and what next, for rating items.",
        COMPARE: f"{question}: why, and what next, for comparing systems.",
    }[use]
    rows = [entry.row for entry in entries]
    several = len({row["role"] for row in rows}) > 1
    lines = [
        (
            entry.row["evaluator"] + (f" ({entry.row['role']})" if several else ""),
            [Words(_answer(entry.row)), Words(entry.reason), Words(entry.row["next"])],
        )
        for entry in entries
        if not entry.row["systems"]
    ]
    headings = [Words("Answer"), Words("Why"), Words("What next")]
    return Table(caption, headings, lines, [], "Judge")


def _numbers(entries, question):
    """Tabulate what the verdict rests on, of judges, baselines and single raters."""
    lines = [(_name(entry), _cells(entry.row)) for entry in entries]
    headings = [
        "Worth in raters",
        "Share, at least",
        "Agreement r",
        "Raters' own ρ",
        "Beyond groups r′ (ρ′)",
        "Level",
        "Closeness d",
        "p of family",
        "Items, clusters, raters",
    ]
    caption = f"{question}: the numbers of judges, baselines and single raters."
    return Table(caption, headings, lines, [], "Judge, baseline or rater")


def _name(entry):
    row = entry.row
    return f"{row['evaluator']} ({entry.kind})" if entry.kind != JUDGE else row["evaluator"]


def _cells(row):
    within = short(row["agreement_within"])
    return [
        _worth_cell(row),
        "–" if isnan(row["share_proven"]) else f"{max(row['share_proven'], 0):.0%}",
        _cell(row, "agreement"),
        _cell(row, "rho"),
        f"{within} ({short(row['rho_within'])})" if within != "–" else "–",
        _cell(row, "level"),
        short(row["closeness"]),
        f"{short(row['p_adjusted'], 3)} of {row['family']:,}" if row["family"] else "–",
        f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}",
    ]


def _worth_cell(row):
    """Return the worth in raters; in words what is more than can be measured."""
    low, high = row["worth_low"], row["worth_high"]
    if isnan(high) or high < MOST_WORTH:
        return _cell(row, "worth")
    value = short(row["worth"]) if row["worth"] < MOST_WORTH else "not measurable"
    return f"{value} [{short(low) if low < MOST_WORTH else 'any'}, any]"


def _cell(row, name):
    return Cell({"low": row[f"{name}_low"], "high": row[f"{name}_high"]}, row[name])


def _figures(entries, question, report, looks):
    """Draw r of judges, baselines and raters, with lines at one rater and the share to keep."""
    shown = [
        replace(
            entry,
            row={
                "evaluator": row["evaluator"],
                "question": question,
                "value": row["agreement"],
                "low": row["agreement_low"],
                "high": row["agreement_high"],
                "n": row["items"],
            },
        )
        for entry in entries
        if (row := entry.row)["use"] == RATE and not isnan(row["agreement"])
    ]
    if not shown:
        return []
    rho = next((e.row["rho"] for e in entries if e.kind == JUDGE and not isnan(e.row["rho"])), None)
    share = report.options["retention"]
    judged = [entry.row for entry in entries if entry.kind == JUDGE and entry.row["use"] == RATE]
    whom, mark, told = figure_words(judged)
    marks = [] if rho is None else [(SHARES[share] * rho, f"{share} of it"), (rho, mark)]
    shown.sort(key=lambda entry: -entry.row["value"])
    title = f"Agreement r with {whom} (n = {span(entry.row['n'] for entry in shown)} items)"
    shown = grey_metric(report, shown)
    plot = dots(shown, "evaluator", "question", looks, title, marks=marks)
    caption = (
        f"{question}: how well each judge tells what {told} (“{mark}”) and {share} of it. "
        f"Lines: 95 % intervals.{grey_words(report, [True])}"
    )
    return [Figure("verdict", caption, plot)]


def headline(answers, options, judges):
    """Return how many judges may rate items on some question, and which is worth most."""
    if not judges:
        return NO_JUDGE
    rows = [row for row in verdict(answers, options, []).curves[MATRIX] if row["use"] == RATE]
    if not rows:
        return no_value("no judge has judged an item that people rated")
    names = {row["evaluator"] for row in rows}
    yes = [row for row in rows if row["answer"] == Answer.YES]
    of = f"of {len(names)} judge{'' if len(names) == 1 else 's'}"
    if not yes:
        return "none", "", f"{of} may stand in for a rater; the report says why, and what next"
    top = max(yes, key=lambda row: 0.0 if isnan(row["worth_low"]) else row["worth_low"])
    words = (
        f"{of} may stand in for a rater on some question; {top['evaluator']} is worth "
        f"{least_worth(top)} on {top['question']}"
    )
    return str(len({row["evaluator"] for row in yes})), "", words


KIND = Kind(
    name="verdict",
    title="Verdict",
    method=(
        "For which use a judge may stand in for people: rating items in place of a rater, or "
        "comparing systems. Five answers, each with its reason and what to do next."
    ),
    formula=[
        "ρ: agreement of two raters of one item, mean product of their centred ratings over the "
        "variance of one. r: the same of judge and rater. θ = r − k ρ > 0: the judge keeps more "
        "than the share k of what one rater tells about another.",
        "Worth in raters K = q²(1 − ρ)/(ρ(1 − q²)), q = r/√ρ: a mean of K raters follows the "
        "raters' shared opinion as well as the judge. “At least”: the lower 95 % bound.",
        "The same after taking out text length, system, content and recipient (ρ′, r′, k = ½), "
        "so that a judge that only knows these does not pass.",
        "Level: mean of judge − people within a margin, by two one-sided tests. Systems: every "
        "difference of two systems within a margin of people's.",
        "Errors by cluster (recipient, else content, else item); with ten raters or more they "
        "count as a sample too.",
    ],
    source=(
        "Spearman (1904, 1910); Pigeot et al. (2003), retention of effect; Schuirmann (1987); "
        "Berger (1982); Cameron, Gelbach & Miller (2011); Benjamini & Hochberg (1995)."
    ),
    options=VerdictOptions,
    build=verdict,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    list_ways_on=list_ways_on,
)
