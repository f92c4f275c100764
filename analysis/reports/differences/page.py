"""Show differences between judges, for one coefficient and level."""

from dataclasses import replace
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Cell, Figure, Layout, Table, n_words
from analysis.reports.correlation.page import LABELS
from analysis.reports.correlation.report import AVERAGE
from analysis.reports.differences.options import HOLM, MAX_T, DifferencesOptions
from analysis.reports.differences.report import CERTAIN, PARTS, differences
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind, Shown
from analysis.reports.words import p_words
from annotate.templatetags.concord import interval, leading_point

MOST_DRAWN = 24
MOST_PAIRS = 60
CORRECTED = {MAX_T: "p (max-T)", HOLM: "p (Holm)"}


def list_parts(questions):
    """Return the coefficients and levels of which the page shows one."""
    choices = [(part, f"{LABELS[(pair := part.split())[0]]}, {pair[1]}") for part in PARTS]
    return Shown("measure", "Coefficient and level", choices)


def layout(report, measure, looks):
    """Return the page of one coefficient and level: the clearest differences, and all of them."""
    coefficient, level = measure.split()
    words = f"{LABELS[coefficient]}, {level} level"
    averages = [entry for entry in report.entries if entry.row["question"] == AVERAGE]
    averages.sort(key=lambda entry: (isnan(p := entry.row["p"]), p, -abs(entry.row["difference"])))
    drawn = [entry for entry in averages if not isnan(entry.row["difference"])][:MOST_DRAWN]
    drawn = [_as_value(entry) for entry in drawn]
    title = f"Difference of {LABELS[coefficient]} ({n_words(drawn)} values)"
    caption = (
        f"{words}, mean of the questions: first judge less second, the {MOST_DRAWN} clearest at "
        "most. Lines: 95 % intervals."
    )
    figure = Figure("differences", caption, dots(drawn, "pair", "question", looks, title))
    corrected = CORRECTED[report.options["correction"]]
    tables = [_averages(averages, words, corrected), _all(report, words, corrected)]
    return Layout([figure] if drawn else [], tables)


def _pair(entry):
    return entry.row["evaluator"], entry.row["other"]


def _as_value(entry):
    row = entry.row
    return replace(entry, row=row | {"pair": " − ".join(_pair(entry)), "value": row["difference"]})


def _averages(entries, words, corrected):
    lines = [(e.row["pair"], _cells(e)) for e in map(_as_value, entries[:MOST_PAIRS])]
    caption = f"{words}, mean of the questions{_first(entries)}."
    return Table(caption, ["Difference", "p", corrected, "n"], lines, [], "Judges")


def _cells(entry):
    row = entry.row
    return [
        Cell(row, row["value"], entry.reason),
        p_words(row["p"]),
        p_words(row["p_adjusted"]),
        row["n"],
    ]


def _first(pairs):
    return f", the first {MOST_PAIRS} of {len(pairs)} pairs" if len(pairs) > MOST_PAIRS else ""


def _all(report, words, corrected):
    """Tabulate pairs by questions; differences with a small adjusted p are bold."""
    pairs = list(dict.fromkeys(_pair(entry) for entry in report.entries))
    shown = {*pairs[:MOST_PAIRS]}
    entries = [_as_value(entry) for entry in report.entries if _pair(entry) in shown]
    questions = [q for q in dict.fromkeys(e.row["question"] for e in entries) if q != AVERAGE]
    cells = {(_pair(e), e.row["question"]): _with_p(e) for e in entries}
    lines = [
        (" − ".join(pair), [cells.get((pair, key), "–") for key in questions])
        for pair in pairs[:MOST_PAIRS]
    ]
    caption = f"{words} by question{_first(pairs)}; bold where {corrected} is below .05."
    return Table(caption, questions, lines, [], "Judges")


def _with_p(entry):
    p = entry.row["p_adjusted"]
    rank = "certain" if p < CERTAIN else ""
    return Cell(entry.row, entry.row["value"], entry.reason, f"p {p_words(p)}", rank)


def headline(answers, options, judges):
    """Return how far the judge with the highest r is ahead of the next."""
    if len(judges) < 2:
        return NO_JUDGE if not judges else ("–", "", "needs two judges")
    rows = differences(answers, options, ["pearson dataset"]).rows
    rows = [row for row in rows if row["question"] == AVERAGE and not isnan(row["difference"])]
    if not rows:
        return UNDEFINED
    row = max(rows, key=lambda row: row["value"] + row["other_value"])
    sign = -1 if row["difference"] < 0 else 1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    better, other = (row["evaluator"], row["other"])[::sign]
    words = (
        f"Pearson r of {better}, the judge with the highest, less that of {other}, the next: "
        f"mean of the questions, p {p_words(row['p'])} for these two alone"
    )
    return leading_point(sign * row["difference"]), interval(low, high), words


KIND = Kind(
    name="differences",
    title="Differences",
    method=(
        "Whether one judge follows the reference more closely than another by more than chance: "
        "paired differences of their correlations, on the same items and the same draws."
    ),
    formula=[
        "Difference = coefficient of the first judge − coefficient of the second, both on the "
        "items that all judges of the question shown here have.",
        "Interval: 2.5 % and 97.5 % of the differences in each draw of the clusters.",
        "p = (k + 1) / (B + 1), with k of B draws in which |t*| ≥ |t|: t = difference / SE, t* = "
        "(its draw − difference) / SE, SE the standard deviation of the draws.",
        "Max-T: the same of the largest |t*| of this pair and all pairs with a smaller |t|, from "
        "the largest |t| down, never falling; a family is one question at one level.",
        "With Holm chosen: p = 2 · min((k₋ + 1), (k₊ + 1)) / (B + 1), with k₋ and k₊ of B draws at "
        "or below, and at or above, 0; at most 1; the smallest p times the number of pairs, the "
        "next times one less, and so on, never falling.",
    ],
    source="Westfall & Young (1993); Romano & Wolf (2005); Davison & Hinkley (1997), ch. 4; Holm "
    "(1979).",
    options=DifferencesOptions,
    build=differences,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
