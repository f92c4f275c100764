"""Compute what tables II to VII of P1 print, by the report on factual consistency."""

from analysis.options.choices import Choices
from analysis.reports.factuality.report import (
    ALL,
    CONSISTENCY,
    COUNTS,
    FACTUALITY,
    RANK,
    RANKS,
    REVIEWS,
)
from analysis.reports.shared.options import DeviationOptions
from analysis.stats.estimate import Estimate

PRECISION_TO_F1 = ("P", "R", "F1")
SUPPORT, ENTAILED = "support", "entailed"
# Metrics of each table, and the role of the judge that gives each; blank: a judge of its own.
TABLES = {
    "III": {f"St2Exp-{part}": SUPPORT for part in PRECISION_TO_F1},
    "IV": {f"StEnt-{part}": ENTAILED for part in PRECISION_TO_F1}
    | {f"StCoh-{part}": ENTAILED for part in "PR"},
    "V": {"AlignScore": "", "SummaC-ZS": ENTAILED, "SummaC-Conv": "", "QuestEval": ""},
    "VI": {"BERT-P": "", "BERT-R": "", "BERT-F1": "", "STS": "", "BART": "", "BLEURT": ""},
}
TABLES["VII"] = TABLES["VI"]
REVIEW, HEADLINE = "VII", "St2Exp-F1"
SIDES = (("metric", "evaluator"), ("other_metric", "other_evaluator"))
COUNTED = {
    "Users": ("recipients", ""),
    "Items": ("contents", ""),
    "Interactions": ("interactions", ""),
    "Statements: Avg/interaction": ("per_interaction", "reference"),
    "Statements: Avg/user": ("per_recipient", "reference"),
    "Statements: Avg/item": ("per_content", "reference"),
    "Statements: Unique": ("unique", "reference"),
    "Statements: Total": ("statements", "reference"),
}


def role_of(table, metric):
    """Return the name of the role that gives a metric of a table; blank where it has none."""
    role = TABLES.get(table, {}).get(metric)
    return role or ("" if role is None else f"{metric} review" if table == REVIEW else metric)


class Numbers:
    """The numbers of a study's report on factual consistency, by the paper's tables.

    judges: {role: name of the study's judge}, of which a study may lack some.
    """

    def __init__(self, answers, judges, draws=2000):
        reference = Choices.from_answers(answers).reference
        options = DeviationOptions.choose(reference=reference, draws=draws)
        self.judges = judges
        self.report = FACTUALITY.build(answers, options, [COUNTS, CONSISTENCY, REVIEWS, RANK])
        names = {row["domain"] for row in self.report.rows} - {ALL}
        self.domains = sorted(names) or [ALL]

    def cells(self):
        """Return {(table, row, column): Estimate}; a column "… SD" has the standard deviation."""
        return self._counts() | self._means() | self._orders()

    def _entries(self, part):
        return [
            entry
            for entry in self.report.entries
            if entry.row["part"] == part and entry.row["domain"] in self.domains
        ]

    def _counts(self):
        rows = {
            (entry.row["metric"], entry.row["name"], entry.row["domain"]): entry
            for entry in self._entries(COUNTS)
            if entry.row["system"] == ALL
        }
        return {
            ("II", line, domain): Estimate(entry.row["value"], reason=entry.reason)
            for line, (metric, side) in COUNTED.items()
            for domain in self.domains
            if (entry := rows.get((metric, side, domain)))
        }

    def _means(self):
        cells = {}
        for part in (CONSISTENCY, REVIEWS):
            for entry in self._entries(part):
                row = entry.row
                if row["system"] == ALL:
                    continue
                for table, metric in self._places(row, part):
                    place = table, f"{row['domain']}: {metric}"
                    cells[*place, row["system"]] = _estimate(entry)
                    cells[*place, f"{row['system']} SD"] = Estimate(row["sd"], n=row["n"])
        return cells

    def _places(self, row, part):
        """Yield (table, metric of the paper) where a row of the report stands."""
        for table, metrics in TABLES.items():
            if (table == REVIEW) == (part == REVIEWS):
                for metric, role in metrics.items():
                    if self._is_of(row, metric, role, table):
                        yield table, metric

    def _is_of(self, row, metric, role, table):
        """Return whether a row has a metric of a table, by the judge of its role."""
        if role:
            return row["metric"] == metric and row["evaluator"] == self.judges.get(role)
        name = self.judges.get(role_of(table, metric))
        return name is not None and row["evaluator"] == row["metric"] == name

    def _orders(self):
        """Return Kendall's τ of each metric's order of systems with that of St2Exp-F1 (RQ3).

        The paper prints no τ.
        """
        cells = {}
        for entry in self._entries(RANKS):
            row = entry.row
            sides = [(row[a], row[b]) for a, b in SIDES]
            named = [self._metric(*side) for side in sides]
            if HEADLINE in named and all(named) and named[0] != named[1]:
                other = named[1 - named.index(HEADLINE)]
                cells["RQ3", other, row["domain"]] = _estimate(entry)
        return cells

    def _metric(self, metric, evaluator):
        """Return the paper's name of a metric of the report; "" where the paper has none."""
        row = {"metric": metric, "evaluator": evaluator}
        return next(
            (
                name
                for table in ("III", "IV", "V", "VI")
                for name, role in TABLES[table].items()
                if self._is_of(row, name, role, table)
            ),
            "",
        )


def _estimate(entry):
    row = entry.row
    return Estimate(row["value"], row["low"], row["high"], n=row["n"] or 0, reason=entry.reason)
