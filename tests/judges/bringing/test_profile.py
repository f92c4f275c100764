"""What a column of a brought table looks like to who has to say what it is."""

from judges.bringing.profile import describe
from judges.bringing.read import read_table


def test_a_column_shows_ten_different_short_values_or_three_long_ones(tmp_path):
    path = tmp_path / "brought"
    rows = [f"{k % 12},A text of item {k} that is rather long" for k in range(30)]
    path.write_text("\n".join(["item,text", *rows]))
    _, (items, texts) = describe(read_table(path, "table.csv")[1])
    assert items.samples == [str(k) for k in range(10)]
    assert [text[:14] for text in texts.samples] == ["A text of item"] * 3
