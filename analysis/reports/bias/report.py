"""Measure where a judge errs in one direction, or contradicts itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.answers.repeats import PER, PER_SHORT, SHORT_TEXT, lengths, repeats_and_outcomes
from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.bias import self_contradiction
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import on_another_scale
from analysis.reports.shared.scores import Scores
from analysis.stats.ensembles.subsets import folds_of
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group, spread_of_means
from analysis.stats.regression.clustered_slope import clustered_slope
from analysis.stats.regression.isotonic_map import cross_fitted, isotonic_map

LENGTH, SYSTEMS, RECIPIENTS, CALIBRATION = "length", "systems", "recipients", "calibration"
POSITION, RETEST, FAILURES = "position", "retest", "failures"
BIASES = (LENGTH, SYSTEMS, RECIPIENTS, CALIBRATION, POSITION, RETEST, FAILURES)
MOST_FOLDS = 5
MOST_RECIPIENTS = 5
OTHER_SCALE = "the judge has a scale of its own, so that judge − people means nothing"


def bias(answers, options, parts=None, biases=BIASES):
    """Compute the biases of every judge.

    parts: keys of questions; all of them where none are named.
    """
    scores = Scores(answers, options)
    report = Report("bias", answers.study.slug, options.as_dict())
    work = _Work(scores, report)
    places = [
        place
        for place, question in enumerate(scores.questions)
        if question.scale.is_ordered and (not parts or question.key in parts)
    ]
    for name in biases:
        for place in places if name in OF_DIFFERENCE else ():
            for judge in scores.judges:
                OF_DIFFERENCE[name](work, judge, place)
    keys = [question.key for question in scores.questions if not parts or question.key in parts]
    if places:
        _add_itself(work, [name for name in biases if name not in OF_DIFFERENCE], keys)
    report.notes = [
        *policy_notes(scores, compared=False),
        *_notes(work, biases),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["bias", "evaluator", "question"]),
    ]
    return report


@dataclass
class _Work:
    """Holds what the biases of one report share."""

    scores: Scores
    report: Report

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
    def reference(self):
        return self.scores.reference()

    @cached_property
    def folds(self):
        """Return (the fold of each item, how many): by recipient, else content, else item."""
        clusters = self.scores.clusters
        n = max(1, min(MOST_FOLDS, int(clusters.max(initial=-1)) + 1))
        return folds_of(clusters, n, np.random.default_rng(self.scores.options.seed)), n

    @cached_property
    def choosing(self):
        """Return the same work on the choose part, if these items are the test part; else None."""
        return self.scores.choosing and _Work(self.scores.choosing, self.report)

    def map_of(self, judge, place):
        """Return the Map of these items from judge to people; None if no item has both values."""
        values, people = self.both(judge, place) if judge in self.scores.every_judge else ([], [])
        has_both = ~np.isnan(values) & ~np.isnan(people)
        return isotonic_map(values, people) if has_both.any() else None

    def mapped(self, judge, place):
        """Predict people's values (items,) by a map that was not fitted on these items."""
        values, people = self.both(judge, place)
        if not self.choosing:
            return cross_fitted(values, people, *self.folds)
        curve = self.choosing.map_of(judge, place)
        return curve(values) if curve else np.full(len(values), np.nan)

    def both(self, judge, place):
        """Return (judge, people) on one question (items,), NaN where they are not compared."""
        values = self.scores.judge(judge)[:, place]
        return values, self.scores.apart(judge, self.reference)[:, place]

    def difference(self, judge, place):
        """Return judge − people (items,); None where the judge has a scale of its own."""
        values, people = self.both(judge, place)
        return None if self.is_apart(judge, values, place) else values - people

    def is_apart(self, judge, values, place):
        """Return whether the judge's values are on another scale than people's."""
        question, scores = self.scores.questions[place], self.scores
        if judge in scores.answers.own_scale:
            return True
        return on_another_scale(values, question, scores.options.missing_judgment)

    def add(self, bias, judge, question, measure, estimate, group=""):
        """Add one row."""
        self.report.add(
            {
                "bias": bias,
                "evaluator": judge,
                "question": question,
                "measure": measure,
                "group": group,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
                "groups": estimate.groups,
            },
            reason=estimate.reason,
            judge=judge,
            kind="judge",
            undefined_draws=estimate.undefined_draws,
        )

    def undefined(self, bias, judge, place, measure, reason):
        """Add a row whose value is undefined for a reason."""
        self.add(
            bias, judge, self.scores.questions[place].key, measure, Estimate(np.nan, reason=reason)
        )


def _add_length(work, judge, place):
    difference = work.difference(judge, place)
    if difference is None:
        return work.undefined(LENGTH, judge, place, "slope", OTHER_SCALE)
    size, unit = work.lengths
    if np.isnan(size).all():
        return work.undefined(LENGTH, judge, place, "slope", "no item has a text")
    slope = clustered_slope(size, difference, work.scores.clusters).slope
    reason = slope.reason.replace("values of x", "texts").replace("equal", "equally long")
    estimate = Estimate(slope.value, slope.low, slope.high, slope.n, slope.groups, reason=reason)
    return work.add(LENGTH, judge, work.scores.questions[place].key, "slope", estimate, unit)


def _add_systems(work, judge, place):
    """Add the mean difference over all items, then one row for each system."""
    difference, key = work.difference(judge, place), work.scores.questions[place].key
    if difference is None:
        return work.undefined(SYSTEMS, judge, place, "mean", OTHER_SCALE)
    work.add(
        SYSTEMS, judge, key, "mean", clustered_mean(difference, **work.scores.resampling()), "all"
    )
    rows = np.flatnonzero(work.scores.systems >= 0)
    systems = work.scores.systems[rows]
    names = work.scores.items["system"].cat.categories
    means = means_by_group(difference[rows], systems, **work.scores.resampling(rows))
    for code, estimate in means.items():
        work.add(SYSTEMS, judge, key, "mean", estimate, str(names[code]))
    return None


def _add_recipients(work, judge, place):
    """Add the spread of the recipients' mean differences, then the largest of them."""
    difference, key = work.difference(judge, place), work.scores.questions[place].key
    rows = np.flatnonzero(work.scores.recipients >= 0)
    if difference is None or not len(rows):
        reason = OTHER_SCALE if difference is None else "no item has a recipient"
        return work.undefined(RECIPIENTS, judge, place, "sd", reason)
    codes = work.scores.recipients[rows]
    spread = spread_of_means(difference[rows], codes, **work.scores.resampling(rows))
    work.add(RECIPIENTS, judge, key, "sd", spread, "all")
    names = work.scores.items["recipient"].cat.categories
    means = means_by_group(difference[rows], codes)
    largest = sorted(means, key=lambda code: -abs(means[code].value))[:MOST_RECIPIENTS]
    for code in largest:
        # As a rule the items of one recipient are one cluster: then it says so.
        of_one = rows[codes == code]
        mean = clustered_mean(difference[of_one], **work.scores.resampling(of_one))
        work.add(RECIPIENTS, judge, key, "mean", mean, str(names[code]))
    return None


def _add_calibration(work, judge, place):
    """Add the mean absolute error before and after the map of the other folds, and the gain."""
    values, people = work.both(judge, place)
    key, resampling = work.scores.questions[place].key, work.scores.resampling()
    if curve := (work.choosing or work).map_of(judge, place):
        work.report.curves[judge, key] = {
            "judge": curve.judge.tolist(),
            "human": curve.human.tolist(),
        }
    after = np.abs(work.mapped(judge, place) - people)
    before = np.where(np.isnan(after), np.nan, np.abs(values - people))
    if work.is_apart(judge, values, place):
        work.undefined(CALIBRATION, judge, place, "mae_before", OTHER_SCALE)
        work.add(CALIBRATION, judge, key, "mae_after", clustered_mean(after, **resampling))
        return work.undefined(CALIBRATION, judge, place, "gain", OTHER_SCALE)
    for measure, errors in (("mae_before", before), ("mae_after", after), ("gain", before - after)):
        work.add(CALIBRATION, judge, key, measure, clustered_mean(errors, **resampling))
    return None


OF_DIFFERENCE = {
    LENGTH: _add_length,
    SYSTEMS: _add_systems,
    RECIPIENTS: _add_recipients,
    CALIBRATION: _add_calibration,
}


def _add_itself(work, biases, keys):
    """Add how judges contradict themselves and fail, which needs no ratings by people."""
    study, scores = work.scores.answers.study, work.scores
    judges = [judge for judge in scores.judges if judge not in scores.ensembles]
    if not biases:
        return
    items = scores.items[["item", "system"]].astype(str)
    options = scores.options
    some = options.part != ALL or options.only or options.exclude
    systems = dict(items.itertuples(index=False)) if some else None
    repeats, outcomes = repeats_and_outcomes(study, options.version, systems)
    if POSITION in biases or RETEST in biases:
        self_contradiction.add_position(work.add, scores, repeats, judges, keys)
        self_contradiction.add_retest(work.add, scores, repeats, judges, keys)
    if FAILURES in biases:
        kept = set(scores.items["system"].astype(str))
        self_contradiction.add_failures(work.add, outcomes, judges, keys, kept)


def _notes(work, biases):
    if LENGTH in biases and "lengths" in work.__dict__:
        yield (
            f"Length: slope of judge − people on the length of the item's text, per "
            f"{work.lengths[1]} (per {PER_SHORT} where half of the texts are shorter than "
            f"{SHORT_TEXT}, else per {PER}); interval by t with cluster-robust standard errors."
        )
    yield "Systems, recipients: mean of judge − people; above 0 the judge is the kinder one."
    yield (
        f"Recipients: standard deviation of their means, chance included; the {MOST_RECIPIENTS} "
        "largest are chosen for being large, so that further ratings will shrink them."
    )
    where = (
        "on the choose part of the split, measured on the test part"
        if work.choosing
        else f"on {work.folds[1] - 1} of {work.folds[1]} folds of recipients (else contents, else "
        "items), measured on the other"
    )
    yield f"Calibration: an isotonic map from judge to people, fitted {where}."
    yield (
        "Position, test–retest, failures: of all runs, whatever people said. Failures count every "
        "judgment that was asked and settled; their intervals are Wilson's, items as independent."
    )
