"""Draw points: scores against people's ratings, precision against recall, subsets of judges."""

from math import isnan

from analysis.figures import traces
from analysis.figures.frame import INK, figure, grid, layout_of, panel_heading, span
from analysis.figures.looks import JUDGE_COLOURS
from analysis.figures.wrapping import MOST_HEADING, headroom, wrapped

MOST_PANELS = 8
PANEL, HEAD = 270, 90  # pixels


def scatter(panels, question, looks):
    """Draw panels of (judge, {score, people, line, n}, r): the first panels, two side by side."""
    panels = panels[:MOST_PANELS]
    rows, gap = -(-len(panels) // 2), 0.42
    layout = {"height": HEAD + PANEL * rows, "showlegend": False, "annotations": []}
    layout["grid"] = grid(rows, min(2, len(panels)), gap)
    data, names = [], []
    for place, (judge, points, r) in enumerate(panels):
        suffix = "" if place == 0 else str(place + 1)
        names.append(wrapped(judge, most=MOST_HEADING))
        data += _panel(judge, points, suffix, looks)
        axes = layout_of(0, f"score (n = {points['n']:,})", f"mean {wrapped(question)}")
        layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"] = axes["xaxis"], axes["yaxis"]
        value = "r undefined" if isnan(r) else f"r = {r:.2f}"
        layout["annotations"].append(panel_heading(f"{names[-1]}: {value}", suffix, 1.03))
    layout["margin"] = headroom(names)
    height, one_column = HEAD + PANEL * len(panels), grid(len(panels), 1, gap)
    return figure(data, layout, height=height, grid=one_column)


def _panel(judge, points, suffix, looks):
    """Draw one panel's points, and the line of least squares through them if there is a line."""
    axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    marks = traces.points(
        points["score"],
        points["people"],
        looks.colour(judge),
        looks.symbol(judge, judge),
        size=7,
        marker={"opacity": 0.65},
        hovertemplate="score %{x:.3f}: people %{y:.2f}<extra></extra>",
        **axes,
    )
    ends = points["line"] or {"x": [], "y": []}
    line = traces.guide(ends["x"], ends["y"], "", INK, dash="solid", width=1.5)
    return [marks, line | axes]


def precision_and_recall(points, looks):
    """Draw precision over recall: {evaluator: [(system, recall, precision)]}, a mark per system."""
    data = [
        traces.points(
            [recall for _, recall, _ in systems],
            [precision for *_, precision in systems],
            looks.colour(evaluator),
            looks.symbol(evaluator, evaluator),
            size=10,
            mode="markers+text",
            name=wrapped(evaluator),
            text=[wrapped(system, 14) for system, *_ in systems],
            textposition="top center",
            hovertemplate="%{text}: precision %{y:.3f}, recall %{x:.3f}<extra></extra>",
        )
        for evaluator, systems in points.items()
    ]
    layout = layout_of(420, "Recall", "Precision", showlegend=len(data) > 1)
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"range": [-0.03, 1.08]}
    # On a phone the names of systems at the edges need room.
    return figure(data, layout, height=380, xaxis={"range": [-0.25, 1.25]})


def subsets(entries, means, title):
    """Draw a dot for each subset of judges by its size, and a line through the sizes' means."""
    rows = [entry.row for entry in entries]
    sizes = [entry.row for entry in means if not traces.is_undefined(entry.row["value"])]
    marks = traces.points(
        [row["size"] for row in rows],
        [row["value"] for row in rows],
        JUDGE_COLOURS[1],
        "circle-open",
        size=8,
        marker={"opacity": 0.85, "line": {"width": 1.6}},
        name="one subset",
        hoverinfo="text",
        text=[f"{row['members']}: {row['value']:.3f}" for row in rows],
    )
    x, y = [row["size"] for row in sizes], [row["value"] for row in sizes]
    line = traces.line(x, y, "mean of the size", INK) | {
        "mode": "lines+markers",
        "marker": {"size": 7},
        "hovertemplate": "%{y:.3f}<extra></extra>",
    }
    if sizes and not any(traces.is_undefined(row["low"]) for row in sizes):
        line["error_y"] = _reach(sizes)
    across = f"Judges in the mean (n = {span(row['n'] for row in sizes)} values)"
    layout = layout_of(420, across, title)
    layout["xaxis"] |= {"dtick": 1}
    return figure([marks, line], layout, height=380)


def _reach(rows):
    """Return the 95 % intervals of the rows as error bars of Plotly."""
    up, down = ([abs(row[end] - row["value"]) for row in rows] for end in ("high", "low"))
    return {"type": "data", "array": up, "arrayminus": down, "color": INK, "thickness": 1.2}
