"""Build the traces of figures: lines, intervals, guides, points, bars and heat maps.

Each returns a Plotly trace; keywords are further keys of it.
"""

from math import isnan

from analysis.figures.frame import SOFT


def line(x, y, name, colour, dash="solid", shape="linear", **more):
    """Return a line through points. shape: linear, or hv and vh for steps."""
    style = {"color": colour, "width": 2, "dash": dash, "shape": shape}
    return _scatter("lines", x, y, name=name, line=style) | more


def interval(x, y, colour, opacity=0.4, **more):
    """Return the line between both ends of an interval, which neither hover nor legend tells."""
    style = {"color": colour, "width": 2}
    silent = {"opacity": opacity, "hoverinfo": "skip", "showlegend": False}
    return _scatter("lines", x, y, line=style, **silent) | more


def guide(x, y, name, colour=SOFT, **style):
    """Return a dotted line that the others are compared with. style: further keys of the line."""
    look = {"color": colour, "dash": "dot", **style}
    return _scatter("lines", x, y, name=name, line=look, hoverinfo="skip")


def points(x, y, colour, symbol, size, **more):
    """Return marks; colour and symbol are one for all, or a list."""
    more = dict(more)
    marker = {"color": colour, "symbol": symbol, "size": size} | more.pop("marker", {})
    return _scatter("markers", x, y, marker=marker) | more


def bar(x, y, colour, **more):
    """Return horizontal bars."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": x,
        "y": y,
        "marker": {"color": colour},
    } | more


def heat(z, x, y, colours, ends=(0, 1), **more):
    """Return a heat map. colours: from the lower to the upper end, evenly spaced."""
    places = [place / (len(colours) - 1) for place in range(len(colours))]
    return {
        "type": "heatmap",
        "z": z,
        "x": x,
        "y": y,
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": [list(pair) for pair in zip(places, colours, strict=True)],
        "texttemplate": "%{text}",
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
    } | more


def is_undefined(value):
    """Return whether a value cannot be drawn: none, or not a number."""
    return value is None or isnan(value)


def _scatter(mode, x, y, **more):
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **more}
