"""Draw values with their intervals as dots, a line for each name.

A judge looks the same on every page (looks.py).
"""

from math import ceil
from urllib.parse import urlencode

from analysis.figures import traces
from analysis.figures.frame import SOFT, figure, layout_of, marked
from analysis.figures.layout import Figure, n_words
from analysis.figures.looks import SYMBOLS
from analysis.figures.traces import is_undefined
from analysis.figures.wrapping import LINE_HEIGHT, MOST_HEADING, ROW, lines_below, lines_of, wrapped

NARROW_LINE = 44  # characters of a name above its dots, on a phone
MOST_LINES = 40
MANY = 12  # names, from which on their lines are lower
BASELINE = SOFT  # colour of what no insight would give


def dots(entries, line, series, looks, title, unit_interval=False, chance=None, marks=()):
    """Draw a dot plot with intervals: a line per row[line], a marker shape per row[series].

    chance: what guessing would give. It has a line with its name, and the axis begins there or
    where the intervals begin, since values far below it hardly occur. marks: (value, name) of
    further lines. Entries of the kind baseline are grey.
    """
    entries, every = _largest(entries, line)
    names = list(dict.fromkeys(entry.row[line] for entry in entries))
    if every > len(names):
        title += f" (the {len(names)} largest of {every}, all of them in the table)"
    shapes = list(dict.fromkeys(entry.row[series] for entry in entries))
    step = 0.7 / max(len(shapes), 1)
    labels, row = [wrapped(name) for name in names], _row(len(names), len(shapes))
    centres, end = lines_below(labels, row)
    data = []
    for place, shape in enumerate(shapes):
        own = [entry for entry in entries if entry.row[series] == shape]
        offset = (place - (len(shapes) - 1) / 2) * step
        heights = [centres[names.index(entry.row[line])] + offset for entry in own]
        colours = [
            BASELINE if entry.kind == "baseline" else looks.colour(entry.judge) for entry in own
        ]
        symbols = [looks.symbol(entry.judge, entry.row[line]) for entry in own]
        if len(shapes) > 1:  # else the shape is left to tell evaluators apart
            symbols = SYMBOLS[place % len(SYMBOLS)]
        data += _dots(own, heights, colours, shape, symbols, line)
    layout = layout_of(110 + ceil(row * max(end, 2)), title, showlegend=len(shapes) > 1)
    layout["xaxis"] |= {"zeroline": True}
    layout["xaxis"]["range"] = [-0.02, 1.02] if unit_interval else _around(entries, marks)
    if chance is not None:
        layout["xaxis"]["range"] = [_below(entries, chance), 1.02]
        marks = marks or [(chance, f"chance ({chance:g})")]
    if marks:
        layout |= marked(marks)
    layout["yaxis"] |= {
        "tickvals": centres,
        "ticktext": labels,
        "range": [end - 0.4, -0.6],
        "showgrid": False,
    }
    opens_items = any(map(_items_query, entries))
    return figure(data, layout, **_names_above(layout, names, centres)) | {
        "opens_items": opens_items
    }


def dot_figure(key, caption, entries, line, series, looks, title, of="", **how):
    """Return [the Figure of these entries], their n behind the title; [] where none has a value.

    of: what n counts, where that has to be said; how: further options of `dots`.
    """
    drawn = [entry for entry in entries if not is_undefined(entry.row["value"])]
    if not drawn:
        return []
    title = f"{title} ({n_words(drawn)}{of and ' '}{of})"
    return [Figure(key, caption, dots(drawn, line, series, looks, title, **how))]


def _row(n_names, n_shapes):
    """Return the pixels of a line; those of many names are lower, so that they fit on a screen."""
    least, mark = (ROW, 11) if n_names <= MANY else (LINE_HEIGHT + 4, 7)
    return max(least, mark * n_shapes)


def _largest(entries, line):
    """Keep entries with a value in the lines with the largest values; also count all lines.

    A line for each of 200 judges would make a figure of ten screens.
    """
    largest: dict = {}
    defined = [entry for entry in entries if not is_undefined(entry.row["value"])]
    for entry in defined:
        name, value = entry.row[line], entry.row["value"]
        largest[name] = max(largest.get(name, value), value)
    kept = set(sorted(largest, key=lambda name: -largest[name])[:MOST_LINES])
    return [entry for entry in defined if entry.row[line] in kept], len(largest)


def _around(entries, marks=()):
    """Return the range from the lowest to the highest end of the intervals and mark, with room."""
    rows = [entry.row for entry in entries]
    ends = [row[name] for row in rows for name in ("low", "value", "high")]
    ends += [value for value, _ in marks]
    ends = [value for value in ends if not is_undefined(value)] or [0.0, 1.0]
    room = 0.04 * (max(ends) - min(ends)) or 0.5
    return [min(ends) - room, max(ends) + room]


def _below(entries, chance):
    """Return the start of an axis that shows chance and every end of the intervals, with room."""
    rows = [entry.row for entry in entries]
    ends = [row[name] for row in rows for name in ("low", "value") if not is_undefined(row[name])]
    lowest = min([chance, *ends])
    return lowest - 0.04 * (1 - lowest)


def _names_above(layout, names, centres):
    """Return the phone layout of a dot plot: each name stands above its dots."""
    labels = [wrapped(name, NARROW_LINE, most=MOST_HEADING) for name in names]
    above = [
        {
            "text": label,
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": centre - 0.25,
            "yanchor": "bottom",
            "align": "left",
            "showarrow": False,
            "font": {"size": 11},
        }
        for centre, label in zip(centres, labels, strict=True)
    ]
    return {
        "height": layout["height"] + 14 * sum(map(lines_of, labels)),
        "annotations": above + layout.get("annotations", []),
        "yaxis": {"showticklabels": False, "ticks": ""},
    }


def _dots(entries, heights, colours, name, symbols, line):
    """Return the lines of the intervals, coloured like their markers, and the markers' trace.

    A judge's marker leads to the items on which it and people differ.
    """
    rows = [entry.row for entry in entries]
    intervals = [
        traces.interval([row["low"], row["high"]], [y, y], colour, 0.55, legendgroup=name)
        for row, y, colour in zip(rows, heights, colours, strict=True)
        if not is_undefined(row["low"])
    ]
    markers = traces.points(
        [row["value"] for row in rows],
        heights,
        colours,
        symbols,
        size=9,
        name=name,
        legendgroup=name,
        text=[_in_words(row, line) for row in rows],
        hoverinfo="text",
        customdata=[_items_query(entry) for entry in entries],
    )
    return [*intervals, markers]


def _in_words(row, line):
    interval = "" if is_undefined(row["low"]) else f" [{row['low']:.2f}, {row['high']:.2f}]"
    n = row.get("n", row.get("n_units"))
    return f"{row[line]}: {row['value']:.2f}{interval}, n = {n}"


def _items_query(entry):
    """Return the query of Disagreements for a judge's number; blank for others."""
    if entry.kind != "judge":
        return ""
    asked = {"judges": entry.judge, "question": entry.row.get("question", "")}
    return urlencode({name: value for name, value in asked.items() if value})
