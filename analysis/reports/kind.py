"""Describe a report to its pages, the index and the command: one Kind for each report."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from analysis.reports.words import NoFinding, texts_beside

OF_READERS = ("method", "formula", "source", "by_note", "no_figure")  # of about.yaml
NO_JUDGE = "no judge has scored an item yet"


@dataclass(frozen=True)
class Shown:
    """The parts of a report of which its page shows one: the form field, its label, its choices."""

    name: str
    label: str
    choices: list


@dataclass(frozen=True)
class Kind:
    """Everything that pages, the index and the command need to know of a report.

    options: the class of options that it takes.
    build(answers, options, parts) gives the Report, of all parts where none are named.
    list_parts(questions) is the choice of parts to show, the first being the usual one.
    layout(report, chosen, looks) is the page. headline(answers, options, judges) is, for the
    index, (its page's title, why it has none), one of them blank. find(report, chosen) is that
    title where the report has no verdict, "" where it finds nothing. stamp(study) is a text that
    changes with what the report reads in addition to the answers; watch(reader) the same for a
    report that knows by the frames.Reader whether there is anything to read. no_figure: why its
    page never has a figure, blank where it has. needs_ratings: whether it says nothing without
    items and ratings.
    list_ways_on(study, report, question): what its page leads on to, as `_ways_on.html` shows it,
    or None; not a part of the report, which is kept. is_slow: whether a worker computes it, however
    few the answers are. by_note: what it says where each group of items has a report of its own.
    in_front: names of the options that stand open on its page, beside the part. instead(reader):
    the report whose page stands in the place of its own, by name; blank where it has its own.
    """

    name: str
    title: str
    method: str
    formula: list
    source: str
    options: type
    build: Callable
    list_parts: Callable
    layout: Callable
    headline: Callable
    find: Callable = lambda report, chosen: ""
    stamp: Callable = lambda study: ""
    watch: Callable | None = None
    no_figure: str = ""
    needs_ratings: bool = True
    is_slow: bool = False
    list_ways_on: Callable = lambda study, report, question: None
    by_note: str = ""
    in_front: tuple = ()
    instead: Callable = lambda reader: ""


class ReportObject:
    """A report as one object: its attributes and methods are named as the fields of its Kind.

    Fields that are texts for readers stand under its name in about.yaml of its folder.
    of_judges: whether it says nothing where no judge has scored; nothing: why a study has no part
    of it; silent: why nothing is found where no number says why; is_drawn: whether its headline
    needs intervals; brief: what `build` is told where only the finding is read.
    """

    of_judges, is_drawn = True, True
    nothing, silent = "no question has a scale with an order", "its page says why"
    brief: dict = {}

    def kind(self):
        """Return the Kind that pages, the index and the command read."""
        names = [field.name for field in fields(Kind) if hasattr(self, field.name)]
        return Kind(**_texts_of(self) | {name: getattr(self, name) for name in names})

    def find(self, report, chosen):
        """Return the page's title where the report has no verdict; "" where it finds nothing."""
        return ""

    def parts_of_finding(self, part):
        """Return the parts from which the finding on the usual part can be read."""
        return [part]

    def headline(self, answers, options, judges):
        """Return what the page has as its title, of the usual part; else why there is nothing."""
        parts = [part for part, _ in self.list_parts(answers.questions).choices]
        if self.of_judges and not judges:
            return "", NO_JUDGE
        if not parts:
            return "", self.nothing
        options = options if self.is_drawn else replace(options, draws=0)
        report = self.build(answers, options, self.parts_of_finding(parts[0]), **self.brief)
        finding, _ = finding_of(report, parts[0], self)
        if isinstance(finding, NoFinding):
            return "", finding
        why = next((entry.reason for entry in report.entries if entry.reason), self.silent)
        return finding, "" if finding else why


def _texts_of(report):
    texts = texts_beside(sys.modules[type(report).__module__].__file__).get(report.name, {})
    return {name: text for name, text in texts.items() if name in OF_READERS}


def finding_of(report, chosen, kind):
    """Return (the sentence that is the page's title, the others): of what the page shows, if any.

    Without a sentence, or where each group of items has its own, the title is blank.
    """
    if report.groups:
        return "", report.verdict
    if not report.verdict:
        return kind.find(report, chosen), []
    own = (sentence for sentence in report.verdict if sentence.startswith(f"{chosen}:"))
    title = next(own, report.verdict[0])
    return title, [sentence for sentence in report.verdict if sentence != title]


def of_questions(takes):
    """Return a list_parts function that offers the questions whose scale it takes(scale)."""

    def list_parts(questions):
        keys = [question.key for question in questions if takes(question.scale)]
        return Shown("question", "Question", [(key, key) for key in keys])

    return list_parts
