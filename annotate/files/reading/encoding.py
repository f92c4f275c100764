"""Check the bytes of a file before it is read: size and encoding."""

import codecs
import re

from django.conf import settings

UTF8 = "utf-8-sig"  # with the byte-order mark that Excel writes, or without one
CHUNK = 1 << 20
# How files begin that are no plain text.
ARCHIVE = "an archive, as a workbook (.xlsx) is"
KINDS = {
    ARCHIVE: rb"PK\x03\x04",
    "a workbook of an old format (.xls), or with a password": rb"\xd0\xcf\x11\xe0",
    "a file packed by gzip": rb"\x1f\x8b",
    "a file packed by bzip2, xz or zstd": rb"BZh[1-9]1AY&SY|\xfd7zXZ\x00|\x28\xb5\x2f\xfd",
    "a PDF": rb"%PDF-",
    "a document (.rtf)": rb"\{\\rtf",
    "data of SPSS or Stata": rb"\$FL[23]@|<stata_dta>",
    "data of R, Parquet or SQLite": rb"RD[AX][23]\n|PAR1[\x15-\x1f]|SQLite format",
    "a web page or XML": rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|table|\?xml)\b",
}
MARKS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


def megabytes(size):
    """Write a number of bytes in megabytes."""
    return f"{size / 1024 / 1024:.1f} MB"


def too_large(size):
    """Describe why a file of this size is refused; empty if it is not."""
    if size <= settings.UPLOAD_MAX_BYTES:
        return ""
    return (
        f"found a file of {megabytes(size)}; allowed are "
        f"{megabytes(settings.UPLOAD_MAX_BYTES)} (the operator can raise UPLOAD_MAX_MB), "
        "so split it into parts and load them one after the other"
    )


def refusal(path, largest=None, may_be_empty=False):
    """Describe why a file cannot be read as UTF-8 text: (message, line), or None if it can.

    largest: the most bytes of this file, if less than an upload may have.
    """
    size = path.stat().st_size
    if largest is not None and size > largest:
        return f"found a file of {megabytes(size)}; allowed are {megabytes(largest)}", None
    if too_large(size):
        return too_large(size), None
    if size == 0 and not may_be_empty:
        return "the file is empty; expected is a header line and one line for each row", None
    return _mark(path) or _bad_bytes(path)


def kind_of(start):
    """Name what bytes that begin a file are, where they are no plain text; else empty."""
    return next((words for words, begin in KINDS.items() if re.match(begin, start)), "")


def _mark(path):
    with path.open("rb") as file:
        start = file.read(64)
    if start[:2] in MARKS:
        return "found UTF-16 text; allowed is UTF-8: in a spreadsheet save as “CSV UTF-8”", 1
    if kind := kind_of(start):
        return f"found {kind}; allowed is plain text in UTF-8", None
    return None


def _bad_bytes(path):
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                if b"\0" in chunk:
                    return _nul(path)
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return _not_utf8(path)
    return None


def _nul(path):
    data = path.read_bytes()
    offset = data.index(b"\0")
    line = data.count(b"\n", 0, offset) + 1
    return f"found a NUL byte (byte {offset + 1}); allowed is plain text in UTF-8", line


def _not_utf8(path):
    data = path.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (
            f"found byte 0x{data[error.start]:02X} (byte {error.start + 1}), which is not UTF-8; "
            "allowed is UTF-8: save the file again with that encoding",
            line,
        )
    return None
