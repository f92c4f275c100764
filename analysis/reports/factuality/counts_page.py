"""Tabulate the counts behind factual consistency, as table II of the paper."""

from math import isnan

from analysis.figures.layout import cross_table
from analysis.reports.factuality.items import GENERATED, REFERENCE

ALL = "all"
SIDES = {GENERATED: "explanations", REFERENCE: "references"}
TABLE_II = "Table II. What there is: explanations, what they are about, and their statements."
COUNTED = {
    "statements": "Statements of {}",
    "unique": "Different statements of {}",
    "per_explanation": "Statements per explanation",
    "per_interaction": "Statements per reference",
    "per_recipient": "Statements of {} per recipient",
    "per_content": "Statements of {} per content",
}


def counts_tables(entries):
    """Yield the tables of the counts by domain, and of each system's statements."""
    whole = [e for e in entries if e.row["system"] == ALL]
    if whole:
        yield _counted(whole, "domain", "all domains", TABLE_II)
    own = [e for e in entries if e.row["name"] == GENERATED and e.row["domain"] == ALL]
    if any(e.row["system"] != ALL for e in own):
        yield _counted(own, "system", "all systems", "What the explanations of each system say.")


def _counted(entries, by, everything, caption):
    cells = {(_count(e.row), e.row[by]): _number(e.row) for e in entries}
    table = cross_table(caption, "Number", cells)
    table.headings = [everything if heading == ALL else heading for heading in table.headings]
    return table


def _number(row):
    """Write a count, or a mean with two decimals as in the paper."""
    value = row["value"]
    if isnan(value):
        return "–"
    return f"{value:,.2f}" if row["metric"].startswith("per_") else f"{value:,.0f}"


def _count(row):
    """Name in words what a row counts."""
    what = COUNTED.get(row["metric"], row["metric"].capitalize())
    return what.format(SIDES.get(row["name"], ""))
