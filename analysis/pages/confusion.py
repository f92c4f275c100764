"""The page of confusion matrices, for one question."""

from analysis import charts
from analysis.pages.base import NO_JUDGE, OF_SUBSTITUTION, Kind, first_of, no_value, of_questions
from analysis.report_tables import Figure, Layout, Matrix
from analysis.reports.confusion import confusion, shares
from analysis.reports.labels import MOST_LABELS

shown = of_questions("likert", "binary", "choice")


def layout(report, question, looks):
    entries = [entry for entry in report.entries if not entry.reason]
    figure = Figure(
        "confusion",
        f"Answers to {question}: people in rows, the evaluator in columns; numbers are items, "
        f"shades their share of the row. The first {charts.MOST_MATRICES} at most.",
        charts.matrices(entries),
    )
    matrices = [_matrix(entry) for entry in report.entries]
    return Layout([figure] if entries else [], [], matrices=matrices)


def _matrix(entry):
    row, counts = entry.row, entry.row["matrix"]
    lines = [
        (label, list(zip(line, parts, strict=True)), sum(line))
        for label, line, parts in zip(row["labels"], counts, shares(counts), strict=True)
    ]
    total = sum(map(sum, counts))
    agreeing = sum(counts[place][place] for place in range(len(counts)))
    return Matrix(row["evaluator"], row["labels"], lines, total, agreeing, entry.reason)


def headline(answers, options, judges):
    keys = [q.key for q in answers.questions if 0 < len(q.scale.points) <= MOST_LABELS]
    if not judges or not keys:
        return no_value("no question has labels that can be counted") if judges else NO_JUDGE
    rows = confusion(answers, options, keys[:1]).rows
    found = []
    for row in rows:
        total = sum(map(sum, row["matrix"]))
        if row["evaluator"] in judges and total:
            same = sum(line[place] for place, line in enumerate(row["matrix"]))
            found.append((same / total, row, same, total))
    if not found:
        return no_value(f"no judge has labels for {keys[0]}{first_of(keys)}")
    share, row, same, total = max(found, key=lambda one: one[0])
    words = (
        f"of {total:,} items get the same label on {keys[0]}{first_of(keys)} from people "
        f"and from {row['evaluator']}, the closest judge"
    )
    return f"{100 * share:.0f} %", "", words


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
    ],
    source="Counts; labels in the order of the scale.",
    idle=("undefined", "draws", "seed", *OF_SUBSTITUTION),
    build=confusion,
    shown=shown,
    layout=layout,
    headline=headline,
)
