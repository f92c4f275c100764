"""Collect the problems of files: where, what was found, what is allowed."""

from dataclasses import asdict, dataclass, field

SHOWN = 50


@dataclass(frozen=True)
class Problem:
    """A problem of a file; row is its line in an editor, None for the whole file."""

    file: str
    row: int | None
    column: str
    message: str

    def __str__(self):
        where = [self.file]
        if self.row is not None:
            where.append(f"line {self.row}")
        if self.column:
            where.append(f"column {self.column}")
        return f"{', '.join(where)}: {self.message}"


@dataclass
class Problems:
    """The first fifty problems of a load, and the number of all."""

    total: int = 0
    shown: list[Problem] = field(default_factory=list)

    def __bool__(self):
        return self.total > 0

    def add(self, file, message, row=None, column=""):
        """Add a problem; its text is kept while there are fewer than fifty."""
        self.total += 1
        if len(self.shown) < SHOWN:
            self.shown.append(Problem(file, row, column, message))

    def as_dict(self):
        """Return the problems for a JSON column."""
        return {"total": self.total, "shown": [asdict(problem) for problem in self.shown]}
