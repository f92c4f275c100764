"""Files are read strictly, and what is wrong is said with file, line and column."""

import csv
import gzip
import io
import json
import time
from datetime import UTC, datetime

import pytest

from annotate.files.reading import Problems, TableFile
from annotate.files.reading.columns import CONTENTS, INTERACTIONS, ITEMS, RATINGS
from annotate.files.reading.studyfile import read_study
from annotate.values.scales import parse_scale
from judges.files.judgments import JUDGMENTS
from tests.workbooks import workbook


@pytest.fixture
def read(tmp_path):
    """read(table, text or bytes) -> (rows, messages)"""

    def read(table, text, name=None):
        path = tmp_path / (name or f"{table.name}.csv")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        file, problems = TableFile(table, path), Problems()
        rows = list(file.rows(problems)) if file.open(problems) else []
        return rows, [str(problem) for problem in problems.shown]

    return read


def test_rows_have_the_line_an_editor_shows(read):
    rows, messages = read(ITEMS, 'item,text\na,"one\ntwo"\n\nb,three\r\nc,four\n')
    assert messages == []
    assert [(line, row["item"], row["text"]) for line, row in rows] == [
        (2, "a", "one\ntwo"),
        (5, "b", "three"),
        (6, "c", "four"),
    ]


def test_unknown_columns_are_kept_with_their_row(read):
    rows, _ = read(ITEMS, "item,text,length,genre\na,x,long,\n")
    assert rows[0][1]["data"] == {"length": "long"}


RATING = '{{"item": "a", "rater": {}, "question": "q", "value": {}}}\n'


def test_json_lines_give_the_same_rows_as_csv(read):
    table, _ = read(ITEMS, "item,text,position,length\na,x,3,long\n")
    lines, messages = read(
        ITEMS, '{"item": "a", "text": "x", "position": 3, "length": "long"}\n', "items.jsonl"
    )
    assert messages == []
    assert lines[0][1] == table[0][1]


@pytest.mark.parametrize("name", ["items.csv", "items.jsonl", "items.json", "items"])
@pytest.mark.parametrize(
    "text",
    [
        "item,text\na,x\n",
        "sep=,\nitem,text\na,x\n",
        "sep=;;;\nitem;text\na;x\n",
        '\ufeff"sep=;"\r\nitem;text\r\na;x\r\n',
        "sep=\nitem\ttext\na\tx\n",
        "SEP=|\ritem|text\ra|x\r",
        '{"item": "a", "text": "x"}\n',
        '\n{ "text": "x", "item": "a"}',
    ],
)
def test_a_file_is_what_it_holds_whatever_its_name(read, text, name):
    rows, messages = read(ITEMS, text, name)
    assert messages == []
    assert [(row["item"], row["text"]) for _, row in rows] == [("a", "x")]


def test_a_number_of_json_is_the_same_id_with_and_without_its_zero(read):
    """As pandas writes a column of numbers that has gaps."""
    rows, messages = read(RATINGS, RATING.format(1.0, "4.0") + RATING.format(2, 4.5), "r.jsonl")
    assert messages == []
    assert [(row["rater"], row["value"]) for _, row in rows] == [("1", "4"), ("2", "4.5")]


def test_movielens_headers_are_read_as_ours(read):
    rows, messages = read(INTERACTIONS, "userId,movieId,rating,timestamp\n1,31,0.5,964982703\n")
    assert messages == []
    # 964982703 is 2000-07-30 18:45:03 UTC (date -u -d @964982703)
    assert rows[0][1] == {
        "recipient": "1",
        "content": "31",
        "rating": 0.5,
        "share_listened": None,
        "at": datetime(2000, 7, 30, 18, 45, 3, tzinfo=UTC),
        "data": {},
    }


def test_times_without_a_zone_are_utc(read):
    rows, _ = read(
        INTERACTIONS, "recipient,content,at\na,b,2024-05-31T14:02:00+02:00\na,b,2024-05-31\n"
    )
    assert [row["at"].isoformat() for _, row in rows] == [
        "2024-05-31T12:02:00+00:00",
        "2024-05-31T00:00:00+00:00",
    ]


LATIN = "item,text\na,fine\nb,caf\xe9\n".encode("latin-1")
BAD_FILES = {
    "not UTF-8": (LATIN, "items.csv, line 3: found byte 0xE9 (byte 23), which is not UTF-8"),
    "UTF-16": (
        "item,text\na,x\n".encode("utf-16"),
        "line 1: found UTF-16 text; allowed is UTF-8: in a",
    ),
    "UTF-32": ("item,text\na,x\n".encode("utf-32"), "line 1: found UTF-32 text; allowed is UTF-8"),
    "UTF-32 of big ends": (b"\0\0\xfe\xff\0\0\0i", "line 1: found UTF-32 text; allowed is UTF-8"),
    "NUL": (b"item,text\na,\0\n", "line 2: found a NUL byte (byte 13)"),
    "a workbook": (
        workbook({"S": [["item"], ["a"]]}),
        "items.csv: found a workbook (.xlsx); allowed",
    ),
    "packed": (
        gzip.compress(b"item,text\na,x\n", mtime=0),
        "items.csv: found a file packed by gzip (.gz); allowed",
    ),
    "a web page": ("<!DOCTYPE html><table></table>", "items.csv: found a web page or XML; allowed"),
    "empty": ("", "items.csv: the file is empty"),
    "blank": ("\n\n", "line 1: the first line is empty"),
    "semicolons": ("item;text\na;x\n", "found columns separated by semicolons"),
    "tabs": ("item\ttext\na\tx\n", "found columns separated by tabs"),
    "missing column": ("id,text\na,x\n", "line 1, column item: this column is missing; found are"),
    "column near": ("itm,text\na,x\n", "found are 'itm, text'; is 'itm' this column?"),
    "below a separator's line": (
        "sep=;\nitm;text\na;x\n",
        "line 2, column item: this column is missing; found are 'itm, text'; is 'itm'",
    ),
    "of rows below it": ("sep=;\nitem;text\n;x\n", "line 3, column item: this cell is empty"),
    "another separator below it": ("sep=,\nitem;text\na;x\n", "missing; found are 'item;text'"),
    "wide header": ("item,text" + "," * 1_000_001, "line 1: found a line of more than 1,000,000 s"),
    "wide row": ("item,text\n" + "," * 1_000_001, "line 2: found a line of more than 1,000,000 s"),
    "header twice": ("item,text,text\na,x,y\n", "column text: found twice in the header"),
    "nameless column": ("item,text,\na,x,y\n", "the header's column 3 has no name"),
    "ragged, more": ("item,text\na,x,y\n", "line 2: found 3 cells; allowed are 2"),
    "ragged, fewer": ("item,text\na,x\nb\n", "line 3: found 1 cell; allowed are 2"),
    "open quote": ('item,text\na,"x\n', 'line 2: found a quotation mark (") that is never closed'),
    "stray quote": ('item,text\na,"x"y\n', "line 2: cannot read the row"),
    "long cell": ("item,text\na," + "x" * 1_000_001 + "\n", "longer than 1,000,000 characters"),
    "long id": ("item,text\n" + "i" * 201 + ",x\n", "(201 characters); allowed is one line"),
    "line break in an id": ('item,text\n"a\nb",x\n', "allowed is one line of at most 200"),
    "formula id": ("item,text\n=1+1,x\n", "column item: found '=1+1', which a spreadsheet takes"),
    "at-sign id": ("item,text\n@SUM(A1),x\n", "which a spreadsheet takes for a formula"),
    "formula number": ("item,position\na,=2\n", "column position: found '=2'; allowed is a whole"),
    "empty id": ("item,text\n ,x\n", "line 2, column item: this cell is empty"),
    "unknown kind": ("item,kind\na,poem\n", "column kind: found 'poem'; allowed is one of expl"),
    "side": ("item,side\na,C\n", "column side: found 'C'; allowed is one of A, B"),
}


@pytest.mark.parametrize("text, message", BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_named_with_what_is_allowed(read, text, message):
    _, messages = read(ITEMS, text)
    assert len(messages) == 1
    assert message in messages[0]


def test_a_file_over_the_limit_is_refused_by_its_size_alone(tmp_path, settings):
    path = tmp_path / "items.csv"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)  # sparse: nothing of it is read
    problems = Problems()
    assert not TableFile(ITEMS, path).open(problems)
    assert "found a file of 100.0 MB; allowed are 50.0 MB" in str(problems.shown[0])


BAD_LINES = {
    "no JSON": ("{item: 1}", "found no JSON"),
    "a list": ('["a"]', "allowed is one JSON object a line"),
    "twice": ('{"item": "a", "item": "b"}', "found a name twice"),
    "NaN": ('{"item": "a", "length": NaN}', "length: found NaN; allowed is a finite number"),
    "an infinity by name": (
        '{"item": "a", "length": Infinity}',
        "length: found a number beyond",
    ),
    "NUL": ('{"item": "a", "text": "\\u0000"}', "escaped NUL"),
    "half a pair": ('{"item": "a", "text": "\\ud800"}', "half a surrogate pair"),
    "nested text": ('{"item": "a", "text": ["x"]}', 'column text: found ["x"]; allowed'),
    "deep": ("[" * 100_000, "nested too deeply"),
    "infinity": ('{"item": "a", "length": 1e999}', "length: found a number beyond ±1.8e308"),
    "minus infinity": (
        '{"item": "a", "length": {"x": [-1e999]}}',
        "length: found NaN or a number beyond",
    ),
    "infinity as a text": ('{"item": "a", "text": 1e999}', "column text: found a number beyond"),
    "400 digits": ('{"item": "a", "text": -' + "9" * 400 + "}", "text: found a number beyond"),
    "5000 digits": ('{"item": "a", "length": ' + "9" * 5000 + "}", "length: found a number beyond"),
}


@pytest.mark.parametrize("line, message", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_json_line_is_named(read, line, message):
    _, messages = read(ITEMS, '{"item": "z", "text": "fine"}\n' + line + "\n", "items.jsonl")
    assert "line 2" in messages[0]
    assert message in messages[0]


@pytest.mark.parametrize("table, start", [(INTERACTIONS, "recipient"), (JUDGMENTS, "item,judge")])
def test_numbers_beyond_a_thousand_million_are_refused(read, table, start):
    names, ids = ("content,rating", "a,b") if table is INTERACTIONS else ("weighted_value", "a,b")
    text = f"{start},{names}\n{ids},1e9\n{ids},-1e9\n{ids},1e308\n{ids},-1000000001\n"
    rows, messages = read(table, text)
    assert [row[names.split(",")[-1]] for _, row in rows] == [1e9, -1e9, None, None]
    assert "line 4, column" in messages[0]
    assert "found '1e308'; allowed is a number from -1e9 to 1e9" in messages[0]
    assert "line 5, column" in messages[1]


@pytest.mark.parametrize("text", ["one\rtwo", "one\r\ntwo", "\rone\r", "one\n\rtwo"])
def test_carriage_returns_in_cells_are_the_same_line_breaks_in_csv_and_json(read, text):
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([["item", "text"], ["a", text], ["b", ""]])
    rows, messages = read(ITEMS, written.getvalue())
    assert messages == []
    broken = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [(row["item"], row["text"]) for _, row in rows] == [("a", broken), ("b", "")]
    rows, _ = read(ITEMS, json.dumps({"item": "a", "text": text}), "items.jsonl")
    assert rows[0][1]["text"] == broken


def test_a_carriage_return_without_quotation_marks_is_a_problem_not_a_lost_text(read):
    _, messages = read(ITEMS, "item,text\na,one\rtwo\n")
    assert messages == ["items.csv, line 3: found 1 cell; allowed are 2, as in the header"]


@pytest.mark.parametrize("cell", ["ann;bob", '"ann, bob"', "ann|bob"])
def test_two_raters_in_one_cell_are_refused(read, cell):
    _, messages = read(RATINGS, f"item,rater,question,value\na,{cell},q,1\n")
    assert "line 2, column rater: found two raters in one row" in messages[0]
    assert "one row for each rating" in messages[0]


def test_a_second_rater_column_is_refused(read):
    _, messages = read(RATINGS, "item,rater,rater2,question,value\na,ann,bob,q,1\n")
    assert "column rater2: found a column for a further rater" in messages[0]


def test_an_address_that_a_browser_would_run_is_refused(read):
    _, messages = read(CONTENTS, "content,image_url\na,javascript:alert(1)\n")
    assert "allowed is an address that begins with https://" in messages[0]


def test_all_problems_are_counted_and_fifty_kept(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,position\n" + "".join(f"i{n},x\n" for n in range(70)))
    file, problems = TableFile(ITEMS, path), Problems()
    file.open(problems)
    list(file.rows(problems))
    assert (problems.total, len(problems.shown)) == (70, 50)


# study.yaml

QUESTIONS = "questions:\n  - {key: q, text: Good, scale: binary}\n"


@pytest.fixture
def study_yaml(tmp_path):
    def read(text):
        path = tmp_path / "study.yaml"
        path.write_text(text)
        problems = Problems()
        return read_study(path, path.name, problems), [str(problem) for problem in problems.shown]

    return read


def test_labels_yes_and_no_stay_words(study_yaml):
    found, messages = study_yaml(
        "study: s\nquestions:\n  - {key: q, text: T, scale: {choice: [Yes, No]}}\n"
    )
    assert messages == []
    assert found.questions[0]["scale_spec"]["labels"] == ["Yes", "No"]


BAD_STUDIES = {
    "unknown key": ("study: s\nraters: 3\n" + QUESTIONS, "line 2, column raters: is not a known"),
    "bad slug": ("study: My Study\n" + QUESTIONS, "line 1, column study: found 'My Study'"),
    "reserved slug": ("study: new\n" + QUESTIONS, "found 'new'"),
    "no slug": (QUESTIONS, "column study: found ''"),
    "key twice": ("study: s\nstudy: t\n", "line 2: no YAML: found 'study' twice"),
    "alias": ("study: &a s\ntitle: *a\n", "line 2: no YAML: found an alias"),
    "python object": ("study: !!python/object:os.system x\n", "line 1: no YAML: found the tag"),
    "bool tag": ("study: s\ntitle: !!bool foo\n", "line 2: no YAML: found the tag '!!bool'"),
    "int tag": ("study: s\ntitle: !!int foo\n", "line 2: no YAML: found the tag '!!int'"),
    "time tag": ("study: s\ntitle: !!timestamp 2020-99-99\n", "found the tag '!!timestamp'"),
    "binary": ("study: s\nquality: {a: !!binary aGk=}\n", "found the tag '!!binary'"),
    "set": ("study: s\nquality: {a: !!set {b}}\n", "found the tag '!!set'"),
    "own tag": ("study: s\ntitle: !film x\n", "line 2: no YAML: found the tag '!film'"),
    "half a number": ("study: s\nraters_per_item: 0x_\n", "line 2, column raters_per_item: found"),
    "5000 digits": ("study: s\nraters_per_item: " + "9" * 5000 + "\n", "line 2: no YAML: found"),
    "5000 hex digits": ("study: s\ntitle: 0x" + "f" * 5000 + "\n", "line 2, column title: found"),
    "no character": ('study: s\ntitle: "\\UFFFFFFFF"\n', "that is no character"),
    "half a pair": ('study: s\ntitle: "a\\ud800b"\n', r"column title: found 'a\ud800b'; allowed"),
    "half a pair in a key": ('study: s\n"\\ud800": 1\n', r"line 2, column '\ud800': found"),
    "NUL": (
        'study: s\nquality:\n  a: 1\n  b: [x, "\\0"]\n',
        r"line 4, column b: found '\x00'; allowed is text",
    ),
    "label": (
        'study: s\nquestions:\n  - key: q\n    scale: {choice: [A, "a\\ud800"]}\n',
        "line 4, column choice: found",
    ),
    "infinity": ("study: s\nquality: {a: .inf}\n", "line 2, column a: found .inf; allowed is"),
    "not a number": ("study: s\nquality: {a: .nan}\n", "column a: found .nan; allowed is"),
    "large number": ("study: s\nquality: {a: 1000000000000001}\n", "found a number beyond"),
    "no YAML": ("study: [s\n", "no YAML"),
    "no mapping": ("films\n", "found no settings"),
    "number": ("study: s\nraters_per_item: 0\n" + QUESTIONS, "line 2, column raters_per_item"),
    "kind": ("study: s\nkind: poem\n" + QUESTIONS, "column kind: found 'poem'; allowed is expl"),
    "scale": (
        "study: s\nquestions:\n  - key: q\n    text: T\n    scale: likert6\n",
        "line 5, column scale: found scale 'likert6'; allowed is likert5",
    ),
    "question twice": (
        "study: s\nquestions:\n" + 2 * "  - {key: q, text: A, scale: text}\n",
        "found the question 'q' twice",
    ),
    "no questions": ("study: s\nquestions: []\n", "a study asks at least one"),
    "applies_to": (
        "study: s\nquestions:\n  - {key: q, text: A, scale: text, applies_to: poem}\n",
        "column applies_to: found 'poem'",
    ),
    "deep": ("study: " + "[" * 5000 + "\n", "no YAML"),
}


@pytest.mark.parametrize("text, message", BAD_STUDIES.values(), ids=BAD_STUDIES)
def test_a_bad_study_file_is_named(study_yaml, text, message):
    _, messages = study_yaml(text)
    assert message in messages[0]


BAD_SCALES = [
    {"min": 10**401, "max": 10**401 + 1},
    {"min": 999_999, "max": 1_000_001},
    {"min": -1_000_001, "max": -1_000_000},
    {"min": False, "max": True},
    {"min": 1.0, "max": 5.0},
    {"min": 1, "max": 2, "labels": [["a"], ["b"]]},
    {"min": 1, "max": 2, "labels": [{"a": 1}, "b"]},
    {"min": 1, "max": 2, "labels": [True, None]},
    {"choice": [["a"], "b"]},
    {"choice": [None, "b"]},
]


@pytest.mark.parametrize("spec", BAD_SCALES, ids=lambda spec: str(spec)[:60])
def test_ends_and_labels_of_another_kind_are_refused(spec):
    with pytest.raises(ValueError, match=r"found .*allowed are (whole|texts)") as error:
        parse_scale(spec)
    assert len(str(error.value)) < 250


def test_ends_up_to_a_million_and_labels_that_are_numbers_are_allowed():
    assert parse_scale({"min": 999_999, "max": 1_000_000}).low == 999_999
    assert parse_scale({"min": -1_000_000, "max": -999_999}).high == -999_999
    assert parse_scale({"choice": [1, 2.5]}).labels == ["1", "2.5"]


# What is read is bounded: no file may hold a web process for long.


def wide(name, count):
    """A table of contents with this many columns, as CSV or as JSON lines."""
    cells = {"content": "a"} | {f"c{number}": "x" for number in range(count - 1)}
    if name.endswith(".jsonl"):
        return json.dumps(cells) + "\n"
    return f"{','.join(cells)}\n{','.join(cells.values())}\n"


@pytest.mark.parametrize("name", ["contents.csv", "contents.jsonl"])
def test_a_table_of_100_000_columns_is_refused_at_once(read, name):
    began = time.process_time()
    rows, messages = read(CONTENTS, wide(name, 100_000), name)
    assert messages == [f"{name}, line 1: found 100,000 columns; allowed are 1,000"]
    assert rows == []
    assert time.process_time() - began < 10  # seconds; 149 before there was a limit


@pytest.mark.parametrize("name", ["contents.csv", "contents.jsonl"])
def test_a_table_of_1000_columns_is_read(read, name):
    rows, messages = read(CONTENTS, wide(name, 1000), name)
    assert messages == [] and len(rows[0][1]["data"]) == 999


def test_json_lines_of_ever_new_names_are_refused_at_the_line_that_has_too_many(read):
    lines = "".join(f'{{"content": "a", "c{number}": 1}}\n' for number in range(5000))
    _, messages = read(CONTENTS, lines, "contents.jsonl")
    assert messages == ["contents.jsonl, line 1000: found 1,001 columns; allowed are 1,000"]


TOO_MANY = "found more than 50,000 keys and values; allowed are 50,000"


QUOTE = "; put quotation marks around the text if it holds a mark such as : ? @ % or {"


@pytest.mark.parametrize(
    "line",
    [
        "title: What: now",
        "title: ? now",
        "title: @now",
        "title: %now",
        "title: *now*",
        "title: {a} b",
        "title: `now`",
        "title: - now",
        "x: {text: Now?, scale: likert5}",
        "x: {text: Is it {good}}",
    ],
)
def test_a_text_that_needs_quotation_marks_is_said_to_need_them(study_yaml, line):
    _, messages = study_yaml(f"study: s\n{line}\n")
    assert len(messages) == 1 and messages[0].startswith("study.yaml, line 2: no YAML: ")
    assert messages[0].endswith(QUOTE)


@pytest.mark.parametrize("text", ["study: 'open\n", "study: [s\n", "study: s\n\ttitle: t\n"])
def test_what_quotation_marks_would_not_mend_does_not_ask_for_them(study_yaml, text):
    _, messages = study_yaml(text)
    assert "no YAML" in messages[0] and QUOTE not in messages[0]


def test_a_study_file_of_too_many_keys_is_refused_with_the_line(study_yaml):
    began = time.process_time()
    _, messages = study_yaml("study: x\n" + "".join(f"a{n}:\n" for n in range(100_000)))
    # The mapping, then two to a line: line 25,000 holds the 50,000th and the 50,001st.
    assert messages == [f"study.yaml, line 25000: no YAML: {TOO_MANY}"]
    assert time.process_time() - began < 10


def test_a_study_file_of_too_many_bytes_is_refused(study_yaml):
    _, messages = study_yaml("study: x\n# " + "a" * 3 * 1024 * 1024)
    assert messages == ["study.yaml: found a file of 3.0 MB; allowed are 2.0 MB"]


@pytest.mark.parametrize("letters", [1_000_000, 1_000_001])
@pytest.mark.parametrize("name", ["items.csv", "items.jsonl"])
def test_a_cell_has_at_most_a_million_characters_whatever_the_file(read, name, letters):
    text = "a" * letters
    csv_text, lines = f"item,text\ni,{text}\n", json.dumps({"item": "i", "text": text}) + "\n"
    rows, messages = read(ITEMS, csv_text if name.endswith("csv") else lines, name)
    line = 2 if name.endswith("csv") else 1
    words = f"{name}, line {line}: found a cell longer than 1,000,000 characters; allowed is less"
    assert messages == ([words] if letters > 1_000_000 else [])


def test_a_list_in_a_json_line_is_a_cell_too(read):
    line = json.dumps({"item": "i", "text": "x", "tags": ["a" * 100] * 20_000})
    _, messages = read(ITEMS, line, "items.jsonl")
    assert messages[0].endswith("found a cell longer than 1,000,000 characters; allowed is less")
