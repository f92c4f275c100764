"""Draw reports as Plotly figures: plain dictionaries that static/figures.js draws.

A judge looks the same on every page (looks.py). "var(--ink)" stands for a colour of the style
sheet, so that one figure fits the light and the dark scheme. "narrow" holds the parts of a layout
that are different on a phone.
"""

from math import ceil, isnan

from analysis.figures.looks import JUDGE_COLOURS, PEOPLE, SYMBOLS
from analysis.figures.wrapping import MOST_HEADING, ROW, headroom, lines_below, lines_of, wrapped

INK, LINE = "var(--ink)", "var(--line)"
NARROW_LINE = 44  # characters of a name above its dots, on a phone
MOST_CURVES, MOST_MATRICES, MOST_LINES = 8, 6, 40
WHO = {"judge": "judge", "rater": "rater", "mean": "mean"}  # an evaluator by its kind
# From disagreement over the neutral middle to agreement. The lightness of each side falls evenly,
# so that a grey print has the order too; which side it is, the place says.
DIVERGING = [
    (0xD5, 0x5E, 0x00),
    (0xEE, 0xA8, 0x76),
    (0xE4, 0xE4, 0xE4),
    (0x86, 0xB9, 0xDB),
    (0x00, 0x72, 0xB2),
]


BASELINE = "var(--soft)"  # colour of what no insight would give


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
    labels, row = [wrapped(name) for name in names], max(ROW, 11 * len(shapes))
    centres, end = lines_below(labels, row)
    data = []
    for place, shape in enumerate(shapes):
        own = [entry for entry in entries if entry.row[series] == shape]
        offset = (place - (len(shapes) - 1) / 2) * step
        heights = [centres[names.index(entry.row[line])] + offset for entry in own]
        colours = [
            BASELINE if entry.kind == "baseline" else looks.colour(entry.judge) for entry in own
        ]
        rows = [entry.row for entry in own]
        symbols = [looks.symbol(entry.judge, entry.row[line]) for entry in own]
        if len(shapes) > 1:  # else the shape is left to tell evaluators apart
            symbols = SYMBOLS[place % len(SYMBOLS)]
        data += _dots(rows, heights, colours, shape, symbols, line)
    layout = layout_of(height=110 + ceil(row * max(end, 2)))
    layout["xaxis"] |= {"title": {"text": title}, "zeroline": True}
    layout["xaxis"]["range"] = [-0.02, 1.02] if unit_interval else _around(entries)
    if chance is not None:
        layout["xaxis"]["range"] = [_below(entries, chance), 1.02]
        layout |= _marked([(chance, f"chance ({chance:g})")])
    if marks:
        layout |= _marked(marks)
    layout["yaxis"] |= {
        "tickvals": centres,
        "ticktext": labels,
        "range": [end - 0.4, -0.6],
        "showgrid": False,
    }
    layout["showlegend"] = len(shapes) > 1
    return {"data": data, "layout": layout, "narrow": _names_above(layout, names, centres)}


def _largest(entries, line):
    """Keep entries with a value in the lines with the largest values; also count all lines.

    A line for each of 200 judges would make a figure of ten screens.
    """
    largest: dict = {}
    defined = [entry for entry in entries if not _undefined(entry.row["value"])]
    for entry in defined:
        name, value = entry.row[line], entry.row["value"]
        largest[name] = max(largest.get(name, value), value)
    kept = set(sorted(largest, key=lambda name: -largest[name])[:MOST_LINES])
    return [entry for entry in defined if entry.row[line] in kept], len(largest)


def _around(entries):
    """Return the range from the lowest to the highest end of the intervals, with some room."""
    rows = [entry.row for entry in entries]
    ends = [row[name] for row in rows for name in ("low", "value", "high")]
    ends = [value for value in ends if not _undefined(value)] or [0.0, 1.0]
    room = 0.04 * (max(ends) - min(ends)) or 0.5
    return [min(ends) - room, max(ends) + room]


def _below(entries, chance):
    """Return the start of an axis that shows chance and every end of the intervals, with room."""
    rows = [entry.row for entry in entries]
    ends = [row[name] for row in rows for name in ("low", "value") if not _undefined(row[name])]
    lowest = min([chance, *ends])
    return lowest - 0.04 * (1 - lowest)


def _marked(marks):
    """Return dashed lines over the whole height at (value, name), each name above its line.

    The names of several lines stand one above the other, for lines may be close.
    """
    lines = [
        {
            "type": "line",
            "x0": value,
            "x1": value,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "layer": "below",
            "line": {"color": "var(--soft)", "dash": "dash", "width": 1.5},
        }
        for value, _ in marks
    ]
    names = [
        {
            "text": name,
            "x": value,
            "y": 1,
            "yref": "paper",
            "xanchor": "left",
            "yanchor": "bottom",
            "yshift": 14 * place,
            "showarrow": False,
            "font": {"size": 11},
        }
        for place, (value, name) in enumerate(marks)
    ]
    return {"shapes": lines, "annotations": names}


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
        "xaxis": layout["xaxis"] | small_title(layout["xaxis"]),
        "yaxis": layout["yaxis"] | {"showticklabels": False, "ticks": ""},
    }


def _dots(rows, heights, colours, name, symbols, line):
    """Return the lines of the intervals, coloured like their markers, and the markers' trace."""
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [row["low"], row["high"]],
            "y": [y, y],
            "line": {"color": colour, "width": 2},
            "opacity": 0.55,
            "hoverinfo": "skip",
            "showlegend": False,
            "legendgroup": name,
        }
        for row, y, colour in zip(rows, heights, colours, strict=True)
        if not _undefined(row["low"])
    ]
    markers = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "legendgroup": name,
        "x": [row["value"] for row in rows],
        "y": heights,
        "marker": {"color": colours, "symbol": symbols, "size": 9},
        "text": [_in_words(row, line) for row in rows],
        "hoverinfo": "text",
    }
    return [*lines, markers]


def _in_words(row, line):
    interval = "" if _undefined(row["low"]) else f" [{row['low']:.2f}, {row['high']:.2f}]"
    n = row.get("n", row.get("n_units"))
    return f"{row[line]}: {row['value']:.2f}{interval}, n = {n}"


def small_title(axis):
    """Return an axis title for little room: smaller, with its n on a line of its own."""
    return {"title": {"text": axis["title"]["text"].replace(" (", "<br>("), "font": {"size": 11}}}


def curves(report, entries, question, looks):
    """Draw ROC curves of the best of these evaluators for one question."""
    defined = [entry for entry in entries if not _undefined(entry.row["auc"])]
    best = sorted(defined, key=lambda entry: -entry.row["auc"])[:MOST_CURVES]
    data = [
        _curve(report.curves[e.row["evaluator"], question], e, looks)
        | looks.marks(e.judge, e.row["evaluator"])
        for e in best
    ]
    chance = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1],
        "y": [0, 1],
        "name": "chance",
        "line": {"color": LINE, "dash": "dot"},
        "hoverinfo": "skip",
    }
    layout = layout_of(height=520)
    sizes = {key: span(entry.row[key] for entry in best) for key in ("negatives", "positives")}
    layout["xaxis"] |= {"title": {"text": f"False positive rate (n = {sizes['negatives']})"}}
    layout["yaxis"] |= {"title": {"text": f"True positive rate (n = {sizes['positives']})"}}
    layout["xaxis"]["range"], layout["yaxis"]["range"] = [0, 1], [0, 1.01]
    layout["legend"] |= {"orientation": "h", "y": -0.22, "yanchor": "top"}
    narrow = {axis: layout[axis] | small_title(layout[axis]) for axis in ("xaxis", "yaxis")}
    return {"data": [chance, *data], "layout": layout, "narrow": narrow}


def _curve(curve, entry, looks):
    name, judge = entry.row["evaluator"], entry.judge
    return {
        "type": "scatter",
        "mode": "lines",
        "x": curve.false_positive_rate,
        "y": curve.true_positive_rate,
        "name": f"{wrapped(name)} {entry.row['auc']:.2f}",
        "line": {"color": looks.colour(judge), "width": 2, "dash": looks.dash(judge, name)},
    }


def winning_rates(report, question, epsilon, looks):
    """Draw the winning rate of judges over their head start, a step curve per line.

    Judges with one and the same curve share a line.
    """
    tested = [e for e in report.entries if e.row["question"] == question and e.row["tested"]]
    same: dict = {}
    for entry in sorted(tested, key=lambda e: -e.row["advantage_probability"]):
        curve = report.curves[entry.row["evaluator"], question]
        same.setdefault(tuple(curve["winning_rate"]), []).append(entry)
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": _shared_name(entries),
            "x": report.curves[entries[0].row["evaluator"], question]["epsilon"],
            "y": list(rates),
            "line": {
                "color": looks.colour(entries[0].judge),
                "width": 2,
                "shape": "hv",
                "dash": looks.dash(entries[0].judge, entries[0].row["evaluator"]),
            },
        }
        | looks.marks(entries[0].judge, entries[0].row["evaluator"])
        for rates, entries in list(same.items())[:MOST_CURVES]
    ]
    dotted = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    dotted |= {"line": {"color": "var(--soft)", "dash": "dot", "width": 1}}
    chosen = {**dotted, "x": [epsilon, epsilon], "y": [0, 1], "name": f"ε = {epsilon:g}"}
    enough = {**dotted, "x": [0, 0.5], "y": [0.5, 0.5], "name": "passes from here up"}
    enough["line"] = {**dotted["line"], "dash": "longdash"}
    layout = layout_of(height=420)
    layout["xaxis"] |= {"title": {"text": "Head start ε"}, "range": [0, 0.5]}
    layout["yaxis"] |= {"title": {"text": "Winning rate ω"}, "range": [-0.03, 1.03]}
    layout["legend"] |= {"orientation": "h", "y": -0.22, "yanchor": "top"}
    narrow = {"height": 420 + 24 * len(lines)}  # the legend's lines stand below each other
    return {"data": [*lines, chosen, enough], "layout": layout, "narrow": narrow}


def _shared_name(entries):
    first, others = wrapped(entries[0].row["evaluator"]), len(entries) - 1
    return f"{first} and {others} more" if others else first


def span(counts):
    """Write counts as 40, or as 30 to 40; no counts at all as 0."""
    counts = sorted(counts) or [0]
    low, high = counts[0], counts[-1]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def matrices(entries):
    """Draw heat maps of the first confusion matrices: shares of each row, labelled with counts."""
    entries = entries[:MOST_MATRICES]
    columns = min(len(entries), 3)
    lines = -(-len(entries) // columns) if entries else 0
    layout = layout_of(height=70 + 300 * max(lines, 1))
    layout |= {
        "grid": {"rows": lines, "columns": columns, "pattern": "independent", "ygap": 0.35},
        "showlegend": False,
        "annotations": [],
    }
    data, headings = [], []
    for place, entry in enumerate(entries):
        suffix = "" if place == 0 else str(place + 1)
        who = WHO[entry.kind]
        data.append(_matrix(entry.row, suffix, who))
        layout[f"xaxis{suffix}"] = {**_axis(), "title": {"text": who}, "type": "category"}
        layout[f"yaxis{suffix}"] = {
            **_axis(),
            "title": {"text": "people"},
            "type": "category",
            "autorange": "reversed",
        }
        headings.append(wrapped(entry.row["evaluator"], most=MOST_HEADING))
        layout["annotations"].append(_heading(headings[-1], suffix))
    layout["margin"] |= headroom(headings)
    one_column = {"rows": len(entries), "columns": 1, "pattern": "independent", "ygap": 0.35}
    narrow = {"height": 70 + 290 * max(len(entries), 1), "grid": one_column}
    return {"data": data, "layout": layout, "narrow": narrow}


def _matrix(row, suffix, who):
    labels = [str(label) for label in row["labels"]]
    return {
        "type": "heatmap",
        "z": row["shares"],
        "x": labels,
        "y": labels,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "text": row["matrix"],
        "texttemplate": "%{text}",
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "people %{y}, WHO %{x}: %{text} items (%{z:.0%})<extra></extra>".replace(
            "WHO", who
        ),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "var(--paper)"], [1, PEOPLE]],
    }


def _heading(name, suffix):
    return {
        "text": name,
        "align": "left",
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix} domain",
        "x": 0,
        "y": 1.02,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def likert(distributions):
    """Draw people's answers by question as diverging bars, the neutral middle around zero.

    distributions: (question, [(label, count)]) with the labels in the order of the scale.
    """
    layout = layout_of(height=120 + 44 * len(distributions))
    layout |= {"barmode": "relative", "bargap": 0.35}
    layout["xaxis"] |= {"title": {"text": "Share of answers"}, "tickformat": ".0%"}
    layout["xaxis"] |= {"range": [-1, 1], "zeroline": True, "tickangle": 0}
    layout["xaxis"] |= {"tickvals": [-0.5, 0, 0.5], "ticktext": ["50 %", "0", "50 %"]}
    layout["yaxis"] |= {"autorange": "reversed", "type": "category"}
    layout["legend"] |= {"traceorder": "normal"}
    data = []
    for question, counts in distributions:
        data += _diverging(question, counts, first=question == distributions[0][0])
    return {"data": data, "layout": layout}


def _diverging(question, counts, first):
    """Yield the bars of one question, from the middle outwards on both sides."""
    total = sum(count for _, count in counts)
    middle = (len(counts) - 1) / 2
    order = sorted(range(len(counts)), key=lambda place: abs(place - middle))
    for place in order:
        label, count = counts[place]
        sides = [-0.5, 0.5] if place == middle else [-1.0 if place < middle else 1.0]
        for side in sides:
            yield {
                "type": "bar",
                "orientation": "h",
                "name": label,
                "legendgroup": label,
                "showlegend": first and side == sides[-1],
                "legendrank": place,
                "x": [side * count / total],
                "y": [f"{question}<br>n = {total:,}"],
                "marker": {
                    "color": shade(place, len(counts)),
                    "line": {"color": "var(--paper)", "width": 1},
                },
                "text": [f"{label}: {count} of {total}"],
                "hoverinfo": "text",
                "textposition": "none",
            }


def shade(place, size):
    """Return the colour of one point on a scale of `size` points, different for every point."""
    scaled = place * (len(DIVERGING) - 1) / (size - 1)
    lower = min(int(scaled), len(DIVERGING) - 2)
    parts = zip(DIVERGING[lower], DIVERGING[lower + 1], strict=True)
    mixed = [round(a + (b - a) * (scaled - lower)) for a, b in parts]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _axis():
    return {
        "gridcolor": LINE,
        "zerolinecolor": "var(--soft)",
        "zeroline": False,
        "linecolor": LINE,
        "automargin": True,
        "fixedrange": True,
    }


def layout_of(height):
    """Return the layout that all figures begin with."""
    return {
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 30, "b": 45},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK, "family": "system-ui, sans-serif", "size": 13},
        "hoverlabel": {"bgcolor": "var(--paper)", "font": {"color": INK}},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "xaxis": _axis(),
        "yaxis": _axis(),
    }


def subsets(entries, means, title):
    """Draw a dot for each subset of judges by its size, and a line through the sizes' means."""
    rows = [entry.row for entry in entries]
    sizes = [entry.row for entry in means if not _undefined(entry.row["value"])]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "name": "one subset",
        "x": [r["size"] for r in rows],
        "y": [r["value"] for r in rows],
        "hoverinfo": "text",
        "text": [f"{r['members']}: {r['value']:.3f}" for r in rows],
        "marker": {
            "color": JUDGE_COLOURS[1],
            "size": 8,
            "opacity": 0.85,
            "symbol": "circle-open",
            "line": {"width": 1.6},
        },
    }
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "mean of the size",
        "x": [row["size"] for row in sizes],
        "y": [row["value"] for row in sizes],
        "line": {"color": INK},
        "marker": {"size": 7},
        "hovertemplate": "%{y:.3f}<extra></extra>",
    }
    if sizes and not any(_undefined(row["low"]) for row in sizes):
        line["error_y"] = _reach(sizes)
    layout = layout_of(height=420)
    n = span(row["n"] for row in sizes)
    layout["xaxis"] |= {"title": {"text": f"Judges in the mean (n = {n} values)"}, "dtick": 1}
    layout["yaxis"] |= {"title": {"text": title}}
    return {"data": [dots, line], "layout": layout, "narrow": {"height": 380}}


def _reach(rows):
    """Return the 95 % intervals of the rows as error bars of Plotly."""
    up, down = ([abs(row[end] - row["value"]) for row in rows] for end in ("high", "low"))
    return {"type": "data", "array": up, "arrayminus": down, "color": INK, "thickness": 1.2}


def _undefined(value):
    return value is None or isnan(value)
