"""The forest plot for print: where its dots stand, what fits, and that both files say the same."""

import re
from math import nan

import pytest

from analysis.figures.forest import Disc, Dot, Forest, Label, Stroke, draw, ticks_of
from analysis.figures.vector import SERIF, as_pdf, as_svg


def forest(questions=("q",), name="judge", **dots):
    own = {key: dots.get(key, Dot(0.4, 0.2, 0.6)) for key in questions}
    marks = {key: 0.5 for key in questions}
    return Forest("key", "Caption.", "r", list(questions), [(name, True, own)], marks)


def shapes(drawing, kind):
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def test_a_dot_stands_where_its_value_is_on_the_axis():
    drawing = draw(forest(), 16)
    (dot,) = shapes(drawing, Disc)
    axis = {label.text: label for label in shapes(drawing, Label)}
    lines = sorted(s.x1 for s in shapes(drawing, Stroke) if s.x1 == s.x2 and not s.is_dashed)
    assert ticks_of(forest()) == pytest.approx([0, 0.2, 0.4, 0.6])
    assert dot.x == pytest.approx(lines[2]) and {"0", ".4"} <= {*axis}
    (interval,) = (s for s in shapes(drawing, Stroke) if s.y1 == s.y2)
    assert (interval.x1, interval.x2) == pytest.approx((lines[1], lines[3]))
    (mark,) = (s for s in shapes(drawing, Stroke) if s.is_dashed)
    assert mark.x1 == pytest.approx((lines[2] + lines[3]) / 2)


def test_an_undefined_number_has_no_dot():
    assert shapes(draw(forest(q=Dot(nan, nan, nan)), 16), Disc) == []
    no_interval = draw(forest(q=Dot(0.3, nan, nan)), 16)
    assert len(shapes(no_interval, Disc)) == 1
    assert not [s for s in shapes(no_interval, Stroke) if s.y1 == s.y2]


@pytest.mark.parametrize("width", [8, 16, 30])
@pytest.mark.parametrize("count", [1, 6, 15])
def test_everything_stands_within_the_width(width, count):
    drawing = draw(forest([f"question-{n}" for n in range(count)], "a very long name " * 5), width)
    assert drawing.width == pytest.approx(width / 2.54 * 72)
    assert len(shapes(drawing, Disc)) == count
    for stroke in shapes(drawing, Stroke):
        assert 0 <= stroke.x1 <= stroke.x2 <= drawing.width
        assert 0 <= stroke.y1 <= drawing.height and stroke.y2 <= drawing.height
    for label in shapes(drawing, Label):
        assert label.x + len(label.text) * label.size * 0.45 <= drawing.width + 1


def test_texts_are_escaped_in_both_files():
    drawing = draw(forest(["q"], "<b>(x)\\ µ 中"), 16)
    svg, pdf = as_svg(drawing, SERIF, "a < b"), as_pdf(drawing, SERIF)
    assert "&lt;b&gt;(x)" in svg and "<title>a &lt; b</title>" in svg and "中" in svg
    assert b"(<b>\\(x\\)\\\\ \xb5 ?)" in pdf
    assert svg.count("<circle") == 1 == len(re.findall(rb" f$", pdf, re.M))
