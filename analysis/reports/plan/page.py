"""Show what larger studies like this one would decide about a judge, for one question."""

from math import isfinite, nan

from analysis.figures.layout import Figure, Layout, Table, Words
from analysis.figures.lines import series
from analysis.reports.kind import NO_JUDGE, Kind, no_value, of_questions
from analysis.reports.plan.report import DRAWN, FORMULA, plan_from_pilot
from analysis.reports.verdict.options import Conventions
from annotate.templatetags.concord import interval, leading_point

list_parts = of_questions(lambda scale: scale.has_values)
AXES = ("Items", "Share of studies that say yes")


def layout(report, question, looks):
    """Return the page of one question: the curve with its band, and both tables."""
    rows = [row for row in report.rows if row["question"] == question]
    drawn = [row for row in rows if row["method"] == DRAWN]
    formula = [row for row in rows if row["method"] == FORMULA]
    tables = [_drawn_table(drawn, question), _formula_table(formula, question)]
    return Layout(_figures(drawn, question, looks), [table for table in tables if table.lines])


def _figures(rows, question, looks):
    """Draw the mean share over bootstrapped pilots with its band, a line for each judge."""
    if not rows:
        return []
    lines = []
    for name in dict.fromkeys(_name(row, rows) for row in rows):
        own = [row for row in rows if _name(row, rows) == name]
        points = [(row["items"], row["assurance"], row["low"], row["high"]) for row in own]
        lines.append((name, looks.colour(own[0]["evaluator"]), points))
    ends = [(rows[0]["items"], 0.8, nan, nan), (rows[-1]["items"], 0.8, nan, nan)]
    lines.append(("a share of .80", "var(--soft)", ends))
    caption = (
        f"{question}: share of studies that would say yes, over their items: mean over "
        "bootstrapped pilots. Lines upright: their 10th to 90th percentile."
    )
    return [Figure("plan", caption, series(lines, *AXES, [-0.02, 1.02]))]


def _name(row, rows):
    several = len({other["role"] for other in rows}) > 1
    return f"{row['evaluator']} ({row['role']})" if several else row["evaluator"]


def _drawn_table(rows, question):
    headings = [
        "Items",
        "Ratings",
        "Sessions",
        "Cost",
        "Says yes, band",
        "Mean",
        "At today’s estimate",
        Words("What studies are told at today’s estimate"),
    ]
    lines = [(_name(row, rows), _drawn_cells(row)) for row in rows]
    caption = f"{question}: studies drawn from this one, with its ratings an item."
    return Table(caption, headings, lines, [], "Judge")


def _drawn_cells(row):
    return [
        *_size(row),
        interval(row["low"], row["high"]),
        leading_point(row["assurance"]),
        leading_point(row["yes"]),
        Words(row["states"].replace("_", " ")),
    ]


def _formula_table(rows, question):
    rows = [row for row in rows if isfinite(row["items"])]
    lines = [(_name(row, rows), [str(row["raters_per_item"]), *_size(row)]) for row in rows]
    headings = ["Ratings an item", "Items", "Ratings", "Sessions", "Cost"]
    caption = f"{question}: items with which each check has power .8, by ratings an item."
    return Table(caption, headings, lines, [], "Judge")


def _size(row):
    counts = [f"{row[name]:,.0f}" for name in ("items", "ratings", "sessions")]
    return [*counts, f"{row['cost']:,.2f}"]


def headline(answers, options, judges):
    """Return that the page has to be opened: drawing studies takes too long for the index."""
    return no_value("open it: it draws larger studies from this one") if judges else NO_JUDGE


KIND = Kind(
    name="plan",
    title="How many more",
    method=(
        "What larger studies like this one would decide about a judge, from the ratings and "
        "judgments that are here: the pilot. It takes 50 items with two ratings and a judgment."
    ),
    formula=[
        "For N items ⌈G N/n⌉ of the pilot's G clusters are drawn with replacement, and each drawn "
        "study is decided as the verdict does. The pilot itself is drawn 20 times in the same way.",
        "Other ratings an item m: items = v(m) · v_pilot/v(m_pilot) · ((z.95 + z.80)/effect)², the "
        "most over raters agree, the judge keeps enough, and level.",
    ],
    source="Efron & Tibshirani (1993), ch. 25; O'Hagan, Stevens & Campbell (2005), assurance.",
    options=Conventions,
    build=plan_from_pilot,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
    is_slow=True,
)
