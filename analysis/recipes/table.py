"""Lay a recipe out as a table: a paper's numbers and a study's, line by line."""

from collections import Counter

from analysis.recipes.base import DIFFERS, EQUAL, INSIDE, MISSING
from analysis.reports.base import Report

COUNTED = {
    EQUAL: "equal",
    INSIDE: "inside the interval",
    DIFFERS: "differ",
    MISSING: "not computed",
}


def table_of(recipe, answers, chosen):
    """Return a Report: a row for each place of the paper's tables, and what cannot be repeated."""
    report = Report(f"recipe {recipe.key}", answers.study.slug, {})
    counts: Counter = Counter()
    for both in recipe.compared(answers, chosen):
        report.add(_row(both))
        counts[both.verdict] += both.printed is not None
    summary = ", ".join(f"{counts[verdict]:,} {words}" for verdict, words in COUNTED.items())
    report.verdict = [f"{recipe.citation}.", f"Of {counts.total():,} printed numbers: {summary}."]
    report.notes = [
        *(f"The judge {name} stands for: {role}." for role, name in chosen.judges.items()),
        *recipe.lacks(answers.study),
        *recipe.cannot,
    ]
    return report


def _row(both):
    table, row, column = both.place
    own = both.measured
    return {
        "table": table,
        "row": row,
        "column": column,
        "printed": both.printed and both.printed.number,
        "ours": own.value,
        "low": own.low,
        "high": own.high,
        "n": own.n or None,
        "verdict": both.verdict,
        "reason": own.reason,
    }
