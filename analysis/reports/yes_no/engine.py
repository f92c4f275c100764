"""What reports on yes or no share: who is compared at which cut, their notes, page and headline."""

from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from analysis.figures import curves
from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, listing, n_words
from analysis.reports.base import Report
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.findings import first_judge
from analysis.reports.shared.labels import positive_from
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import YesNoOptions
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.reports.verdict.baselines import grey_words, keep_baselines, with_grey
from analysis.reports.words import notes_beside
from analysis.stats.classification.classification import at_least

say = notes_beside(__file__, "thresholds_of_people")


@dataclass(frozen=True)
class Pair:
    """One evaluator on one question; cut: the least mean rating that is positive."""

    scores: Scores
    evaluator: Evaluator
    place: int
    cut: float

    @property
    def question(self):
        return self.scores.questions[self.place]

    @property
    def values(self):
        """The evaluator's values (items,)."""
        return self.evaluator.values[:, self.place]

    @property
    def reference(self):
        """People's means (items,)."""
        return self.evaluator.reference[:, self.place]

    @property
    def positive(self):
        """Whether people find each item good (items,): 1 or 0, NaN without a reference."""
        return at_least(self.reference, self.cut)

    @property
    def positives(self):
        """How many of the items with a value of the evaluator people find good."""
        return int(np.nansum(self.positive[~np.isnan(self.values)]))


def pairs_of(scores, cuts, compared=None):
    """Yield the Pair of each evaluator and question with a cut."""
    for evaluator in evaluators(scores) if compared is None else compared:
        for place, cut in cuts.items():
            if cut is not None:
                yield Pair(scores, evaluator, place, cut)


class YesNoReport(MeasuredReport):
    """One report on yes or no.

    main: key of the number that is compared; label: its name in a sentence. what: the thing that a
    question without a threshold has none of; does: what the judge with the largest number does.
    """

    options = YesNoOptions
    list_parts = staticmethod(of_questions(lambda scale: scale.is_ordered))
    main, what = "value", "curve"
    named_by: tuple = ("evaluator", "question")
    brief = {"is_page": False}

    def measure(self, report, scores, questions, is_page=True):
        """Add the rows. is_page: false where only the finding is read, of the main numbers."""
        ordered = {
            place: question
            for place, question in enumerate(scores.questions)
            if question.scale.is_ordered and (not questions or question.key in questions)
        }
        cuts = {place: positive_from(q, scores.options.threshold) for place, q in ordered.items()}
        given = [
            f"{ordered[place].key} ≥ {cut:g}" for place, cut in cuts.items() if cut is not None
        ]
        missing = [ordered[place].key for place, cut in cuts.items() if cut is None]
        return [
            *policy_notes(scores),
            *([] if ordered else [say("no_order", what=self.what)]),
            *([say("positive", cuts=", ".join(given))] if given else []),
            *([say("no_cut", what=self.what, keys=", ".join(missing))] if missing else []),
            *self.judge_items(report, scores, cuts, is_page),
            interval_note(scores),
        ]

    def judge_items(self, report, scores, cuts, is_page):
        """Add the rows of the questions with a cut, {place: cut}; return the report's own notes."""
        raise NotImplementedError

    def add(self, report, pair, estimate, first=None, last=None, item=0):
        """Add the row of one number. first, last: what stands before and after it in the row."""
        report.add(
            {"evaluator": pair.evaluator.name, "question": pair.question.key}
            | ({"threshold": pair.cut} if first is None else first)
            | {self.main: estimate.value, "low": estimate.low, "high": estimate.high}
            | ({"n": estimate.n} if last is None else last),
            {self.main: estimate},
            item=item,
            **pair.evaluator.facts,
        )

    def main_entries(self, report):
        """Return the entries with the numbers that are compared, one for each evaluator."""
        return report.entries

    def ranked(self, report):
        """Return the main entries, the largest number first, undefined ones last."""
        return sorted(self.main_entries(report), key=lambda e: (isnan(v := e.row[self.main]), -v))

    def find(self, report, question):
        """Say which judge is best, beside raters."""
        main = replace(report, entries=self.main_entries(report))
        measure = f"{self.label} on {question}"
        return first_judge(main, self.main, self.does, measure, question=question)


class CurveReport(YesNoReport):
    """A report with a curve and an area for each evaluator, baselines grey beside them.

    add_area(report, pair) adds the row of the area at the pair's threshold. curve(values, positive)
    computes a curve and plot draws them; curve_words, beside: what they are called in their
    caption, and the number beside a name; area: what the table is of; look: options of the areas'
    dots; columns: {heading: function of an entry} of the table.
    """

    def add_more(self, report, pair):
        """Add what a page shows beside the area."""

    def add_curve(self, report, pair):
        report.curves[pair.evaluator.name, pair.question.key] = self.curve(
            pair.values, pair.positive
        )
        self.add_area(report, pair)

    def judge_items(self, report, scores, cuts, is_page):
        for pair in pairs_of(scores, cuts):
            self.add_curve(report, pair)
            if is_page:
                self.add_more(report, pair)
        if is_page:
            drawn = Report(self.name, "", {}, curves=report.curves)

            def entries_of(plain, baselines):
                for pair in pairs_of(plain, cuts, baselines):
                    self.add_curve(drawn, pair)
                return drawn.entries

            keep_baselines(report, scores, entries_of)
        return []

    def layout(self, report, question, looks):
        """Return the page of one question: curves, areas, and the tables."""
        entries = self._as_values(self.ranked(report))
        label = self.label[0].upper() + self.label[1:]
        shown, grey, words = with_grey(report, entries, lambda row: row["question"] == question)
        shown, grey = self._as_values(shown), self._as_values(grey)
        title = f"{label} ({n_words(entries)})"
        figures = [
            Figure(
                self.name.replace("_", "-"),
                f"{self.curve_words} for {question}: the {curves.MOST_CURVES} largest areas at "
                f"most, the {self.beside} beside each name{self.about_curves(report)}."
                f"{grey_words(report, grey, of_metrics=False)}",
                self.plot(report, entries, question, looks, grey),
            ),
            Figure(
                self.main.replace("_", "-"),
                f"{label} for {question}. Lines: 95 % intervals.{words}",
                dots(shown, "evaluator", "question", looks, title, **self.look),
            ),
        ]
        names, caption = [e.row["evaluator"] for e in entries], f"{self.area} for {question}."
        table = listing(caption, "Evaluator", names, entries, self.columns)
        drawn = any(not isnan(entry.row["value"]) for entry in entries)
        return Layout(figures if drawn else [], [table, *self.more_tables(report, question)])

    def _as_values(self, entries):
        return [replace(e, row=e.row | {"value": e.row[self.main]}) for e in entries]

    def about_curves(self, report):
        """Return what the curves' caption says in addition."""
        return ""

    def more_tables(self, report, question):
        """Return the tables below the first."""
        return []


def positive_words(entry):
    """Write from which rating on an item is positive."""
    return f"≥ {entry.row['threshold']:g}"
