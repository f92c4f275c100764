"""Draw scatter plots: scores against people's ratings by judge, and precision against recall."""

from math import isnan

from analysis.figures import wrapping
from analysis.figures.dots import INK, layout_of

MOST_PANELS = 8
PANEL, HEAD = 270, 90  # pixels


def scatter(panels, question, looks):
    """Draw panels of (judge, {score, people, line, n}, r): the first panels, two side by side."""
    panels = panels[:MOST_PANELS]
    columns = min(2, len(panels))
    lines = -(-len(panels) // 2)
    layout = layout_of(height=HEAD + PANEL * lines)
    grid = {"rows": lines, "columns": columns, "pattern": "independent", "ygap": 0.42}
    layout |= {"grid": grid, "showlegend": False, "annotations": []}
    base, data = layout.pop("xaxis"), []
    layout.pop("yaxis")
    for place, (judge, points, r) in enumerate(panels):
        suffix = "" if place == 0 else str(place + 1)
        data += _panel(judge, points, suffix, looks)
        layout[f"xaxis{suffix}"] = base | {"title": {"text": f"score (n = {points['n']:,})"}}
        layout[f"yaxis{suffix}"] = base | {"title": {"text": f"mean {wrapping.wrapped(question)}"}}
        layout["annotations"].append(_heading(judge, r, suffix))
    layout["margin"] |= wrapping.headroom([_panel_name(judge) for judge, *_ in panels])
    narrow = {
        "height": HEAD + PANEL * len(panels),
        "grid": grid | {"rows": len(panels), "columns": 1, "ygap": 0.42},
    }
    return {"data": data, "layout": layout, "narrow": narrow}


def _panel(judge, points, suffix, looks):
    """Draw one panel's points, and the line of least squares through them if there is a line."""
    axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": points["score"],
        "y": points["people"],
        "marker": {
            "color": looks.colour(judge),
            "size": 7,
            "opacity": 0.65,
            "symbol": looks.symbol(judge, judge),
        },
        "hovertemplate": "score %{x:.3f}: people %{y:.2f}<extra></extra>",
        **axes,
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "line": {"color": INK, "width": 1.5},
        "hoverinfo": "skip",
        **(points["line"] or {"x": [], "y": []}),
        **axes,
    }
    return [dots, line]


def _panel_name(judge):
    return wrapping.wrapped(judge, most=wrapping.MOST_HEADING)


def _heading(judge, r, suffix):
    text = "r undefined" if isnan(r) else f"r = {r:.2f}"
    return {
        "text": f"{_panel_name(judge)}: {text}",
        "align": "left",
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix} domain",
        "x": 0,
        "y": 1.03,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def precision_and_recall(points, looks):
    """Draw precision over recall: {evaluator: [(system, recall, precision)]}, a mark per system."""
    data = []
    for evaluator, some in points.items():
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": wrapping.wrapped(evaluator),
                "x": [recall for _, recall, _ in some],
                "y": [precision for *_, precision in some],
                "text": [wrapping.wrapped(system, 14) for system, *_ in some],
                "textposition": "top center",
                "marker": {
                    "color": looks.colour(evaluator),
                    "size": 10,
                    "symbol": looks.symbol(evaluator, evaluator),
                },
                "hovertemplate": "%{text}: precision %{y:.3f}, recall %{x:.3f}<extra></extra>",
            }
        )
    layout = layout_of(height=420)
    for axis, words in (("xaxis", "Recall"), ("yaxis", "Precision")):
        layout[axis] |= {"title": {"text": words}, "range": [-0.03, 1.08]}
    layout["showlegend"] = len(data) > 1
    return {"data": data, "layout": layout, "narrow": {"height": 380}}
