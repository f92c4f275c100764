"""List, for files, what other reports say of each judge and question; its page is the verdict's."""

from math import nan

import numpy as np

from analysis.answers.perturbed import Perturbed
from analysis.figures.layout import Layout
from analysis.reports.base import Report, reason_notes
from analysis.reports.bias.bias import BIAS, SYSTEMS
from analysis.reports.bias.robustness import EVERY, ROBUSTNESS, TEST
from analysis.reports.kind import ReportObject, of_questions
from analysis.reports.prediction_powered.report import EVERYTHING, MEAN, MEANS_OF_PEOPLE
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.options import SubstitutionOptions
from analysis.reports.verdict.substitution import SUBSTITUTION
from analysis.stats.replacement.substitution import FEWEST_ITEMS

ENDS = ("value", "low", "high", "n")
TESTED = ("advantage_probability", "low", "high", "n")
PASSES = {True: "passed", False: "not passed", None: "not tested"}


class Overview(ReportObject):
    """A row for each judge, question and figure: how it does in the published test, and numbers."""

    name, title, options = "overview", "Judges at a glance", SubstitutionOptions
    method = "The numbers of other reports on each judge and question, in one table."
    formula = [
        "place: the alternative annotator test of Substitution; ceiling: the judge's r less "
        "people's; worth: n_effective of Prediction-powered means; kindness: the mean of judge − "
        "people of Bias; robust: Robustness, where it was tested."
    ]
    source = "as in Substitution, Prediction-powered means, Bias and Robustness."
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    layout = staticmethod(lambda report, question, looks: Layout([], []))
    headline = staticmethod(lambda answers, options, judges: ("", "see the verdict"))
    instead = staticmethod(lambda reader: "verdict")
    watch = Perturbed.known_by
    no_figure = "its page is the verdict's"

    def build(self, answers, options, questions=None):
        scores = Scores(answers, options)
        report = Report(self.name, answers.study.slug, options.as_dict())
        tests = SUBSTITUTION.build(answers, options)
        _add_tests(report, scores, tests)
        report.notes = [*policy_notes(scores, compared=False)[:1], *tests.notes[1:]]
        if not scores.judges:
            report.notes.append("No judge has scored an item.")
            return report
        of_ceiling = ("difference", "difference_low", "difference_high", "ceiling_n")
        for entry in tests.entries:
            if not questions or entry.row["question"] in questions:
                _add(report, "ceiling", entry, of_ceiling)
        for figure, entry, keys in _entries_of_others(answers, options, questions):
            if entry.judge in scores.judges:
                _add(report, figure, entry, keys)
        report.notes += reason_notes(report, ["evaluator", "question", "figure"])
        return report


def _entries_of_others(answers, options, questions):
    """Yield (figure, entry, the keys of its numbers) of the reports beside Substitution."""
    for entry in MEANS_OF_PEOPLE.build(answers, options, questions).entries:
        if (entry.row["system"], entry.row["method"]) == (EVERYTHING, MEAN):
            yield "worth", entry, ("n_effective", "", "", "n")
    for entry in BIAS.build(answers, options, questions, biases=(SYSTEMS,)).entries:
        if entry.row["group"] in ("all", ""):
            yield "kindness", entry, ENDS
    tested: dict = {}  # over all relations together, or of the only one
    for entry in TEST.build(answers, options, questions).entries:
        place = entry.judge, entry.row["question"]
        is_first = entry.row["relation"] == EVERY or place not in tested
        if entry.row["measure"] == ROBUSTNESS and is_first:
            tested[place] = entry
    for entry in tested.values():
        yield "robust", entry, ENDS


def _add(report, figure, entry, keys):
    """Add a row with the numbers of another report's entry: value, low, high and n by its keys."""
    numbers = [entry.row.get(key, nan) for key in keys]
    _add_row(report, entry.judge, entry.row["question"], figure, numbers, why=entry.reason)


def _add_row(report, judge, question, figure, numbers, verdict="", why=""):
    row = {"evaluator": judge, "question": question, "figure": figure}
    row |= {**dict(zip(ENDS, numbers, strict=True)), "verdict": verdict, "why": why}
    report.add(row, reason=why, judge=judge, kind="judge")


def _add_tests(report, scores, tests):
    """Add a row for each judge and question; without a test it says why."""
    entries = {(entry.judge, entry.row["question"]): entry for entry in tests.entries}
    role = scores.options.reference
    for judge in scores.judges:
        for place, question in enumerate(scores.questions):
            if not question.scale.has_values:
                continue
            entry = entries.get((judge, question.key))
            passes = entry.row["passes"] if entry else None
            numbers = [entry.row[key] for key in TESTED] if entry else [nan, nan, nan, 0]
            why = _why(scores, judge, place, role, entry) if passes is None else ""
            _add_row(report, judge, question.key, "place", numbers, PASSES[passes], why)


def _why(scores, judge, place, role, entry):
    """Say what is missing for a test."""
    n_raters = len(scores.raters_of(role))
    if not len(scores.answered(judge)):
        return "the judge has no value on any item: run it again, or see why it failed"
    if n_raters < 2:
        return f"{n_raters} rater: a second one has to rate the same items"
    if entry is None:
        return "the judge has a scale of its own, on which it cannot be tested against a rater"
    is_rated = (~np.isnan(scores.ratings(place, role))).sum(axis=1) > 1
    n = int((~np.isnan(scores.judge(judge)[:, place]) & is_rated).sum())
    if n < FEWEST_ITEMS:
        return (
            f"{n} items have two ratings and a judgment; a rater is tested from {FEWEST_ITEMS} on, "
            f"so at least {FEWEST_ITEMS - n} more are needed"
        )
    return entry.reason or "no rater is tested"


KIND = Overview().kind()
