"""From files to typed rows: encoding, separators, columns, cells; nothing else is checked here."""

from annotate.files.reading.problems import Problem, Problems, quoted
from annotate.files.reading.tables import TableFile

__all__ = ["Problem", "Problems", "TableFile", "quoted"]
