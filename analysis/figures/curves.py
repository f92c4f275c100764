"""Draw curves: ROC with bands, precision and recall, calibration, winning rates."""

from math import isnan

from analysis.figures import traces
from analysis.figures.frame import LEGEND_BELOW, LINE, SOFT, figure, layout_of, span
from analysis.figures.wrapping import wrapped

MOST_CURVES = 8
MOST_CALIBRATED = 6
GREY = "baselines"  # in a legend, where their lines have one name
OPACITY = "33"  # a fifth, behind a colour in hexadecimal digits


def roc_curves(report, entries, question, looks, grey=()):
    """Draw ROC curves of the best of these evaluators for one question, before their bands.

    grey: entries of baselines, drawn below the others.
    """
    defined = [entry for entry in entries if not traces.is_undefined(entry.row["auc"])]
    best = sorted(defined, key=lambda entry: -entry.row["auc"])[:MOST_CURVES]
    lines = []
    for entry in best:
        name, curve = entry.row["evaluator"], report.curves[entry.row["evaluator"], question]
        words = f"{wrapped(name)} {entry.row['auc']:.2f}"
        lines.append(_curve(*_rates(curve), words, entry, looks))
    layout = _square(
        f"False positive rate (n = {span(entry.row['negatives'] for entry in best)})",
        f"True positive rate (n = {span(entry.row['positives'] for entry in best)})",
        [0, 1],
        [0, 1.01],
    )
    chance = traces.guide([0, 1], [0, 1], "chance", LINE)
    below = grey_lines(_defined(report, grey, question))
    return figure([*_bands(report, entries, question, looks), *below, chance, *lines], layout)


def _rates(curve):
    return curve.false_positive_rate, curve.true_positive_rate


def _defined(report, grey, question, points_of=_rates):
    """Return {name: (x, y)} of the baselines that have a value."""
    names = [entry.row["evaluator"] for entry in grey if not isnan(entry.row["value"])]
    return {name: points_of(report.curves[name, question]) for name in names}


def _bands(report, entries, question, looks):
    bands = [
        (report.bands.get((entry.row["evaluator"], question)), looks.colour(entry.judge))
        for entry in entries
    ]
    return [_band(band, colour) for band, colour in bands if band and band.grid]


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


def precision_recall(report, entries, question, looks, grey=()):
    """Draw precision over recall of the best evaluators, and the share of positives.

    grey: entries of baselines, drawn below the others.
    """
    drawn = [entry for entry in entries if not isnan(entry.row["value"])][:MOST_CURVES]
    lines = []
    for entry in drawn:
        name, curve = entry.row["evaluator"], report.curves[entry.row["evaluator"], question]
        words = f"{wrapped(name)} {entry.row['value']:.2f}"
        lines.append(_curve(*_steps(curve), words, entry, looks, shape="vh"))
    across = f"Recall (n = {span(entry.row['positives'] for entry in drawn)})"
    up = f"Precision (n = {span(entry.row['n'] for entry in drawn)})"
    shares = [entry.row["positives"] / entry.row["n"] for entry in drawn]
    if shares:
        lines.append(traces.guide([0, 1], [shares[0]] * 2, "no skill"))
    below = grey_lines(_defined(report, grey, question, _steps), "vh")
    return figure([*below, *lines], _square(across, up))


def _steps(curve):
    """Return recall from 0 on, and precision."""
    return [0, *curve.recall], [curve.precision[0], *curve.precision]


def grey_lines(lines, shape="linear"):
    """Return thin grey lines of baselines, with one entry in the legend. lines: {name: (x, y)}."""
    return [
        traces.line(x, y, GREY, SOFT, shape=shape)
        | {
            "line": {"color": SOFT, "width": 1, "shape": shape},
            "legendgroup": GREY,
            "showlegend": place == 0,
            "hovertemplate": f"{name}<extra></extra>",
        }
        for place, (name, (x, y)) in enumerate(lines.items())
    ]


def calibration(report, question, looks):
    """Draw the share of positives over judges' values on 0..1, for the best calibrated judges."""
    errors = [e for e in report.entries if e.row["part"] == "error" and not isnan(e.row["value"])]
    drawn = sorted(errors, key=lambda entry: entry.row["value"])[:MOST_CALIBRATED]
    lines = [_calibrated(error, report, question, looks) for error in drawn]
    across = f"Judge’s value, on 0 to 1 (n = {span(entry.row['n'] for entry in drawn)})"
    equal = traces.guide([0, 1], [0, 1], "as it says")
    return figure([equal, *lines], _square(across, "Share of positives"))


def _calibrated(error, report, question, looks):
    name = error.row["evaluator"]
    rows = [row for row in report.rows if row["evaluator"] == name and row["part"] == "bin"]
    values = [row["value"] for row in rows]
    return _curve(report.curves[name, question], values, wrapped(name), error, looks) | {
        "text": [f"{name}: {row['value']:.2f} of {row['n']} items" for row in rows],
        "hoverinfo": "text",
        "error_y": {
            "type": "data",
            "symmetric": False,
            "thickness": 1,
            "width": 2,
            "color": looks.colour(error.judge),
            "array": [_length(row["value"], row["high"]) for row in rows],
            "arrayminus": [_length(row["low"], row["value"]) for row in rows],
        },
    }


def _length(low, high):
    return 0 if isnan(low) or isnan(high) else high - low


def winning_rates(report, question, epsilon, looks):
    """Draw the winning rate of judges over their head start, a step curve per line.

    Judges with one and the same curve share a line.
    """
    tested = [e for e in report.entries if e.row["question"] == question and e.row["tested"]]
    same: dict = {}
    for entry in sorted(tested, key=lambda e: -e.row["advantage_probability"]):
        curve = report.curves[entry.row["evaluator"], question]
        same.setdefault(tuple(curve["winning_rate"]), []).append(entry)
    lines = []
    for rates, (entry, *others) in list(same.items())[:MOST_CURVES]:
        name = wrapped(entry.row["evaluator"]) + (f" and {len(others)} more" if others else "")
        starts = report.curves[entry.row["evaluator"], question]["epsilon"]
        lines.append(_curve(starts, list(rates), name, entry, looks, shape="hv"))
    guides = [
        traces.guide([epsilon, epsilon], [0, 1], f"ε = {epsilon:g}", width=1),
        traces.guide([0, 0.5], [0.5, 0.5], "passes from here up", dash="longdash", width=1),
    ]
    layout = layout_of(420, "Head start ε", "Winning rate ω", legend=LEGEND_BELOW)
    layout["xaxis"] |= {"range": [0, 0.5]}
    layout["yaxis"] |= {"range": [-0.03, 1.03]}
    height = 420 + 24 * len(lines)  # the legend's lines stand below each other
    return figure([*lines, *guides], layout, height=height)


def _curve(x, y, words, entry, looks, shape="linear"):
    """Return an evaluator's line, with its colour, dashes and marks; words: in the legend."""
    name = entry.row["evaluator"]
    colour, dash = looks.colour(entry.judge), looks.dash(entry.judge, name)
    return traces.line(x, y, words, colour, dash, shape) | looks.marks(entry.judge, name)


def _square(across, up, x_range=(-0.01, 1.01), y_range=(-0.01, 1.01)):
    """Return a layout with both axes from about 0 to 1."""
    layout = layout_of(520, across, up, legend=LEGEND_BELOW)
    layout["xaxis"] |= {"range": [*x_range]}
    layout["yaxis"] |= {"range": [*y_range]}
    return layout
