"""Read files into typed rows: encoding, separators, columns, cells; check nothing else."""

from annotate.files.reading.problems import Problem, Problems
from annotate.files.reading.tables import TableFile

__all__ = ["Problem", "Problems", "TableFile"]
