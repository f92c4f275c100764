"""Load checked rows of files into the database, all or nothing.

Each table has a check (reads the file, compares with the database, writes nothing) and a write
(reads the file again and trusts the check). Both stream, so memory stays flat; what is held are
the keys of items, contents, recipients and raters.
"""

from annotate.files.loading.common import Answers, Counts, Loading
from annotate.files.loading.holding import stamp, still_hold
from annotate.files.loading.study import check_study, write_study
from annotate.files.loading.tables import check_tables, write_tables

__all__ = [
    "Answers",
    "Counts",
    "Loading",
    "check_study",
    "check_tables",
    "stamp",
    "still_hold",
    "write_study",
    "write_tables",
]
