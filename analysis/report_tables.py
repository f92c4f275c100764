"""The tables and figures of report pages: a Report, laid out for people to read."""

from dataclasses import dataclass, field, replace
from math import isnan

from analysis import charts
from analysis.asking import COEFFICIENTS, MEASURES
from analysis.reports.agreement import HUMANS, OF_PAIRS
from analysis.reports.confusion import shares
from analysis.reports.correlation import AVERAGE, LEVELS
from annotate.templatetags.concord import interval

GROUPED = ("user", "pair")  # levels that are means over groups
MOST_ROWS = 200  # of the table that lists every number


@dataclass(frozen=True)
class Cell:
    """One number with its interval, what it is made from, and its place in its column."""

    row: dict
    value: float
    reason: str = ""
    size: str = ""
    rank: str = ""

    @property
    def interval(self):
        return interval(self.row["low"], self.row["high"])


@dataclass
class Table:
    """A caption, two lines of headings (groups may be empty), and lines of (name, cells)."""

    caption: str
    headings: list
    lines: list
    groups: list = field(default_factory=list)
    corner: str = ""


@dataclass
class Figure:
    """A Plotly figure with the words that stand for it."""

    key: str
    caption: str
    plot: dict

    @property
    def script(self):
        """Id of the script element that holds the figure."""
        return f"figure-{self.key}"


@dataclass
class Layout:
    """What a report page shows, in its order; `details` lists every number of the page."""

    figures: list
    tables: list
    details: Table | None = None
    more: int = 0  # rows that details leaves out
    matrices: list = field(default_factory=list)


def layout(report, chosen, looks):
    """The page of a report, with what was chosen to be seen of it."""
    return LAYOUTS[report.name](report, chosen, looks)


# correlation


def _correlation(report, coefficient, looks):
    words = COEFFICIENTS[coefficient]
    levels = [level for level in LEVELS if _any_value(report.rows, level=level)]
    averages = [entry for entry in report.entries if entry.row["question"] == AVERAGE]
    size = f"{_n_words(averages)} {over_questions(report)}"
    what = "mean of the questions, "
    if not _any_value([entry.row for entry in averages]):
        averages, what = report.entries, ""
        size = _n_words(averages)
    chart = charts.dots(averages, "evaluator", "level", looks, f"{words} ({size})")
    caption = f"{words} with the reference, {what}by level. Lines: 95 % intervals."
    figure = Figure("levels", caption, chart)
    return Layout([figure], [_wide(report, words, levels)], *_details(report))


def over_questions(report):
    """What the n of an average adds up: answers to items, over the questions."""
    questions = {row["question"] for row in report.rows} - {AVERAGE}
    return f"values over {len(questions)} question{'' if len(questions) == 1 else 's'}"


def _size(row, average_words):
    """What a correlation is made from: its n, and at the user and pair level its groups."""
    words = f"n = {row['n']:,}"
    if row["question"] == AVERAGE:
        words = f"{words} {average_words}"
    if row["level"] in GROUPED and row["groups"]:
        words = f"{words}, {row['groups'] - row['skipped']:,} of {row['groups']:,} groups"
    return words


def _wide(report, words, levels):
    """P0's table 1: a line per evaluator, a group of columns per question, a column per level."""
    questions = list(dict.fromkeys(row["question"] for row in report.rows))
    columns = [(question, level) for question in questions for level in levels]
    average_words = over_questions(report)
    cells = {
        (entry.row["evaluator"], entry.row["question"], entry.row["level"]): _cell(
            entry, _size(entry.row, average_words)
        )
        for entry in report.entries
    }
    names = list(dict.fromkeys(row["evaluator"] for row in report.rows))
    lines = [(name, [cells[name, *column] for column in columns]) for name in names]
    return Table(
        f"{words} by question and level; the best of a column is bold, the second underlined.",
        [level for _ in questions for level in levels],
        _ranked(lines),
        [(question, len(levels)) for question in questions],
        "Evaluator",
    )


def _ranked(lines):
    """The lines, with the best and the second cell of each column marked."""
    for place in range(len(lines[0][1]) if lines else 0):
        values = [cells[place].value for _, cells in lines]
        ranked = sorted({value for value in values if not isnan(value)}, reverse=True)
        marks = dict(zip(ranked[:2], ("best", "second"), strict=False))
        for _, cells in lines:
            cell = cells[place]
            cells[place] = replace(cell, rank=marks.get(cell.value, ""))
    return lines


# agreement


def _agreement(report, measure, looks):
    words = MEASURES[measure]
    people = [entry for entry in report.entries if entry.kind == HUMANS]
    joined = [entry for entry in report.entries if entry.kind == "joined"]
    chosen = [entry for entry in [*people, *joined] if entry.row["measure"] == measure]
    title = f"{words} ({_n_words(chosen, 'n_units')})"
    chart = charts.dots(chosen, "raters", "question", looks, title)
    figure = Figure("agreement", f"{words} by question. Lines: 95 % intervals.", chart)
    tables = [
        _by_measure([entry for entry in people if entry.row["raters"] == group], group)
        for group in dict.fromkeys(entry.row["raters"] for entry in people)
    ]
    tables.append(_by_raters(joined, f"{words}: people with each judge as one more rater."))
    if measure in OF_PAIRS:
        versus = [entry for entry in report.entries if entry.kind == "versus"]
        tables.append(_by_raters(versus, f"{words}: each judge with the raters of the reference."))
    return Layout([figure], [table for table in tables if table.lines], *_details(report))


def _by_measure(entries, group):
    return _table(entries, "measure", f"Agreement of {group}.", "Measure", MEASURES)


def _by_raters(entries, caption):
    return _table(entries, "raters", caption, "Raters", {})


def _table(entries, line, caption, corner, words):
    """Cells by one of the row's keys and the question; a blank where there is no row."""
    cells = {
        (entry.row[line], entry.row["question"]): _cell(entry, f"n = {entry.row['n_units']:,}")
        for entry in entries
    }
    headings = list(dict.fromkeys(entry.row["question"] for entry in entries))
    lines = [
        (words.get(name, name), [cells.get((name, heading)) for heading in headings])
        for name in dict.fromkeys(entry.row[line] for entry in entries)
    ]
    return Table(caption, headings, lines, [], corner)


# ROC


def _roc(report, question, looks):
    entries = [
        replace(entry, row=row | {"value": row["auc"], "n": row["positives"] + row["negatives"]})
        for entry in report.entries
        if (row := entry.row)
    ]
    entries.sort(key=lambda entry: -entry.row["auc"] if not isnan(entry.row["auc"]) else 1)
    figure = Figure(
        "roc",
        f"ROC curves for {question}: the {charts.MOST_CURVES} largest areas at most, the area "
        "beside each name.",
        charts.curves(report, question, looks),
    )
    title = f"AUC ({_n_words(entries)})"
    areas = charts.dots(entries, "evaluator", "question", looks, title, unit_interval=True)
    lines = [(entry.row["evaluator"], _roc_cells(entry)) for entry in entries]
    caption = f"Area under the ROC curve for {question}."
    headings = ["AUC", "Positive", "Positives", "Negatives"]
    table = Table(caption, headings, lines, [], "Evaluator")
    figures = [figure, Figure("auc", f"AUC for {question} with 95 % intervals.", areas)]
    return Layout(figures, [table])


def _roc_cells(entry):
    row = entry.row
    return [_cell(entry), f"≥ {row['threshold']:g}", row["positives"], row["negatives"]]


# confusion


@dataclass(frozen=True)
class Matrix:
    """One confusion matrix: lines of (label, [(count, share of the row)], sum), or why none."""

    evaluator: str
    labels: list
    lines: list
    total: int
    agreeing: int
    reason: str = ""


def _confusion(report, question, looks):
    entries = [entry for entry in report.entries if not entry.reason]
    figure = Figure(
        "confusion",
        f"Answers to {question}: people in rows, the evaluator in columns; numbers are items, "
        f"shades their share of the row. The first {charts.MOST_MATRICES} at most.",
        charts.matrices(entries),
    )
    matrices = [_matrix(entry) for entry in report.entries]
    return Layout([figure] if entries else [], [], matrices=matrices)


def _matrix(entry):
    row, counts = entry.row, entry.row["matrix"]
    lines = [
        (label, list(zip(line, parts, strict=True)), sum(line))
        for label, line, parts in zip(row["labels"], counts, shares(counts), strict=True)
    ]
    total = sum(map(sum, counts))
    agreeing = sum(counts[place][place] for place in range(len(counts)))
    return Matrix(row["evaluator"], row["labels"], lines, total, agreeing, entry.reason)


LAYOUTS = {
    "correlation": _correlation,
    "agreement": _agreement,
    "roc": _roc,
    "confusion": _confusion,
}


# shared


def _cell(entry, size=""):
    value = entry.row["value"] if "value" in entry.row else entry.row["auc"]
    return Cell(entry.row, value, entry.reason, size)


def _details(report):
    """Every number with its n, its groups and why it is undefined; how many were left out."""
    if not report.rows:
        return None, 0
    hidden = ("low", "high", "value")
    names = [name for name in report.rows[0] if name not in hidden]
    lines = [
        ("", [*(entry.row[name] for name in names), _cell(entry), entry.reason])
        for entry in report.entries[:MOST_ROWS]
    ]
    more = max(0, len(report.rows) - MOST_ROWS)
    return Table("", [*names, "value", "why undefined"], lines), more


def _any_value(rows, **wanted):
    return any(
        not isnan(row["value"])
        for row in rows
        if all(row[name] == value for name, value in wanted.items())
    )


def _n_words(entries, name="n"):
    """N = 40, or n = 30 to 40, over the rows that have a value."""
    counts = [entry.row[name] for entry in entries if not isnan(entry.row["value"])]
    return f"n = {charts.span(counts)}"
