"""Correlate evaluators with the reference: P0's table 1 for one coefficient, and figures of it.

The same of judges that are alike but for the example in their prompt is a report of its own.
"""

from dataclasses import replace
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
from analysis.reports.base import Entry, Report
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
from analysis.reports.shared.findings import defined, first_judge, with_interval
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.verdict.baselines import keep_baselines, with_grey
from analysis.reports.words import notes_beside
from analysis.stats.ensembles.average import average

# Keys are those of Judge.Shots.
WORDS = {"zero": "zero-shot", "one": "one-shot", "personalised": "personalised one-shot"}
say, say_example = (notes_beside(__file__, name) for name in ("correlation", "examples"))


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
        return scores, [*notes, say("average")]

    def layout(self, report, coefficient, looks):
        words, levels = LABELS[coefficient], levels_of(report)
        drawn = [entry for entry in report.entries if entry.row["question"] == AVERAGE]
        what, size = "mean of the questions, ", f"{n_words(drawn)} {over_questions(report)}"
        if not any_value([entry.row for entry in drawn]):
            drawn, what, size = report.entries, "", n_words(report.entries)
        questions = {entry.row["question"] for entry in drawn}
        drawn, _, grey = with_grey(report, drawn, lambda row: row["question"] in questions)
        caption = say("levels", words=words, what=what) + grey
        chart = dots(drawn, "evaluator", "level", looks, f"{words} ({size})")
        figures = [Figure("levels", caption, chart)]
        if levels:
            own = [entry for entry in report.entries if entry.row["level"] == levels[0]]
            sized = [entry for entry in own if entry.row["question"] != AVERAGE]
            caption = say("heat", words=words, level=levels[0])
            title = f"{words}, {levels[0]} level ({n_words(sized)})"
            figures.append(Figure("heat", caption, question_heat_map(own, title)))
        return Layout(figures, [wide_table(report, words)], *details(report))

    def find(self, report, coefficient):
        """Say which judge follows the reference most closely over all items."""
        keys = {entry.row["question"] for entry in report.entries} - {AVERAGE}
        question = [*keys][0] if len(keys) == 1 else AVERAGE
        where = question if len(keys) == 1 else f"mean of {len(keys)} questions"
        measure = say("measure", coefficient=LABELS[coefficient], where=where)
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
    caption = say("table", words=words)
    table = cross_table(caption, "Evaluator", cells, [*product(questions, levels)])
    table.headings = [level for _, level in table.headings]
    table.groups = [(question, len(levels)) for question in questions]
    ranked(table.lines)
    return table


CORRELATION = Correlation()
KIND = CORRELATION.kind()


class Examples(Correlation):
    """The rows of Correlation of the judges that differ in the example of their prompt alone."""

    name, title = "examples", "Examples in prompts"
    silent = "no two judges differ only in the example of their prompt"

    def build(self, answers, options, parts=None, **less):
        families = families_of(answers.designs, options.judges or answers.judges)
        judges = {judge: (name, shots) for name, own in families.items() for judge, shots in own}
        report = Report("examples", answers.study.slug, options.as_dict())
        if not judges:
            report.notes = [say_example("none")]
            return report
        everybody = CORRELATION.build(answers, replace(options, judges=(*judges,)), parts, **less)
        entries = [entry for entry in everybody.entries if entry.judge in judges]
        for entry in sorted(entries, key=lambda entry: [*judges].index(entry.judge)):
            family, shots = judges[entry.judge]
            row = {"family": family, "example": shots} | entry.row
            report.entries.append(replace(entry, row=row))
        report.notes = [say_example("family"), *everybody.notes]
        return report

    def layout(self, report, coefficient, looks):
        """Return a figure per family and level, a line a question, and the wide table."""
        words, figures = LABELS[coefficient], []
        entries = [_with(e, example=WORDS[e.row["example"]]) for e in report.entries]
        families = list(dict.fromkeys(row["family"] for row in report.rows))
        for family, level in product(families, levels_of(report)):
            own = [e for e in entries if (e.row["family"], e.row["level"]) == (family, level)]
            sized = [entry for entry in own if entry.row["question"] != AVERAGE]
            plot = dots(own, "question", "example", looks, f"{words}, {level} ({n_words(sized)})")
            caption = say_example("figure", family=family, words=words, level=level)
            key = f"examples-{families.index(family) + 1}-{level}"
            figures.append(Figure(key, caption, plot))
        named = [_with(e, evaluator=f"{e.row['evaluator']} ({e.row['example']})") for e in entries]
        tables = [wide_table(replace(report, entries=named), words)] if named else []
        return Layout(figures, tables, *details(report))

    def find(self, report, coefficient):
        """Say which judge of those that differ in the example follows people most closely."""
        rows = [row for row in report.rows if row["question"] == AVERAGE]
        rows = defined([row for row in rows if row["level"] == LEVELS[0]], "value")
        if not rows:
            return ""
        value = with_interval(rows[0], "value")
        facts = {"shots": WORDS[rows[0]["example"]], "words": LABELS[coefficient], "value": value}
        return say_example("closest", name=rows[0]["evaluator"], **facts)


def _with(entry, **changes):
    return replace(entry, row=entry.row | changes)


def families_of(designs, judges):
    """Return {family: [(judge, its example)] by example} of those with several examples.

    designs: {judge: (its example, its other settings)}; judges: names of those that count.
    """
    alike: dict[tuple, list] = {}
    for judge in judges:
        if judge in designs:
            shots, settings = designs[judge]
            alike.setdefault(tuple(settings), []).append((judge, str(shots)))
    ordered = [sorted(own, key=lambda member: [*WORDS].index(member[1])) for own in alike.values()]
    return {own[0][0]: own for own in ordered if len({shots for _, shots in own}) > 1}


EXAMPLES = Examples().kind()
