"""Turn the bytes of a file into a table of texts."""

from judges.bringing.json_table import read_json
from judges.bringing.sheet import NotReadable
from judges.bringing.text_table import read_text
from judges.bringing.workbook import ENDINGS, REFUSED, read_workbook, refuse_format

PACKED, OLD_WORKBOOK = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def read_table(path, name, encoding="", separator="", sheet=""):
    """Return (names of sheets, the Sheet) of a file; by its first bytes, not by its name alone.

    Raises NotReadable with what is wrong, and EncodingUnclear where a person has to choose.
    """
    with path.open("rb") as file:
        start = file.read(64)
    if not start.strip():
        raise NotReadable("the file is empty; expected is a header and a row for each answer")
    is_packed = start.startswith(PACKED)
    if start.startswith(OLD_WORKBOOK) or (is_packed and name.lower().endswith(REFUSED)):
        refuse_format()
    if is_packed:
        if not name.lower().endswith(ENDINGS):
            raise NotReadable("found an archive; allowed are tables: .xlsx, .csv, .tsv or .json")
        return read_workbook(path, name, sheet)
    if name.lower().endswith((".json", ".jsonl", ".ndjson")):
        try:
            return [], read_json(path)
        except UnicodeDecodeError:
            raise NotReadable("found bytes that are not UTF-8; JSON is always UTF-8") from None
    return [], read_text(path, encoding, separator)
