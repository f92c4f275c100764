"""Define reports: their rows and notes, and the notes on undefined numbers."""

from collections import defaultdict
from dataclasses import dataclass, field
from math import isfinite


@dataclass(frozen=True)
class Entry:
    """One row of a report, with facts about the row that its page shows.

    reason: why the value (or its interval) is undefined; blank otherwise. judge: the judge that
    the number is of, blank for people; kind: judge, rater or mean; or humans, joined (people and
    a judge) or versus (a judge with people). undefined_draws: draws left out of the interval.
    item: primary key of the item that the row is about, 0 where it is about many.
    """

    row: dict
    reason: str = ""
    judge: str = ""
    kind: str = ""
    undefined_draws: int = 0
    item: int = 0

    @classmethod
    def from_estimate(cls, first, estimate, last, **facts):
        """Build the Entry of an Estimate; first, last: what stands before and after it in the row.

        Its reason and its undefined draws are the entry's, unless facts name others.
        """
        ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        told = {"reason": estimate.reason, "undefined_draws": estimate.undefined_draws}
        return cls(first | ends | last, **(told | facts))


@dataclass
class Report:
    """A report's result: rows of one fact each, and notes on what was used and skipped.

    curves: points for figures, e.g. those of an ROC curve, by evaluator and question.
    bands: the bootstrap's bounds of a curve, under the same keys.
    verdict: sentences that say in plain words what the numbers mean, and under which conditions.
    groups: (label, Report) of each group of items, where a report is asked for by groups.
    """

    name: str
    study: str
    options: dict
    entries: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    curves: dict = field(default_factory=dict)
    bands: dict = field(default_factory=dict)
    verdict: list = field(default_factory=list)
    groups: list = field(default_factory=list)

    @property
    def rows(self):
        """Return the rows alone, without the facts that pages show."""
        return [entry.row for entry in self.entries]

    def add(self, row, numbers=None, **facts):
        """Append one row, with further facts by the names of an Entry's fields.

        numbers: {name: Estimate} of the row, whose reasons and undefined draws are the entry's.
        """
        if numbers:
            lost = max(estimate.undefined_draws for estimate in numbers.values())
            facts = {"reason": reasons_of(numbers), "undefined_draws": lost} | facts
        self.entries.append(Entry(row, **facts))

    def add_estimate(self, about, estimate, more, **facts):
        """Append the Entry of an Estimate: what it is about, value, low and high, then more."""
        self.entries.append(Entry.from_estimate(about, estimate, more, **facts))

    def as_dict(self):
        """Return the report as a JSON object; undefined numbers become null."""
        rows = [{key: finite(value) for key, value in row.items()} for row in self.rows]
        return {
            "study": self.study,
            "report": self.name,
            "options": self.options,
            "rows": rows,
            "notes": [*self.verdict, *self.notes],
        }


def group_by(entries, *names):
    """Return {what the rows have under the names: their entries}, in the order they come.

    What no row has is an empty list.
    """
    groups = defaultdict(list)
    for entry in entries:
        groups[_key(entry.row, names)].append(entry)
    return groups


def pivot(entries, *names, column):
    """Return {what the rows have under the names: {their column: entry}}, a table of entries."""
    table: dict = {}
    for entry in entries:
        table.setdefault(_key(entry.row, names), {})[entry.row[column]] = entry
    return table


def _key(row, names):
    return row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)


def finite(value):
    """Return the value, or None for NaN and infinities, which JSON cannot hold."""
    return None if isinstance(value, float) and not isfinite(value) else value


def columns_of(name, estimate):
    """Return the value of an estimate under its name, then the ends of its interval."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def reason_notes(report, names):
    """Write one note for each reason: how many rows it concerns, and which by the keys `names`."""
    places: dict[str, list] = {}
    for entry in report.entries:
        if entry.reason:
            where = " · ".join(filter(None, (str(entry.row[name]) for name in names)))
            places.setdefault(entry.reason, []).append(where)
    return [
        f"{reason[0].upper()}{reason[1:]}: {len(where)} of {len(report.entries)} rows, such as "
        f"{'; '.join(where[:3])}."
        for reason, where in places.items()
    ]


def reasons_of(estimates):
    """Join the reasons why a row's numbers, {name: Estimate}, or their intervals are undefined."""
    reasons = {estimate.reason for estimate in estimates.values()}
    if len(reasons) == 1:
        return reasons.pop()
    names: dict[str, list] = {}
    for name, estimate in estimates.items():
        if estimate.reason:
            names.setdefault(estimate.reason, []).append(name)
    return "; ".join(f"{' and '.join(of)}: {reason}" for reason, of in names.items())


def draw_notes(report, draws):
    """Write a note on the bootstrap draws left out of intervals as undefined, if there are any."""
    lost = [entry.undefined_draws for entry in report.entries if entry.undefined_draws]
    if not lost:
        return []
    many = f"{min(lost):,}" if min(lost) == max(lost) else f"{min(lost):,} to {max(lost):,}"
    rows = f"{len(lost):,} {'row' if len(lost) == 1 else 'rows'}"
    return [f"{many} of {draws:,} draws undefined in {rows}; their intervals leave these out."]
