"""Whatever bytes a file has, each reader reads it or refuses it in words."""

import io
import zipfile

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotate.files.reading import Problems, TableFile
from annotate.files.reading.columns import ITEMS
from annotate.files.reading.studyfile import read_study
from annotate.recruitment.participants_file import problems_of
from judges.bringing.profile import describe
from judges.bringing.read import read_table
from judges.bringing.sheet import NotReadable
from judges.bringing.text_table import EncodingUnclear
from tests.workbooks import with_nameless, workbook


def archive(*names, **of_archive):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", **of_archive) as made:
        for name in names:
            made.writestr(name, "item,text\na,x\n")
    return packed.getvalue()


BOOK = workbook({"S": [["item", "text", "n"], ["a", "x", 4.5]]})
FILES = {
    "a.csv": '\ufeffitem,text,Participant id,Task count\r\na,"x; é",p,5\r\n'.encode(),
    "b.csv": b"sep=;\nid;text;n\na;x;1,5\nb;y;2,5\n",
    "a.jsonl": '{"item": "a", "text": "é", "n": [1.5, null]}\n{"item": "b"}\n'.encode(),
    "a.json": b'[{"item": "a", "data": {"n": 1}}, {"item": "b"}]',
    "study.yaml": b"study: s\ntitle: 'T'\nquestions:\n- {key: q, text: T, scale: likert5}\n",
    "a.xlsx": BOOK,
    "a.zip": archive("a.csv"),
}
HEAD = b"PK\x03\x04\x14\x00"  # of a file in an archive; behind it are its flags


def packed_as(data, method):
    """An archive that says of its files that they are packed otherwise."""
    for head, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = data.split(head)
        changed = [bytes([*part[: place - 4], method, *part[place - 3 :]]) for part in parts[1:]]
        data = head.join([parts[0], *changed])
    return data


@st.composite
def damaged(draw):
    """Draw a file's name and its bytes, some of them changed, cut or doubled."""
    name = draw(st.sampled_from([*FILES]))
    data = bytearray(FILES[name])
    for _ in range(draw(st.integers(1, 3))):
        place, length = draw(st.integers(0, len(data))), draw(st.integers(1, 8))
        part = data[place : place + length]
        put = draw(
            st.sampled_from([b"", part * 2, b"\xff", b"\0", b'"', b"\n"]) | st.binary(max_size=3)
        )
        data[place : place + length] = put
    return name, bytes(data)


def readings(path):
    """Read a file in every place that takes one; yield what each says of it."""
    problems = Problems()
    try:
        sheet = read_table(path, path.name)[1]
        describe(sheet)
        list(sheet.rows())
    except (NotReadable, EncodingUnclear) as refused:
        yield str(refused)
    if (table := TableFile(ITEMS, path)).open(problems):
        list(table.rows(problems))
    read_study(path, path.name, problems)
    yield from map(str, problems.shown)
    yield from map(str, problems_of(path.name, path.read_bytes(), {})[1].shown)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged())
@example(("a.xlsx", with_nameless(BOOK)))
@example(("a.zip", with_nameless(archive())))
@example(
    (
        "a.xlsx",
        BOOK.replace(HEAD + b"\0\0", HEAD + b"\0\x08").replace(b"[Content", b"\xffContent", 1),
    )
)
@example(("a.xlsx", packed_as(BOOK, zipfile.ZIP_BZIP2)))
@example(("a.xlsx", packed_as(BOOK, zipfile.ZIP_LZMA)))
def test_a_damaged_file_is_read_or_refused_in_words(tmp_path, file):
    name, data = file
    path = tmp_path / name
    path.write_bytes(data)
    assert all(said and "Error" not in said for said in readings(path))
