"""Draw values over a number: cost against accuracy, accuracy by episodes, maps, K raters."""

from math import isnan

from analysis.figures import traces
from analysis.figures.curves import MOST_CURVES
from analysis.figures.frame import INK, LINE, figure, layout_of, rows_downwards, span
from analysis.figures.looks import DASHES, PEOPLE, SYMBOLS
from analysis.figures.wrapping import wrapped

MARKS = {"judge": "square", "ensemble": "star", "people": "circle"}
NAMES = {"judge": "judges", "ensemble": "ensembles", "people": "people, k raters"}
MOST_NAMED = 8


def frontier(entries, looks, what):
    """Draw accuracy over the cost of an item on a logarithmic axis; free evaluators stand left.

    Filled marks are not dominated, and joined by a line; the others are open.
    """
    drawn = [e for e in entries if not isnan(e.row["cost"]) and not isnan(e.row["value"])]
    paid = [e.row["cost"] for e in drawn if e.row["cost"] > 0]
    free_at = min(paid, default=1.0) / 5
    best = sorted((e for e in drawn if e.row["frontier"]), key=lambda e: e.row["cost"])
    costs, values = [_at(e, free_at) for e in best], [e.row["value"] for e in best]
    data = [traces.guide(costs, values, "not dominated", shape="hv")]
    for kind, symbol in MARKS.items():
        own = [entry for entry in drawn if entry.kind == kind]
        data += [
            traces.interval(
                [_at(e, free_at)] * 2, [e.row["low"], e.row["high"]], looks.colour(e.judge)
            )
            for e in own
            if not isnan(e.row["low"])
        ]
        data += [_points(own, kind, symbol, free_at, looks)] if own else []
    across = "Cost of an item in US dollars (log)" if paid else "Cost of an item"
    if paid and len(paid) < len(drawn):
        across += ", the leftmost are free"
    up = f"{what} (n = {span({entry.row['n'] for entry in drawn})})"
    layout = layout_of(460, across, up)
    layout["xaxis"] |= {"type": "log"}
    if not paid:
        layout["xaxis"] |= {"tickvals": [free_at], "ticktext": ["free"]}
    return figure(data, layout, height=420)


def _at(entry, free_at):
    return entry.row["cost"] or free_at


def _points(entries, kind, symbol, free_at, looks):
    """Draw the marks of one kind; names stand beside the marks on the frontier."""
    best = [entry.row["frontier"] for entry in entries]
    named = sum(map(bool, best)) <= MOST_NAMED
    return traces.points(
        [_at(e, free_at) for e in entries],
        [e.row["value"] for e in entries],
        [looks.colour(entry.judge) for entry in entries],
        [symbol if b else f"{symbol}-open" for b in best],
        size=11,
        marker={"line": {"width": 2}},
        mode="markers+text",
        name=NAMES[kind],
        text=[
            wrapped(e.row["evaluator"], 18) if b and named else ""
            for e, b in zip(entries, best, strict=True)
        ],
        textposition="top center",
        cliponaxis=False,
        textfont={"size": 11, "color": INK},
        hovertext=[_in_words(e.row) for e in entries],
        hoverinfo="text",
    )


def _in_words(row):
    return f"{row['evaluator']}: ${row['cost']:.4g} an item, {row['value']:.2f}, n = {row['n']}"


def series(lines, x_title, y_title, y_range=None):
    """Draw lines with intervals: (name, colour, [(x, value, low, high)]), dashes by place."""
    data = []
    for place, (name, colour, points) in enumerate(lines[:MOST_CURVES]):
        defined = [point for point in points if not isnan(point[1])]
        data += [
            traces.interval([x, x], [low, high], colour)
            for x, _, low, high in defined
            if not isnan(low)
        ]
        x, y = [point[0] for point in defined], [point[1] for point in defined]
        data.append(
            traces.line(x, y, wrapped(name), colour, DASHES[place % len(DASHES)])
            | {
                "mode": "lines+markers",
                "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9},
                "hovertemplate": "%{x}: %{y:.2f}<extra></extra>",
            }
        )
    layout = layout_of(400, x_title, y_title, showlegend=True)
    layout["yaxis"] |= {"range": y_range} if y_range else {}
    return figure(data, layout)


def maps(curves, ends, looks):
    """Draw maps from judges' values to people's, {judge: {judge, human}}, and the equal line."""
    data = [traces.guide([*ends], [*ends], "equal", LINE)]
    for name, curve in list(curves.items())[:MOST_CURVES]:
        look = wrapped(name), looks.colour(name), looks.dash(name, name)
        data.append(
            traces.line(curve["judge"], curve["human"], *look)
            | {
                "mode": "lines+markers" if len(curve["judge"]) < 20 else "lines",
                "marker": {"symbol": looks.symbol(name, name), "size": 7},
                "hovertemplate": "judge %{x:.2f}: people %{y:.2f}<extra></extra>",
            }
        )
    layout = layout_of(440, "The judge says", "People say, by the map")
    layout["legend"] = {"y": -0.2, "yanchor": "top"}
    return figure(data, layout, height=420 + 20 * len(data))


def bars(rows, title):
    """Draw shares as bars with intervals: (name, share, low, high)."""
    rows = [row for row in rows if not isnan(row[1])]
    intervals = [
        traces.interval([low, high], [name, name], INK, opacity=1)
        for name, _, low, high in rows
        if not isnan(low)
    ]
    shares, names = [row[1] for row in rows], [row[0] for row in rows]
    hover = "%{y}: %{x:.0%}<extra></extra>"
    bar = traces.bar(shares, names, PEOPLE, opacity=0.75, hovertemplate=hover)
    height = 110 + 34 * max(len(rows), 2)
    layout = rows_downwards(layout_of(height, title, showlegend=False, bargap=0.4))
    layout["xaxis"] |= {"tickformat": ".0%", "range": [0, 1.01]}
    return figure([bar, *intervals], layout)
