"""How alike the lists of single recipients are, cell by cell: boxes, and points where few are."""

from analysis.figures import dots, wrapping
from analysis.figures.looks import JUDGE_COLOURS, SYMBOLS

FEW = 25  # people up to whom every point is drawn
MOST_CELLS = 12


def boxes(spreads, title, names):
    """A box for each cell. spreads: {cell: values of people}; names: {cell: words}."""
    shown = dict(list(spreads.items())[:MOST_CELLS])
    data = [_box(names[cell], values, at) for at, (cell, values) in enumerate(shown.items())]
    row = wrapping.height_of([wrapping.wrapped(names[cell]) for cell in shown], least=52)
    layout = dots.layout_of(height=110 + row * max(len(shown), 2))
    layout["xaxis"] |= {"title": {"text": title}, "zeroline": True}
    layout["yaxis"] |= {"autorange": "reversed", "type": "category", "showgrid": False}
    layout["showlegend"] = False
    narrow = {"xaxis": layout["xaxis"] | dots.small_title(layout["xaxis"])}
    narrow["yaxis"] = layout["yaxis"] | {"tickfont": {"size": 10}}
    return {"data": data, "layout": layout, "narrow": narrow}


def _box(name, values, at):
    """Its colour repeats after a few; where it stands says which it is."""
    colour = JUDGE_COLOURS[at % len(JUDGE_COLOURS)]
    return {
        "type": "box",
        "orientation": "h",
        "name": wrapping.wrapped(name),
        "x": values,
        "y": [wrapping.wrapped(name)] * len(values),
        "boxmean": True,
        "boxpoints": "all" if len(values) <= FEW else "outliers",
        "jitter": 0.4,
        "pointpos": 0,
        "line": {"color": colour, "width": 2},
        "fillcolor": "rgba(0,0,0,0)",
        "marker": {"color": colour, "size": 5, "symbol": SYMBOLS[at % len(SYMBOLS)]},
        "hoverinfo": "x",
    }
