"""Compute what tables 2 to 4 of P2 print, by the report on recommenders under test."""

from math import isnan

from analysis.answers.lists import K_SWEEP, L_SWEEP, RELATIONS_PLAN
from analysis.reports.metamorphic.changed_lists import OVERLAP, RBO, TAU, TAU_COMMON
from analysis.reports.metamorphic.report import METAMORPHIC, MetamorphicOptions
from analysis.stats.estimate import Estimate

TABLES = {K_SWEEP: "2", L_SWEEP: "3", RELATIONS_PLAN: "4"}
# The columns of the paper by measure; the last is ours alone.
COLUMNS = {TAU: "Kendall τ", RBO: "RBO", OVERLAP: "Overlap ratio"}
COMMON = "Kendall τ, contents in both lists"
NO_CHANGE = "No change (baseline)"
ROWS = {
    "no_change": NO_CHANGE,
    "multiply": "MR1: Multiply",
    "shift": "MR2: Addition",
    "spaces": "MR3: Spaces",
    "random_words": "MR4: Random words",
}


def cells(answers, recommender, draws=2000):
    """Return {(table, row, column): Estimate} of what the lists of a recommender give.

    A column "… SD" is the standard deviation over iterations, "… p" Welch's test against lists of
    the unchanged prompt; both have no interval.
    """
    report = METAMORPHIC.build(answers, MetamorphicOptions(draws=draws), [*TABLES])
    measured = {}
    for entry in report.entries:
        row = entry.row
        column = (COLUMNS | {TAU_COMMON: COMMON}).get(row["measure"])
        line = _line(row)
        if row["evaluator"] != recommender or column is None or line is None:
            continue
        place = TABLES[row["part"]], line
        measured[*place, column] = Estimate(
            row["value"], row["low"], row["high"], n=row["n"], reason=entry.reason or row["why"]
        )
        if row["part"] == RELATIONS_PLAN:
            few = "fewer than two iterations have a mean"
            measured[*place, f"{column} SD"] = _without_interval(row["sd"], row, few)
            if row["relation"] != "no_change":
                measured[*place, f"{column} p"] = _without_interval(row["p"], row, entry.reason)
    return measured


def _line(row):
    """Return the paper's name of a row; None where the paper has none."""
    if row["part"] == K_SWEEP:
        return f"k = {row['k']}"
    if row["part"] == L_SWEEP:
        return f"l = {row['l']}"
    return ROWS.get(row["relation"])


def _without_interval(value, row, reason):
    return Estimate(value, n=row["iterations"] or 0, reason=reason if isnan(value) else "")
