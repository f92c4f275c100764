"""Show confusion matrices, for one question."""

from dataclasses import replace

from analysis.figures.heat import MOST_MATRICES, confusion_matrices
from analysis.figures.layout import Cell, Figure, Layout, Matrix
from analysis.reports.confusion.report import confusion, has_labels
from analysis.reports.kind import NO_JUDGE, Kind, first_of, no_value, of_questions
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.options import YesNoOptions
from annotate.templatetags.concord import interval, leading_point

list_parts = of_questions(lambda scale: scale.has_values)


def layout(report, question, looks):
    """Return the page of one question: its matrices as a figure and as tables."""
    entries = [entry for entry in report.entries if entry.row["n"]]
    figure = Figure(
        "confusion",
        f"Answers to {question}: people in rows, the evaluator in columns; numbers are items, "
        f"shades their share of the row. The first {MOST_MATRICES} at most.",
        confusion_matrices(entries),
    )
    matrices = [_matrix(entry) for entry in report.entries]
    return Layout([figure] if entries else [], [], matrices=matrices)


def _matrix(entry):
    row, counts = entry.row, entry.row["matrix"]
    tables = (row[name] for name in ("shares", "shares_low", "shares_high"))
    cells = [
        [Cell({"low": low, "high": high}, share) for share, low, high in zip(*line, strict=True)]
        for line in zip(*tables, strict=True)
    ]
    lines = [
        (label, list(zip(line, of_line, strict=True)), sum(line))
        for label, line, of_line in zip(row["labels"], counts, cells, strict=True)
    ]
    ends = {"low": row["agreement_low"], "high": row["agreement_high"]}
    reason = "" if row["n"] else entry.reason
    agreement = Cell(ends, row["agreement"], entry.reason)
    return Matrix(
        row["evaluator"], row["labels"], lines, row["n"], _agreeing(row), agreement, reason
    )


def _agreeing(row):
    return sum(line[place] for place, line in enumerate(row["matrix"]))


def find(report, question):
    """Say which judge gives the same answers as people most often."""
    rows = [entry for entry in report.entries if entry.row["question"] == question]
    alike = [
        replace(
            entry,
            row=entry.row
            | {"low": entry.row["agreement_low"], "high": entry.row["agreement_high"]},
        )
        for entry in rows
    ]
    does, measure = "gives people's answer most often", f"share of items on {question}"
    return first_judge(replace(report, entries=alike), "agreement", does, measure)


def headline(answers, options, judges):
    """Return the largest share of items with the same label from people and a judge."""
    keys = [q.key for q in answers.questions if has_labels(q, options.threshold)]
    if not judges or not keys:
        return no_value("no question has labels that can be counted") if judges else NO_JUDGE
    rows = confusion(answers, options, keys[:1]).rows
    judged_rows = [row for row in rows if row["evaluator"] in judges and row["n"]]
    if not judged_rows:
        return no_value(f"no judge has labels for {keys[0]}{first_of(keys)}")
    row = max(judged_rows, key=lambda row: row["agreement"])
    words = (
        f"of {row['n']:,} items get the same label on {keys[0]}{first_of(keys)} from people "
        f"and from {row['evaluator']}, the closest judge"
    )
    ends = interval(row["agreement_low"], row["agreement_high"])
    return leading_point(row["agreement"]), ends, words


KIND = Kind(
    name="confusion",
    title="Confusion matrices",
    method=(
        "Which label the judge gives to items of each label by people: counts of items, rows "
        "people, columns the judge."
    ),
    formula=[
        "Likert: mean ratings rounded to the scale, halves down, people and judges alike.",
        "With a threshold: mean ≥ threshold against value ≥ threshold.",
        "A judge of fit or no fit, and a cosine with a threshold: mean ≥ threshold (without one, "
        "the upper part of the scale) against fit; neutral is no fit.",
        "Two lists, by a judge of their parts: the list with more parts from the threshold on.",
        "Choice: majority of the raters; ties are dropped and counted.",
        "Share of a cell: its items over those of its row; its interval draws clusters again.",
    ],
    source=(
        "Counts; labels in the order of the scale. Intervals: Davison & Hinkley (1997), Bootstrap "
        "Methods and their Application, ch. 3.8; Wilson (1927), JASA 22."
    ),
    options=YesNoOptions,
    build=confusion,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
