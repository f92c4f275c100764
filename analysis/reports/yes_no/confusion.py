"""Count which label people gave to items, and which the judge gave."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.figures.heat import MOST_MATRICES, confusion_matrices
from analysis.figures.layout import Cell, Figure, Layout, Matrix, interval_cell
from analysis.reports.base import columns_of
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import MOST_LABELS, LabelNotes, labels_of, positive_from
from analysis.reports.shared.list_pairs import tie_of, verdicts_of_parts
from analysis.reports.shared.scores import Evaluator
from analysis.reports.words import notes_beside
from analysis.reports.yes_no.engine import YesNoReport, pairs_of
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.row_shares import row_shares
from analysis.stats.intervals.clustered_mean import clustered_mean

say = notes_beside(__file__, "confusion")


class Confusion(YesNoReport):
    """A matrix per evaluator and question: rows people, columns the evaluator.

    Likert: the whole scale, or two labels where a threshold is given. Yes/no: two labels.
    Choice: the majority of the raters.
    """

    name, title = "confusion", "Confusion matrices"
    main, label = "agreement", "share of items with people's answer"
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    nothing = "no question has labels that can be counted"
    does = "agrees with people most often"

    def measure(self, report, scores, questions, is_page=True):
        threshold, own_scale = scores.options.threshold, scores.answers.own_scale
        labels = LabelNotes(scores.options.missing_judgment, own_scale)
        majorities = Majorities(scores)
        wanted = {
            place: question
            for place, question in enumerate(scores.questions)
            if question.scale.has_values and (not questions or question.key in questions)
        }
        # Here no question lacks a cut: of a pair only the two sides are read.
        for pair in pairs_of(scores, dict.fromkeys(wanted, nan)):
            people, question = pair.reference, pair.question
            if question.scale.is_nominal:
                people = majorities.labels_for(pair.evaluator, pair.place)
            name = pair.evaluator.name
            sides = sides_of(name, pair.values, people, question, threshold, labels)
            if sides is not None:
                _add_row(report, scores, pair.evaluator, question, sides)
        n_rows = len(report.rows)
        for place, question in wanted.items():
            if tie_of(question) is not None:
                _add_verdicts_of_parts(report, scores, place, labels, majorities)
        shown = {row["question"] for row in report.rows}
        lacking = [
            say("many_points" if labels_of(q) else "not_listed", question=q.key, most=MOST_LABELS)
            for q in wanted.values()
            if q.key not in shown and not has_labels(q, threshold)
        ]
        return [
            *policy_notes(scores),
            say("rounded" if threshold is None else "two_labels", cut=threshold),
            *lacking,
            *([say("parts")] if len(report.rows) > n_rows else []),
            *labels.sentences(),
            *majorities.sentences(),
            say("shares"),
            interval_note(scores),
        ]

    def layout(self, report, question, looks):
        """Return the page of one question: its matrices as a figure and as tables."""
        entries = [entry for entry in report.entries if entry.row["n"]]
        figure = Figure(
            "confusion",
            f"Answers to {question}: people in rows, the evaluator in columns; numbers are items, "
            f"shades their share of the row. The first {MOST_MATRICES} at most.",
            confusion_matrices(entries),
        )
        matrices = [_matrix(entry) for entry in report.entries]
        return Layout([figure] if entries else [], [], matrices=matrices)

    def main_entries(self, report):
        """Return the entries that have items, with the interval of the agreement."""
        own = [entry for entry in report.entries if entry.row["n"]]
        return [replace(e, row=e.row | interval_cell(e.row, self.main).row) for e in own]


def _matrix(entry):
    row = entry.row
    tables = (row[name] for name in ("matrix", "shares", "shares_low", "shares_high"))
    lines = []
    for label, *line in zip(row["labels"], *tables, strict=True):
        cells = [
            (count, Cell({"low": low, "high": high}, share))
            for count, share, low, high in zip(*line, strict=True)
        ]
        lines.append((label, cells, sum(line[0])))
    agreeing = sum(line[place] for place, line in enumerate(row["matrix"]))
    agreement = replace(interval_cell(row, "agreement"), reason=entry.reason)
    reason = "" if row["n"] else entry.reason
    return Matrix(row["evaluator"], row["labels"], lines, row["n"], agreeing, agreement, reason)


def has_labels(question, threshold):
    """Return whether answers have labels that a matrix can count; with a threshold there are two.

    A judge of fit has two labels for every question.
    """
    if threshold is not None:
        return question.scale.has_values
    return 0 < len(labels_of(question)) <= MOST_LABELS


def _add_row(report, scores, evaluator, question, sides, judge_name=None):
    human, judge, points, names = sides
    table = row_shares(human, judge, points, **scores.resampling())
    has_both = ~np.isnan(human) & ~np.isnan(judge)
    same = clustered_mean(
        np.where(has_both, human == judge, nan), is_share=True, **scores.resampling()
    )
    row = {"evaluator": evaluator.name, "question": question.key, "labels": names}
    row["matrix"] = table.matrix.tolist()
    shares = {"shares": table.shares, "shares_low": table.low, "shares_high": table.high}
    for name, own in shares.items():
        row[name] = np.where(np.isnan(own), None, own).tolist()
    report.add(
        row | columns_of("agreement", same) | {"n": same.n},
        reason=same.reason if same.n else "no item has a label from both people and the evaluator",
        judge=judge_name or evaluator.judge,
        kind=evaluator.kind,
        undefined_draws=int(table.undefined_draws.max()),
    )


def _add_verdicts_of_parts(report, scores, place, labels, majorities):
    """Add a matrix for each judge of the lists' parts; the list with more positive parts wins."""
    question, reference = scores.questions[place], scores.reference()
    names = [label for _, label in question.scale.points]
    for judge in scores.judges:
        for values, asked in zip(scores.judge(judge).T, scores.questions, strict=True):
            is_asked = asked.scale.has_ordered_points and not np.isnan(values).all()
            if not is_asked or not labels.fits(judge, values, asked):
                continue
            cut = positive_from(asked, scores.options.threshold)
            verdicts = verdicts_of_parts(scores, at_least(values, cut), question)
            if not np.isnan(verdicts).all():
                name = f"{judge} by {asked.key} of the parts"
                evaluator = Evaluator(name, "judge", verdicts[:, None], reference)
                human = majorities.labels_for(evaluator, place)
                sides = human, verdicts, labels_of(question), names
                _add_row(report, scores, evaluator, question, sides, judge)


def sides_of(name, values, reference, question, threshold, labels):
    """Return (people, evaluator, points, names of the points) as labels; None where there are none.

    name, values (N,): of the evaluator; reference (N,): people's means, or their most frequent
    labels where the scale has no order.
    """
    points = labels_of(question)
    if own := labels.verdict(name, question):
        cut = positive_from(question, threshold)
        if cut is None:
            return None
        names = [f"no fit, < {cut:g}", f"fit, ≥ {cut:g}"]
        return at_least(reference, cut), own.fits(values), [0, 1], names
    if not has_labels(question, threshold) or not labels.fits(name, values, question):
        return None
    if question.scale.is_nominal:
        names = [label for _, label in question.scale.points]
        return reference, labels.labels(name, values, question), points, names
    if question.scale.is_binary or threshold is not None:
        cut = positive_from(question, threshold)
        names = points if question.scale.is_binary else [f"< {cut:g}", f"≥ {cut:g}"]
        return at_least(reference, cut), at_least(values, cut), [0, 1], names
    # A filled-in reference may lie off the scale too.
    human = labels.labels("reference", reference, question)
    return human, labels.labels(name, values, question), points, points


def most_frequent(counts, points):
    """Return the most frequent label (N,), NaN at a tie or without one; and whether there is a tie.

    counts (N, points): how often each of the points was given.
    """
    best = counts.max(axis=1, initial=0)
    is_tied = ((counts == best[:, None]).sum(axis=1) > 1) & (best > 0)
    labels = np.array(points, dtype=float)[counts.argmax(axis=1)]
    return np.where((best > 0) & ~is_tied, labels, np.nan), is_tied


class Majorities:
    """The most frequent answers of the reference's raters to nominal questions."""

    def __init__(self, scores):
        self.scores, self.ties = scores, {}

    def labels_for(self, evaluator, place):
        """Return the majority per item; NaN without an answer or with a tie."""
        question, role = self.scores.questions[place], self.scores.options.reference
        counts = self.scores.label_counts(place, role, {evaluator.rater})
        labels, is_tied = most_frequent(counts, labels_of(question))
        if not evaluator.rater:
            self.ties[question.key] = int(is_tied.sum())
        return labels

    def sentences(self):
        """Write a note for each question on the ties that were dropped."""
        return [say("majority", question=key, ties=ties) for key, ties in self.ties.items()]


KIND = Confusion().kind()
