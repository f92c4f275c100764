"""What is no plain text is refused in one sentence: what it is, and what is taken."""

import io
import sqlite3
import struct
import zipfile

import pytest

from annotate.files.reading import Problems, TableFile
from annotate.files.reading.columns import ITEMS
from annotate.files.reading.kinds import kind_of
from judges.bringing.read import TAKEN, read_table
from judges.bringing.sheet import NotReadable
from tests.workbooks import with_nameless, workbook


def archive(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name in names:
            made.writestr(name, "item,text\n")
    return packed.getvalue()


def database():
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE items (item TEXT)")
        return made.serialize()


def locked(data):
    """The archive with the mark of a password on each of its files."""
    return data.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1")


TABLES = archive("items.csv", "ratings.csv", "data/", "data/a.csv", "data/b.csv")
FILES = {
    "tables.zip": (
        TABLES,
        "an archive (.zip) with the files 'items.csv', 'ratings.csv', 'data/a.csv' and 1 more;",
    ),
    "one.zip": (archive("items.csv"), "an archive (.zip) with the files 'items.csv';"),
    "nameless.zip": (
        with_nameless(archive("a.csv")),
        "an archive (.zip) with the files 'a.csv', '';",
    ),
    "nothing.zip": (archive(), "an empty archive (.zip);"),
    "cut.zip": (TABLES[:60], "a damaged archive (.zip, .xlsx);"),
    "unknown.zip": (
        TABLES.replace(b"PK\x01\x02\x14\x03\x14", b"PK\x01\x02\x14\x03\x63"),
        "a damaged archive (.zip, .xlsx);",
    ),
    "locked.zip": (locked(TABLES), "an archive or workbook with a password (.zip, .xlsx);"),
    "locked.xlsx": (
        locked(workbook({"S": [["item", "text"], ["a", "x"]]})),
        "an archive or workbook with a password (.zip, .xlsx);",
    ),
    "many.zip": (
        archive(*map(str, range(1_001))),
        "an archive (.zip, .xlsx) of more than 1,000 files;",
    ),
    "lines.zip": (archive("a\nb\x1b"), "an archive (.zip) with the files 'a\\nb\\x1b';"),
    "a.docx": (archive("[Content_Types].xml", "word/document.xml"), "a document (.docx);"),
    "a.xlsb": (archive("xl/workbook.bin"), "a workbook of another format (.xlsb);"),
    "a.numbers": (archive("Index/Document.iwa"), "a workbook of Numbers (.numbers);"),
    "a.ods": (archive("mimetype", "content.xml"), "a workbook or document of another format (.ods"),
    "a.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "a workbook or document of an old"),
    "a.pdf": (b"%PDF-1.7\n", "a PDF;"),
    "a.png": (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR", "a picture;"),
    "a.csv.gz": (b"\x1f\x8b\x08\x00", "a file packed by gzip (.gz);"),
    "a.parquet": (b"PAR1\x15\x04\x15\x0c", "a Parquet file;"),
    "a.feather": (b"ARROW1\0\0", "a Feather or Arrow file;"),
    "a.sqlite": (database(), "a SQLite database;"),
    "a.dta": (b"\x72\x02\x01\x00\x05\x00", "data of Stata (.dta);"),
    "a.pkl": (b"\x80\x04\x95\x19\x00", "data of Python (.npy, .pkl);"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_table_is_told_by_what_it_is_and_what_is_taken(tmp_path, name):
    data, words = FILES[name]
    path, problems = tmp_path / name, Problems()
    path.write_bytes(data)
    with pytest.raises(NotReadable) as refused:
        read_table(path, name)
    assert str(refused.value).startswith(f"“{name}” is {words}")
    assert str(refused.value).endswith(f"; {TAKEN}")
    assert not TableFile(ITEMS, path).open(problems)
    assert problems.total == 1
    assert str(problems.shown[0]).startswith(f"{name}: found {words}")
    assert "; allowed is CSV or JSON lines in UTF-8" in problems.shown[0].message


BEGINNINGS = (
    *("PK", "BZh", "7z", "Rar!", "%PDF-", "{\\rtf", "GIF89a", "RIFF", "II*", "MM", "$FL2@"),
    *("RDX2\n", "PAR1", "ARROW1", "FEA1", "SQLite format 3"),
)


@pytest.mark.parametrize("letters", BEGINNINGS)
def test_a_header_that_begins_with_the_letters_of_another_kind_is_text(letters):
    for rest in (",item\n1,a\n", "\ta\n", "\na\n"):
        assert kind_of(io.BytesIO(f"{letters}{rest}".encode())) == ""


@pytest.mark.parametrize("name", ["a.zip", "a.numbers", "a.csv"])
def test_a_workbook_is_one_whatever_its_name(tmp_path, name):
    path, problems = tmp_path / name, Problems()
    path.write_bytes(workbook({"S": [["item", "text"], ["a", "x"]]}))
    assert read_table(path, name)[1].header == ["item", "text"]
    TableFile(ITEMS, path).open(problems)
    assert str(problems.shown[0]).startswith(f"{name}: found a workbook (.xlsx); allowed is CSV")


# A file's name; what stands in it; the one problem that it has.
FORMS = {
    "semicolons": ("a.jsonl", "item;text\na;x\nb;y\n", "line 1: found columns separated by semi"),
    "tabs": ("a.jsonl", "text\titem\nx\ta\ny\tb\n", "line 1: found columns separated by tabs"),
    "words": (
        "a.jsonl",
        "\nJust words.\nAnd more.\n",
        "line 2: found 'Just words.', which is no JSON",
    ),
    "numbers": ("a.ndjson", "1\n2\n3\n", "line 1: found '1', which is no JSON object"),
    "a list": ("a.jsonl", '[{"item": "a"},\n{"item": "b"}]', "line 1: found a JSON list"),
    "a list over lines": (
        "a.json",
        '[\n  {\n    "item": "a"\n  }\n]\n',
        "line 1: found a JSON list",
    ),
    "a list of lists": ("a.json", '[["item"], ["a"]]', "line 1: found a JSON list"),
    "a list of nothing": ("a.csv", "[]", "line 1: found a JSON list"),
    "a list in a CSV": ("a.csv", '\n[\n  {"item": "a"}\n]\n', "line 2: found a JSON list"),
    "a list behind many blanks": (
        "a.csv",
        "\n" * 9000 + '[{"item": "a"}]',
        "line 9001: found a JSON",
    ),
    "an object over lines": ("a.json", '{\n  "item": "a"\n}\n', "line 1: found a JSON object over"),
}


@pytest.mark.parametrize("case", FORMS)
def test_what_a_file_holds_decides_what_it_is_and_one_sentence_says_so(tmp_path, case):
    name, text, words = FORMS[case]
    path, problems = tmp_path / name, Problems()
    path.write_text(text)
    assert not TableFile(ITEMS, path).open(problems)
    assert problems.total == 1
    assert f"{name}, {words}" in str(problems.shown[0])
    assert "allowed " in problems.shown[0].message
