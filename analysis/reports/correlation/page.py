"""Show correlations with one coefficient, as P0's table 1, and a figure of them."""

from analysis.figures.dots import dots
from analysis.figures.heat import question_heat_map
from analysis.figures.layout import (
    Figure,
    Layout,
    Table,
    any_value,
    cell_of,
    details,
    n_words,
    ranked,
)
from analysis.reports.correlation.report import AVERAGE, LEVELS, correlation
from analysis.reports.kind import NO_JUDGE, UNDEFINED, Kind, Shown, best
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.verdict.in_figures import grey_entries, grey_metric, grey_words
from analysis.stats.correlation.coefficients import COEFFICIENTS
from annotate.templatetags.concord import interval, leading_point

LABELS = {key: coefficient.label for key, coefficient in COEFFICIENTS.items()}
GROUPED = ("user", "pair")  # levels that are means over groups


def list_parts(questions):
    """Return the coefficients of which the page shows one."""
    return Shown("coefficient", "Coefficient", list(LABELS.items()))


def layout(report, coefficient, looks):
    """Return the page of one coefficient: figures by level and by question, and the wide table."""
    words = LABELS[coefficient]
    levels = [level for level in LEVELS if any_value(report.rows, level=level)]
    averages = [entry for entry in report.entries if entry.row["question"] == AVERAGE]
    size = f"{n_words(averages)} {over_questions(report)}"
    what = "mean of the questions, "
    if not any_value([entry.row for entry in averages]):
        averages, what = report.entries, ""
        size = n_words(averages)
    questions = {entry.row["question"] for entry in averages}
    grey = grey_entries(report, lambda row: row["question"] in questions)
    drawn = [*grey_metric(report, averages), *grey]
    chart = dots(drawn, "evaluator", "level", looks, f"{words} ({size})")
    caption = f"{words} with the reference, {what}by level. Lines: 95 % intervals."
    caption += grey_words(report, grey)
    figures = [Figure("levels", caption, chart), *_heat(report, words, levels)]
    return Layout(figures, [wide(report, words, levels)], *details(report))


def _heat(report, words, levels):
    """Draw evaluators by questions in colours, at the first level with a value."""
    own = [entry for entry in report.entries if entry.row["level"] == levels[0]] if levels else []
    if not own:
        return []
    sized = [entry for entry in own if entry.row["question"] != AVERAGE]
    title = f"{words}, {levels[0]} level ({n_words(sized)})"
    caption = (
        f"{words} at the {levels[0]} level: evaluators in rows, questions in columns; blue follows "
        "the reference, orange contradicts it."
    )
    return [Figure("heat", caption, question_heat_map(own, title))]


def over_questions(report):
    """Return words for what the n of an average counts: values over all questions."""
    questions = {row["question"] for row in report.rows} - {AVERAGE}
    return f"values over {len(questions)} question{'' if len(questions) == 1 else 's'}"


def _size(row, average_words):
    """Return a correlation's n in words, with its groups at the user and the pair level."""
    words = f"n = {row['n']:,}"
    if row["question"] == AVERAGE:
        words = f"{words} {average_words}"
    if row["level"] in GROUPED and row["groups"]:
        words = f"{words}, {row['groups'] - row['skipped']:,} of {row['groups']:,} groups"
    return words


def wide(report, words, levels):
    """Return P0's table 1: a line per evaluator, a column per question and level."""
    questions = list(dict.fromkeys(row["question"] for row in report.rows))
    columns = [(question, level) for question in questions for level in levels]
    average_words = over_questions(report)
    cells = {
        (entry.row["evaluator"], entry.row["question"], entry.row["level"]): cell_of(
            entry, _size(entry.row, average_words)
        )
        for entry in report.entries
    }
    names = list(dict.fromkeys(row["evaluator"] for row in report.rows))
    lines = [(name, [cells[name, *column] for column in columns]) for name in names]
    return Table(
        f"{words} by question and level; the best of a column is bold, the second underlined.",
        [level for _ in questions for level in levels],
        ranked(lines),
        [(question, len(levels)) for question in questions],
        "Evaluator",
    )


def find(report, coefficient):
    """Say which judge follows the reference most closely over all items."""
    asked = {entry.row["question"] for entry in report.entries}
    keys = sorted(asked - {AVERAGE})
    question = keys[0] if len(keys) == 1 else AVERAGE
    where = question if len(keys) == 1 else f"mean of {len(keys)} questions"
    measure = f"{LABELS[coefficient]} with the reference ({where}, all items together)"
    wanted = {"coefficient": coefficient, "level": LEVELS[0], "question": question}
    return first_judge(report, "value", "follows people most closely", measure, **wanted)


def headline(answers, options, judges):
    """Return the largest mean Pearson r of a judge at the dataset level."""
    if not judges:
        return NO_JUDGE
    report = correlation(answers, options, ["pearson"], ["dataset"])
    row = best([row for row in report.rows if row["question"] == AVERAGE], judges, "value")
    if row is None:
        return UNDEFINED
    words = (
        f"largest Pearson r of a judge: {row['evaluator']}, mean of the questions, "
        f"n = {row['n']:,} {over_questions(report)}"
    )
    return leading_point(row["value"]), interval(row["low"], row["high"]), words


KIND = Kind(
    name="correlation",
    title="Correlation",
    method=(
        "How closely each judge or rater follows the reference: over all items at once, within "
        "each recipient, within each recipient–content pair, and over the systems' means."
    ),
    formula=[
        "dataset: r over all items with both values.",
        "user: mean over recipients of r within the recipient.",
        "pair: mean over (recipient, content) of r within the pair, across systems.",
        "system: r of the systems' mean scores.",
        "r is Pearson's r, Spearman's ρ or Kendall's τ-b. average: mean over the questions.",
    ],
    source=(
        "Three-level meta-evaluation of explanation texts by LLMs (2024); coefficients equal "
        "scipy.stats.pearsonr, spearmanr and kendalltau (variant b)."
    ),
    options=CorrelationOptions,
    build=correlation,
    list_parts=list_parts,
    layout=layout,
    find=find,
    headline=headline,
)
