"""Name what a file is that is no plain text, by its bytes and not by its name."""

import re
import zipfile
from contextlib import suppress

from annotate.values.wrong import quoted

START = 1 << 12
WORKBOOK = "a workbook (.xlsx)"
OLD = "a workbook or document of an old format (.xls, .doc), or one with a password"
DAMAGED = "a damaged archive (.zip, .xlsx)"
LOCKED = "an archive or workbook with a password (.zip, .xlsx)"
# How files begin that are no plain text. Letters alone, such as PAR1, may be a header of a CSV.
KINDS = {
    DAMAGED: rb"PK\x03\x04|PK\x05\x06",  # what can be opened is told by what it holds
    OLD: rb"\xd0\xcf\x11\xe0",
    "a file packed by gzip (.gz)": rb"\x1f\x8b",
    "a file packed by bzip2 (.bz2)": rb"BZh[1-9]1AY&SY",
    "a file packed by xz (.xz)": rb"\xfd7zXZ\x00",
    "a file packed by zstd (.zst)": rb"\x28\xb5\x2f\xfd",
    "an archive (.7z)": rb"7z\xbc\xaf\x27\x1c",
    "an archive (.rar)": rb"Rar!\x1a\x07",
    "a PDF": rb"%PDF-[12]\.[0-9]",
    "a document (.rtf)": rb"\{\\rtf1",
    "a picture": rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a.[\x00-\x08]|RIFF....WEBP|II\*\x00|MM\x00\*",
    "data of SPSS (.sav)": rb"\$FL[23]@\(#\)",
    "data of Stata (.dta)": rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00",
    "data of R": rb"RD[AX][23]\n[AX]\n",
    "a Parquet file": rb"PAR1[\x15-\x1f]",
    "a Feather or Arrow file": rb"(?:ARROW1|FEA1)\x00",
    "a SQLite database": rb"SQLite format 3\x00",
    "an HDF5 file": rb"\x89HDF\r\n",
    "data of Python (.npy, .pkl)": rb"\x93NUMPY|\x80[\x02-\x05][\x95}\]c(]",
    "a web page or XML": rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|table|\?xml)\b",
}
# What an archive is by a file in it, in small letters; the first that fits counts. How far the
# sheets of the first reach cannot be told before they are read, whatever else is in the archive.
HOLDS = {
    "a workbook of another format (.xlsb)": r"xl/workbook\.bin",
    "a workbook or document of another format (.ods, .odt)": r"content\.xml",
    WORKBOOK: "xl/.*",
    "a document (.docx)": "word/.*",
    "slides (.pptx)": "ppt/.*",
    "a workbook of Numbers (.numbers)": r"index/.*\.iwa|index\.zip",
}
MOST_NAMED, MOST_ENTRIES = 3, 1_000
ENTRY = b"PK\x01\x02"  # how each begins in the directory of an archive
CHUNK = 1 << 20


def kind_of(file):
    """Name what a file of bytes is, where it is no plain text; else empty."""
    start = file.read(START)
    kind = next((words for words, begin in KINDS.items() if re.match(begin, start, re.DOTALL)), "")
    if kind == DAMAGED:
        with suppress(zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
            return _of_archive(file)
    return kind


def start_of(file):
    """Return how a file of text begins behind its blanks."""
    start = ""
    while not start and (read := file.read(START)):
        start = read.lstrip()
    return start + file.read(START)


def _of_archive(file):
    # Only its size bounds what a directory is read to, and a few bytes there take much longer here.
    file.seek(0)
    if sum(chunk.count(ENTRY) for chunk in iter(lambda: file.read(CHUNK), b"")) > MOST_ENTRIES:
        return f"an archive (.zip, .xlsx) of more than {MOST_ENTRIES:,} files"
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        return LOCKED
    names = [entry.filename for entry in entries if not entry.filename.endswith("/")]
    within = [name.replace("\\", "/").lstrip("/").lower() for name in names]
    for kind, pattern in HOLDS.items():
        if any(re.fullmatch(pattern, name) for name in within):
            return kind
    shown = ", ".join(quoted(name[-60:]) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"an archive (.zip) with the files {shown}{more}" if names else "an empty archive (.zip)"
