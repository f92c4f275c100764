"""Show what each exclusion rule would change, as one table."""

from dataclasses import replace

from analysis.figures.layout import Cell, Layout, Table
from analysis.reports.exclusions.report import Beside, exclusions
from analysis.reports.kind import Kind, Shown, no_value
from analysis.reports.shared.options import CorrelationOptions
from annotate.quality.rules import TITLES
from annotate.templatetags.concord import leading_point


def list_parts(questions):
    """Return the single choice: all rules at their usual settings."""
    return Shown("rules", "Rules", [("usual", "at their usual settings")])


def layout(report, chosen, looks):
    """Return the page: a line per rule with α and the highest r before and after."""
    headings = ["would exclude", "cannot judge", "α now", "α after", "highest r now", "r after"]
    lines = [
        (
            TITLES[row["rule"]],
            [
                f"{row['excluded']:,} of {row['raters']:,}",
                f"{row['unjudged']:,}",
                _cell(row, "alpha"),
                _cell(row, "alpha_after"),
                _cell(row, "r", row["judge"]),
                _cell(row, "r_after", row["judge_after"]),
            ],
        )
        for row in report.rows
    ]
    caption = "Each rule alone; α and r are means over the questions."
    return Layout([], [Table(caption, headings, lines, [], "Rule")])


def _cell(row, key, size=""):
    """Return a headline with its interval as a cell."""
    ends = {"low": row[f"{key}_low"], "high": row[f"{key}_high"]}
    return Cell(ends, row[key], size=size)


def find(report, chosen):
    """Say which rule would leave out most raters."""
    row = max(report.rows, key=lambda row: row["excluded"], default=None)
    if row is None or not row["excluded"]:
        return "No rule would leave out a rater." if row else ""
    alphas = leading_point(row["alpha"]), leading_point(row["alpha_after"])
    change = "" if "–" in alphas else f": α {' → '.join(alphas)}"
    rule = TITLES[row["rule"]].lower()
    return (
        f"The strictest rule ({rule}) would leave out {row['excluded']:,} of {row['raters']:,} "
        f"raters{change}."
    )


def headline(answers, options, judges):
    """Return how many raters the strictest rule would exclude."""
    rows = exclusions(answers, replace(options, draws=0)).rows
    if not rows:
        return no_value("no rule has data to judge by")
    row = max(rows, key=lambda row: row["excluded"])
    change = f"α {leading_point(row['alpha'])} → {leading_point(row['alpha_after'])}"
    words = f"raters that the strictest rule would exclude ({TITLES[row['rule']].lower()}): "
    return f"{row['excluded']:,}", "", words + change


KIND = Kind(
    name="exclusions",
    title="Exclusions",
    method=(
        "How many raters each exclusion rule would leave out, and what that would do to people’s "
        "agreement and to the highest correlation of a judge; nothing is applied."
    ),
    formula=[
        "α: Krippendorff's ordinal α (nominal for words), mean over the questions.",
        "r: the largest dataset-level Pearson r of a judge with the reference, mean over the "
        "questions.",
        "Intervals: cluster bootstrap (recipient, else content, else item).",
    ],
    source="Krippendorff (2011).",
    options=CorrelationOptions,
    build=exclusions,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
    stamp=Beside,
    no_figure=(
        "each rule is one line of counts and two numbers before "
        "and after, which a table shows side by side."
    ),
)
