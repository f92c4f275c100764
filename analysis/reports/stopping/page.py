"""Show a look: all pairs at a glance, then one question with reasons, advice and fans."""

from math import isnan

from analysis.figures.layout import Figure, Layout, Table, Words, cross_table, interval_cell
from analysis.reports.kind import Kind, no_value, of_questions
from analysis.reports.stopping.fan import describe_fan, draw_fan
from analysis.reports.stopping.options import StopOptions
from analysis.reports.stopping.report import UNDECIDED, Beside, stop
from analysis.reports.stopping.words import NO_PLAN, SIGNS, STATES
from analysis.reports.verdict.words import short
from analysis.stats.planning.confidence_sequence import FIRST_LOOK
from analysis.stats.planning.stopping import State

MOST_FANS = 8
list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page: the states, the chosen question's reasons and numbers, its fans.

    Nothing before the first look: what the report says is all that there is to say.
    """
    if all(row["state"] == State.CONTINUE and row["clusters"] < FIRST_LOOK for row in report.rows):
        return Layout([], [])
    own = [entry for entry in report.entries if entry.row["question"] == question]
    tables = [_states(report.rows), _reasons(own, question), _numbers(own, question)]
    still_open = {
        entry.row["evaluator"]: entry.row["open"]
        for entry in own
        if entry.row["state"] in UNDECIDED
    }
    fans = [(name, fan) for (name, key), fan in report.curves.items() if key == question and fan]
    figures = [
        Figure(
            f"stop-{number}",
            describe_fan(name, question, fan, still_open.get(name, "")),
            draw_fan(fan),
        )
        for number, (name, fan) in enumerate(fans[:MOST_FANS])
    ]
    return Layout(figures, [table for table in tables if table.lines])


def _states(rows):
    """Tabulate states by judge and question: a word and a sign, never a colour alone."""
    cells = {
        (row["evaluator"], row["question"]): f"{SIGNS[row['state']]} {STATES[row['state']]}"
        for row in rows
    }
    return cross_table("What the rule says at this look.", "Judge", cells)


def _reasons(entries, question):
    lines = [(entry.row["evaluator"], [Words(entry.reason)]) for entry in entries]
    return Table(f"{question}: why, and what it would take.", ["Words"], lines, [], "Judge")


def _numbers(entries, question):
    lines = [(entry.row["evaluator"], _cells(entry.row)) for entry in entries]
    headings = [
        "Raters' own ρ",
        "Retention θ",
        "Clusters",
        "More items",
        "More raters",
        "Cost",
    ]
    caption = f"{question}: estimates with their bounds, and what is advised."
    return Table(caption, headings, lines, [], "Judge")


def _cells(row):
    more = _number(row["items"])
    if not isnan(row["items_low"]):
        more += f" ({_number(row['items_low'])} to {_number(row['items_high'])})"
    return [
        interval_cell(row, "rho"),
        interval_cell(row, "retention"),
        f"{row['clusters']:,}",
        more,
        _number(row["raters"]),
        _number(row["cost"]),
    ]


def _number(value):
    """Write a count; a dash where it is undefined, words where no count would do."""
    if isnan(value):
        return short(value)
    return "no end" if value == float("inf") else f"{value:,.0f}"


def headline(answers, options, judges):
    """Return for how many planned pairs the rule would stop here."""
    report = stop(answers, options)
    if report.verdict == [NO_PLAN]:
        return no_value("no stopping plan was fixed before the first rating")
    states = [row["state"] for row in report.rows]
    if "" in states:
        return no_value("the guarantee has ended: results are chosen after looking")
    if not states:
        return no_value("no cluster of items is complete and judged yet")
    stopping = [state for state in states if state != "continue"]
    return (
        f"{len(stopping)}",
        "",
        f"of {len(states)} decision{'' if len(states) == 1 else 's'}: the rule would stop here",
    )


KIND = Kind(
    name="stop",
    title="Stopping",
    method=(
        "Whether collecting may stop at this look, by the rule that was fixed before the first "
        "rating, and what it would take if not. Looks are allowed at any time. Advice only: "
        "nothing closes by itself."
    ),
    formula=[
        "t: clusters that a look uses, in an order drawn before collecting all those before the "
        "first that is incomplete. "
        "Bound: estimate ± SE √t · margin(t), "
        "margin(t)² = 2(tρ² + 1)/(t²ρ²) · ln(1 + √(tρ² + 1)/(2α)), "
        "ρ² = (L + ln(L + 1))/t*, L = −2 ln(2α); t* planned clusters, α shared by all decisions.",
        "May: lower bounds of the raters' agreement ρ and of θ = r − ⅔ρ above 0, also beyond all "
        "that is known of an item at once: text length, system, content, recipient, who rated it "
        "(there r′ − ½ρ′), the level's bounds within its "
        "margin, ρ at least .1, all at one look. May not: upper bound of θ below 0. People "
        "disagree: upper bound of ρ below .1.",
        "Advice: the fewest items or ratings an item with which all open bounds would decide, if "
        "today's estimates stay.",
    ],
    source=(
        "Robbins (1970); Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of "
        "Statistics 52."
    ),
    options=StopOptions,
    build=stop,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    watch=Beside.known_by,
    stamp=Beside,
)
