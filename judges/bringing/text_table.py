"""Read delimited text in the forms in which spreadsheets write it."""

import codecs
from contextlib import suppress
from itertools import islice

from annotate.files.reading.delimited import SEPARATORS, NotDelimited, declared, records
from judges.bringing.sheet import NotReadable, Sheet

CHUNK = 1 << 20
ONE_COLUMN = "\x1f"  # a separator that no text has
# Without a mark nothing tells these apart: gb18030 decodes as cp1252 without an error.
ENCODINGS = {
    "cp1252": "Western European (Windows-1252)",
    "cp1250": "Central European (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "gb18030": "Chinese (GB 18030)",
    "shift_jis": "Japanese (Shift JIS)",
}
WORDS = {
    "utf-8-sig": "UTF-8 with a byte-order mark",
    "utf-16": "UTF-16 (Excel’s “Unicode text”)",
    "utf-8": "UTF-8",
}
SAMPLE_LINES, SAMPLE_LENGTH = 5, 120
RECORDS, MOST_LOOKED_AT = 50, 100_000  # with and without what is blank


class EncodingUnclear(ValueError):
    """The bytes are not UTF-8 and have no mark; samples: {encoding: lines as it reads them}."""

    def __init__(self, samples):
        super().__init__("the file is not UTF-8")
        self.samples = samples


def read_text(path, encoding="", separator=""):
    """Return the Sheet of a delimited text; raise EncodingUnclear where a person has to choose."""
    encoding = _encoding(path, encoding)
    with path.open(encoding=encoding, newline="") as file:
        separator = separator or declared(file.readline(200)) or _separator(path, encoding)

    def rows():
        return _rows(path, encoding, separator)

    sheet = Sheet("", rows, decimal_commas_possible=separator != ",")
    sheet.assumed += [f"Read as {_words(encoding)}, {_separator_words(separator)}."]
    joined = _joined(rows()) if separator == "\t" else None
    if joined:
        sheet.assumed.append(
            f"Row {joined} has a cell with tabs and line breaks. If no text has them, a quotation "
            "mark at the beginning of a cell joined several rows: put that cell into quotation "
            "marks, and write the mark twice."
        )
    return sheet


def _joined(records):
    """Return the first row of which a cell may hold rows: it begins with a quotation mark."""
    return next(
        (row for row, cells in records if any("\t" in cell and "\n" in cell for cell in cells)),
        None,
    )


def _words(encoding):
    return WORDS.get(encoding) or ENCODINGS[encoding]


def _separator_words(separator):
    if separator == ONE_COLUMN:
        return "one column"
    return f"with {SEPARATORS[separator]}"


def _encoding(path, chosen):
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(codecs.BOM_UTF8):
        return _checked(path, "utf-8-sig")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _checked(path, "utf-16")
    if _decodes(path, "utf-8"):
        return "utf-8"
    if chosen in ENCODINGS:
        return _checked(path, chosen)
    raise EncodingUnclear(_samples(path))


def _checked(path, encoding):
    if not _decodes(path, encoding):
        raise NotReadable(f"found bytes that are not {_words(encoding)}; save the file again")
    return encoding


def _decodes(path, encoding):
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                if "\0" in decoder.decode(chunk):
                    raise NotReadable("found a NUL character; allowed is a table as plain text")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _samples(path):
    """Return the first lines that tell encodings apart, in each encoding that reads them."""
    with path.open("rb") as file:
        told = (line[: 4 * SAMPLE_LENGTH] for line in file if not line.isascii())
        lines = list(islice(told, SAMPLE_LINES))
    samples = {}
    for encoding in ENCODINGS:
        if _decodes(path, encoding):
            # A line may be cut within a character of several bytes.
            decoded = [line.decode(encoding, "ignore").strip()[:SAMPLE_LENGTH] for line in lines]
            samples[encoding] = decoded
    return samples


def _separator(path, encoding):
    """Return the separator that gives most of the first records as many cells as the header.

    Blank cells beyond the header are usual.
    """
    shares = {}
    for separator in SEPARATORS:
        rows = []
        with suppress(NotReadable):  # the row is told when the table itself is read
            first = islice(_rows(path, encoding, separator), MOST_LOOKED_AT)
            filled = filter(_has_text, first)
            for _, cells in islice(filled, RECORDS):
                rows.append(cells)
        width = len(_filled(rows[0])) if rows else 0
        if width >= 2:
            fits = [
                len(cells) == len(rows[0]) or width <= len(cells) and not _filled(cells)[width:]
                for cells in rows
            ]
            shares[separator] = (sum(fits) / len(fits), width)
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best][0] >= 0.5 else ONE_COLUMN


def _has_text(record):
    return any(cell.strip() for cell in record[1])


def _filled(cells):
    """Return the cells up to the last that is not blank."""
    width = max((number for number, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return cells[:width]


def _rows(path, encoding, separator):
    """Yield (row as the spreadsheet counts, cells)."""
    with path.open(encoding=encoding, newline="") as file:
        row = 0
        try:
            for row, (_, cells) in enumerate(records(file, separator), 1):
                yield row, cells
        except NotDelimited as fault:
            raise NotReadable(str(fault), row + 1) from None
