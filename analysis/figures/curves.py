"""Draw curves (ROC with bands, precision and recall, calibration) and heat maps."""

from math import isnan

from analysis.figures import dots, wrapping
from analysis.figures.dots import MOST_CURVES

OPACITY = "33"  # a fifth, behind a colour in hexadecimal digits
MOST_CALIBRATED = 6
HEAT = [[0, "#d55e00"], [0.5, "var(--paper)"], [1, "#0072b2"]]


def with_bands(figure, report, entries, question, looks):
    """Draw the bands of ROC curves, where there are any, behind the curves."""
    bands = []
    for entry in entries:
        band = report.bands.get((entry.row["evaluator"], question))
        if band and band.grid:
            bands.append(_band(band, looks.colour(entry.judge)))
    return figure | {"data": [*bands, *figure["data"]]}


def _band(band, colour):
    filled = colour + OPACITY if colour.startswith("#") else "rgba(128,128,128,.2)"
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*band.grid, *band.grid[::-1]],
        "y": [*band.high, *band.low[::-1]],
        "fill": "toself",
        "fillcolor": filled,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def precision_recall(report, entries, question, looks):
    """Draw precision over recall of the best evaluators, and the share of positives."""
    drawn = [entry for entry in entries if not isnan(entry.row["value"])][:MOST_CURVES]
    lines = []
    for entry in drawn:
        name, curve = entry.row["evaluator"], report.curves[entry.row["evaluator"], question]
        lines.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [0, *curve.recall],
                "y": [curve.precision[0], *curve.precision],
                "name": f"{wrapping.wrapped(name)} {entry.row['value']:.2f}",
                "line": {
                    "color": looks.colour(entry.judge),
                    "width": 2,
                    "shape": "vh",
                    "dash": looks.dash(entry.judge, name),
                },
            }
            | looks.marks(entry.judge, name)
        )
    layout = _square("Recall", "Precision", drawn, "positives", "n")
    shares = [entry.row["positives"] / entry.row["n"] for entry in drawn]
    lines += [_dotted([0, 1], [shares[0]] * 2, "no skill")] if shares else []
    return _figure(lines, layout)


def calibration(report, question, looks):
    """Draw the share of positives over judges' values on 0..1, for the best calibrated judges."""
    errors = [e for e in report.entries if e.row["part"] == "error" and not isnan(e.row["value"])]
    drawn = sorted(errors, key=lambda entry: entry.row["value"])[:MOST_CALIBRATED]
    lines = [
        _calibrated(error, report, question, looks)
        | looks.marks(error.judge, error.row["evaluator"])
        for error in drawn
    ]
    layout = _square("Judge’s value, on 0 to 1", "Share of positives", drawn, "n", None)
    return _figure([_dotted([0, 1], [0, 1], "as it says"), *lines], layout)


def _calibrated(error, report, question, looks):
    name = error.row["evaluator"]
    rows = [row for row in report.rows if row["evaluator"] == name and row["part"] == "bin"]
    colour = looks.colour(error.judge)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": f"{wrapping.wrapped(name)}",
        "x": report.curves[name, question],
        "y": [row["value"] for row in rows],
        "text": [f"{name}: {row['value']:.2f} of {row['n']} items" for row in rows],
        "hoverinfo": "text",
        "error_y": {
            "type": "data",
            "symmetric": False,
            "thickness": 1,
            "width": 2,
            "color": colour,
            "array": [_length(row["value"], row["high"]) for row in rows],
            "arrayminus": [_length(row["low"], row["value"]) for row in rows],
        },
        "line": {"color": colour, "width": 2, "dash": looks.dash(error.judge, name)},
    }


def _length(low, high):
    return 0 if isnan(low) or isnan(high) else high - low


def _dotted(x, y, name):
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "name": name,
        "hoverinfo": "skip",
        "line": {"color": "var(--soft)", "dash": "dot"},
    }


def _square(across, up, entries, n_across, n_up):
    """Return a layout with both axes from 0 to 1 and n in their titles."""
    layout = dots.layout_of(height=520)
    for axis, words, key in (("xaxis", across, n_across), ("yaxis", up, n_up)):
        size = f" (n = {dots.span(entry.row[key] for entry in entries)})" if key else ""
        layout[axis] |= {"title": {"text": f"{words}{size}"}, "range": [-0.01, 1.01]}
    layout["legend"] |= {"orientation": "h", "y": -0.22, "yanchor": "top"}
    return layout


def _figure(data, layout):
    narrow = {axis: layout[axis] | dots.small_title(layout[axis]) for axis in ("xaxis", "yaxis")}
    return {"data": data, "layout": layout, "narrow": narrow}


def heat(entries, title):
    """Draw a cell for each evaluator and question, coloured by its value, which it states."""
    names = list(dict.fromkeys(entry.row["evaluator"] for entry in entries))
    questions = list(dict.fromkeys(entry.row["question"] for entry in entries))
    values = {(e.row["evaluator"], e.row["question"]): e.row["value"] for e in entries}
    z = [[_or_none(values.get((name, question))) for question in questions] for name in names]
    shown = [wrapping.wrapped(name) for name in names]
    # Of many, some are named.
    line = wrapping.height_of(shown) if len(names) <= dots.MOST_LINES else 10
    layout = dots.layout_of(height=150 + line * max(len(names), 2))
    layout["xaxis"] |= {"title": {"text": title}, "type": "category", "showgrid": False}
    layout["yaxis"] |= {"autorange": "reversed", "type": "category", "showgrid": False}
    data = {
        "type": "heatmap",
        "z": z,
        "x": questions,
        "y": shown,
        "text": [["–" if v is None else f"{v:.2f}" for v in line] for line in z],
        "texttemplate": "%{text}",
        "xgap": 1,
        "ygap": 1,
        "zmin": -1,
        "zmax": 1,
        "colorscale": HEAT,
        "showscale": False,
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
    }
    small = layout["yaxis"] | {"tickfont": {"size": 10}}
    return {"data": [data], "layout": layout, "narrow": {"yaxis": small}}


def _or_none(value):
    return None if value is None or isnan(value) else value
