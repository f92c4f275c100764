"""Draw boxes of how alike each recipient's lists are, cell by cell, with points for few people."""

from analysis.figures.frame import figure, layout_of, rows_downwards
from analysis.figures.looks import JUDGE_COLOURS, SYMBOLS
from analysis.figures.wrapping import height_of, wrapped

FEW = 25  # people up to whom every point is drawn
MOST_CELLS = 12


def boxes(spreads, title, names):
    """Draw a box for each cell. spreads: {cell: values of people}; names: {cell: words}."""
    shown = dict(list(spreads.items())[:MOST_CELLS])
    data = [_box(names[cell], values, place) for place, (cell, values) in enumerate(shown.items())]
    row = height_of([wrapped(names[cell]) for cell in shown], least=52)
    layout = rows_downwards(layout_of(110 + row * max(len(shown), 2), title, showlegend=False))
    layout["xaxis"] |= {"zeroline": True}
    layout["yaxis"] |= {"showgrid": False}
    return figure(data, layout, yaxis={"tickfont": {"size": 10}})


def _box(name, values, place):
    """Return one box; its place picks colour and marker, both of which repeat after a few."""
    colour = JUDGE_COLOURS[place % len(JUDGE_COLOURS)]
    return {
        "type": "box",
        "orientation": "h",
        "name": wrapped(name),
        "x": values,
        "y": [wrapped(name)] * len(values),
        "boxmean": True,
        "boxpoints": "all" if len(values) <= FEW else "outliers",
        "jitter": 0.4,
        "pointpos": 0,
        "line": {"color": colour, "width": 2},
        "fillcolor": "rgba(0,0,0,0)",
        "marker": {"color": colour, "size": 5, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        "hoverinfo": "x",
    }
