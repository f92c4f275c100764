"""What a column of a brought table looks like to who has to say what it is."""

import pytest

from judges.bringing.profile import describe
from judges.bringing.read import read_table


def test_a_column_shows_ten_different_short_values_or_three_long_ones(tmp_path):
    path = tmp_path / "brought"
    rows = [f"{k % 12},A text of item {k} that is rather long" for k in range(30)]
    path.write_text("\n".join(["item,text", *rows]))
    _, (items, texts) = describe(read_table(path, "table.csv")[1])
    assert items.samples == [str(k) for k in range(10)]
    assert [text[:14] for text in texts.samples] == ["A text of item"] * 3


NOWHERE = "though the file does not tell decimals from thousands."
ELSEWHERE = "as elsewhere in the file."
LOST = "is taken for no number, as elsewhere in the file the point is the decimal mark."
# Cells of the column n between semicolons, those of another column; the range of n, None where
# it is none of numbers, whether it has decimal commas, and how it is read
MARKS = {
    "whole numbers": ("4 1234", "a b", (4, 1234), False, ""),
    "points": ("1.5 1.234", "a b", (1.234, 1.5), False, ""),
    "points below one": ("0.234 1.234", "a b", (0.234, 1.234), False, ""),
    "commas": ("3,5 1,234", "a b", (1.234, 3.5), True, ""),
    "commas and thousands": ("3,5 1.234", "a b", (3.5, 1234), True, ""),
    "a comma behind thousands": ("1.234,5 7", "a b", (7, 1234.5), True, ""),
    "millions": ("1.234.567 999", "a b", (999, 1234567), True, ""),
    "a point, nothing else": ("1.234 2.000", "a b", (1.234, 2), False, f"1.234, {NOWHERE}"),
    "a comma, nothing else": ("12,345 7", "a b", (7, 12.345), True, f"12.345, {NOWHERE}"),
    "a point among points": ("-1.234 2", "0.5 1", (-1.234, 2), False, f"-1.234, {ELSEWHERE}"),
    "a point among commas": ("1.234 2", "0,5 1", (2, 1234), True, f"1234, {ELSEWHERE}"),
    "a comma among commas": ("1,234 2", "0,5 1", (1.234, 2), True, f"1.234, {ELSEWHERE}"),
    "a comma among points": ("1,234 2", "0.5 1", None, False, LOST),
    "thousands that tell": ("1.234 1.234.567", "a b", (1234, 1234567), True, ""),
    "addresses": ("192.168.100.200 192.168.101.200", "a b", None, False, ""),
    "a point among both": ("1.234 2", "0,5 1/0.5 1", (1.234, 2), False, f"1.234, {NOWHERE}"),
    "both marks": ("3.5 2,5", "a b", None, False, ""),
    "thousands and points": ("1,234.5 2", "a b", None, False, ""),
    "a zero before thousands": ("0.234.567 1", "a b", None, False, ""),
    "two commas": ("1,2,3 4", "a b", None, False, ""),
    "digits of others": ("４,５ 1", "a b", None, False, ""),
}


@pytest.mark.parametrize("case", MARKS)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_mark_is_of_decimals_or_of_thousands_by_the_column_then_by_the_file(
    tmp_path, case, separator
):
    cells, others, ends, has_commas, note = MARKS[case]
    rows = zip(cells.split(), *(other.split() for other in others.split("/")), strict=True)
    lines = [separator.join(row) for row in [("n", "b", "c")[: 1 + len(others.split("/"))], *rows]]
    path = tmp_path / "brought"
    path.write_text("\n".join(lines))
    _, (column, *_) = describe(read_table(path, "table.csv")[1])
    assert (column.is_number, column.has_decimal_commas) == (ends is not None, has_commas)
    assert ends is None or (column.low, column.high) == ends
    began = f"{cells.split()[0]} (row 2, column “n”) " + "is read as " * (note != LOST)
    assert column.note == (began + note if note else "")


def test_between_commas_a_point_is_one_of_decimals(tmp_path):
    path = tmp_path / "brought"
    path.write_text('n,b\n1.234,"0,5"\n"1,234",1\n')
    _, columns = describe(read_table(path, "table.csv")[1])
    assert [(c.is_number, c.has_decimal_commas, c.note) for c in columns] == [
        (False, False, "")
    ] * 2
