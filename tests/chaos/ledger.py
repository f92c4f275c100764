"""The ledger: what was counted on both sides, a check on each line, and how many passed."""

from dataclasses import dataclass, field

SHOWN = 3  # examples of what is wrong on the line of a failed check


@dataclass
class Ledger:
    """Checks and figures in the order in which they are to be read."""

    lines: list = field(default_factory=list)
    passed: int = 0
    failed: int = 0

    def title(self, words):
        """Begin a part of the ledger."""
        self.lines += ["", words]

    def check(self, words, wrong, counted=""):
        """Add a check: it passes when `wrong`, the list of what contradicts it, is empty."""
        wrong = list(wrong)
        if wrong:
            self.failed += 1
            shown = "; ".join(map(str, wrong[:SHOWN]))
            counted = f"{counted}; {len(wrong):,} wrong: {shown}".removeprefix("; ")
        else:
            self.passed += 1
        self._line("FAIL" if wrong else "pass", words, counted)

    def figure(self, words, value):
        """Add a number that is told and not judged."""
        self._line("", words, value)

    def _line(self, verdict, words, counted):
        self.lines.append(f"{verdict:<5}{words:<62} {counted}".rstrip())

    def __str__(self):
        return "\n".join([*self.lines, "", f"{self.passed} passed, {self.failed} failed"])
