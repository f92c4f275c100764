"""List the sections of a paper: when each of them can say something, and what it says.

A section is a row of SECTIONS. It reads what Results and the pages of reports keep, with their
usual options, so that its numbers are those of the pages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan

from django.http import QueryDict

from analysis.exports import codebook
from analysis.figures.forest import Dot, Forest
from analysis.paper import tables_of_reports as tables
from analysis.paper.blocks import Listing, Words
from analysis.reports.registry import REPORTS, has_judges
from analysis.reports.shared.correlations import LABELS
from analysis.reports.verdict.baselines import BASELINE
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.sentences import RATE
from analysis.serving.source import ReportForm, report_of
from analysis.serving.summaries import missing, results_of
from annotate.design.payment import pay_of
from judges.models import Judge, Judgment

COEFFICIENT = "pearson"


class Work:
    """What the sections of one paper share: the Source, Results, and the reports with options."""

    def __init__(self, source):
        self.source = source
        self.options: dict = {}  # {title of a report: its options}, of those that were read

    @property
    def results(self):
        """Return the kept Results."""
        return results_of(self.source)

    @property
    def questions(self):
        return self.source.reader.questions

    def report(self, name, part=None):
        """Return a report as its page shows it where no option is given; part: of its page."""
        kind = REPORTS[name]
        form = self._form(kind, {} if part is None else {kind.list_parts([]).name: part})
        self.options[kind.title] = form.options()
        return report_of(self.source, form, kind)

    def _form(self, kind, asked):
        """Return the valid form of a report's page on the source's part of the test split."""
        query = QueryDict(mutable=True)
        query.update(asked | {"part": self.source.reader.part})
        form = ReportForm(query, self.source, kind)
        if not form.is_valid():
            raise ValueError(f"{kind.name}: {'; '.join(form.errors_in_words())}")
        return form

    def name_verdict(self):
        """Note the options of the verdict, of which Results has the usual ones."""
        kind = REPORTS["verdict"]
        self.options[kind.title] = self._form(kind, {}).options()

    def reports(self, name, questions):
        """Return a report of each question."""
        return [self.report(name, question.key) for question in questions]


@dataclass(frozen=True)
class Section:
    """A part of a paper.

    about: what stands in it; make(work) returns its blocks; applies(source): whether this study has
    what it needs, of which `lacks` tells; is_usual: whether it is ticked where nobody chose.
    """

    name: str
    title: str
    about: str
    make: Callable
    applies: Callable
    lacks: str
    is_usual: bool = False


def _is_rated(source):
    return missing(source) is None


def _is_judged(source):
    return _is_rated(source) and has_judges(source.reader)


def _has_ordered(source):
    return _is_judged(source) and any(q.scale.is_ordered for q in source.reader.questions)


def _has_ends(source):
    return _has_ordered(source) and bool(_with_ends(source.reader.questions))


def _has_lists(source):
    return _is_judged(source) and bool(tables.choices_of_lists(source.reader.questions))


def _has_costs(source):
    """Tell whether a judge was asked here or came with prices, or a session has a pay."""
    if not _has_ordered(source):
        return False
    kinds = {kind for kind, _ in source.reader.judges.kinds.values()}
    if kinds - {Judge.Kind.IMPORTED} or pay_of(source.study):
        return True
    judgments = Judgment.objects.filter(run__judge__study=source.study)
    return judgments.filter(cost_usd__isnull=False).exists()


def _with_ends(questions):
    """Return the ordered questions on whose scale a rating counts as good."""
    return [q for q in questions if q.scale.is_ordered and q.scale.has_ends]


def _answer(work):
    results = work.results
    work.name_verdict()
    yield Words([*results.answer.sentences, results.people], leads=True)


def _leaderboard(work):
    work.name_verdict()
    yield tables.leaderboard(work.results)


def _agreement(work):
    measure = tables.usual_measure(work.questions)
    report = work.report("agreement", measure)
    yield tables.among_people(report)
    if has_judges(work.source.reader):
        yield tables.with_judges(report, measure, work.results.ranked)


def _correlation(work):
    report = work.report("correlation", COEFFICIENT)
    role = report.options["reference"]
    yield from tables.correlations(report, LABELS[COEFFICIENT], work.results.ranked, role)


def _areas(work):
    reports = work.reports("roc", _with_ends(work.questions))
    yield tables.areas(reports, work.results.ranked, reports[0].options["reference"])


def _biases(work):
    ordered_ones = [question for question in work.questions if question.scale.is_ordered]
    yield from tables.biases(work.reports("bias", ordered_ones), work.results.ranked)


def _costs(work):
    yield tables.costs(work.report("cost"))


def _lists(work):
    reports = work.reports("selection", tables.choices_of_lists(work.questions))
    yield tables.selections(reports, work.results.ranked)


def _figure(work):
    """Yield the forest plot of the leaderboard: agreement with a rater, question by question."""
    work.name_verdict()
    results = work.results
    entries = [e for e in results.verdict.entries if e.row["use"] == RATE]
    dots: dict = {}
    for entry in entries:
        if entry.kind in (JUDGE, BASELINE):
            row = entry.row
            ends = (row[f"agreement{end}"] for end in ("", "_low", "_high"))
            dots.setdefault(row["evaluator"], {})[row["question"]] = Dot(*ends)
    rows = [
        (line.name, line.kind == JUDGE, dots[line.name])
        for line in results.lines
        if any(not isnan(dot.value) for dot in dots.get(line.name, {}).values())
    ]
    if not any(is_judge for _, is_judge, _ in rows):
        return
    yield Forest(
        "agreement",
        "Agreement r of each judge with a rater, by question, with 95 % intervals; grey: what no "
        "insight would give; dashed: how far one rater agrees with another (ρ).",
        "Agreement r with a rater",
        results.questions,
        rows,
        {key: _of_raters(entries, key) for key in results.questions},
    )


def _of_raters(entries, question):
    """Return how far two raters agree on a question; NaN where that is undefined."""
    rows = [entry.row for entry in entries if entry.row["question"] == question]
    return rows[0]["rho"] if rows else nan


def _codebook(work):
    yield Listing("Questions", [(q.key, codebook.question_meaning(q)) for q in work.questions])
    judges = work.source.reader.judges
    models = {own["key"]: own for own in judges.settings}
    names: dict = {}
    for name, (kind, _) in judges.kinds.items():
        names.setdefault(_judge_in_words(kind, models.get(name)), []).append(name)
    if names:
        entries = [(", ".join(own), words) for words, own in names.items()]
        yield Listing("Judges", entries)


def _judge_in_words(kind, own):
    """Describe a judge by its kind, and an LLM by what it was asked with."""
    if own is None:
        return f"{Judge.Kind(kind).label}."
    facts = {
        "prompt": own["prompt"],
        "temperature": own["temperature"],
        "samples": own["samples"],
        "examples": own["shots"],
        "context": own["context"],
    }
    told = ", ".join(f"{name} {value}" for name, value in facts.items() if value not in (None, ""))
    return f"{own['endpoint__model']}; {told}."


RATED = "ratings that count"
JUDGED = "ratings that count and a judge that has run"
SECTIONS = (
    Section(
        "answer",
        "Answer",
        "the verdict in sentences, and how far raters agree",
        _answer,
        _is_rated,
        RATED,
        True,
    ),
    Section(
        "leaderboard",
        "Judges by rank",
        "each judge’s verdict by question, agreement, price",
        _leaderboard,
        _is_judged,
        JUDGED,
        True,
    ),
    Section(
        "agreement",
        "Agreement",
        "among people by several coefficients, and with each judge as one more rater",
        _agreement,
        _is_rated,
        RATED,
        True,
    ),
    Section(
        "correlation",
        "Correlation",
        "Pearson’s r of judges with people, judges × questions, at each level",
        _correlation,
        _has_ordered,
        f"{JUDGED}, on an ordered scale",
    ),
    Section(
        "yes_no",
        "Yes or no",
        "area under the ROC curve, judges × questions",
        _areas,
        _has_ends,
        f"{JUDGED}, on an ordered scale with ends",
    ),
    Section(
        "bias",
        "Bias",
        "mean of judge less people, and its slope on length, judges × questions",
        _biases,
        _has_ordered,
        f"{JUDGED}, on an ordered scale",
    ),
    Section(
        "lists",
        "Choices between lists",
        "model selection agreement, judges × questions",
        _lists,
        _has_lists,
        "a question that chooses between two lists",
    ),
    Section(
        "cost",
        "Cost",
        "what an item costs with each judge and with people",
        _costs,
        _has_costs,
        "a judge that was asked here or came with prices, or a session’s pay",
    ),
    Section(
        "figure",
        "Figure",
        "agreement of each judge with a rater, a panel for each question",
        _figure,
        _is_judged,
        JUDGED,
        True,
    ),
    Section(
        "methods",
        "Methods",
        "what was done with which options, with citations and references",
        lambda work: (),  # build.py writes it last, of what the others have read
        _is_rated,
        RATED,
        True,
    ),
    Section(
        "codebook",
        "Codebook",
        "the questions with their scales, and the judges with their settings",
        _codebook,
        lambda source: bool(source.reader.questions),
        "a question",
        True,
    ),
)
BY_NAME = {section.name: section for section in SECTIONS}


def offered(source):
    """Return the sections that this study has something to say in."""
    return [section for section in SECTIONS if section.applies(source)]
