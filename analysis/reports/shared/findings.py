"""Say in one sentence what a page's numbers show: its title, where the report has no verdict.

Each function makes a Kind's `find(report, chosen)`; it returns "" where nothing can be said.
"""

from math import isnan

from annotate.templatetags.concord import interval, leading_point


def pick(report, kind, **wanted):
    """Return the rows of one kind of evaluator that have these values."""
    return [
        entry.row
        for entry in report.entries
        if entry.kind == kind and wanted.items() <= entry.row.items()
    ]


def defined(rows, key):
    """Return the rows with a value under the key, the largest first."""
    rows = [row for row in rows if row[key] is not None and not isnan(row[key])]
    return sorted(rows, key=lambda row: -row[key])


def with_interval(row, key):
    """Write a row's value with its interval where it has one: .84 [.76, .90]."""
    return f"{leading_point(row[key])} {interval(row['low'], row['high'])}".strip()


def first_judge(report, key, does, measure, **wanted):
    """Say which judge has the largest value, and what raters have.

    does: what the first of several does, such as "follows the reference most closely"; measure: the
    name of the value, such as "Pearson's r".
    """
    judges = defined(pick(report, "judge", **wanted), key)
    if not judges:
        return ""
    raters = defined(pick(report, "rater", **wanted), key)
    value = f"{measure} {with_interval(judges[0], key)}{_beside(raters, key)}."
    return f"{name_first(judges, key, does)}: {value}"


def name_first(judges, key, does):
    """Write which of these rows is the first, or that some are equal; one alone has no rivals."""
    best = judges[0]["evaluator"]
    equal = sum(row[key] == judges[0][key] for row in judges) - 1
    if not judges[1:]:
        return best
    also = f" (and {equal} more with the same value)" if equal else ""
    return f"Of {len(judges)} judges {best}{also} {does}"


def _beside(raters, key):
    if not raters:
        return ""
    most, least = leading_point(raters[0][key]), leading_point(raters[-1][key])
    return f"; raters have {most}" if most == least else f"; raters have {least} to {most}"
