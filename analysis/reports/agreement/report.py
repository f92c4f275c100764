"""Measure agreement among people, with a judge as one more rater, and of a judge with a role."""

import numpy as np

from analysis.options.form import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.given import Given
from analysis.reports.shared.labels import MOST_LABELS, LabelNotes, as_labels, labels_of
from analysis.reports.shared.scores import Scores
from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.gwet_ac import gwet_ac
from analysis.stats.agreement.icc import icc
from analysis.stats.agreement.kendall_w import kendall_w
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.estimate import Estimate

KAPPAS = {"kappa": "plain", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
ALPHAS = {"alpha_nominal": "nominal", "alpha_ordinal": "ordinal", "alpha_interval": "interval"}
ICCS = {
    "icc_1_1": "1,1",
    "icc_a_1": "A,1",
    "icc_c_1": "C,1",
    "icc_1_k": "1,k",
    "icc_a_k": "A,k",
    "icc_c_k": "C,k",
}
GWETS = {"ac1": "plain", "ac2_quadratic": "quadratic"}
MEASURES = ("percent", *ALPHAS, *KAPPAS, "fleiss_kappa", *GWETS, *ICCS, "kendall_w")
# What has a meaning on a scale of each kind; with a judge against a role, only pairs with it.
OF_KIND = {
    "likert": MEASURES,
    "binary": MEASURES,
    "choice": ("percent", "alpha_nominal", "kappa", "fleiss_kappa", "ac1"),
    "number": ("alpha_interval", *ICCS, "kendall_w"),
    "text": (),
}
ON_LABELS = ("percent", "alpha_nominal", "alpha_ordinal", *KAPPAS, "fleiss_kappa", *GWETS)
OF_PAIRS = ("percent", *KAPPAS)
# Of the items that everybody rated.
OF_COMPLETE = ("icc_a_1", "icc_c_1", "icc_a_k", "icc_c_k", "kendall_w")
HUMANS = "humans"
POOLED = "pooled"


def agreement(answers, options, judge_measures=MEASURES):
    """Compute each measure for people, for people with each judge, and for judges with a role."""
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("agreement", answers.study.slug, options.as_dict())
    groups = {HUMANS: ALL}
    if len(scores.roles) > 1:
        groups |= {f"{HUMANS} ({role})": role for role in scores.roles}
    for place, question in enumerate(scores.questions):
        table = _Table(report, scores, labels, place, question)
        for name, role in groups.items():
            table.add(name, table.ratings(role), MEASURES)
        _add_judges(table, scores, judge_measures)
    pool = pooled_places(scores)
    if pool:
        table = _Pooled(report, scores, labels, pool)
        for name, role in groups.items():
            table.add(name, table.ratings(role), MEASURES)
        _add_judges(table, scores, judge_measures)
    report.notes = [
        *policy_notes(scores),
        *_pool_notes(scores, pool),
        "humans: all people whose ratings count, whatever the reference role.",
        "Percent, κ, AC, nominal and ordinal α compare labels: values rounded to the scale, halves "
        "down. Interval α, ICC and Kendall's W take values as they are.",
        "Cohen's κ of several raters: unweighted mean over pairs with two common items or more; a "
        "judge against a role: mean over its raters.",
        "ICC (A) and (C) and Kendall's W take the items that every rater rated, ICC (1) and (k), "
        "Fleiss' κ, AC1 and AC2 those with two ratings or more.",
        *labels.sentences(),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["raters", "question", "measure"]),
    ]
    return report


def pooled_places(scores):
    """Return the places of the questions that share the most frequent scale; [] if all differ."""
    by_scale: dict = {}
    for place, question in enumerate(scores.questions):
        if labels_of(question):
            scale = question.scale
            by_scale.setdefault((scale.kind, *labels_of(question)), []).append(place)
    most = max(by_scale.values(), key=len, default=[])
    return most if len(most) > 1 else []


def _pool_notes(scores, pool):
    if pool:
        keys = ", ".join(scores.questions[place].key for place in pool)
        yield f"{POOLED}: the answers to {keys} together, each item and question a unit."


def _add_judges(table, scores, measures):
    role = scores.options.reference
    versus = "all people" if role == ALL else role
    for judge in scores.judges:
        if not table.fits(judge):
            continue
        values = table.judged(judge)
        people = table.ratings(ALL)
        people = people.with_values(table.apart(judge, people.values))
        table.add(f"{HUMANS} + {judge}", people.beside(values), measures, judge)
        pairs = [measure for measure in measures if measure in OF_PAIRS]
        table.add(f"{judge} vs {versus}", table.ratings(role), pairs, judge, values)


class _Table:
    """Adds the rows of one question to a report."""

    def __init__(self, report, scores, labels, place, question):
        self.report, self.scores, self.labels = report, scores, labels
        self.place, self.question = place, question
        self.key = question.key

    def ratings(self, role):
        """Return the ratings by raters of a role, as a Given."""
        return self.scores.narrow(self.place, role)

    def judged(self, judge):
        """Return the judge's values (units,)."""
        return self._answers(judge, self.place)

    def _answers(self, judge, place):
        values = self.scores.judge(judge)[:, place]
        return self.labels.answers(judge, values, self.scores.questions[place])

    def apart(self, judge, values):
        """Blank the values of the items that the judge's examples are drawn from."""
        return self.scores.apart(judge, values)

    def fits(self, judge):
        """Return whether the judge uses the question's scale."""
        if not labels_of(self.question):
            return True
        return self._fits(judge, self.place)

    def _fits(self, judge, place):
        question = self.scores.questions[place]
        if self.labels.says_yes_or_no(judge, question):
            return True
        return self.labels.fits(judge, self.scores.judge(judge)[:, place], question)

    def add(self, raters, ratings, measures, judge="", judge_values=None):
        """Add a row for each measure of the ratings, a Given.

        judge_values (units,): the judge's side of the pairs, where it is compared with the raters.
        """
        n_raters = ratings.n_raters + (judge_values is not None)
        units = np.flatnonzero((~np.isnan(ratings.values)).any(axis=1))
        ratings = ratings.of_units(units)
        forms = self._forms(judge or "people", ratings.values)
        data = {form: ratings.with_values(values) for form, values in forms.items()}
        versus = None
        if judge_values is not None:
            versus = self._forms(judge, judge_values[units])
        for measure in OF_KIND[self.question.scale.kind]:
            if measure in measures:
                estimate = self._estimate(measure, data, versus, units)
                row = self._row(raters, measure, estimate, n_raters)
                self.report.add(
                    row,
                    reason=estimate.reason,
                    judge=judge,
                    kind=("versus" if judge_values is not None else "joined") if judge else HUMANS,
                    undefined_draws=estimate.undefined_draws,
                )

    def _forms(self, name, values):
        """Return the values as they are (False) and, on a scale with labels, as labels (True)."""
        if not labels_of(self.question):
            return {False: values}
        return {False: values, True: self.labels.labels(name, values, self.question)}

    def _estimate(self, measure, data, versus, units):
        ratings = data[measure in ON_LABELS]
        judge = None if versus is None else versus[measure in ON_LABELS]
        if not len(units):
            return Estimate(np.nan, reason="nobody answered")
        values, rows = ratings.values, units % max(len(self.scores.items), 1)
        if measure in OF_COMPLETE:
            complete, values = ratings.complete()
            rows = rows[complete]
        resampling = self.scores.resampling(rows)
        if measure in ON_LABELS:
            return self._of_labels(measure, ratings, judge, resampling)
        if measure in ALPHAS:
            return krippendorff_alpha(values, ALPHAS[measure], **resampling)
        if measure in ICCS:
            return icc(values, ICCS[measure], **resampling)
        return kendall_w(values, **resampling)

    def _of_labels(self, measure, ratings, judge, resampling):
        points, whose, ratings = labels_of(self.question), ratings.raters, ratings.values
        if measure == "percent":
            return percent_agreement(ratings, judge=judge, **resampling)
        if measure in ALPHAS:
            return krippendorff_alpha(ratings, ALPHAS[measure], **resampling)
        if measure in GWETS:
            return gwet_ac(ratings, points, weights=GWETS[measure], **resampling)
        if measure == "fleiss_kappa":
            return fleiss_kappa(ratings, points, **resampling)
        if len(points) > MOST_LABELS:
            reason = f"the scale has {len(points)} points, κ takes at most {MOST_LABELS}"
            return Estimate(np.nan, reason=reason)
        weights = KAPPAS[measure]
        return cohen_kappa(
            ratings, points, weights=weights, judge=judge, raters=whose, **resampling
        )

    def _row(self, raters, measure, estimate, n_raters):
        return {
            "raters": raters,
            "question": self.key,
            "measure": measure,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n_units": estimate.n,
            "n_raters": n_raters,
        }


class _Pooled(_Table):
    """Adds the rows of several questions on one scale, whose items are stacked as more units."""

    def __init__(self, report, scores, labels, places):
        super().__init__(report, scores, labels, places[0], scores.questions[places[0]])
        self.places, self.key = places, POOLED

    def ratings(self, role):
        return Given.below([self.scores.narrow(place, role) for place in self.places])

    def judged(self, judge):
        return np.concatenate([self._answers(judge, place) for place in self.places])

    def apart(self, judge, values):
        parts = np.split(values, len(self.places))
        return np.concatenate([self.scores.apart(judge, part) for part in parts])

    def fits(self, judge):
        return all(self._fits(judge, place) for place in self.places)

    def _forms(self, name, values):
        """Return both forms; the rows of the single questions count what lies off the scale."""
        return {False: values, True: as_labels(values, self.question)}
