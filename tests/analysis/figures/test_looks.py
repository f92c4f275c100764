"""Figures without colour: what a line's hue says, its dashes say too."""

from itertools import combinations, pairwise

import pytest

from analysis.figures.curves import MOST_CURVES
from analysis.figures.dots import dots
from analysis.figures.likert import shade
from analysis.figures.looks import DASHES, JUDGE_COLOURS, Looks
from analysis.reports.base import Entry

# Machado, Oliveira and Fernandes (2009), severity 1.0, of linear RGB; grey by Rec. 709.
SIGHTS = {
    "protanopia": [
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ],
    "deuteranopia": [
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ],
    "grey": [(0.2126, 0.7152, 0.0722)] * 3,
}
APART = 20  # ΔE of CIE 1976; some 2.3 is the least that one sees side by side
JUDGES = [f"judge {number}" for number in range(len(JUDGE_COLOURS) * len(DASHES))]


def linear(colour):
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]


def lab(rgb):
    """CIE L*a*b* of linear sRGB, white D65."""
    rows = [(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)]
    white = (0.9505, 1.0, 1.089)
    xyz = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in rows]
    x, y, z = (_root(value / of) for value, of in zip(xyz, white, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(share):
    return share ** (1 / 3) if share > 0.008856 else 7.787 * share + 16 / 116


def seen(colour, sight):
    rgb = linear(colour)
    mixed = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in SIGHTS[sight]]
    return lab([min(max(share, 0), 1) for share in mixed])


def distance(one, other, sight):
    pairs = zip(seen(one, sight), seen(other, sight), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


def test_the_simulation_knows_what_the_literature_says():
    assert seen("#ffffff", "protanopia")[0] == pytest.approx(100, abs=0.1)
    # Red and green of one lightness: far apart, but not for who lacks the cones of green.
    assert distance("#c86432", "#7d8c2d", "deuteranopia") < distance("#c86432", "#2d5ac8", "grey")


PAPERS = ("#ffffff", "#1c1f24")  # --paper of app.css, light and dark


def contrast(one, other):
    """The ratio of two colours' luminances, as WCAG 2 defines it."""
    low, high = sorted(
        sum(a * b for a, b in zip(SIGHTS["grey"][0], linear(colour), strict=True)) + 0.05
        for colour in (one, other)
    )
    return high / low


def test_no_judge_is_grey_as_what_no_insight_would_give_is():
    for colour in JUDGE_COLOURS:
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        assert max(parts) - min(parts) > 60, colour
    assert min(contrast(JUDGE_COLOURS[-1], paper) for paper in PAPERS) > 3


def test_lines_that_stand_together_differ_without_colour():
    looks = Looks(JUDGES)
    assert len({looks.dash(name, name) for name in JUDGES[: len(DASHES)]}) == len(DASHES)
    assert len({(looks.colour(name), looks.dash(name, name)) for name in JUDGES}) == len(JUDGES)


def test_forty_judges_differ_in_grey_and_from_people():
    looks = Looks(JUDGES)
    forty = JUDGES[:40]
    lines = {(looks.dash(name, name), looks.symbol(name, name)) for name in forty}
    assert len(lines) == len(forty)
    assert len({(looks.colour(name), looks.symbol(name, name)) for name in forty}) == len(forty)
    people = [looks.symbol("", f"rater {number}") for number in range(8)]
    assert len({*people}) == 8 and not {*people} & {symbol for _, symbol in lines}
    assert looks.symbol("", "rater 3") == people[3]


def test_twenty_one_judges_have_as_many_markers_in_a_dot_plot():
    looks, names = Looks(JUDGES), JUDGES[:21]
    rows = [
        {"who": name, "question": "q", "value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
        for name in names
    ]
    entries = [Entry(row, judge=row["who"], kind="judge") for row in rows]
    marker = dots(entries, "who", "question", looks, "r")["data"][-1]["marker"]
    assert len({*zip(marker["color"], marker["symbol"], strict=True)}) == 21


@pytest.mark.parametrize("sight", ["protanopia", "deuteranopia"])
def test_lines_of_one_dash_in_a_figure_differ_for_the_colour_blind(sight):
    looks = Looks(JUDGES)
    for one, other in combinations(JUDGES[:MOST_CURVES], 2):
        if looks.dash(one, one) == looks.dash(other, other):
            assert distance(looks.colour(one), looks.colour(other), sight) > APART


@pytest.mark.parametrize("points", range(2, 12))
@pytest.mark.parametrize("sight", SIGHTS)
def test_points_of_a_scale_that_touch_differ_without_colour(points, sight):
    """In a diverging bar: the middle is the lightest, each side darker the further out."""
    colours = [shade(place, points) for place in range(points)]
    steps = [distance(one, other, sight) for one, other in pairwise(colours)]
    middle = points // 2
    lightness = [seen(colour, sight)[0] for colour in colours]
    # The two in the middle of an even scale stand on either side of zero.
    assert min(steps[: middle - 1 + points % 2] + steps[middle:], default=9) > 5
    assert lightness[:middle] == sorted(lightness[:middle])
    assert lightness[middle:] == sorted(lightness[middle:], reverse=True)
    assert len({*colours}) == points
