"""Draw people's answers to Likert questions as diverging bars."""

from analysis.figures import traces
from analysis.figures.frame import figure, layout_of, rows_downwards

# From disagreement over the neutral middle to agreement. The lightness of each side falls evenly,
# so that a grey print has the order too; which side it is, the place says.
DIVERGING = [
    (0xD5, 0x5E, 0x00),
    (0xEE, 0xA8, 0x76),
    (0xE4, 0xE4, 0xE4),
    (0x86, 0xB9, 0xDB),
    (0x00, 0x72, 0xB2),
]


def likert(distributions):
    """Draw people's answers by question as diverging bars, the neutral middle around zero.

    distributions: (question, [(label, count)]) with the labels in the order of the scale.
    """
    height = 120 + 44 * len(distributions)
    layout = rows_downwards(layout_of(height, "Share of answers", barmode="relative", bargap=0.35))
    layout["xaxis"] |= {"tickformat": ".0%", "range": [-1, 1], "zeroline": True, "tickangle": 0}
    layout["xaxis"] |= {"tickvals": [-0.5, 0, 0.5], "ticktext": ["50 %", "0", "50 %"]}
    layout["legend"] = {"traceorder": "normal"}
    data = []
    for question, counts in distributions:
        data += _diverging(question, counts, first=question == distributions[0][0])
    return figure(data, layout)


def _diverging(question, counts, first):
    """Yield the bars of one question, from the middle outwards on both sides."""
    total = sum(count for _, count in counts)
    middle = (len(counts) - 1) / 2
    order = sorted(range(len(counts)), key=lambda place: abs(place - middle))
    for place in order:
        label, count = counts[place]
        sides = [-0.5, 0.5] if place == middle else [-1.0 if place < middle else 1.0]
        for side in sides:
            bar = traces.bar(
                [side * count / total],
                [f"{question}<br>n = {total:,}"],
                shade(place, len(counts)),
                name=label,
                legendgroup=label,
                showlegend=first and side == sides[-1],
                legendrank=place,
                text=[f"{label}: {count} of {total}"],
                hoverinfo="text",
                textposition="none",
            )
            bar["marker"]["line"] = {"color": "var(--paper)", "width": 1}
            yield bar


def shade(place, size):
    """Return the colour of one point on a scale of `size` points, different for every point."""
    scaled = place * (len(DIVERGING) - 1) / (size - 1)
    lower = min(int(scaled), len(DIVERGING) - 2)
    parts = zip(DIVERGING[lower], DIVERGING[lower + 1], strict=True)
    mixed = [round(a + (b - a) * (scaled - lower)) for a, b in parts]
    return "#{:02x}{:02x}{:02x}".format(*mixed)
