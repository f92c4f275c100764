"""Compute what tables 1 to 4 of P4 print, by the report on counterfactual scores."""

from collections.abc import Callable
from math import nan, sqrt

from scipy import stats

from analysis.options.choices import Choices
from analysis.reports.counterfactual.cells import BETWEEN, HIGHEST, LEVELS, LOWEST
from analysis.reports.counterfactual.report import (
    CORRELATION,
    COUNTERFACTUAL,
    PREDICTION,
    CounterfactualOptions,
)
from analysis.reports.counterfactual.sample_flow import ASKED, EXCLUDED
from analysis.reports.counterfactual.sample_flow import PART as SAMPLE
from analysis.stats.estimate import Estimate
from judges.models import Judge

Kind = Judge.Kind
ASPECTS = (
    "Explainability",
    "Informativeness",
    "Effectiveness",
    "Persuasiveness",
    "Transparency",
    "Trustworthiness",
    "Satisfaction",
)
KINDS = {
    "CF": Kind.CF,
    "CF-A": Kind.CF_APPROXIMATE,
    "Item-Sim": Kind.ITEM_SIM,
    "Genre-Jacc": Kind.GENRE_JACC,
}
DATA, OF_SCORES = "Data", {CORRELATION: "1", PREDICTION: "2"}
# (part of the report, its two cells): (table, the paper's name of the second cell).
CF_HIGHEST = (str(Kind.CF), HIGHEST)
TESTS = {
    (LEVELS, (str(Kind.CF), LOWEST)): ("3", "Low-CF"),
    (BETWEEN, (str(Kind.ITEM_SIM), HIGHEST)): ("4a", "High-Item-Sim"),
    (BETWEEN, (str(Kind.GENRE_JACC), HIGHEST)): ("4b", "High-Genre-Jacc"),
}
HIGH_CF, T, P = "High-CF", "t", "p"
LEVEL = 0.95


def cells(answers, judges, draws=2000):
    """Return {(table, row, column): Estimate}; a column "… SD" has the standard deviation.

    judges: {role: name of the study's judge}, of which a study may lack some.
    """
    reference = Choices.from_answers(answers).reference
    names = tuple(dict.fromkeys(judges.values()))
    options = CounterfactualOptions.choose(reference=reference, judges=names, draws=draws)
    add_by_part: dict[str, Callable] = {
        CORRELATION: _score,
        PREDICTION: _score,
        LEVELS: _test,
        BETWEEN: _test,
    }
    measured: dict = {}
    excluded = None
    for entry in COUNTERFACTUAL.build(answers, options).entries:
        row = entry.row
        if add := add_by_part.get(row["part"]):
            measured |= add(entry, judges)
        elif row["part"] == SAMPLE and row["measure"] == ASKED:
            measured[DATA, "Participants", "Number"] = Estimate(row["value"], n=row["n"])
            excluded = 0.0
        elif row["part"] == SAMPLE and row["measure"] == EXCLUDED:
            excluded += row["value"]
    if excluded is not None:
        measured[DATA, "Participants excluded", "Number"] = Estimate(excluded)
    return measured


def _aspect(row):
    """Return the paper's name of the question of a row; None where it has none."""
    return next((name for name in ASPECTS if name.lower() == row["question"].lower()), None)


def _score(entry, judges):
    """Return the cells of tables 1 and 2: one for each role that the judge of a row has."""
    row, aspect = entry.row, _aspect(entry.row)
    if aspect is None or row["measure"] not in ("pearson", "mse"):
        return {}
    own = Estimate(row["value"], row["low"], row["high"], n=row["n"] or 0, reason=entry.reason)
    table = OF_SCORES[row["part"]]
    return {(table, role, aspect): own for role, name in judges.items() if name == row["score"]}


def _test(entry, _):
    """Return the cells of tables 3 and 4: both means with their deviations, t and p."""
    row, aspect = entry.row, _aspect(entry.row)
    place = TESTS.get((row["part"], (row["other"], row["other_level"])))
    if aspect is None or place is None or (row["score"], row["level"]) != CF_HIGHEST:
        return {}
    (table, other), n = place, row["n"] or 0
    cells_of_test = {}
    for name, mean, sd in (
        (HIGH_CF, row["mean"], row["sd"]),
        (other, row["other_mean"], row["other_sd"]),
    ):
        reach = _reach(sd, n)
        why = "" if n else entry.reason
        cells_of_test[table, name, aspect] = Estimate(
            mean, mean - reach, mean + reach, n, reason=why
        )
        cells_of_test[table, name, f"{aspect} SD"] = Estimate(sd, n=n, reason=why)
    for name in (T, P):
        cells_of_test[table, name, aspect] = Estimate(row[name], n=n, reason=entry.reason)
    return cells_of_test


def _reach(sd, n):
    """Return half of the 95 % t interval of a mean of n people; NaN below two."""
    return stats.t.ppf((1 + LEVEL) / 2, n - 1) * sd / sqrt(n) if n > 1 else nan
