"""Show costs: P0's table 2 for the chosen judges, and the accuracy that the money buys."""

from math import isnan

from analysis.figures.layout import Cell, Figure, Layout, Table
from analysis.figures.lines import frontier
from analysis.reports.cost.report import JUDGE, PEOPLE, cost
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind, Shown, no_value
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import money, worded
from annotate.templatetags.concord import leading_point, measured

HEADINGS = [
    "An item costs",
    "Pearson's r",
    "Not dominated",
    "Asked",
    "Calls an item",
    "Tokens in / out",
    "Seconds",
    "Items",
]
ASKED = {"single": "one call a question", "multiple": "all in one call"}
# What says nothing; a column of these alone is left out.
BLANK = ("unknown", "–", "– / –")
MOST_LINES = 100


def list_parts(questions):
    """Return the questions, and their mean, on which accuracy can be shown."""
    keys = [question.key for question in questions if question.scale.is_ordered]
    average = [(AVERAGE, "mean of the questions")] if keys else []
    return Shown("question", "Accuracy on", [*average, *((key, key) for key in keys)])


def layout(report, key, looks):
    """Return the page of accuracy on one question: the frontier, the costs, pairs of judges."""
    entries = report.entries
    what = "mean of the questions" if key == AVERAGE else key
    figures = []
    if any(entry.row["frontier"] is not None for entry in entries):
        caption = (
            f"Pearson's r with people ({what}) over what an item costs. Squares are judges, stars "
            "ensembles, circles the mean of k raters; filled marks are not dominated. Lines: 95 % "
            "intervals."
        )
        plot = frontier(entries, looks, f"Pearson's r, {what}")
        figures.append(Figure("frontier", caption, plot))
    tables = [_table(entries, what), _pairs(report)]
    return Layout(figures, tables)


def _table(entries, what):
    ordered = sorted(entries, key=_by_cost)
    lines = [(entry.row["evaluator"], _cells(entry)) for entry in ordered[:MOST_LINES]]
    more = f" The first {MOST_LINES} of {len(entries)}." if len(entries) > MOST_LINES else ""
    caption = f"Cost of an item on all questions, and Pearson's r ({what}), the cheapest first."
    kept = [place for place in range(len(HEADINGS)) if any(c[place] not in BLANK for _, c in lines)]
    lines = [(name, [cells[place] for place in kept]) for name, cells in lines]
    return Table(caption + more, [HEADINGS[place] for place in kept], lines, [], "Evaluator")


def _by_cost(entry):
    price = entry.row["cost"]
    return (isnan(price), price if not isnan(price) else 0)


def _cells(entry):
    row = entry.row
    on = {True: "yes", False: "no", None: "–"}[row["frontier"]]
    tokens = " / ".join(measured(row[name]) for name in ("tokens_in", "tokens_out"))
    return [
        _price(row),
        Cell(row, row["value"], entry.reason, f"n = {row['n']:,}"),
        on,
        ASKED.get(row["aspects"], "–"),
        measured(row["calls"]),
        tokens,
        measured(row["seconds"]),
        row["n_items"],
    ]


def _price(row):
    """Write what an item costs, with its interval if the items differ."""
    price, *ends = (money(row[name], row["currency"]) for name in ("cost", "cost_low", "cost_high"))
    same = isnan(row["cost_low"]) or ends == [price, price]
    return "unknown" if isnan(row["cost"]) else price + ("" if same else f" [{', '.join(ends)}]")


def _pairs(report):
    """Tabulate single-aspect judges next to multiple-aspect judges with the same other settings."""
    rows = {row["evaluator"]: row for row in report.rows if row["kind"] == JUDGE}
    lines = [
        (
            f"{model}: {single} / {multiple}",
            [
                _price(rows[single]),
                _price(rows[multiple]),
                _ratio(rows[single], rows[multiple]),
                worded(rows[single], 2),
                worded(rows[multiple], 2),
            ],
        )
        for model, single, multiple in report.curves["pairs"]
    ]
    headings = [
        "One call a question",
        "All in one call",
        "Times as dear",
        "r, one a question",
        "r, all in one",
    ]
    caption = "Single-aspect against multiple-aspect judges with the same other settings."
    return Table(caption, headings, lines, [], "Judges")


def _ratio(single, multiple):
    both_known = multiple["cost"] > 0 and not isnan(single["cost"])
    return f"{single['cost'] / multiple['cost']:.1f}" if both_known else "–"


def headline(answers, options, judges):
    """Return what an item costs with the judge in question, else with the most accurate one."""
    if not judges:
        return NO_JUDGE
    report = cost(answers, options, [AVERAGE])
    rows = [row for row in report.rows if row["kind"] != PEOPLE and not isnan(row["value"])]
    if not rows:
        return UNDEFINED
    priced = [row for row in rows if not isnan(row["cost"])]
    if not priced:
        whose = " or ".join(options.judges) or "any judge"
        return no_value(f"the price of {whose} was not recorded; its report says why")
    best = max(priced, key=lambda row: row["value"])
    words = (
        f"an item on all questions with {best['evaluator']} (r {leading_point(best['value'])} with "
        f"people's means), n = {best['n_items']:,} items"
    )
    return money(best["cost"]), "", words


KIND = Kind(
    name="cost",
    title="Cost",
    method=(
        "What an item costs on all questions, with each judge, with ensembles and with people, and "
        "which of them nothing beats in both cost and accuracy."
    ),
    formula=[
        "A judge: the mean over its items of what all their calls cost (tokens × the endpoint's "
        "price at the time), samples, failures and repetitions included; an ensemble: the sum of "
        "its members.",
        "People: pay for a session / items a session × k raters.",
        "Accuracy: Pearson's r over all items with the reference; of k raters: their mean with the "
        "mean of the item's other raters, averaged over random choices of the k.",
        "Not dominated: nothing costs less or as much, and has a higher or the same r, one of the "
        "two strictly.",
    ],
    source=(
        "Large Language Models as Evaluators for Recommendation Explanations (2024), table 2; "
        "Snow et al. (2008) for k raters; Kung, Luccio & Preparata (1975) for the frontier."
    ),
    options=DeviationOptions,
    build=cost,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
