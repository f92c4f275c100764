"""Measure where a judge errs in one direction, contradicts itself, or says nothing readable."""

from dataclasses import replace
from functools import cached_property
from itertools import product
from math import isnan, nan

import numpy as np

from analysis.answers.repeats import PER, PER_SHORT, SHORT_TEXT, lengths
from analysis.figures.curves import MOST_CURVES
from analysis.figures.dots import dot_figure
from analysis.figures.layout import Figure, Layout, Table, cell_of, cross_table, listing
from analysis.figures.lines import maps
from analysis.reports.base import group_by, pivot
from analysis.reports.bias.self_contradiction import FAILURES, KINDS, POSITION, RETEST, of_itself
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.labels import on_another_scale
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import notes_beside, worded
from analysis.stats.ensembles.subsets import folds_of
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group, spread_of_means
from analysis.stats.regression.clustered_slope import clustered_slope
from analysis.stats.regression.isotonic_map import cross_fitted, isotonic_map

say = notes_beside(__file__, "bias")
LENGTH, SYSTEMS, RECIPIENTS, CALIBRATION = "length", "systems", "recipients", "calibration"
BIASES = (LENGTH, SYSTEMS, RECIPIENTS, CALIBRATION, POSITION, RETEST, FAILURES)
MOST_FOLDS = 5
MOST_RECIPIENTS = 5
MOST_SYSTEMS = 30
EVERYTHING = "all"  # instead of a group
OTHER_SCALE = "the judge has a scale of its own, so that judge − people means nothing"
# Of the biases with several measures: their headings, and what their table is of.
MEASURES = {
    CALIBRATION: (
        {"mae_before": "Error before", "mae_after": "Error after", "gain": "Gain"},
        "{question}: mean absolute error before and after the map, measured where it was not "
        "fitted.",
    ),
    POSITION: (
        {"flip_rate": "Another answer"},
        "Share of the answers that change when the order is turned round.",
    ),
    RETEST: (
        {"exact_agreement": "Same answer", "icc_1_1": "ICC(1,1)", "mean_sd": "Mean SD"},
        "Several samples of the same answer.",
    ),
    FAILURES: (
        {name: words for name, (words, _) in KINDS.items()},
        "{question}: share of the judgments without a value, by why.",
    ),
}
OF_SLOPES = {
    "Slope": lambda entry: worded(entry.row),
    "Items": lambda entry: entry.row["n"],
    "Clusters": lambda entry: entry.row["groups"],
    "Why none": lambda entry: entry.reason or "–",
}


class Bias(MeasuredReport):
    """A row for each bias, judge, question and measure, of all items or of a group of them."""

    name, title, options = "bias", "Bias", DeviationOptions
    named_by = ("bias", "evaluator", "question")
    brief = {"biases": [SYSTEMS]}
    list_parts = staticmethod(of_questions(lambda scale: scale.is_ordered))

    def measure(self, report, scores, keys, biases=BIASES):
        work, wanted = _Work(scores), [q for q in scores.questions if not keys or q.key in keys]
        ordered = [question for question in wanted if question.scale.is_ordered]
        rows = [
            (name, judge, question.key, *numbers)
            for name, question, judge in product(biases, ordered, scores.judges)
            if name in OF_DIFFERENCE
            for numbers in _On(work, judge, question).measured(name)
        ]
        if ordered:
            rows += of_itself(scores, biases, [question.key for question in wanted])
        for name, judge, key, measure, estimate, *group in rows:
            first = {"bias": name, "evaluator": judge, "question": key, "measure": measure}
            first |= {"group": group[0] if group else ""}
            sizes = {"n": estimate.n, "groups": estimate.groups}
            report.add_estimate(first, estimate, sizes, judge=judge, kind="judge")
        report.curves = work.curves
        return [*policy_notes(scores, compared=False), *_notes(report, work), interval_note(scores)]

    def layout(self, report, question, looks):
        """Return the page of one question: figures of length, systems and calibration; tables."""
        of = group_by(report.entries, "bias")
        by_system = f"{question}: mean of judge − people, by system."
        failing = [entry for entry in of[FAILURES] if entry.row["measure"] == "no_value"]
        failing = failing if len({entry.row["group"] for entry in failing}) > 1 else []
        of[FAILURES] = [entry for entry in of[FAILURES] if entry.row["group"] == EVERYTHING]
        tables = [
            _lengths(of[LENGTH], question),
            _by_group(of[SYSTEMS], by_system),
            _recipients(of[RECIPIENTS], question),
            *(_by_measure(of[name], *MEASURES[name], question) for name in MEASURES),
            _by_group(failing, f"{question}: share of the judgments without a value, by system."),
        ]
        slopes = _defined(of[LENGTH])
        overall = [e for e in _defined(of[SYSTEMS]) if e.row["group"] == EVERYTHING]
        unit = slopes[0].row["group"] if slopes else ""
        longer = f"{question}: what a longer text gains with a judge. Lines: 95 % intervals."
        kinder = f"{question}: is a judge kinder or stricter than people? Lines: 95 % intervals."
        how = "evaluator", "question", looks
        figures = [
            *dot_figure("length", longer, slopes, *how, f"judge − people per {unit}"),
            *dot_figure("kindness", kinder, overall, *how, "Mean of judge − people"),
        ]
        # On a scale of their own the curves would not share an axis.
        measured = [e.row for e in _defined(of[CALIBRATION]) if e.row["measure"] == "mae_before"]
        shared = {(row["evaluator"], row["question"]) for row in measured}
        curves = {
            judge: curve
            for (judge, key), curve in report.curves.items()
            if key == question and (judge, key) in shared
        }
        if curves:
            ends = [end for c in curves.values() for end in (c["judge"][0], c["judge"][-1])]
            caption = (
                f"{question}: which rating of people stands behind a judge's; {MOST_CURVES} "
                "judges at most."
            )
            plot = maps(curves, (min(ends), max(ends)), looks)
            figures.append(Figure("calibration", caption, plot))
        return Layout(figures, tables)

    def find(self, report, question):
        """Say which judge is furthest from people on one system, and to which side."""
        rows = defined(pick(report, "judge", bias=SYSTEMS, question=question), "value")
        rows = [row for row in rows if row["group"] != EVERYTHING]
        worst = max(rows, key=lambda row: abs(row["value"]), default=None)
        if worst is None:
            return ""
        if not worst["value"]:
            return f"No judge differs from people on any system, on {question}."
        is_above = worst["value"] > 0
        ends = (worst["low"], worst["high"]) if is_above else (-worst["high"], -worst["low"])
        far = {"far": abs(worst["value"]), "low": ends[0], "high": ends[1]}
        return (
            f"{worst['evaluator']} is furthest from people on the items of {worst['group']}: on "
            f"{question} {with_interval(far, 'far')} points {'above' if is_above else 'below'} "
            "their mean."
        )


class _Work:
    """What the biases of one report share. curves: {(judge, question): its map to people}."""

    def __init__(self, scores):
        self.scores, self.curves, self.reference = scores, {}, scores.reference()

    @cached_property
    def lengths(self):
        """Return each text's length in the slope's unit, and that unit: 100 words, 10 words.

        A slope per 100 words of texts of ten would speak of texts that nobody wrote.
        """
        sizes, unit = lengths(self.scores.answers.study, self.scores.items["item"].astype(str))
        has_text = not np.isnan(sizes).all()
        per = PER_SHORT if has_text and np.nanmedian(sizes) < SHORT_TEXT else PER
        return sizes / per, f"{per} {unit}"

    @cached_property
    def folds(self):
        """Return (the fold of each item, how many): by recipient, else content, else item."""
        clusters = self.scores.clusters
        n = max(1, min(MOST_FOLDS, int(clusters.max(initial=-1)) + 1))
        return folds_of(clusters, n, np.random.default_rng(self.scores.options.seed)), n

    @cached_property
    def choosing(self):
        """Return the same work on the choose part, if these items are the test part; else None."""
        return self.scores.choosing and _Work(self.scores.choosing)


class _On:
    """One judge on one question: its values and people's means (items,), NaN = not compared."""

    def __init__(self, work, judge, question):
        scores, place = work.scores, work.scores.questions.index(question)
        self.work, self.scores, self.judge, self.question = work, scores, judge, question
        self.values = scores.judge(judge)[:, place]
        self.people = scores.apart(judge, work.reference)[:, place]
        filled = scores.options.missing_judgment
        own = judge in scores.answers.own_scale
        self.is_apart = own or on_another_scale(self.values, question, filled)

    @property
    def difference(self):
        return self.values - self.people

    def measured(self, bias):
        """Return (measure, Estimate, and a group) of a bias; a map alone needs no shared scale."""
        measure, numbers_of = OF_DIFFERENCE[bias]
        if self.is_apart and measure:
            return [(measure, Estimate(nan, reason=OTHER_SCALE))]
        return numbers_of(self)

    @cached_property
    def map(self):
        """The Map from judge to people, of the choose part if there is one; None without values."""
        on, choosing = self, self.work.choosing
        if choosing and self.judge not in choosing.scores.every_judge:
            return None
        if choosing:
            on = _On(choosing, self.judge, self.question)
        has_both = ~np.isnan(on.values) & ~np.isnan(on.people)
        return isotonic_map(on.values, on.people) if has_both.any() else None

    def mapped(self):
        """Predict people's values (items,) by a map that was not fitted on these items."""
        if not self.work.choosing:
            return cross_fitted(self.values, self.people, *self.work.folds)
        return self.map(self.values) if self.map else np.full(len(self.values), nan)


def _slope(on):
    size, unit = on.work.lengths
    if np.isnan(size).all():
        return [("slope", Estimate(nan, reason="no item has a text"))]
    slope = clustered_slope(size, on.difference, on.scores.clusters).slope
    reason = slope.reason.replace("values of x", "texts").replace("equal", "equally long")
    return [("slope", replace(slope, reason=reason), unit)]


def _means_of_systems(on):
    """Yield the mean difference over all items, then that of each system."""
    scores = on.scores
    yield "mean", clustered_mean(on.difference, **scores.resampling()), EVERYTHING
    rows = np.flatnonzero(scores.systems >= 0)
    own = on.difference[rows], scores.systems[rows]
    for code, mean in means_by_group(*own, **scores.resampling(rows)).items():
        yield "mean", mean, str(scores.items["system"].cat.categories[code])


def _spread_of_recipients(on):
    """Yield the spread of the recipients' mean differences, then the largest of them."""
    scores, rows = on.scores, np.flatnonzero(on.scores.recipients >= 0)
    if not len(rows):
        yield "sd", Estimate(nan, reason="no item has a recipient")
        return
    codes, difference = scores.recipients[rows], on.difference
    yield "sd", spread_of_means(difference[rows], codes, **scores.resampling(rows)), EVERYTHING
    means = means_by_group(difference[rows], codes)
    for code in sorted(means, key=lambda code: -abs(means[code].value))[:MOST_RECIPIENTS]:
        # As a rule the items of one recipient are one cluster: then it says so.
        own = rows[codes == code]
        mean = clustered_mean(difference[own], **scores.resampling(own))
        yield "mean", mean, str(scores.items["recipient"].cat.categories[code])


def _errors(on):
    """Yield the mean absolute error before and after the map of other items, and the gain."""
    if on.map:
        curve = {"judge": on.map.judge.tolist(), "human": on.map.human.tolist()}
        on.work.curves[on.judge, on.question.key] = curve
    after = np.abs(on.mapped() - on.people)
    before = np.where(np.isnan(after), nan, np.abs(on.difference))
    for name, errors in (("mae_before", before), ("mae_after", after), ("gain", before - after)):
        if on.is_apart and name != "mae_after":
            yield name, Estimate(nan, reason=OTHER_SCALE)
        else:
            yield name, clustered_mean(errors, **on.scores.resampling())


# The measure that has no value where a judge has a scale of its own, and the numbers.
OF_DIFFERENCE = {
    LENGTH: ("slope", _slope),
    SYSTEMS: ("mean", _means_of_systems),
    RECIPIENTS: ("sd", _spread_of_recipients),
    CALIBRATION: ("", _errors),
}


def _notes(report, work):
    slopes = [row for row in report.rows if row["bias"] == LENGTH and row["group"]]
    if slopes:
        sizes = {"short": PER_SHORT, "shorter": SHORT_TEXT, "long": PER}
        yield say("length", per=slopes[0]["group"], **sizes)
    yield say("systems")
    yield say("recipients", most=MOST_RECIPIENTS)
    n = None if work.choosing else work.folds[1]
    yield say("calibration_of_split") if n is None else say("calibration", n=n, others=n - 1)
    yield say("runs")


def _defined(entries):
    return [entry for entry in entries if not isnan(entry.row["value"])]


def _cell(entry):
    return cell_of(entry, f"n = {entry.row['n']:,}")


def _lengths(entries, question):
    """Tabulate the slopes, the steepest first."""
    unit = next((e.row["group"] for e in entries if e.row["group"]), f"{PER} words")
    entries = sorted(entries, key=lambda e: 1 if isnan(v := e.row["value"]) else -abs(v))
    names = [entry.row["evaluator"] for entry in entries]
    return listing(
        f"{question}: judge − people, per {unit} more.", "Judge", names, entries, OF_SLOPES
    )


def _by_group(entries, caption):
    """Tabulate a line for each judge with a number, a column for each group."""
    judges = {entry.row["evaluator"] for entry in _defined(entries)}
    names = list(dict.fromkeys(e.row["group"] for e in entries if e.row["group"]))
    own = [entry for entry in entries if entry.row["evaluator"] in judges]
    cells = {(e.row["evaluator"], e.row["group"]): _cell(e) for e in own}
    return cross_table(caption, "Judge", cells, names[: MOST_SYSTEMS + 1])


def _recipients(entries, question):
    """Tabulate the spread over recipients of each judge, and its largest recipients."""
    lines = []
    for judge, (spread, *largest) in group_by(entries, "evaluator").items():
        words = [f"{e.row['group']} {e.row['value']:+.2f} (n = {e.row['n']:,})" for e in largest]
        if words:
            lines.append((judge, [_cell(spread), spread.row["groups"], ", ".join(words)]))
    caption = f"{question}: mean of judge − people over recipients."
    headings = ["SD over recipients", "Recipients", "The largest"]
    return Table(caption, headings, lines, [], "Judge")


def _by_measure(entries, words, caption, question):
    """Tabulate one bias: a line for each judge and question, a column for each measure."""
    caption, lines = caption.format(question=question), []
    if not _defined(entries):
        return Table(caption)  # the notes say why
    for (judge, _), by_measure in pivot(entries, "evaluator", "question", column="measure").items():
        own = [by_measure.get(measure) for measure in words]
        why = next((e.reason for e in own if e and isnan(e.row["value"])), "")
        lines.append((judge, [*(e and _cell(e) for e in own), why or "–"]))
    return Table(caption, [*words.values(), "Why none"], lines, [], "Judge")


BIAS = Bias()
KIND = BIAS.kind()
