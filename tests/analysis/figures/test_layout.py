"""A table is called by its caption's first sentence, and its head says n where its cells agree."""

from math import nan

import pytest

from analysis.figures.layout import Cell, Table, cross_table


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("Table IV. Entailment, .5 or more. By pairs.", "Table IV. Entailment, .5 or more"),
        ("Made up: what no review says", "Made up: what no review says"),
        ("By people. And more.", "By people"),
        ("", ""),
    ],
)
def test_a_table_is_called_by_the_first_sentence_of_its_caption(caption, name):
    assert Table(caption).name == name


def test_what_a_caption_says_after_its_name_is_kept():
    assert Table("Table IV. Entailment, .5 or more. By pairs.").rest == "By pairs."
    assert Table("By people.").rest == ""


def cells(*sizes, value=0.5):
    return [Cell({}, value, size=size) for size in sizes]


@pytest.mark.parametrize(
    ("column", "head"),
    [
        (cells("n = 160", "n = 160"), "n = 160"),
        (cells("n = 1,100", "n = 156"), "n = 156 to 1,100"),
        (cells("n = 9, 2 of 3 groups", "n = 8, 3 of 3 groups"), "n = 8 to 9"),
        (cells("p .030", "p .400"), ""),
        (cells("n = 30, worth 40 ratings", "n = 30, worth 9 ratings"), ""),
        (cells("n = 160") + cells("n = 0", value=nan), "n = 160"),
        (["–", None, 3], ""),
    ],
)
def test_the_head_of_a_column_says_the_size_that_its_cells_share(column, head):
    table = Table(
        "By people.", ["quality"], [(str(place), [cell]) for place, cell in enumerate(column)]
    )
    assert table.sizes == [head] and table.columns == [("quality", head)]


def test_the_corner_says_the_size_that_all_columns_share():
    alike = Table("", ["a", "b"], [("x", cells("n = 9", "n = 9"))], [], "Score")
    assert (alike.size, alike.columns) == ("n = 9", [("a", ""), ("b", "")])
    apart = Table("", ["a", "b"], [("x", cells("n = 9", "n = 8"))], [], "Score")
    assert (apart.size, apart.columns) == ("", [("a", "n = 9"), ("b", "n = 8")])


def test_a_table_without_lines_has_heads_without_sizes():
    assert Table("By people.", ["a", "b"]).columns == [("a", ""), ("b", "")]


def test_a_cross_table_keeps_the_order_of_its_cells_and_leaves_what_is_not_there_blank():
    cells = {("b", "y"): 1, ("a", "x"): 2, ("b", "x"): 3}
    table = cross_table("Caption.", "Corner", cells)
    assert (table.caption, table.corner, table.headings) == ("Caption.", "Corner", ["y", "x"])
    assert table.lines == [("b", [1, 3]), ("a", [None, 2])]


def test_a_cross_table_shows_the_columns_that_are_wanted():
    table = cross_table("Caption.", "Corner", {("a", "x"): 2, ("a", "y"): 1}, ["y", "z"], blank="–")
    assert (table.headings, table.lines) == (["y", "z"], [("a", [1, "–"])])
