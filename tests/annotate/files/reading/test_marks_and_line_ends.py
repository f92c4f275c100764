"""A byte-order mark is no text, and line breaks are one, whatever system wrote the file."""

import pytest

from annotate.files.reading import Problems, TableFile
from annotate.files.reading.columns import ITEMS, RATINGS
from annotate.files.reading.studyfile import read_study
from judges.bringing.sheet import Sheet
from tests.files import ITEMS as SOME
from tests.files import RATINGS as THEIRS
from tests.files import load, messages

MARK = b"\xef\xbb\xbf"
BREAKS = 'item,text,own\na,"one\ntwo\n","x\ny"\n'
FILES = {
    "csv": ("items.csv", b"item,text\na,caf\xc3\xa9\n"),
    "quoted": ("items.csv", b'"item","text"\r\na,caf\xc3\xa9\r\n'),
    "json": ("items.jsonl", b'{"item": "a", "text": "caf\xc3\xa9"}\n'),
}


def rows_of(tmp_path, content, name="items.csv", table=ITEMS):
    path, problems = tmp_path / name, Problems()
    path.write_bytes(content)
    file = TableFile(table, path)
    rows = list(file.rows(problems)) if file.open(problems) else []
    return rows, [str(problem) for problem in problems.shown]


@pytest.mark.parametrize("name, content", FILES.values(), ids=FILES)
def test_a_byte_order_mark_changes_nothing(tmp_path, name, content):
    with_mark, messages_of_file = rows_of(tmp_path, MARK + content, name)
    assert messages_of_file == []
    assert with_mark == rows_of(tmp_path, content, name)[0]
    assert (with_mark[0][1]["item"], with_mark[0][1]["text"]) == ("a", "café")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "the first line is empty"),
        (b"item;text\na;x\n", "found columns separated by semicolons"),
        (MARK + b"item,text\na,x\n", "looks like the column item; write item"),
    ],
)
def test_what_is_wrong_behind_the_mark_is_said(tmp_path, content, message):
    _, (said,) = rows_of(tmp_path, MARK + content)
    assert message in said


def test_study_yaml_may_begin_with_the_mark(tmp_path):
    path, problems = tmp_path / "study.yaml", Problems()
    path.write_bytes(MARK + b"study: films\r\ntitle: T\r\n")
    assert read_study(path, path.name, problems).slug == "films"
    assert not problems


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_line_break_in_a_cell_is_one_character(tmp_path, end):
    rows, _ = rows_of(tmp_path, BREAKS.replace("\n", end).encode())
    assert [row["text"] for _, row in rows] == ["one\ntwo\n"]
    assert rows[0][1]["data"] == {"own": "x\ny"}


def test_a_line_break_of_json_is_one_character_too(tmp_path):
    text = b'{"item": "a", "text": "one\\r\\ntwo\\r", "own": "x\\r\\ny"}\n'
    rows, _ = rows_of(tmp_path, text, "items.jsonl")
    assert (rows[0][1]["text"], rows[0][1]["data"]["own"]) == ("one\ntwo\n", "x\ny")


def test_a_reason_has_one_kind_of_line_break(tmp_path):
    text = b'item,rater,question,value,reason\r\na,ann,fits,1,"x\r\ny"\r\n'
    rows, _ = rows_of(tmp_path, text, "ratings.csv", RATINGS)
    assert rows[0][1]["reason"] == "x\ny"


def test_a_brought_table_has_one_kind_of_line_break():
    records = [(1, ["text", "own"]), (2, ["x\r\ny", "a\rb"])]
    assert list(Sheet("t.csv", lambda: iter(records)).rows()) == [(2, ["x\ny", "a\nb"])]


@pytest.mark.django_db
def test_a_file_that_differs_only_in_line_ends_and_mark_changes_nothing(tmp_path):
    items = SOME.replace("Slow, and", "Slow,\nand")
    ratings = THEIRS + 'e2,ann,third_party,why,"one\ntwo"\n'
    assert messages(load(tmp_path, items=items, ratings=ratings)) == []
    other = {"items": items, "ratings": ratings}
    other = {name: MARK + text.replace("\n", "\r\n").encode() for name, text in other.items()}
    again = load(tmp_path, **other)
    assert messages(again) == []
    assert not again.changes
