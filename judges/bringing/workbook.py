"""Read a sheet of an .xlsx workbook, as Excel and LibreOffice store them."""

import lzma
import zipfile
import zlib
from datetime import date, datetime, time, timedelta

import python_calamine
from django.conf import settings
from python_calamine import SheetVisibleEnum

from annotate.files.reading.encoding import megabytes
from annotate.values.numbers import plain
from judges.bringing.extent import NO_WORKBOOK, watched
from judges.bringing.sheet import NotReadable, Sheet, Truth, check_cell

SHEET = b"sheetData"
MOST_PACKED = 100
CHUNK = 1 << 20
# What unpacking a damaged archive may raise: its names, its sizes and its bytes may be wrong.
DAMAGED = (
    *(zipfile.BadZipFile, RuntimeError, EOFError, OSError, UnicodeDecodeError),
    *(zlib.error, lzma.LZMAError),
)
LONG_ID = 10**15  # from here on a spreadsheet rounds whole numbers


def read_workbook(path, name, sheet=""):
    """Return (names of the sheets that have rows, the Sheet chosen or else the first of them)."""
    unread, hidden_rows = _check_parts(path)
    try:
        workbook = python_calamine.load_workbook(str(path))
        filled = [title for title in workbook.sheet_names if _has_rows(workbook, title)]
    except (python_calamine.CalamineError, OSError, ValueError):
        raise NotReadable(NO_WORKBOOK) from None
    if not filled:
        raise NotReadable("the workbook has no rows; expected is a sheet with a header")
    hidden = {m.name for m in workbook.sheets_metadata if m.visible != SheetVisibleEnum.Visible}
    chosen = sheet if sheet in filled else next((n for n in filled if n not in hidden), filled[0])
    table = workbook.get_sheet_by_name(chosen)
    first_row = (table.start or (0, 0))[0]

    def records():
        for row, cells in enumerate(table.iter_rows(), 1 + first_row):
            yield row, [check_cell(_text(cell), row) for cell in cells]

    made = Sheet(chosen, records)
    made.assumed += [f"Read the sheet “{chosen}” of {name}."]
    made.assumed += _rounded_ids(made, table)
    if hidden_rows:
        made.assumed.append(
            f"Hidden rows are read like the others: {hidden_rows:,} in the workbook."
        )
    if unread:
        made.assumed.append(
            f"Cells of an error, or of a formula without its result, are blank: {len(unread):,}, "
            f"the first is {unread[0]} of its sheet. A spreadsheet saves results with the formulas."
        )
    return filled, made


def _has_rows(workbook, name):
    return workbook.get_sheet_by_name(name).height > 1


def _check_parts(path):
    """Return the cells that cannot be read and the number of hidden rows; refuse too much."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            allowed = min(
                4 * settings.UPLOAD_MAX_BYTES, max(MOST_PACKED * path.stat().st_size, CHUNK)
            )
            cells, unread, hidden = 0, [], 0
            for member in _sheets_within(archive, members, allowed):
                with archive.open(member) as part:
                    watch = watched(part, cells)
                cells, unread = cells + watch.cells, unread + watch.unread
                hidden += watch.hidden
            return unread, hidden
    except DAMAGED:
        raise NotReadable("the workbook is damaged and cannot be unpacked; save it again") from None


def _sheets_within(archive, members, allowed):
    """Return the members that hold cells, whatever their names; refuse more bytes than allowed."""
    if sum(member.file_size for member in members) > allowed:
        _refuse_size(allowed)
    unpacked, sheets = 0, []
    for member in members:
        # The size in the directory may lie, so it is counted.
        with archive.open(member) as part:
            before, is_sheet = b"", False
            while chunk := part.read(CHUNK):
                unpacked += len(chunk)
                if unpacked > allowed:
                    _refuse_size(allowed)
                is_sheet = is_sheet or SHEET in before + chunk
                before = chunk[-len(SHEET) :]
        sheets += [member] if is_sheet else []
    return sheets


def _refuse_size(allowed):
    raise NotReadable(
        f"the workbook unpacks to more than {megabytes(allowed)}, which is more than is read; "
        "save the sheet as CSV and bring that"
    )


def _text(cell):
    """Write a cell as text: all numbers are floats in a workbook, and 3.0 means 3."""
    if isinstance(cell, bool):
        return Truth.of_bool(cell)
    if isinstance(cell, float) and abs(cell) < 1e300:
        value = float(f"{cell:.15g}")  # all that a spreadsheet shows: the rest is noise of a sum
        return str(int(cell) if cell.is_integer() else plain(value))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):  # a datetime is a date
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(plain(cell.total_seconds()))
    return str(cell)


def _rounded_ids(made, table):
    """Name the columns whose numbers are so long that the spreadsheet rounded them."""
    long = set()
    for cells in table.iter_rows():
        long |= {
            index
            for index, cell in enumerate(cells)
            if isinstance(cell, float) and abs(cell) >= LONG_ID
        }
    return [
        f"Column “{made.header[index]}” has numbers of 16 digits or more, which Excel rounds: if "
        "they are ids, format the column as text and type them again."
        for index in sorted(long)
        if index < len(made.header)
    ]
