"""Read a platform's own file of its participants: their ids, number of tasks and approval rate.

Known are Prolific's demographic export, whose `Total approvals` counts approved submissions (older
ones have num_approvals and num_rejections), and MTurk's batch results and list of workers, whose
rates are of the requester's own tasks. Other files are read if their columns are named.
"""

import io
import math
import re
from dataclasses import dataclass, field

from annotate.files.reading.delimited import NotDelimited, records
from annotate.files.reading.encoding import too_large
from annotate.files.reading.kinds import kind_of
from annotate.files.reading.problems import Problems
from annotate.files.reading.tables import MOST_COLUMNS
from annotate.values.formulas import unguarded
from annotate.values.numbers import parse_number
from annotate.values.texts import count_of
from annotate.values.wrong import quoted

PARTICIPANT, RATE, TASKS = "participant", "rate", "tasks"
APPROVED, REJECTED = "approved", "rejected"
# What each column is called; compared without case, spaces and signs.
KNOWN = {
    PARTICIPANT: ("Participant id", "PROLIFIC_PID", "WorkerId"),
    RATE: ("Approval rate", "LifetimeApprovalRate", "Your Lifetime Approval Rate"),
    APPROVED: ("Total approvals", "Approvals", "num_approvals", "Number of HITs approved Lifetime"),
    REJECTED: ("Total rejections", "Rejections", "num_rejections"),
    TASKS: ("Task count", "Number of HITs approved or rejected Lifetime"),
}
# What platforms write where they tell nothing.
MARKS = {"", "-", "n/a", "not applicable", "data_expired", "consent_revoked"}
OF_ALL = re.compile(r"([0-9.]+) ?%? ?\(([0-9]{1,9})/([0-9]{1,9})\)")  # MTurk's: 98% (49/50)
COUNT = re.compile(r"([0-9]{1,9})(\.0+)?")  # 5.0 too, as pandas writes them


@dataclass(frozen=True)
class Told:
    """What a platform tells about a participant; None where it tells nothing."""

    rate: float | None = None
    tasks: int | None = None


@dataclass
class People:
    """{participant: Told} of a file, and the names of the columns that were not read."""

    told: dict = field(default_factory=dict)
    unread: list = field(default_factory=list)


def read_people(file, data, names, problems):
    """Read the People of a CSV file's bytes; problems get each fault, with its place.

    names: {PARTICIPANT, RATE, …: the column's name}, where it is not one of the KNOWN.
    """
    rows = _rows(file, data, problems)
    if not rows:
        return People()
    (line, header), *lines = rows
    columns = _columns(file, line, header, names, problems)
    people = People(unread=[name for n, name in enumerate(header) if n not in columns.values()])
    if not problems:
        _read_lines(_Reader(file, header, columns, problems), lines, people)
    return people


def _rows(file, data, problems):
    """Return [(line, cells)] of a file that can be read, the header first."""
    if kind := kind_of(io.BytesIO(data)):
        problems.add(file, f"found {kind}; allowed is CSV in UTF-8")
        return []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(file, "found a byte that is not UTF-8; allowed is UTF-8", line)
        return []
    if fault := too_large(len(data)) or ("found a NUL byte" if "\0" in text else ""):
        problems.add(file, fault)
        return []
    rows = []
    try:
        for line, cells in records(io.StringIO(text, newline="")):
            rows.append((line, [unguarded(cell).strip() for cell in cells]))
    except NotDelimited as fault:
        problems.add(file, str(fault), fault.line)
        return []
    rows = [(line, cells) for line, cells in rows if any(cells)]
    if len(rows) < 2:
        problems.add(file, "found no rows below the header" if rows else "the file is empty")
        return []
    return rows


def _plain(name):
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _columns(file, line, header, names, problems):
    """Return {PARTICIPANT, RATE, …: number of the column}."""
    columns = {}
    if len(header) > MOST_COLUMNS:
        problems.add(file, f"found {len(header):,} columns; allowed are {MOST_COLUMNS:,}", line)
        return columns
    has = quoted(", ".join(header), 1000).strip("'")
    for what, usual_names in KNOWN.items():
        named = names.get(what, "").strip()
        wanted = {_plain(name) for name in usual_names}
        matches = [
            number
            for number, name in enumerate(header)
            if (name == named if named else _plain(name) in wanted)
        ]
        if named and not matches:
            problems.add(file, f"“{named}” is no column of the file; it has: {has}", line)
        elif len(matches) > 1:
            problems.add(file, "found twice in the header", line, header[matches[1]])
        elif matches:
            columns[what] = matches[0]
    if problems:
        return columns
    if PARTICIPANT not in columns:
        problems.add(file, f"no column tells who it is; name it below. The file has: {has}", line)
    elif not columns.keys() & {RATE, APPROVED, TASKS}:
        problems.add(
            file, f"no column tells a rate or a number of tasks; name it below. It has: {has}", line
        )
    return columns


class _Reader:
    """Parse cells of a row; None where they tell nothing or are wrong."""

    def __init__(self, file, header, columns, problems):
        self.file, self.header, self.columns, self.problems = file, header, columns, problems

    def column(self, what):
        """Return the name of a column as the file has it."""
        return self.header[self.columns[what]] if what in self.columns else ""

    def blame(self, line, what, message):
        """Note a problem, with its place."""
        self.problems.add(self.file, message, line, self.column(what))

    def cell(self, cells, what):
        """Return the text of a cell; empty where it tells nothing."""
        text = cells[self.columns[what]] if what in self.columns else ""
        return "" if text.casefold() in MARKS else text

    def count(self, line, cells, what):
        """Parse a whole number."""
        text = self.cell(cells, what)
        if not text:
            return None
        if count := COUNT.fullmatch(text):
            return int(count[1])
        self.blame(line, what, f"found {quoted(text)}; allowed is a whole number")
        return None

    def rate(self, line, cells):
        """Parse (percent, tasks of which it is the share), each None where that is not told."""
        text = self.cell(cells, RATE)
        if share_of_tasks := OF_ALL.fullmatch(text):
            approved, tasks = int(share_of_tasks[2]), int(share_of_tasks[3])
            if approved <= tasks:
                return (100 * approved / tasks if tasks else None), tasks
        percent = _number(text.removesuffix("%"))
        is_share = 0 < percent <= 1 and "%" not in text
        if text and (is_share or not 0 <= percent <= 100):
            wish = "write it as a percentage, such as 95 or 1%" if is_share else "allowed is 0–100"
            self.blame(line, RATE, f"found {quoted(text)}; {wish}")
        return (percent if text else None), None


def _number(text):
    try:
        return parse_number(text)
    except ValueError:
        return math.nan


def _read_lines(reader, lines, people):
    told_by_participant: dict = {}
    for line, cells in lines:
        if len(cells) != len(reader.header):
            fault = f"found {count_of(len(cells), 'cell')}; the header has {len(reader.header)}"
            reader.problems.add(reader.file, fault, line)
            continue
        who, told = cells[reader.columns[PARTICIPANT]], _told(reader, line, cells)
        if not who:
            reader.blame(line, PARTICIPANT, "this cell is empty; it must be filled")
        elif told_by_participant.setdefault(who, (line, told))[1] != told:
            _contradiction(reader, line, told, *told_by_participant[who])
    people.told = {who: told for who, (_, told) in told_by_participant.items()}


def _told(reader, line, cells):
    rate, of = reader.rate(line, cells)
    approved, rejected = (reader.count(line, cells, what) for what in (APPROVED, REJECTED))
    tasks = reader.count(line, cells, TASKS)
    judged = None if approved is None else approved + (rejected or 0)
    if rate is None and judged and rejected is not None:
        rate = 100 * approved / judged
    return Told(rate, next((n for n in (tasks, of, judged) if n is not None), None))


def _contradiction(reader, line, told, first, before):
    """Note that two rows about a participant differ, of which neither is known to be right."""
    is_rate = told.rate != before.rate
    kinds = (RATE, APPROVED) if is_rate else (TASKS, APPROVED, RATE)
    what = next(kind for kind in kinds if kind in reader.columns)
    told_now, other = (
        "nothing" if value is None else f"{value:g}"
        for value in ((told.rate, before.rate) if is_rate else (told.tasks, before.tasks))
    )
    reader.blame(line, what, f"found {told_now}; line {first} says {other} of the same participant")


def problems_of(file, data, names):
    """Return (People, Problems) of a file."""
    problems = Problems()
    return read_people(file, data, names, problems), problems
