"""Describe the tables of the page: lines of tallies with their targets."""

from dataclasses import dataclass, field

from tests.calibration.experiments import Tally
from tests.calibration.targets import Target, decimals

SILENT = "No page of the product says this yet."


@dataclass(frozen=True)
class Line:
    """One line of a table: what it is of, a tally for each column, and the targets of these.

    targets: one for all tallies, or one for each, None where there is none. missed: what a page
    of the product says of a target that is known not to be met; then no test asks for it.
    """

    labels: tuple[str, ...]
    tallies: tuple[Tally, ...]
    targets: tuple[Target | None, ...] = (None,)
    missed: str = ""

    @property
    def pairs(self):
        """Return (tally, target) of every cell."""
        own = self.targets * len(self.tallies) if len(self.targets) == 1 else self.targets
        return list(zip(self.tallies, own, strict=True))

    @property
    def failures(self):
        """Return the cells that miss their targets, and how many have any."""
        asked = [pair for pair in self.pairs if pair[1]]
        return sum(not target.is_met(tally) for tally, target in asked), len(asked)

    def cells(self):
        """Return the texts of the line."""
        words = [target.words if target else "" for target in self.targets]
        named = [word for word in dict.fromkeys(words) if word]
        return [*self.labels, *map(_cell, self.pairs), ", ".join(named) or "–", self.outcome()]

    def outcome(self):
        """Say whether the targets are met."""
        failures, asked = self.failures
        if not asked:
            return "–"
        if not failures:
            return "met"
        return "not met" if asked == 1 else f"not met ({failures} of {asked})"


def _cell(pair):
    tally, target = pair
    if not tally.n:
        return "–"
    text = f"{decimals(tally.share)} ({decimals(tally.error)})"
    return f"**{text}**" if target and not target.is_met(tally) else text


@dataclass(frozen=True)
class Table:
    """A table with its heading; `text` says how its studies are made."""

    title: str
    text: str
    columns: tuple[str, ...]
    lines: list[Line] = field(default_factory=list)

    def write(self):
        """Write the table as Markdown, with a sentence on every line that misses its target."""
        head = [*self.columns, "target", ""]
        rows = [head, ["---"] * len(head), *(line.cells() for line in self.lines)]
        body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return f"### {self.title}\n\n{self.text} {self._studies()}\n\n{body}\n{self._remarks()}"

    def _studies(self):
        counts = sorted({tally.n for line in self.lines for tally in line.tallies if tally.n})
        low, high = f"{counts[0]:,}", f"{counts[-1]:,}"
        return f"{low if low == high else f'{low} to {high}'} studies a cell."

    def _remarks(self):
        missed = [line for line in self.lines if line.failures[0]]
        remarks: dict[str, list[str]] = {}
        for line in missed:
            remarks.setdefault(line.missed or SILENT, []).append(", ".join(line.labels))
        return "".join(f"\nNot met: {'; '.join(of)}. {text}\n" for text, of in remarks.items())
