"""Show the verdict: all judges and questions at a glance, then one question with its evidence."""

from dataclasses import replace
from math import isnan
from urllib.parse import urlencode

from analysis.figures.dots import dots
from analysis.figures.frame import span
from analysis.figures.layout import Figure, Layout, Link, Table, Words, interval_cell
from analysis.reports.kind import NO_JUDGE, Kind, no_value, of_questions
from analysis.reports.verdict.groups import BY_NOTE, GROUP
from analysis.reports.verdict.in_figures import grey_metric, grey_words
from analysis.reports.verdict.notes import UNPROVEN_NAME
from analysis.reports.verdict.options import SHARES, VerdictOptions
from analysis.reports.verdict.order import judges_by_rank
from analysis.reports.verdict.own_words import figure_words, say_use_of_yes, say_worth
from analysis.reports.verdict.published import differs
from analysis.reports.verdict.report import (
    COMPARE,
    JUDGE,
    MATRIX,
    RATE,
    RATER,
    verdict,
)
from analysis.reports.verdict.tables import LADDERS, groups_table, ladder_table, pairs_table
from analysis.reports.verdict.unchecked import unchecked_in_short
from analysis.reports.verdict.uses import A_RATER
from analysis.reports.verdict.ways_on import list_ways_on
from analysis.reports.verdict.words import answer_of, percent, short
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
    share = report.options["retention"]
    own = [entry for entry in report.entries if entry.row["question"] == question]
    judged = [entry for entry in own if entry.kind == JUDGE]
    rating = _sorted([entry for entry in judged if entry.row["use"] == RATE])
    comparing = _sorted([entry for entry in judged if entry.row["use"] == COMPARE])
    tables += [
        _reasons(rating, question, RATE),
        *ladder_table(rating, report.curves.get(LADDERS, {}), question, share),
        _reasons(comparing, question, COMPARE),
        _numbers([e for e in own if e.row["use"] == RATE and e.kind != GROUP], question),
    ]
    tables += groups_table([entry for entry in own if entry.kind == GROUP], question, _answer)
    tables += pairs_table(comparing, question, _answer)
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
    """Tabulate answers by judge and question; the best judge first.

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
        (name, [cells.get((name, *column)) for column in columns]) for name in judges_by_rank(rows)
    ]
    headings = [f"{key} ({role})" if several else key for role, key in columns]
    return Table(caption, headings, lines, [], "Judge")


def _answer(row):
    words = f"{SIGNS[row['answer']]} {answer_of(row)}"
    if row["answer"] == Answer.YES:
        words += say_worth(row).replace("worth at least", "≥")
    if UNPROVEN_NAME in row["warnings"].split():
        words += f"; {NO_PROOF}"
    spared = unchecked_in_short(row)
    return f"{words}; {spared}" if spared else words


def _sorted(entries):
    """Return the entries of one use as the matrix sorts judges."""
    ranked = judges_by_rank([entry.row for entry in entries])
    return sorted(entries, key=lambda entry: ranked.index(entry.row["evaluator"]))


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
    """Tabulate what the verdict rests on, of judges, baselines and single raters.

    A rater without whom no item has two ratings has no line.
    """
    lines = [(_name(e), _cells(e.row)) for e in entries if e.kind != RATER or e.row["items"]]
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
    note = (
        "Worth in raters: the mean of so many raters follows people's shared opinion as well as "
        "the judge does. Share of ρ: the largest that r is shown to reach. r′ (ρ′): r and ρ beyond "
        "all that is known of an item without reading it. p: corrected for so many pairs "
        "of a judge and a question. The published test decides nothing."
    )
    return Table(caption, headings, lines, [], "Judge, baseline or rater", note)


def _name(entry):
    row = entry.row
    return f"{row['evaluator']} ({entry.kind})" if entry.kind != JUDGE else row["evaluator"]


def _cells(row):
    within = short(row["agreement_within"])
    return [
        _worth_cell(row),
        "–" if isnan(row["share_proven"]) else percent(max(row["share_proven"], 0)),
        interval_cell(row, "agreement"),
        interval_cell(row, "rho"),
        f"{within} ({short(row['rho_within'])})" if within != "–" else "–",
        interval_cell(row, "level"),
        short(row["winning_rate"]) + (f", says {row['published_test']}" if differs(row) else ""),
        "–" if isnan(row["p_adjusted"]) else f"{short(row['p_adjusted'], 3)} ({row['family']:,})",
        f"{row['items']:,}, {row['clusters']:,}, {row['raters']:,}",
    ]


def _worth_cell(row):
    """Return the worth in raters; in words what is more than can be measured."""
    low, high = row["worth_low"], row["worth_high"]
    if isnan(high) or high < MOST_WORTH:
        return interval_cell(row, "worth")
    value = short(row["worth"]) if row["worth"] < MOST_WORTH else "not measurable"
    return f"{value} [{short(low) if low < MOST_WORTH else 'any'}, any]"


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
        f"{question}: how well each judge tells what {told} (“{mark}”) and {share} of that. "
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
        f"{of} {say_use_of_yes(top, A_RATER)} on some question, first {top['evaluator']} on "
        f"{top['question']}{say_worth(top)}"
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
        "The same after taking out, at once, text length, system, content, recipient, cells of two "
        "of them, and what an item's raters gave to others (ρ′, r′, k = ½), so that a judge that "
        "only knows these does not pass.",
        "Level: mean of judge − people within a margin, by two one-sided tests. Systems: every "
        "difference of two systems within a margin of people's.",
        "Errors by cluster (recipient, else content, else item; of differences of systems content, "
        "else recipient, else item); raters who are worth ten equally busy ones count as a sample "
        "too.",
        "ω of the published test (the report Substitution, with its usual ε) is shown and decides "
        "nothing: it asks who is closer to the other raters, and a judge that says little is close "
        "to people who agree little.",
    ],
    source=(
        "Spearman (1904, 1910); Pigeot et al. (2003), retention of effect; Schuirmann (1987); "
        "Berger (1982); Cameron, Gelbach & Miller (2011); Benjamini & Hochberg (1995); Calderon, "
        "Reichart & Dror (2025), the published test."
    ),
    options=VerdictOptions,
    build=verdict,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    list_ways_on=list_ways_on,
    by_note=BY_NOTE,
)
