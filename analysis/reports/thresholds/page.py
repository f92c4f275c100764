"""Show thresholds: chosen on one half, measured on the other, for one question."""

from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Cell, Figure, Layout, Table, details, n_words
from analysis.reports.kind import NO_JUDGE, Kind, best, first_of, no_value, of_questions
from analysis.reports.shared.positives import keys_with_cut
from analysis.reports.thresholds.options import ThresholdsOptions
from analysis.reports.thresholds.report import CHOOSE, HALVES, thresholds
from annotate.templatetags.concord import interval, leading_point

MEASURES = {"sensitivity": "Sensitivity", "specificity": "Specificity", "f1": "F1"}
MEASURED_ON = dict(zip(HALVES, HALVES[::-1], strict=True)) | {CHOOSE: "test"}
list_parts = of_questions(lambda scale: scale.is_ordered)


def layout(report, question, looks):
    """Return the page of one question: F1 where the threshold was not chosen, and the table."""
    scored = [entry for entry in report.entries if entry.row["measure"] == "f1"]
    drawn = [entry for entry in scored if not isnan(entry.row["value"])]
    title = f"F1 where the threshold was not chosen ({n_words(drawn)})"
    plot = dots(drawn, "evaluator", "chosen_on", looks, title, unit_interval=True)
    caption = (
        f"F1 for {question} on the half (or part) where the threshold was not chosen; the marker "
        "says on which it was. Lines: 95 % intervals."
    )
    table = _table(report, question)
    return Layout([Figure("thresholds", caption, plot)] if drawn else [], [table], *details(report))


def _table(report, question):
    """Tabulate each evaluator and direction, a column for each measure."""
    cells: dict[tuple, dict] = {}
    for entry in report.entries:
        row = entry.row
        cells.setdefault((row["evaluator"], row["chosen_on"]), {})[row["measure"]] = entry
    lines = [
        (f"{name}, {half} → {MEASURED_ON[half]}", _cells(own))
        for (name, half), own in cells.items()
    ]
    caption = (
        f"Thresholds for {question}: chosen on the first half, measured on the second; own: "
        "the same number where it was chosen."
    )
    return Table(caption, ["Threshold", *MEASURES.values()], lines, [], "Evaluator")


def _cells(own):
    threshold = own["f1"].row["threshold"]
    return ["–" if isnan(threshold) else f"≥ {threshold:.4g}", *(_cell(own[m]) for m in MEASURES)]


def _cell(entry):
    row = entry.row
    size = f"own {leading_point(row['in_sample'])}, n = {row['n']}"
    return Cell(row, row["value"], entry.reason, size)


def headline(answers, options, judges):
    """Return the largest F1 of a judge where its threshold was not chosen."""
    keys = keys_with_cut(answers.questions, options)
    if not judges or not keys:
        return no_value("no question has an ordered scale with ends") if judges else NO_JUDGE
    rows = thresholds(answers, options, keys[:1]).rows
    row = best([row for row in rows if row["measure"] == "f1"], judges, "value")
    if row is None:
        return no_value(f"no threshold can be chosen on {keys[0]}{first_of(keys)}")
    words = (
        f"largest F1 on {row['question']}{first_of(keys)} where the threshold was not chosen: "
        f"{row['evaluator']} ≥ {row['threshold']:.4g}, n = {row['n']:,} items"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="thresholds",
    title="Thresholds",
    method=(
        "From which value on a judge's item should count as good: the threshold is chosen on one "
        "half of the recipients and measured on the other, then the halves are swapped."
    ),
    formula=[
        "Halves of the recipients (else contents, else items), drawn with the seed. Of the test "
        "part of a locked split: chosen on the rest, measured there.",
        "The threshold has the largest J = sensitivity + specificity − 1, or F1, on its half.",
        "Sensitivity = share of the positives that are called so; specificity = share of the "
        "negatives that are not; F1 = 2 · both / (positives + called).",
    ],
    source="Youden (1950); a threshold measured where it was chosen praises itself.",
    options=ThresholdsOptions,
    build=thresholds,
    list_parts=list_parts,
    layout=layout,
    headline=headline,
)
