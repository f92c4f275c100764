"""Turn the bytes of a file into a table of texts."""

from annotate.files.reading.encoding import SAVE, UTF8, UTF32, marked
from annotate.files.reading.kinds import WORKBOOK, kind_of, start_of
from annotate.files.reading.plainjson import BEGINS
from judges.bringing.json_table import FORMS, read_json
from judges.bringing.sheet import NotReadable
from judges.bringing.text_table import read_text
from judges.bringing.workbook import read_workbook

TAKEN = "allowed is a table: .xlsx without a password, CSV or JSON"


def read_table(path, name, encoding="", separator="", sheet=""):
    """Return (names of sheets, the Sheet) of a file; by what it holds, whatever its name.

    Raises NotReadable with what is wrong, and EncodingUnclear where a person has to choose.
    """
    with path.open("rb") as file:
        kind = kind_of(file)
        file.seek(0)
        encoding_told = marked(file)
    if kind == WORKBOOK:
        return read_workbook(path, name, sheet)
    if kind:
        raise NotReadable(f"“{name}” is {kind}; {TAKEN}")
    if encoding_told == UTF32:
        raise NotReadable(f"found UTF-32 text; allowed is UTF-8 or UTF-16: {SAVE}")
    with path.open(encoding=encoding_told or UTF8, errors="replace") as file:
        text = start_of(file)
    if not text:
        raise NotReadable("the file is empty; expected is a header and a row for each answer")
    is_json = name.lower().endswith((".json", ".jsonl", ".ndjson"))
    if BEGINS.match(text) or is_json and text[:1] in ("[", "{"):
        try:
            return [], read_json(path)
        except UnicodeDecodeError:
            raise NotReadable("found bytes that are not UTF-8; JSON is always UTF-8") from None
    table = read_text(path, encoding, separator)
    if is_json and len(table.header) == 1:
        raise NotReadable(f"found a text; allowed is {FORMS}")
    return [], table
