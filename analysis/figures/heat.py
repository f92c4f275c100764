"""Draw heat maps: values by evaluator and question, confusion matrices, agreement of raters."""

from math import isnan

from analysis.figures import traces
from analysis.figures.dots import MOST_LINES
from analysis.figures.frame import figure, grid, layout_of, panel_heading, rows_downwards
from analysis.figures.looks import PEOPLE
from analysis.figures.traces import is_undefined
from analysis.figures.wrapping import MOST_HEADING, headroom, height_of, wrapped

MOST_MATRICES = 2  # side by side; each is a table too
MOST_RATERS = 40
MOST_NUMBERS = 16  # raters whose numbers can be read in the map
PAPER = "var(--paper)"
AGAINST_AND_FOR = ["#d55e00", PAPER, "#0072b2"]


def question_heat_map(entries, title):
    """Draw a cell for each evaluator and question, coloured by its value, which it states."""
    names = list(dict.fromkeys(entry.row["evaluator"] for entry in entries))
    questions = list(dict.fromkeys(entry.row["question"] for entry in entries))
    values = {(e.row["evaluator"], e.row["question"]): e.row["value"] for e in entries}
    cells = [[_or_none(values.get((name, question))) for question in questions] for name in names]
    shown = [wrapped(name) for name in names]
    # Of many, some are named.
    row = height_of(shown) if len(names) <= MOST_LINES else 10
    layout = rows_downwards(layout_of(150 + row * max(len(names), 2), title))
    layout["xaxis"] |= {"type": "category", "showgrid": False}
    layout["yaxis"] |= {"showgrid": False}
    trace = traces.heat(
        cells,
        questions,
        shown,
        AGAINST_AND_FOR,
        ends=(-1, 1),
        text=[["–" if v is None else f"{v:.2f}" for v in line] for line in cells],
        hovertemplate="%{y}, %{x}: %{text}<extra></extra>",
    )
    return figure([trace], layout, yaxis={"tickfont": {"size": 10}})


def _or_none(value):
    return None if is_undefined(value) else value


def confusion_matrices(entries):
    """Draw the first confusion matrices: shares of each row, labelled with counts."""
    entries = entries[:MOST_MATRICES]
    layout = layout_of(370, showlegend=False, annotations=[])
    layout["grid"] = grid(1, len(entries), 0.35)
    data, headings = [], []
    for place, entry in enumerate(entries):
        suffix = "" if place == 0 else str(place + 1)
        data.append(_matrix(entry.row, suffix, entry.kind))
        axes = rows_downwards(layout_of(0, entry.kind, "people"))
        layout[f"xaxis{suffix}"] = axes["xaxis"] | {"type": "category"}
        layout[f"yaxis{suffix}"] = axes["yaxis"]
        headings.append(wrapped(entry.row["evaluator"], most=MOST_HEADING))
        layout["annotations"].append(panel_heading(headings[-1], suffix))
    layout["margin"] = headroom(headings)
    height = 70 + 290 * max(len(entries), 1)
    return figure(data, layout, height=height, grid=grid(len(entries), 1, 0.35))


def _matrix(row, suffix, who):
    labels = [str(label) for label in row["labels"]]
    return traces.heat(
        row["shares"],
        labels,
        labels,
        [PAPER, PEOPLE],
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        text=row["matrix"],
        hovertemplate=f"people %{{y}}, {who} %{{x}}: %{{text}} items (%{{z:.0%}})<extra></extra>",
    )


def rater_heat_map(names, values, n, title):
    """Draw raters × raters: agreement as colour and number, n on hover; blank where unknown."""
    names, size = [wrapped(name, 16) for name in names], len(names)
    cells = [
        [None if row == column or isnan(value) else value for column, value in enumerate(line)]
        for row, line in enumerate(values.tolist())
    ]
    layout = rows_downwards(layout_of(150 + height_of(names) * max(size, 4)))
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"type": "category", "showgrid": False, "tickfont": {"size": 11}}
    layout["xaxis"] |= {"tickangle": -60}
    trace = traces.heat(
        cells,
        names,
        names,
        [PAPER, PEOPLE],
        text=[["" if cell is None else f"{cell:.2f}" for cell in line] for line in cells],
        texttemplate="%{text}" if size <= MOST_NUMBERS else "",
        customdata=n.tolist(),
        hovertemplate="%{y} and %{x}: %{z:.2f}, n = %{customdata}<extra></extra>",
        colorbar={"title": {"text": title}, "thickness": 12},
        showscale=size > MOST_NUMBERS,
        hoverongaps=False,
    )
    return figure([trace], layout, yaxis={"tickfont": {"size": 9}})
