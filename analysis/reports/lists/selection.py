"""Measure whether a judge prefers the same list as people, and sees what does not fit at all."""

from dataclasses import dataclass, replace
from math import isnan, nan

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, cell_of, interval_cell, listing
from analysis.options.declare import choice
from analysis.reports.base import columns_of
from analysis.reports.lists.engine import ListsReport
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.words import notes_beside
from analysis.stats.classification.classification import at_least
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.selection import misfit_precision, misfit_recall, model_selection

say = notes_beside(__file__, "selection")


@dataclass(frozen=True)
class Compared:
    """What rows of one sort of question say.

    label, what: the main number in short and in full; keys: its columns of the row, its ends and n;
    does: what the first judge does; about, headings: of the table, {heading: function of an entry}.
    """

    label: str
    what: str
    keys: tuple
    does: str
    about: str
    headings: dict

    def as_value(self, entry):
        """Return the entry with its main number as the value."""
        names = zip(("value", "low", "high", "n"), self.keys, strict=True)
        return replace(entry, row=entry.row | {name: entry.row[key] for name, key in names})


LISTS = Compared(
    "MSA",
    "Model selection agreement",
    ("msa", "low", "high", "n"),
    "most often prefers, of two lists, the one that people prefer",
    "Choices between lists",
    {
        "MSA": cell_of,
        "W / T / L": lambda entry: "{wins} / {ties} / {losses}".format(**entry.row),
        "W / n": lambda entry: _cell(entry, "win_share"),
        "Ties of one side": lambda entry: _cell(entry, "one_sided_ties"),
        "Pairs of lists": lambda entry: entry.row["n"],
    },
)
MISFITS = Compared(
    "RSM",
    "Rate of strong misalignment",
    ("rsm", "rsm_low", "rsm_high", "rsm_n"),
    "sees most of the items that people find badly misaligned",
    "Strong misfits",
    {
        "RSM": cell_of,
        "Strong misfits": lambda entry: entry.row["n"],
        "Precision": lambda entry: _cell(entry, "rsm_precision"),
        "Called misfits": lambda entry: entry.row["rsm_precision_n"],
    },
)
_NONE = Estimate(nan)
COUNTS = ("wins", "ties", "losses")
OF_LISTS = ("msa", *COUNTS, *columns_of("win_share", _NONE), *columns_of("one_sided_ties", _NONE))
OF_MISFITS = (*columns_of("rsm", _NONE), "rsm_n", *columns_of("rsm_precision", _NONE))
COLUMNS = (*OF_LISTS, "n", "low", "high", *OF_MISFITS, "rsm_precision_n")


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(YesNoOptions):
    """Options of the choice of lists. strong: how many of the lowest ratings are strong misfits."""

    strong: int = choice(
        1,
        "Strong misfits",
        "1 (default) or 2, how many of the lowest ratings are strong misfits",
        [(1, "the lowest"), (2, "the two lowest")],
    )


class Selection(ListsReport):
    """Agreement on choices between lists, and misfits of Likert questions: a row for either."""

    name, title, options = "selection", "Selection", SelectionOptions
    nothing = "no question is a choice of lists or a Likert scale"

    def takes(self, question):
        return question.scale.has_graded_points or tie_of(question) is not None

    def compare(self, report, scores, pairs, labels, majorities):
        for pair in pairs:
            evaluator, question, values = pair.evaluator, pair.question, pair.values
            own = labels.verdict(evaluator.name, question)
            if own is None and not labels.fits(evaluator.name, values, question):
                continue
            if tie_of(question) is None:
                misfit = misfits_of(evaluator.name, values, question, scores.options, labels)
                strongly = float(strongly_of(question, scores.options))
                both, how = (pair.reference, misfit), scores.resampling() | {"strongly": strongly}
                recall, precision = misfit_recall(*both, **how), misfit_precision(*both, **how)
                shown = {"rsm": recall, "rsm_precision": precision}
                counts = {"rsm_n": recall.n, "rsm_precision_n": precision.n}
            else:
                judge = labels.labels(evaluator.name, values, question)
                human = majorities.labels_for(evaluator, pair.place)
                agreement = model_selection(human, judge, tie_of(question), **scores.resampling())
                names = "msa", "win_share", "one_sided_ties"
                shown = {name: getattr(agreement, name) for name in names}
                counts = {name: getattr(agreement, name) for name in COUNTS}
                counts |= {
                    "n": agreement.msa.n,
                    "low": agreement.msa.low,
                    "high": agreement.msa.high,
                }
            for name, estimate in shown.items():
                counts |= columns_of(name, estimate)
            report.add(
                {"evaluator": evaluator.name, "question": question.key}
                | {name: counts.get(name) for name in COLUMNS},
                shown,
                **evaluator.facts,
            )

    def list_notes(self, questions, options):
        likert = [question for question in questions if tie_of(question) is None]
        if len(likert) < len(questions):
            yield say("lists")
        for question in likert:
            case = "lowest" if options.strong == 1 else "two_lowest"
            cuts = {"most": strongly_of(question, options), "cut": _misfit_below(question, options)}
            yield say(case, question=question.key, **cuts)
        if not questions:
            yield say("nothing")

    def layout(self, report, question, looks):
        """Return the page of one question: its choices between lists, or its misfits."""
        own = _compared(report)
        entries = [own.as_value(entry) for entry in report.entries]
        entries.sort(key=lambda entry: (isnan(v := entry.row["value"]), -v))
        caption = f"{own.what} for {question}. Lines: 95 % intervals."
        drawn = entries, "evaluator", "question", looks, own.label
        figures = dot_figure("selection", caption, *drawn, unit_interval=True)
        names = [entry.row["evaluator"] for entry in entries]
        table = listing(f"{own.about} for {question}.", "Evaluator", names, entries, own.headings)
        return Layout(figures, [table])

    def find(self, report, question):
        """Say which judge prefers people's list of two most often, or sees most of the misfits."""
        own = _compared(report)
        main = replace(report, entries=[own.as_value(entry) for entry in report.entries])
        measure = f"{own.what.lower()} ({own.label}), on {question},"
        return first_judge(main, "value", own.does, measure, question=question)


def misfits_of(name, values, question, options, labels):
    """Return 1 (N,) where an evaluator's value says misfit, else 0; NaN where it is missing."""
    own = labels.verdict(name, question)
    return own.misfits(values) if own else 1 - at_least(values, _misfit_below(question, options))


def strongly_of(question, options):
    """Return the mean rating from which downwards an item is strongly misaligned."""
    return question.scale.low + options.strong - 1


def _misfit_below(question, options):
    """Return the value below which a judge says misfit: the threshold, else the scale's middle."""
    middle = (question.scale.low + question.scale.high) / 2
    return middle if options.threshold is None else options.threshold


def _compared(report):
    """Return what the rows of one question say."""
    return LISTS if any(row["n"] is not None for row in report.rows) else MISFITS


def _cell(entry, name):
    return replace(interval_cell(entry.row, name), reason=entry.reason)


SELECTION = Selection()
KIND = SELECTION.kind()
