"""Make the frame of a figure: its height, what its axes are called, and marks across it.

A figure is a plain dictionary that static/figures.js draws with Plotly. What all figures share
(colours, margins, font, the look of axes and legend) is the one template there. "var(--ink)" stands
for a colour of the style sheet, so that one figure fits the light and the dark scheme. "narrow"
holds the parts of a layout that are different on a phone; titles of axes become smaller there.
"""

INK, LINE, SOFT = "var(--ink)", "var(--line)", "var(--soft)"
LEGEND_BELOW = {"y": -0.22, "yanchor": "top"}


def layout_of(height, across="", up="", **more):
    """Return a layout with these titles of its axes, and more keys of Plotly's layout."""
    layout = {"height": height, "xaxis": {}, "yaxis": {}, **more}
    for axis, title in (("xaxis", across), ("yaxis", up)):
        if title:
            layout[axis]["title"] = {"text": title}
    return layout


def figure(data, layout, **narrow):
    """Return traces and layout as a figure; narrow: what its layout has else on a phone."""
    return {"data": [*data], "layout": layout, "narrow": narrow}


def rows_downwards(layout):
    """Make the vertical axis one of names, the first on top."""
    layout["yaxis"] |= {"autorange": "reversed", "type": "category"}
    return layout


def grid(rows, columns, gap):
    """Return Plotly's grid of panels, each with axes of its own."""
    return {"rows": rows, "columns": columns, "pattern": "independent", "ygap": gap}


def panel_heading(text, suffix, above=1.02):
    """Return the note that stands above the panel with this suffix of its axes."""
    return {
        "text": text,
        "align": "left",
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix} domain",
        "x": 0,
        "y": above,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def marked(marks):
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
            "line": {"color": SOFT, "dash": "dash", "width": 1.5},
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


def span(counts):
    """Write counts as 40, or as 30 to 40; no counts at all as 0."""
    counts = sorted(counts) or [0]
    low, high = counts[0], counts[-1]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
