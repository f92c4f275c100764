"""Compare zero-shot, one-shot and personalised one-shot judges alike in everything else."""

from dataclasses import replace
from itertools import product
from math import isnan

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, details, n_words
from analysis.reports.base import Report
from analysis.reports.closeness.correlation import CORRELATION, levels_of, wide_table
from analysis.reports.closeness.engine import number_and_ends
from analysis.reports.kind import NO_JUDGE, ReportObject, no_value
from analysis.reports.shared.correlations import AVERAGE, LABELS
from analysis.reports.shared.options import CorrelationOptions

# Keys are those of Judge.Shots.
WORDS = {"zero": "zero-shot", "one": "one-shot", "personalised": "personalised one-shot"}
ORDER = [*WORDS]


class Examples(ReportObject):
    """The rows of Correlation of the judges that differ in the example of their prompt alone."""

    name, title, options = "examples", "Examples in prompts", CorrelationOptions
    list_parts = CORRELATION.list_parts

    def build(self, answers, options, parts=None):
        families = families_of(answers.designs, options.judges or answers.judges)
        judges = {judge: (name, shots) for name, own in families.items() for judge, shots in own}
        report = Report("examples", answers.study.slug, options.as_dict())
        if not judges:
            report.notes = [
                "No two LLM judges with answers differ in nothing but the example that their "
                "prompt shows (none, one, or one of the same recipient)."
            ]
            return report
        everybody = CORRELATION.build(answers, replace(options, judges=tuple(judges)), parts)
        entries = [entry for entry in everybody.entries if entry.judge in judges]
        for entry in sorted(entries, key=lambda entry: [*judges].index(entry.judge)):
            family, shots = judges[entry.judge]
            row = {"family": family, "example": shots} | entry.row
            report.entries.append(replace(entry, row=row))
        report.notes = [
            "A family: judges of one endpoint, prompt and settings that differ in the example "
            "alone (who rated it, whether it is held out, and its seed may differ); its name is "
            "that of its first judge.",
            *everybody.notes,
        ]
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

    def headline(self, answers, options, judges):
        """Return the largest Pearson r among judges that differ in the example."""
        if not judges:
            return NO_JUDGE
        if not families_of(answers.designs, judges):
            return no_value("no two judges differ only in the example of their prompt")
        rows = self.build(answers, options, ["pearson dataset"]).rows
        rows = [r for r in rows if r["question"] == AVERAGE and not isnan(r["value"])]
        if not rows:
            return no_value("the correlation of every such judge is undefined")
        row = max(rows, key=lambda row: row["value"])
        words = (
            f"largest Pearson r among judges that differ in the example: {row['evaluator']}, "
            f"{WORDS[row['example']]}, mean of the questions"
        )
        return *number_and_ends(row), words


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
