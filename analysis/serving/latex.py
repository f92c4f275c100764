r"""Write the rows of a report as a LaTeX table, for \usepackage{booktabs}."""

import re

from analysis.reports.base import finite
from annotate.templatetags.concord import interval, leading_point

# The number that `low` and `high` of a row belong to; those of NAME_low and NAME_high is NAME.
OF_INTERVAL = (
    "value",
    "auc",
    "average_precision",
    "estimate",
    "msa",
    "difference",
    "advantage_probability",
)
MOST_ON_A_PAGE = 45  # rows; a longer table breaks over pages
UNDEFINED = "--"
ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    # What the product itself writes beyond ASCII, so that pdfLaTeX too prints its tables.
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "–": "--",
    "…": r"\ldots{}",
    "≠": r"$\neq$",
    "✓": r"$\checkmark$",
    "✗": r"$\times$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "’": "'",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "ε": r"$\varepsilon$",
    "ω": r"$\omega$",
    # After the end of a line these two would be read as its options; a hyphen joins its neighbour.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "{-}",
}
SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")


def escaped(text):
    """Escape a text for LaTeX, on one line."""
    return "".join(ESCAPES.get(letter, letter) for letter in SPACES.sub(" ", str(text)))


def as_latex(report):
    """Write the rows as a booktabs table; the notes stand above it as comments."""
    notes = [SPACES.sub(" ", note) for note in [*report.verdict, *report.notes]]
    lines = [f"% {report.name} of {report.study}; needs \\usepackage{{booktabs}}"]
    if len(report.rows) > MOST_ON_A_PAGE:
        lines[0] += " and \\usepackage{longtable}"
    lines += [f"% {note}" for note in notes]
    return "\n".join([*lines, *(_table(report) if report.rows else ["% No rows."])]) + "\n"


def _table(report):
    intervals = _intervals(report.rows[0])
    hidden = {name for ends in intervals.values() for name in ends}
    names = [name for name in report.rows[0] if name not in hidden]
    kind = "longtable" if len(report.rows) > MOST_ON_A_PAGE else "tabular"
    columns = "".join("r" if _is_number(report.rows, name) else "l" for name in names)
    head = f"{' & '.join(escaped(name.replace('_', ' ')) for name in names)} \\\\"
    yield f"\\begin{{{kind}}}{{{columns}}}"
    yield from ["\\toprule", head, "\\midrule"]
    if kind == "longtable":
        yield "\\endhead"
    for row in report.rows:
        yield f"{' & '.join(_cell(row, name, intervals) for name in names)} \\\\"
    yield from ["\\bottomrule", f"\\end{{{kind}}}"]


def _intervals(row):
    """Return {name of a number: names of the ends of its interval}."""
    pairs = {name: (f"{name}_low", f"{name}_high") for name in row if f"{name}_low" in row}
    main = next((name for name in OF_INTERVAL if name in row), None)
    if main and "low" in row and "high" in row:
        pairs[main] = ("low", "high")
    return pairs


def _is_number(rows, name):
    values = [row[name] for row in rows if row[name] is not None]
    return all(isinstance(value, int | float) for value in values)


def _cell(row, name, intervals):
    """Write a number as .41 [.35, .47], a count, or a text; -- where it is undefined."""
    value = finite(row[name])
    if value is None:
        return UNDEFINED
    if isinstance(value, list):
        return f"{{[}}{', '.join(_cell({name: entry}, name, {}) for entry in value)}{{]}}"
    if isinstance(value, bool) or not isinstance(value, float):
        return escaped(value)
    if name not in intervals:
        return _number(value)
    low, high = (row[end] for end in intervals[name])
    return f"{_number(value)} {_signed(interval(low, high))}".rstrip()


def _number(value):
    return _signed(leading_point(value))


def _signed(text):
    return re.sub(r"-(?=[\d.])", "$-$", text)
