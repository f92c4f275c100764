"""Draw how each two raters agree."""

from math import isnan

from analysis.figures.dots import _axis, layout_of
from analysis.figures.looks import PEOPLE
from analysis.figures.wrapping import height_of, wrapped

MOST_SHOWN = 40
MOST_NUMBERS = 16  # raters whose numbers can be read in the map


def heat_map(names, values, n, title):
    """Draw raters × raters: agreement as colour and number, n on hover; blank where unknown."""
    names, size = [wrapped(name, 16) for name in names], len(names)
    cells = [
        [None if row == column or isnan(value) else value for column, value in enumerate(line)]
        for row, line in enumerate(values.tolist())
    ]
    shown = [["" if cell is None else f"{cell:.2f}" for cell in line] for line in cells]
    layout = layout_of(height=150 + height_of(names) * max(size, 4))
    axis = {"type": "category", "showgrid": False, "tickfont": {"size": 11}}
    layout["xaxis"] = {**_axis(), **axis, "tickangle": -60}
    layout["yaxis"] = {**_axis(), **axis, "autorange": "reversed"}
    data = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": cells,
        "text": shown,
        "texttemplate": "%{text}" if size <= MOST_NUMBERS else "",
        "customdata": n.tolist(),
        "hovertemplate": "%{y} and %{x}: %{z:.2f}, n = %{customdata}<extra></extra>",
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "var(--paper)"], [1, PEOPLE]],
        "colorbar": {"title": {"text": title}, "thickness": 12},
        "showscale": size > MOST_NUMBERS,
        "hoverongaps": False,
        "xgap": 1,
        "ygap": 1,
    }
    narrow = {"yaxis": layout["yaxis"] | {"tickfont": {"size": 9}}}
    return {"data": [data], "layout": layout, "narrow": narrow}
