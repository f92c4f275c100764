"""Draw values over a number: cost against accuracy, accuracy by episodes, maps, K raters.

Plain dictionaries like those of dots.py; shapes and dashes differ wherever colours do.
"""

from math import isnan

from analysis.figures.dots import INK, LINE, MOST_CURVES, layout_of, small_title
from analysis.figures.looks import DASHES, PEOPLE, SYMBOLS
from analysis.figures.wrapping import wrapped

MARKS = {"judge": "square", "ensemble": "star", "people": "circle"}
NAMES = {"judge": "judges", "ensemble": "ensembles", "people": "people, k raters"}
SOFT = "var(--soft)"
MOST_NAMED = 8


def frontier(entries, looks, what):
    """Draw accuracy over the cost of an item on a logarithmic axis; free evaluators stand left.

    Filled marks are not dominated, and joined by a line; the others are open.
    """
    drawn = [e for e in entries if not isnan(e.row["cost"]) and not isnan(e.row["value"])]
    paid = [e.row["cost"] for e in drawn if e.row["cost"] > 0]
    free_at = min(paid, default=1.0) / 5
    data = [_steps(drawn, free_at)]
    for kind, symbol in MARKS.items():
        own = [entry for entry in drawn if entry.kind == kind]
        data += [_interval(_at(e, free_at), e, looks) for e in own if not isnan(e.row["low"])]
        data += [_points(own, kind, symbol, free_at, looks)] if own else []
    layout = layout_of(height=460)
    n = sorted({entry.row["n"] for entry in drawn}) or [0]
    span = f"{n[0]:,}" if len(n) == 1 else f"{n[0]:,} to {n[-1]:,}"
    layout["xaxis"] |= {"type": "log", "title": {"text": "Cost of an item in US dollars (log)"}}
    layout["yaxis"] |= {"title": {"text": f"{what} (n = {span})"}}
    if any(entry.row["cost"] == 0 for entry in drawn):
        layout["xaxis"]["title"]["text"] += ", the leftmost are free"
    narrow = {axis: layout[axis] | small_title(layout[axis]) for axis in ("xaxis", "yaxis")}
    return {"data": data, "layout": layout, "narrow": narrow | {"height": 420}}


def _at(entry, free_at):
    return entry.row["cost"] or free_at


def _steps(entries, free_at):
    """Draw the line through the entries that nothing dominates, from the cheapest on."""
    best = sorted((e for e in entries if e.row["frontier"]), key=lambda e: e.row["cost"])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "not dominated",
        "x": [_at(e, free_at) for e in best],
        "y": [e.row["value"] for e in best],
        "line": {"color": SOFT, "dash": "dot", "shape": "hv"},
        "hoverinfo": "skip",
    }


def _interval(x, entry, looks):
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x, x],
        "opacity": 0.4,
        "hoverinfo": "skip",
        "y": [entry.row["low"], entry.row["high"]],
        "showlegend": False,
        "line": {"color": looks.colour(entry.judge), "width": 2},
    }


def _points(entries, kind, symbol, free_at, looks):
    """Draw the marks of one kind; names stand beside the marks on the frontier."""
    best = [entry.row["frontier"] for entry in entries]
    named = sum(map(bool, best)) <= MOST_NAMED
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": NAMES[kind],
        "x": [_at(e, free_at) for e in entries],
        "y": [e.row["value"] for e in entries],
        "text": [
            wrapped(e.row["evaluator"], 18) if b and named else ""
            for e, b in zip(entries, best, strict=True)
        ],
        "textposition": "top center",
        "cliponaxis": False,
        "textfont": {"size": 11, "color": INK},
        "hovertext": [_in_words(e.row) for e in entries],
        "hoverinfo": "text",
        "marker": {
            "symbol": [symbol if b else f"{symbol}-open" for b in best],
            "size": 11,
            "color": [looks.colour(entry.judge) for entry in entries],
            "line": {"width": 2},
        },
    }


def _in_words(row):
    return f"{row['evaluator']}: ${row['cost']:.4g} an item, {row['value']:.2f}, n = {row['n']}"


def series(lines, x_title, y_title, y_range=None):
    """Draw lines with intervals: (name, colour, [(x, value, low, high)]), dashes by place."""
    data = []
    for place, (name, colour, points) in enumerate(lines[:MOST_CURVES]):
        defined = [point for point in points if not isnan(point[1])]
        dash = DASHES[place % len(DASHES)]
        data += [
            {
                "type": "scatter",
                "mode": "lines",
                "x": [x, x],
                "y": [low, high],
                "opacity": 0.4,
                "line": {"color": colour, "width": 2},
                "hoverinfo": "skip",
                "showlegend": False,
            }
            for x, _, low, high in defined
            if not isnan(low)
        ]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": wrapped(name),
                "x": [point[0] for point in defined],
                "y": [point[1] for point in defined],
                "line": {"color": colour, "dash": dash},
                "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9},
                "hovertemplate": "%{x}: %{y:.2f}<extra></extra>",
            }
        )
    layout = layout_of(height=400)
    layout["xaxis"] |= {"title": {"text": x_title}}
    layout["yaxis"] |= {"title": {"text": y_title}} | ({"range": y_range} if y_range else {})
    layout["showlegend"] = True
    narrow = {axis: layout[axis] | small_title(layout[axis]) for axis in ("xaxis", "yaxis")}
    return {"data": data, "layout": layout, "narrow": narrow}


def maps(curves, ends, looks):
    """Draw maps from judges' values to people's, {judge: {judge, human}}, and the equal line."""
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "equal",
            "x": list(ends),
            "y": list(ends),
            "line": {"color": LINE, "dash": "dot"},
            "hoverinfo": "skip",
        }
    ]
    for name, curve in list(curves.items())[:MOST_CURVES]:
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if len(curve["judge"]) < 20 else "lines",
                "x": curve["judge"],
                "y": curve["human"],
                "name": wrapped(name),
                "line": {"color": looks.colour(name), "dash": looks.dash(name, name)},
                "marker": {"symbol": looks.symbol(name, name), "size": 7},
                "hovertemplate": "judge %{x:.2f}: people %{y:.2f}<extra></extra>",
            }
        )
    layout = layout_of(height=440)
    layout["xaxis"] |= {"title": {"text": "The judge says"}}
    layout["yaxis"] |= {"title": {"text": "People say, by the map"}}
    layout["legend"] |= {"y": -0.2, "yanchor": "top"}
    return {"data": data, "layout": layout, "narrow": {"height": 420 + 20 * len(data)}}


def bars(rows, title):
    """Draw shares as bars with intervals: (name, share, low, high)."""
    rows = [row for row in rows if not isnan(row[1])]
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [low, high],
            "y": [name, name],
            "line": {"color": INK, "width": 2},
            "hoverinfo": "skip",
        }
        for name, _, low, high in rows
        if not isnan(low)
    ]
    bar = {
        "type": "bar",
        "orientation": "h",
        "x": [row[1] for row in rows],
        "y": [row[0] for row in rows],
        "marker": {"color": PEOPLE},
        "opacity": 0.75,
        "hovertemplate": "%{y}: %{x:.0%}<extra></extra>",
    }
    layout = layout_of(height=110 + 34 * max(len(rows), 2))
    layout["xaxis"] |= {"title": {"text": title}, "tickformat": ".0%", "range": [0, 1.01]}
    layout["yaxis"] |= {"autorange": "reversed", "type": "category"}
    layout["showlegend"] = False
    layout["bargap"] = 0.4
    return {"data": [bar, *lines], "layout": layout, "narrow": {}}
