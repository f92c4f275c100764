"""Estimate means from few human labels and a judge's many scores (prediction-powered)."""

from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isfinite, isinf, isnan, nan

import numpy as np

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Cell, Layout, cross_table, details, listing
from analysis.options.common import Compared
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import policy_notes
from analysis.reports.shared.labels import positive_from
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.words import NoFinding, notes_beside
from analysis.stats.classification.classification import at_least
from analysis.stats.classification.verdict_correction import corrected_share
from analysis.stats.replacement.prediction_powered import (
    FEWEST,
    MOST_TRIED,
    ROUGH,
    PredictionPowered,
    prediction_powered_mean,
)

HUMANS = "humans"
EVERYTHING = "all"  # in the place of a system
MEAN, DIFFERENCE, CORRECTED = METHODS = "mean", "difference", "corrected share"
FEWEST_SCORES = 2  # without a label, for a judge to add anything
MOST_SYSTEMS = 12  # of which every two are compared
say = notes_beside(__file__, "prediction_powered")


class PredictionPoweredMeans(MeasuredReport):
    """The reference's means per system and their differences, with and without each judge."""

    name, title, options = "prediction_powered", "Prediction-powered means", Compared
    named_by = ("evaluator", "question", "system")
    list_parts = staticmethod(of_questions(lambda scale: scale.is_ordered))

    def measure(self, report, scores, keys):
        present = scores.items["system"].cat.remove_unused_categories().cat.categories
        names, partly = [EVERYTHING, *filter(None, present)], 0
        ordered = [question for question in scores.questions if question.scale.is_ordered]
        for question in ordered:
            if not keys or question.key in keys:
                partly = max(partly, _add_question(report, scores, names, question))
        units = _units(scores)
        asked = dict.fromkeys(row["question"] for row in report.rows)
        report.verdict = [_verdict(report, question, units) for question in asked]
        report.verdict += [say("conditions")] if report.entries else []
        return [
            *policy_notes(scores, compared=False),
            say("items" if units == "items" else "units", units=units),
            *([say("partly", n=partly, units=units)] if partly and units != "items" else []),
            say("labels", least=FEWEST, rough=ROUGH),
            *_notes(report, len(names) - 1),
            say("intervals"),
        ]

    def layout(self, report, question, looks):
        """Return the page of one question: means and differences by system, all evaluators."""
        judge = best_judge(report, question)
        of = {
            method: [e for e in report.entries if e.row["method"] == method] for method in METHODS
        }
        own = {
            method: [entry for entry in entries if entry.row["evaluator"] in (HUMANS, judge)]
            for method, entries in of.items()
        }
        whose = f"people alone and with {judge}, whose scores are worth most" if judge else "people"
        figures = []
        for key, method, title, caption in (
            ("means", MEAN, "Mean", f"Mean of {question} by system: {whose}."),
            ("differences", DIFFERENCE, "Difference", f"Differences between systems: {whose}."),
        ):
            drawn = map(_as_value, own[method]), "system", "evaluator", looks, title
            figures += dot_figure(key, f"{caption} Lines: 95 % intervals.", *drawn)
        means = [entry for entry in of[MEAN] if entry.row["system"] == EVERYTHING]
        between = f"Differences of {question} between systems."
        corrected = f"Share of yes for {question} among items without a label, corrected."
        tables = [
            _listed(f"Mean of {question} over all items.", "With", means, OF_MEANS),
            _by_system(f"Mean of {question} by system.", "System", own[MEAN]),
            _by_system(between, "Systems", own[DIFFERENCE]),
            _listed(corrected, "Judge", of[CORRECTED], OF_SHARES),
        ]
        every = replace(report, entries=[_in_words(entry) for entry in report.entries])
        return Layout(figures, [table for table in tables if table.lines], *details(every))


def _as_value(entry):
    row = {("value" if name == "estimate" else name): own for name, own in entry.row.items()}
    return replace(entry, row=row)


def _in_words(entry):
    """Return the entry for people to read: rounded, a dash where undefined."""
    digits = {"lambda": 2, "n_effective": 0, "more_to_halve": 0}
    rounded = {name: _number(entry.row[name], places) for name, places in digits.items()}
    return replace(entry, row=_as_value(entry).row | rounded)


def _number(value, digits=0):
    if isnan(value):
        return "–"
    return "out of reach" if value == inf else f"{value:.{digits}f}"


def _cell(entry, size=""):
    return Cell(entry.row, entry.row["estimate"], entry.reason, size)


def _with_size(entry):
    worth = entry.row["n_effective"]
    return _cell(entry, f"n = {entry.row['n']}{'' if isnan(worth) else f', as {worth:.0f} alone'}")


OF_MEANS = {
    "Mean": _cell,
    "λ": lambda e: _number(e.row["lambda"], 2),
    "Labels": lambda e: e.row["n"],
    "Judge only": lambda e: e.row["n_unlabelled"],
    "Effective labels": lambda e: _number(e.row["n_effective"]),
    "More to halve": lambda e: _number(e.row["more_to_halve"]),
}
OF_SHARES = {
    "Share": _cell,
    "Labelled items": lambda e: e.row["n"],
    "Judge only": lambda e: e.row["n_unlabelled"],
}


def _listed(caption, corner, entries, columns):
    return listing(caption, corner, [e.row["evaluator"] for e in entries], entries, columns)


def _by_system(caption, corner, entries):
    cells = {(e.row["system"], e.row["evaluator"]): _with_size(e) for e in entries}
    return cross_table(caption, corner, cells)


def _units(scores):
    """Name the unit of a label: items that share a recipient or content are taken together."""
    if len(np.unique(scores.clusters)) == len(scores.items):
        return "items"
    return "recipients" if (scores.recipients >= 0).any() else "contents"


def _notes(report, n_systems):
    if n_systems > MOST_SYSTEMS:
        yield say("systems", n=n_systems, most=MOST_SYSTEMS)
    if any(row["method"] == CORRECTED for row in report.rows):
        yield say("corrected")
    if far := sum(isinf(row["more_to_halve"]) for row in report.rows):
        yield say("far", n=far, rows=len(report.rows), most=MOST_TRIED)


@dataclass
class _Means:
    """Means by cluster and system (G, S): of labels, of scores where labelled, of other scores.

    The first column takes the items of all systems together. A cluster with labels and other
    scores counts as labelled, by its labelled part.
    """

    labels: np.ndarray
    scores: np.ndarray
    others: np.ndarray

    @property
    def partly(self):
        """Count the clusters with labelled and other items."""
        return int((~np.isnan(self.scores) & ~np.isnan(self.others))[:, 0].sum())

    def arguments(self, column):
        """Return labels, scores and other scores of one column."""
        return self._taken(*(part[:, column] for part in (self.labels, self.scores, self.others)))

    def differences(self, first, other):
        """Return labels, scores and other scores of the differences between two columns."""
        parts = [part[:, first] - part[:, other] for part in (self.labels, self.scores)]
        whole = np.where(np.isnan(self.scores), self.others, self.scores)
        return self._taken(*parts, whole[:, first] - whole[:, other])

    def _taken(self, labels, scores, others):
        labelled = ~np.isnan(labels) & ~np.isnan(scores)
        return labels[labelled], scores[labelled], others[~labelled & ~np.isnan(others)]


def _add_question(report, scores, names, question):
    """Add the rows of people alone, then those of every judge; return clusters labelled in part."""
    place, partly = scores.questions.index(question), 0
    # Labels that were put in would all count as human ones.
    labels = scores.role_mean(scores.options.reference)[:, place]
    codes = scores.items["system"].astype(str).map({name: code for code, name in enumerate(names)})
    systems = codes.fillna(-1).to_numpy(dtype=int)

    def grid(values, chosen):
        """Return means of the chosen items' values by cluster and system (G, 1 + systems)."""
        means = np.full((int(scores.clusters.max(initial=-1)) + 1, len(names)), nan)
        for column in range(len(names)):
            own = chosen & ((systems == column) | (column == 0))
            counts = np.bincount(scores.clusters[own], minlength=len(means))
            sums = np.bincount(scores.clusters[own], values[own], minlength=len(means))
            np.divide(sums, counts, out=means[:, column], where=counts > 0)
        return means

    def add(judge, system, method, result):
        row = {"evaluator": judge or HUMANS, "question": question.key, "system": system}
        row |= {"estimate": result.value, "low": result.low, "high": result.high}
        row |= {"lambda": result.power, "n": result.n, "n_unlabelled": result.n_unlabelled}
        row |= {"n_effective": result.n_effective, "more_to_halve": result.to_halve}
        kind = "judge" if judge else HUMANS
        report.add(row | {"method": method}, reason=result.reason, judge=judge, kind=kind)

    pairs = [*combinations(range(1, len(names)), 2)] if len(names) - 1 <= MOST_SYSTEMS else []
    for judge in ("", *scores.judges):
        values = scores.judge(judge)[:, place] if judge else labels
        is_judged, is_labelled = ~np.isnan(values), ~np.isnan(labels)
        both = is_judged & is_labelled
        means = _Means(
            grid(labels, both), grid(values, both), grid(values, is_judged & ~is_labelled)
        )
        for column, name in enumerate(names):
            add(judge, name, MEAN, prediction_powered_mean(*means.arguments(column)))
        for first, other in pairs:
            result = prediction_powered_mean(*means.differences(first, other))
            add(judge, f"{names[first]} − {names[other]}", DIFFERENCE, result)
        if judge and question.scale.is_binary:
            add(judge, EVERYTHING, CORRECTED, _corrected(labels, values, positive_from(question)))
        partly = max(partly, means.partly if judge else 0)
    return partly


def _corrected(labels, values, cut):
    """Correct the judge's share of yes among items without a label by its errors on the others."""
    people, verdicts = at_least(labels, cut), at_least(values, cut)
    has_verdict = ~np.isnan(verdicts)
    # Without a label, of people's no, of people's yes.
    groups = [verdicts[own & has_verdict] for own in (np.isnan(people), people == 0, people == 1)]
    free, no, yes = (float(own.mean()) if len(own) else 0.0 for own in groups)
    n_free, n_no, n_yes = map(len, groups)
    share = corrected_share(free, n_free, 1 - no, n_no, yes, n_yes)
    return PredictionPowered(
        share.value,
        share.low,
        share.high,
        power=nan,
        n=n_no + n_yes,
        n_unlabelled=share.n,
        reason=share.reason,
    )


def best_judge(report, question):
    """Return the judge whose scores are worth the most labels; blank if no judge adds any."""
    worth = [
        (entry.row["n_effective"], entry.judge)
        for entry in report.entries
        if entry.judge
        and (entry.row["question"], entry.row["system"]) == (question, EVERYTHING)
        and entry.row["method"] == MEAN
        and entry.row["n_unlabelled"] >= FEWEST_SCORES
        and not isnan(entry.row["n_effective"])
    ]
    return max(worth, key=lambda pair: pair[0])[1] if worth else ""


def overall(report, question, evaluator):
    """Return the row of an evaluator's mean over everything; None if there is no row."""
    wanted = {"question": question, "evaluator": evaluator, "system": EVERYTHING, "method": MEAN}
    return next((row for row in report.rows if wanted.items() <= row.items()), None)


def _verdict(report, question, units):
    alone, judge = overall(report, question, HUMANS), best_judge(report, question)
    facts = {"question": question, "units": units, "alone": alone, "people": _with_interval(alone)}
    if alone["n"] < FEWEST:
        return NoFinding(say("too_few", **facts, least=FEWEST))
    if not judge:
        judged = [e.row for e in report.entries if e.judge and e.row["question"] == question]
        is_all = any(row["n"] and row["n_unlabelled"] < FEWEST_SCORES for row in judged)
        return say("all_labelled" if is_all else "adds_nothing", **facts)
    row = overall(report, question, judge)
    case = "worth_more" if isfinite(row["more_to_halve"]) else "worth_most"
    words = say(case, **facts, judge=judge, row=row, both=_with_interval(row))
    return words if row["n"] >= ROUGH else f"{words} {say('rough', rough=ROUGH)}"


def _with_interval(row):
    if isnan(row["low"]):
        return f"{row['estimate']:.2f} (no interval)"
    return f"{row['estimate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


MEANS_OF_PEOPLE = PredictionPoweredMeans()
KIND = MEANS_OF_PEOPLE.kind()
