"""Files in, tables out: the forms in which Excel and other programs write a table."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import pytest

from judges.bringing.read import read_table
from judges.bringing.sheet import NotReadable
from judges.bringing.text_table import ONE_COLUMN, EncodingUnclear
from tests.workbooks import MAIN, workbook


@pytest.fixture
def table(tmp_path):
    """Read bytes as a file of a name; return (header, rows, the first sentence, the Sheet)."""

    def made(data, name="table.csv", **chosen):
        path = tmp_path / "brought"
        path.write_bytes(data)
        _, sheet = read_table(path, name, **chosen)
        return sheet.header, list(sheet.rows()), " ".join(sheet.assumed), sheet

    return made


ROWS = [(2, ["a", "Weil; „schön“"]), (3, ["b", "Nein"])]
SEMICOLONS = 'id;text\r\na;"Weil; „schön“"\r\nb;Nein\r\n'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (SEMICOLONS.encode("utf-8-sig"), "UTF-8 with a byte-order mark, with semicolons."),
        (SEMICOLONS.encode(), "UTF-8, with semicolons."),
        (SEMICOLONS.replace("\r\n", "\r").encode(), "UTF-8, with semicolons."),
        (("sep=;\r\n" + SEMICOLONS).encode(), "UTF-8, with semicolons."),
        (("sep=;\r\n" + SEMICOLONS).encode("utf-8-sig"), "byte-order mark, with semicolons."),
        (
            SEMICOLONS.replace("id;", "id\t")
            .replace("a;", "a\t")
            .replace("b;", "b\t")
            .encode("utf-16"),
            "UTF-16 (Excel’s “Unicode text”), with tabs.",
        ),
        ('id,text\na,"Weil; „schön“"\nb,Nein\n'.encode(), "UTF-8, with commas."),
        ('id|text\na|"Weil; „schön“"\nb|Nein\n'.encode(), "UTF-8, with vertical bars."),
    ],
)
def test_csv_in_all_its_forms(table, data, words):
    header, rows, assumed, _ = table(data)
    assert (header, rows) == (["id", "text"], ROWS)
    assert words in assumed


def test_line_breaks_within_cells_and_blank_rows_keep_the_rows_of_the_spreadsheet(table):
    _, rows, _, _ = table(b'id,text\r\na,"two\nlines"\r\n,\r\n\r\nb,x\r\n')
    assert rows == [(2, ["a", "two\nlines"]), (5, ["b", "x"])]


def test_blank_lines_above_the_header_hide_no_separator(table):
    header, rows, _, _ = table(b"\n\nid;text\na;x\nb;y\n")
    assert (header, rows) == (["id", "text"], [(4, ["a", "x"]), (5, ["b", "y"])])


def test_texts_full_of_semicolons_in_a_comma_file_stay_whole(table):
    header, rows, _, _ = table(b'id,text\n1,"a;b;c;d"\n2,e;f\n3,g\n')
    assert header == ["id", "text"]
    assert rows[1] == (3, ["2", "e;f"])


@pytest.mark.parametrize(
    ("data", "is_told"),
    [
        (b'id\ttext\tq\n1\tok\t2\n2\t"Nice\t4\n3\tbad"\t3\n', True),
        (b'id\ttext\tq\n1\t"two\nlines"\t2\n', False),
        (b'id,text,q\n1,"a\tcode\nblock",2\n', False),
    ],
)
def test_rows_that_a_quotation_mark_joined_are_told(table, data, is_told):
    assert ("Row 3 has a cell with tabs and line breaks" in table(data)[2]) is is_told


def test_one_column_is_not_cut_at_its_commas(table):
    header, rows, assumed, _ = table(b"text\nHello, you there\nNo\nWell, yes, no\n")
    assert (header, rows[0][1]) == (["text"], ["Hello, you there"])
    assert "one column" in assumed
    assert table(b"a,b\n1,2\n", separator=ONE_COLUMN)[0] == ["a,b"]
    assert table(b"sep=:\nid:text\na:x\n")[0] == ["sep=:"]


def test_an_encoding_is_never_guessed(table):
    data = "id;text\r\ni1;Café – “gut”\r\n".encode("cp1252")
    with pytest.raises(EncodingUnclear) as unclear:
        table(data)
    assert unclear.value.samples["cp1252"] == ["i1;Café – “gut”"]
    _, rows, assumed, _ = table(data, encoding="cp1252")
    assert rows == [(2, ["i1", "Café – “gut”"])]
    assert "Western European (Windows-1252), with semicolons" in assumed


def test_chinese_bytes_do_not_load_as_western_letters(table):
    with pytest.raises(EncodingUnclear) as unclear:
        table("理由\n推荐理由很好\n".encode("gb18030"))
    assert unclear.value.samples["gb18030"] == ["理由", "推荐理由很好"]
    assert unclear.value.samples["cp1252"][1].startswith("ÍÆ¼ö")


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "t.csv", "the file is empty"),
        (b"id,text\n1,a,b\n", "t.csv", "found 'b' in column 3"),
        (b"id,text\n1\n", "t.csv", "found 1 cell; allowed are 2"),
        ("id,text\n1,a\n".encode("utf-32"), "t.csv", "found UTF-32 text; allowed is UTF-8"),
        (b'id,text\n1,"a\n', "t.csv", "a quotation mark"),
        (b"id,text,id\n1,a,2\n", "t.csv", "found twice in the header, as columns 1 and 3"),
        (b"i\0d,text\n1,2\n", "t.csv", "NUL"),
        (b"id,text\n1,a\n" + b"," * 1_000_001, "t.csv", "a line of more than 1,000,000 separators"),
        (b",".join(b"%d" % n for n in range(1001)) + b"\n", "t.csv", "found 1,001 columns"),
        (gzip.compress(b'[{"id": 1}]', mtime=0), "t.json", "“t.json” is a file packed by gzip"),
        (bz2.compress(b"id,text\n1,a\n"), "t.csv", "“t.csv” is a file packed by bzip2"),
        (lzma.compress(b"id,text\n1,a\n"), "t.csv", "is a file packed by xz"),
        (b"{\\rtf1 id,text}", "t.csv", "is a document"),
        (b"$FL2@(#) SPSS DATA FILE", "t.csv", "is data of SPSS"),
        (b"<html><table><tr><td>id</td></tr></table>", "t.xls", "is a web page or XML"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>', "t.csv", "is a web page or XML"),
        (b"just words\nand more\n", "t.json", "found a text; allowed is an array of objects"),
        (b'[{"a": 1e400}]', "t.json", "found a number beyond ±1.8e308; allowed is a finite"),
        (b'{"a": 1}\n{"a": -Infinity}', "t.jsonl", "found a number beyond ±1.8e308"),
        (b'[{"a": [1, NaN]}]', "t.json", "found NaN or a number beyond ±1.8e308"),
        (b"PK\x03\x04rubbish", "t.xlsx", "“t.xlsx” is a damaged archive"),
        (b'[{"a": 1}, 2]', "t.json", "allowed is a JSON object"),
        (
            json.dumps([{"a": 1}, {str(n): n for n in range(300)}]).encode(),
            "t.json",
            "found more than 300 columns; allowed are 300",
        ),
        (b'[{"a": 1}', "t.json", "found no JSON"),
        (b'{"a": "\\ud800"}', "t.jsonl", "allowed is plain text"),
        (b'[{"a": "caf\xe9"}]', "t.json", "JSON is always UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(table, data, name, words):
    with pytest.raises(NotReadable, match=words):
        table(data, name)


@pytest.mark.parametrize(
    "data",
    [
        b"id,text,,\n1,a,,\n2,b,,\n",
        b"id,text\n1,a,\n2,b,\n",
        b"id,text,\n1,a\n2,b\n",
        b"id;text;\n1;a\n2;b\n",
        b"id;text\n1;a; \n2;b; \n",
        b"id\ttext\n1\ta\t\t\n2\tb\t\t\n",
    ],
)
def test_a_trailing_empty_column_of_a_spreadsheet_is_nothing(table, data):
    header, rows, _, _ = table(data)
    assert (header, rows) == (["id", "text"], [(2, ["1", "a"]), (3, ["2", "b"])])


def test_a_cell_beyond_the_header_is_told_and_makes_no_single_column(table):
    with pytest.raises(NotReadable, match="found 'x' in column 3; the header names 2 columns"):
        table(b"id,text,\n1,a,x\n2,b,y\n")


def test_blanks_around_names_are_nothing(table):
    assert table(b"\xc2\xa0id\xc2\xa0,text\n1,a\n")[0] == ["id", "text"]


IDS = '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
# What stands between the header and the first answers; whose row that is; what is said of it
QUALTRICS = {
    "both rows": ("How clear?,How true?\n" + IDS, 4, "Left out the two rows in which Qualtrics"),
    "the ids alone": (IDS, 3, "Left out the row in which Qualtrics"),
    "ids as Python has them": (
        "{'ImportId': 'QID1'},x\n",
        3,
        "Left out the row in which Qualtrics",
    ),
    "ids with a blank": (
        'How clear?,x\n"{ ""ImportId"": ""QID1""}",\n',
        4,
        "Left out the two rows",
    ),
    "neither": ("", 2, ""),
}


@pytest.mark.parametrize("case", QUALTRICS)
def test_the_rows_in_which_qualtrics_describes_its_columns_are_left_out(table, case):
    described, first, words = QUALTRICS[case]
    header, rows, assumed, _ = table(f"Q1,Q2\n{described}4,5\n".encode())
    assert (header, rows) == (["Q1", "Q2"], [(first, ["4", "5"])])
    assert words in assumed and ("Qualtrics" in assumed) is bool(words)


def test_a_file_of_qualtrics_without_answers_has_no_rows(table):
    assert table(f"Q1,Q2\n{IDS}".encode())[1] == []


# Workbooks


def test_a_workbook_with_its_kinds_of_cells(table):
    rows = [["id", "text", "score", "ok"], [1, "x\ny", 2.5, True], [2, "", 3, False]]
    header, read_rows, assumed, _ = table(workbook({"Ratings": rows}), "a.xlsx")
    assert header == ["id", "text", "score", "ok"]
    assert read_rows == [(2, ["1", "x\ny", "2.5", "1"]), (3, ["2", "", "3", "0"])]
    assert "Read the sheet “Ratings” of a.xlsx." in assumed


def test_the_first_sheet_with_rows_is_taken_unless_another_is_chosen(tmp_path):
    path = tmp_path / "brought"
    path.write_bytes(workbook({"Notes": [], "A": [["a"], [1]], "B": [["b"], [2]]}))
    names, sheet = read_table(path, "a.xlsx")
    assert (names, sheet.header) == (["A", "B"], ["a"])
    assert read_table(path, "a.xlsx", sheet="B")[1].header == ["b"]


def test_a_hidden_sheet_is_taken_only_where_it_is_chosen(tmp_path):
    path = tmp_path / "brought"
    with zipfile.ZipFile(io.BytesIO(workbook({"A": [["a"], [1]], "B": [["b"], [2]]}))) as archive:
        listed = archive.read("xl/workbook.xml").decode()
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.xml"] = listed.replace('name="A"', 'name="A" state="veryHidden"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    assert read_table(path, "a.xlsx")[1].header == ["b"]
    assert read_table(path, "a.xlsx", sheet="A")[1].header == ["a"]


# What stands in the cell A2; what is read of it, and whether that is said to be blank.
ODD_CELLS = {
    "a formula": ("<c><f>1+3</f><v>4</v></c>", "4", False),
    "a formula of a text": ('<c t="str"><f>A1</f><v>a</v></c>', "a", False),
    "a formula of a blank text": ('<c t="str"><f>IF(1,"","x")</f><v></v></c>', "", False),
    "a formula that nobody computed": ("<c><f>1+3</f><v></v></c>", "", True),
    "a formula alone": ("<c><f>1+3</f></c>", "", True),
    "an error": ('<c t="e"><v>#DIV/0!</v></c>', "", True),
    "a formula with an error": ('<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', "", True),
    "the noise of a sum": ("<c><f>0.1+0.2</f><v>0.30000000000000004</v></c>", "0.3", False),
    "noise of a whole number": ("<c><v>4.0000000000000009</v></c>", "4", False),
    "a long number": ("<c><v>1234567890123456</v></c>", "1234567890123456", False),
}


@pytest.mark.parametrize("case", ODD_CELLS)
def test_cells_without_a_value_of_their_own_are_named(table, case):
    cell, value, is_blank = ODD_CELLS[case]
    beside = '<c t="inlineStr"><is><t>b</t></is></c>'
    header = f'<row><c t="str"><v>a</v></c>{beside}</row>'
    _, rows, assumed, _ = table(_with_sheet(f"{header}<row>{cell}{beside}</row>"), "a.xlsx")
    assert rows == [(2, [value, "b"])]
    assert ("are blank: 1, the first is A2 of its sheet" in assumed) is is_blank


def test_rows_that_a_filter_hides_are_read_and_told(table):
    cells = ['<c t="inlineStr"><is><t>a</t></is></c>', "<c><v>1</v></c>", "<c><v>2</v></c>"]
    sheet = '<row>{}</row><row hidden="1">{}</row><row hidden="0">{}</row>'.format(*cells)
    _, rows, assumed, _ = table(_with_sheet(sheet), "a.xlsx")
    assert rows == [(2, ["1"]), (3, ["2"])]
    assert "Hidden rows are read like the others: 1 in the workbook." in assumed


def test_ids_that_excel_rounded_are_named(table):
    rows = [["id", "text"], [12345678901234567890, "a"]]
    assert "Column “id” has numbers of 16 digits" in table(workbook({"S": rows}), "a.xlsx")[2]


def test_a_zip_bomb_is_refused_before_it_is_parsed(table, settings):
    cell = '<row><c t="inlineStr"><is><t>' + "a" * 20_000_000 + "</t></is></c></row>"
    bomb = workbook({"S": [["id"]]}, {"xl/worksheets/sheet9.xml": cell})
    assert len(bomb) < 100_000
    with pytest.raises(NotReadable, match="unpacks to more than"):
        table(bomb, "a.xlsx")
    settings.UPLOAD_MAX_BYTES = 1000
    with pytest.raises(NotReadable, match="unpacks to more than 0.0 MB"):
        table(workbook({"S": [["id"], *([[n] for n in range(500)])]}), "a.xlsx")


def test_a_bomb_that_lies_about_its_size_is_refused_too(table):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "b" * 5_000_000)
    data = packed.getvalue().replace((5_000_000).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    with pytest.raises(NotReadable, match="cannot be unpacked"):
        table(data, "a.xlsx")


def test_a_workbook_whose_directory_points_before_its_beginning_is_refused(table):
    data = workbook({"S": [["id"], ["a"]]})
    where = data.rindex(b"PK\x05\x06") + 16
    offset = int.from_bytes(data[where : where + 4], "little") + 1
    with pytest.raises(NotReadable, match="cannot be unpacked"):
        table(data[:where] + offset.to_bytes(4, "little") + data[where + 4 :], "a.xlsx")


FAR = '<row><c><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>'


def _with_sheet(cells, place="xl/worksheets/sheet1.xml"):
    """Return a workbook whose only sheet has these cells."""
    sheet = f'<worksheet xmlns="{MAIN}"><dimension ref="A1"/><sheetData>{cells}</sheetData>'
    return workbook({"S": []}, {place: sheet + "</worksheet>"})


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ('<row r="1"><c r="XFD1048576"><v>1</v></c></row>', "as far as cell XFD1048576"),
        # 3,000 columns by 4,000 rows, neither of them in one cell.
        (
            '<row r="1"><c r="DKJ1"><v>1</v></c></row><row r="4000"><c><v>1</v></c></row>',
            "as far as cell A4000 and cell DKJ1, so the sheets span 12,000,000 cells; "
            "allowed are 10,000,000",
        ),
        ('<row r="1048575"/><row><c r="A1"/><c r="XFC2"/><c><v>1</v></c></row>', "cell XFD1048576"),
        ('<row r="9999999"><c r="B1"><v>1</v></c><c><v>1</v></c></row>', "cell C9999999"),
        ('<row r="x"><c><v>1</v></c></row>', "found 'x' as the place of a cell"),
        ('<row r="1"><c r="1A"><v>1</v></c></row>', "found '1A' as the place of a cell"),
    ],
)
def test_a_sheet_with_a_far_cell_is_refused_before_room_is_made_for_it(
    table, monkeypatch, cells, words
):
    monkeypatch.setattr("python_calamine.load_workbook", _never)
    for place in ("xl/worksheets/sheet1.xml", "xl/any.bin"):
        data = _with_sheet(FAR + cells, place)
        assert len(data) < 2_000
        with pytest.raises(NotReadable, match=words):
            table(data, "a.xlsx")


def test_the_cells_of_all_sheets_count(table):
    sheet = '<worksheet><sheetData><row r="600000"><c r="J600000"><v>1</v></c></row></sheetData>'
    parts = {f"xl/worksheets/sheet{n}.xml": sheet + "</worksheet>" for n in (1, 2)}
    with pytest.raises(NotReadable, match="as far as cell J600000, so the sheets span 12,000,000"):
        table(workbook({"A": [], "B": []}, parts), "a.xlsx")


def _never(path):
    raise AssertionError("the workbook was parsed")


def test_far_cells_without_a_value_are_nothing(table):
    cells = '<row><c t="str"><v>id</v></c></row><row><c><v>7</v></c></row>'
    far = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    header, rows, _, _ = table(_with_sheet(cells + far), "a.xlsx")
    assert (header, rows) == (["id"], [(2, ["7"])])


def test_a_document_type_within_a_workbook_is_refused(table):
    sheet = '<!DOCTYPE a [<!ENTITY b "c">]><worksheet><sheetData/></worksheet>'
    with pytest.raises(NotReadable, match="a document type"):
        table(workbook({}, {"xl/worksheets/sheet1.xml": sheet}), "a.xlsx")


@pytest.mark.parametrize("part", ["content.xml", "xl/workbook.bin", "XL/Workbook.BIN"])
def test_workbooks_whose_extent_cannot_be_told_are_refused(table, part):
    with pytest.raises(NotReadable, match="“a.xlsx” is a workbook .*of another format"):
        table(workbook({"S": [["id"], [1]]}, {part: "x"}), "a.xlsx")


def test_a_bomb_that_tells_its_size_is_not_unpacked(table, monkeypatch):
    bomb = workbook({"S": [["id"]]}, {"big.xml": "a" * 20_000_000})
    monkeypatch.setattr(zipfile.ZipFile, "open", _never)
    with pytest.raises(NotReadable, match="unpacks to more than"):
        table(bomb, "a.xlsx")


def test_an_archive_of_many_parts_is_refused(table):
    many = workbook({"S": [["id"], [1]]}, {f"part{n}.xml": "x" for n in range(1_000)})
    with pytest.raises(NotReadable, match="is an archive .* of more than 1,000 files"):
        table(many, "a.xlsx")


# JSON


@pytest.mark.parametrize("is_lines", [False, True])
def test_json_with_keys_within_objects(table, is_lines):
    objects = [
        {"id": 1, "data": {"text": "t", "n": float("nan")}, "tags": ["a"]},
        {"id": 2, "data": {"text": None}, "ok": True, "score": 4.0},
    ]
    text = "\n".join(map(json.dumps, objects)) if is_lines else json.dumps(objects)
    header, rows, _, _ = table(text.encode(), "a.json")
    assert header == ["id", "data.text", "data.n", "tags", "ok", "score"]
    assert rows == [(1, ["1", "t", "", '["a"]', "", ""]), (2, ["2", "", "", "", "1", "4"])]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ('[{"id": 1}]', "utf-8"),
        ('[{"id": 1}]', "utf-8-sig"),
        ("id,text\n1,a\n", "utf-8-sig"),
        ("id,text\n1,a\n", "utf-16"),
    ],
)
def test_many_blanks_before_a_table_change_nothing(table, text, encoding):
    assert table((" \n" * 5000 + text).encode(encoding))[0][0] == "id"


def test_a_number_that_is_none_is_told_by_its_row_and_column(table):
    objects = b'[{"id": 1, "n": {"m": NaN}}, {"id": 2, "n": {"m": 3}}, {"id": 3, "n": {"m": NaN}}]'
    _, rows, assumed, _ = table(objects, "a.json")
    assert rows == [(1, ["1", ""]), (2, ["2", "3"]), (3, ["3", ""])]
    assert "NaN is read as missing: 2, the first in row 1, column “n.m”." in assumed
    with pytest.raises(NotReadable) as refused:
        table(b'{"id": 1}\n{"id": 2, "n": {"m": 1e400}}', "a.jsonl")
    assert (refused.value.row, refused.value.column) == (2, "n.m")


OBJECTS = b'\n [ {"id": "a", "text": "x, y; z"} ]'
LINES = b'{"id": "a", "text": "x, y; z"}\n'
WORKBOOK = workbook({"S": [["id", "text"], ["a", "x, y; z"]]})
COMMAS, TABS = b'id,text\na,"x, y; z"\n', b"id\ttext\na\tx, y; z\n"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.txt", "a.xlsx", "a"])
@pytest.mark.parametrize(
    "data", [OBJECTS, LINES, WORKBOOK, COMMAS, TABS, TABS.decode().encode("utf-16")]
)
def test_a_table_is_what_it_holds_whatever_its_name(table, data, name):
    header, rows, _, _ = table(data, name)
    assert (header, [cells for _, cells in rows]) == (["id", "text"], [["a", "x, y; z"]])


TWICE = {
    "a name": ('[{"id": 1, "q": 4, "q": 5}]', "found a name twice in one object; allowed is once"),
    "a name and a path": ('[{"a.b": 1, "a": {"b": 2}}]', "found 'a.b' twice in one object"),
    "JSON in UTF-16": ('[{"id": 1}]'.encode("utf-16"), "JSON is always UTF-8"),
}


@pytest.mark.parametrize("case", TWICE)
def test_json_of_which_a_part_would_be_lost_is_refused(table, case):
    data, words = TWICE[case]
    with pytest.raises(NotReadable, match=words):
        table(data if isinstance(data, bytes) else data.encode(), "a.json")
