"""Tables of a paper: which numbers are marked, how they are written, what stands side by side."""

from math import nan

import pytest

from analysis.paper.table import HIGH, LOW, NEAR, Line, Number, Style, Table


def table(columns, order=HIGH, is_ranked=None, **facts):
    """A table of judges a, b, c … whose columns are lists of values."""
    rows = zip(*columns, strict=True)
    flags = is_ranked or [True] * len(columns[0])
    lines = [
        Line(name, [value if value is None else Number(value) for value in row], flag)
        for name, row, flag in zip("abcdefgh", rows, flags, strict=False)
    ]
    headings = [f"q{n}" for n in range(len(columns))]
    return Table("key", "Caption.", "Judge", headings, lines, order, **facts)


def ranks(made, style=None):
    ((_, _, rows),) = made.blocks(style or Style())
    return [cells[0].rank for _, cells in rows]


def words(made, style=None):
    ((_, _, rows),) = made.blocks(style or Style())
    return [cells[0].words for _, cells in rows]


@pytest.mark.parametrize(
    ("values", "order", "expected"),
    [
        ([0.1, 0.3, 0.2], HIGH, ["", "best", "second"]),
        ([0.1, 0.3, 0.3], HIGH, ["second", "best", "best"]),
        ([0.1, 0.3, 0.1], HIGH, ["second", "best", "second"]),
        ([0.301, 0.304, 0.2], HIGH, ["best", "best", "second"]),  # both are printed as .30
        ([nan, 0.3, -0.2], HIGH, ["", "best", "second"]),
        ([nan, 0.3, nan], HIGH, ["", "", ""]),  # the only number is no best one
        ([0.3, 0.3, 0.3], HIGH, ["", "", ""]),
        ([None, None, None], HIGH, ["", "", ""]),
        ([-0.5, 0.1, -0.2], NEAR, ["", "best", "second"]),
        ([-0.1, 0.1, -0.2], NEAR, ["best", "best", "second"]),
        ([3.0, 1.0, 2.0], LOW, ["", "best", "second"]),
        ([0.1, 0.3, 0.2], "", ["", "", ""]),
    ],
)
def test_best_and_second_are_marked(values, order, expected):
    assert ranks(table([values], order)) == expected


def test_more_digits_part_what_fewer_digits_print_alike():
    assert ranks(table([[0.301, 0.304, 0.2]]), Style(digits=3)) == ["second", "best", ""]


def test_a_line_that_is_no_judge_is_never_marked():
    made = table([[0.9, 0.3, 0.2, 0.1]], is_ranked=[False, True, True, True])
    assert ranks(made) == ["", "best", "second", ""]


@pytest.mark.parametrize(
    ("value", "style", "facts", "expected"),
    [
        (0.456, Style(), {}, ".46"),
        (-0.456, Style(3), {}, "−.456"),
        (-0.001, Style(), {}, ".00"),
        (1.0, Style(), {}, "1.00"),
        (nan, Style(), {}, "–"),
        (None, Style(), {}, ""),
        (0.456, Style(percent=True), {}, ".46"),
        (0.456, Style(percent=True), {"is_share": True}, "46"),
        (0.4567, Style(4, percent=True), {"is_share": True}, "45.67"),
        (0.456, Style(), {"is_bounded": False}, "0.46"),
        (-12.3, Style(3), {"is_bounded": False}, "−12.300"),
    ],
)
def test_numbers_are_written_with_the_chosen_digits(value, style, facts, expected):
    assert words(table([[value]], **facts), style) == [expected]


def test_intervals_stand_beside_their_number_where_they_are_wanted():
    made = table([[0.5]])
    made.lines[0].cells[0] = Number(0.5, 0.25, 0.75)
    ((_, _, ((_, (cell,)),)),) = made.blocks(Style(intervals=True))
    assert (cell.words, cell.interval) == (".50", "[.25, .75]")
    ((_, _, ((_, (cell,)),)),) = made.blocks(Style())
    assert cell.interval == ""


def test_many_columns_stand_in_blocks_of_like_width_and_lose_none():
    made = table([[0.1]] * 10)
    assert [headings for headings, _, _ in made.blocks(Style())] == [
        [f"q{n}" for n in range(5)],
        [f"q{n}" for n in range(5, 10)],
    ]


def test_n_stands_in_the_caption_where_it_is_the_same():
    same = table([[0.1], [0.2], [0.3]], sizes=["40", "40", ""])
    assert "n = 40." in same.caption_in(Style()) and same.common_size == "40"
    other = table([[0.1], [0.2]], sizes=["40", "39"])
    assert "n =" not in other.caption_in(Style()) and other.common_size == ""


def test_the_caption_tells_the_marks_and_the_unit_only_where_there_are_some():
    marked = table([[0.1, 0.2]], is_share=True)
    assert "bold" in marked.caption_in(Style()) and "per cent" not in marked.caption_in(Style())
    assert "In per cent." in marked.caption_in(Style(percent=True))
    assert "bold" not in table([[0.1]]).caption_in(Style())


def test_csv_rows_are_unrounded_and_blank_where_undefined():
    made = table([[0.123456, nan]])
    made.lines[0].cells[0] = Number(0.123456, 0.1, 0.2)
    assert list(made.rows()) == [
        ["Judge", "q0", "q0 low", "q0 high"],
        ["a", 0.123456, 0.1, 0.2],
        ["b", "", "", ""],
    ]
