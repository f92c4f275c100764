"""Correlate evaluators with the reference: P0's table 1 for one coefficient, and figures of it."""

from functools import partial
from itertools import product

from analysis.figures.dots import dots
from analysis.figures.heat import question_heat_map
from analysis.figures.layout import (
    Figure,
    Layout,
    any_value,
    cell_of,
    cross_table,
    details,
    n_words,
    ranked,
)
from analysis.reports.base import Entry
from analysis.reports.closeness.engine import ClosenessReport
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import (
    AVERAGE,
    GROUPED,
    LABELS,
    LEVELS,
    comparable,
    correlate,
    question_notes,
)
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.verdict.baselines import keep_baselines, with_grey
from analysis.stats.ensembles.average import average


class Correlation(ClosenessReport):
    """A row for each evaluator, level, coefficient and question, the mean of the questions last."""

    name, title, options = "correlation", "Correlation", CorrelationOptions
    named_by, brief = ("evaluator", "question", "level"), {"levels": LEVELS[:1]}

    def list_parts(self, questions):
        return Shown("coefficient", "Coefficient", list(LABELS.items()))

    def compare(self, report, scores, parts, levels=LEVELS):
        """Add the rows; levels: fewer for a headline, which then has no baselines either."""
        places = comparable(scores)
        entries_of = partial(_entries, places=places, measures=[*product(levels, parts or LABELS)])
        report.entries += entries_of(scores, evaluators(scores))
        if levels == LEVELS:
            keep_baselines(report, scores, entries_of)
        notes = question_notes(scores, places)
        return scores, [*notes, "average: mean of the unrounded values of the questions."]

    def layout(self, report, coefficient, looks):
        words, levels = LABELS[coefficient], levels_of(report)
        drawn = [entry for entry in report.entries if entry.row["question"] == AVERAGE]
        what, size = "mean of the questions, ", f"{n_words(drawn)} {over_questions(report)}"
        if not any_value([entry.row for entry in drawn]):
            drawn, what, size = report.entries, "", n_words(report.entries)
        questions = {entry.row["question"] for entry in drawn}
        drawn, _, grey = with_grey(report, drawn, lambda row: row["question"] in questions)
        caption = f"{words} with the reference, {what}by level. Lines: 95 % intervals."
        chart = dots(drawn, "evaluator", "level", looks, f"{words} ({size})")
        figures = [Figure("levels", caption + grey, chart)]
        if levels:
            own = [entry for entry in report.entries if entry.row["level"] == levels[0]]
            sized = [entry for entry in own if entry.row["question"] != AVERAGE]
            caption = (
                f"{words} at the {levels[0]} level: evaluators in rows, questions in columns; blue "
                "follows the reference, orange contradicts it."
            )
            title = f"{words}, {levels[0]} level ({n_words(sized)})"
            figures.append(Figure("heat", caption, question_heat_map(own, title)))
        return Layout(figures, [wide_table(report, words)], *details(report))

    def find(self, report, coefficient):
        """Say which judge follows the reference most closely over all items."""
        keys = {entry.row["question"] for entry in report.entries} - {AVERAGE}
        question = [*keys][0] if len(keys) == 1 else AVERAGE
        where = question if len(keys) == 1 else f"mean of {len(keys)} questions"
        measure = f"{LABELS[coefficient]} with the reference ({where}, all items together)"
        wanted = {"coefficient": coefficient, "level": LEVELS[0], "question": question}
        return first_judge(report, "value", "follows people most closely", measure, **wanted)


def _entries(scores, compared, places, measures):
    keys = [scores.questions[place].key for place in places]
    for evaluator, (level, coefficient) in product(compared, measures):
        own = [correlate(scores, evaluator, place, level, coefficient) for place in places]
        means = {AVERAGE: average(own)} if own else {}
        for question, estimate in (dict(zip(keys, own, strict=True)) | means).items():
            about = {"evaluator": evaluator.name, "question": question}
            about |= {"level": level, "coefficient": coefficient}
            sizes = {"n": estimate.n, "groups": estimate.groups, "skipped": estimate.skipped}
            yield Entry.from_estimate(about, estimate, sizes, **evaluator.facts)


def levels_of(report):
    """Return the levels at which something has a value."""
    return [level for level in LEVELS if any_value(report.rows, level=level)]


def over_questions(report):
    """Return words for what the n of an average counts: values over all questions."""
    questions = {row["question"] for row in report.rows} - {AVERAGE}
    return f"values over {len(questions)} question{'' if len(questions) == 1 else 's'}"


def wide_table(report, words):
    """Return P0's table 1: a line per evaluator, a column per question and level."""
    levels, over = levels_of(report), over_questions(report)
    cells = {}
    for entry in report.entries:
        row = entry.row
        size = f"n = {row['n']:,}" + (f" {over}" if row["question"] == AVERAGE else "")
        if row["level"] in GROUPED and row["groups"]:
            size += f", {row['groups'] - row['skipped']:,} of {row['groups']:,} groups"
        cells[row["evaluator"], (row["question"], row["level"])] = cell_of(entry, size)
    questions = list(dict.fromkeys(row["question"] for row in report.rows))
    caption = f"{words} by question and level; the best of a column is bold, the second underlined."
    table = cross_table(caption, "Evaluator", cells, [*product(questions, levels)])
    table.headings = [level for _, level in table.headings]
    table.groups = [(question, len(levels)) for question in questions]
    ranked(table.lines)
    return table


CORRELATION = Correlation()
KIND = CORRELATION.kind()
