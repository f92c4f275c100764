"""Check the bytes of a file before it is read: size and encoding."""

import codecs

from django.conf import settings

from annotate.files.reading.kinds import kind_of

UTF8 = "utf-8-sig"  # with the byte-order mark that Excel writes, or without one
CHUNK = 1 << 20
UTF16, UTF32 = "UTF-16", "UTF-32"
# One of UTF-32 begins with one of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: UTF32,
    codecs.BOM_UTF32_BE: UTF32,
    codecs.BOM_UTF16_LE: UTF16,
    codecs.BOM_UTF16_BE: UTF16,
}
SAVE = "save the file again with that encoding"


def marked(file):
    """Name the encoding that an open file's byte-order mark tells, other than UTF-8; else empty."""
    start = file.read(4)
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "")


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


def refusal(path, largest=None, may_be_empty=False, taken="plain text in UTF-8", save=SAVE):
    """Describe why a file cannot be read as UTF-8 text: (message, line), or None if it can.

    largest: the most bytes of this file, if less than an upload may have. taken: what is allowed.
    save: what to do about another encoding that the file names.
    """
    size = path.stat().st_size
    if largest is not None and size > largest:
        return f"found a file of {megabytes(size)}; allowed are {megabytes(largest)}", None
    if too_large(size):
        return too_large(size), None
    if size == 0 and not may_be_empty:
        return "the file is empty; expected is a header line and one line for each row", None
    return _other_kind(path, taken, save) or _bad_bytes(path)


def _other_kind(path, taken, save):
    with path.open("rb") as file:
        kind = kind_of(file)
        file.seek(0)
        if kind:
            return f"found {kind}; allowed is {taken}", None
        if encoding := marked(file):
            return f"found {encoding} text; allowed is UTF-8: {save}", 1
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
            f"allowed is UTF-8: {SAVE}",
            line,
        )
    return None
