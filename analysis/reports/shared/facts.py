"""Add the rows of a report whose tables share their columns, a fact a row, told apart by `part`."""


class Facts:
    """What the parts of one report share. blank: the row of which nothing is known."""

    blank: dict

    def __init__(self, report):
        self.report = report

    def add(self, part, *, reason="", judge="", **facts):
        """Add one row; columns that are not given stay blank."""
        self.report.add(self._row(part, reason, facts), reason=reason, **_whose(judge))

    def add_estimate(self, part, estimate, *, judge="", **facts):
        """Add the row of an Estimate."""
        row = self._row(part, estimate.reason, facts | {"n": estimate.n})
        self.report.add_estimate(row, estimate, {}, **_whose(judge))

    def _row(self, part, reason, facts):
        about = {"part": part} | ({"reason": reason} if "reason" in self.blank else {})
        return self.blank | about | facts


def _whose(judge):
    return {"judge": judge, "kind": "judge" if judge else "mean"}
