"""Add the rows of a report whose tables share their columns, a fact a row, told apart by `part`."""


class Facts:
    """What the parts of one report share. blank: the row of which nothing is known."""

    blank: dict

    def __init__(self, report):
        self.report = report

    def add(self, part, *, reason="", judge="", undefined_draws=0, **facts):
        """Add one row; columns that are not given stay blank."""
        about = {"part": part} | ({"reason": reason} if "reason" in self.blank else {})
        self.report.add(
            self.blank | about | facts,
            reason=reason,
            judge=judge,
            kind="judge" if judge else "mean",
            undefined_draws=undefined_draws,
        )

    def add_estimate(self, part, estimate, **facts):
        """Add the row of an Estimate."""
        names = "value", "low", "high", "n", "reason", "undefined_draws"
        self.add(part, **{name: getattr(estimate, name) for name in names} | facts)
