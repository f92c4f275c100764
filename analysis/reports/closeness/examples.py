"""Compare zero-shot, one-shot and personalised one-shot judges alike in everything else."""

from dataclasses import replace
from itertools import product

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, details, n_words
from analysis.reports.base import Report
from analysis.reports.closeness.correlation import CORRELATION, levels_of, wide_table
from analysis.reports.kind import ReportObject
from analysis.reports.shared.correlations import AVERAGE, LABELS, LEVELS
from analysis.reports.shared.findings import defined, with_interval
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.words import notes_beside

# Keys are those of Judge.Shots.
WORDS = {"zero": "zero-shot", "one": "one-shot", "personalised": "personalised one-shot"}
ORDER = [*WORDS]
say = notes_beside(__file__, "examples")


class Examples(ReportObject):
    """The rows of Correlation of the judges that differ in the example of their prompt alone."""

    name, title, options = "examples", "Examples in prompts", CorrelationOptions
    silent = "no two judges differ only in the example of their prompt"
    list_parts = CORRELATION.list_parts
    brief = CORRELATION.brief

    def build(self, answers, options, parts=None, **less):
        families = families_of(answers.designs, options.judges or answers.judges)
        judges = {judge: (name, shots) for name, own in families.items() for judge, shots in own}
        report = Report("examples", answers.study.slug, options.as_dict())
        if not judges:
            report.notes = [say("none")]
            return report
        everybody = CORRELATION.build(answers, replace(options, judges=(*judges,)), parts, **less)
        entries = [entry for entry in everybody.entries if entry.judge in judges]
        for entry in sorted(entries, key=lambda entry: [*judges].index(entry.judge)):
            family, shots = judges[entry.judge]
            row = {"family": family, "example": shots} | entry.row
            report.entries.append(replace(entry, row=row))
        report.notes = [say("family"), *everybody.notes]
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
            caption = (
                f"{family}: {words} at the {level} level by question, without an example and with "
                "one. Lines: 95 % intervals."
            )
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
        return (
            f"Of the judges that differ in the example, {rows[0]['evaluator']} "
            f"({WORDS[rows[0]['example']]}) follows people most closely: {LABELS[coefficient]} "
            f"{with_interval(rows[0], 'value')}, mean of the questions."
        )


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
    ordered = [sorted(own, key=lambda member: ORDER.index(member[1])) for own in alike.values()]
    return {own[0][0]: own for own in ordered if len({shots for _, shots in own}) > 1}


KIND = Examples().kind()
