"""Compute what each exclusion rule would change in the headlines; nothing is applied."""

import hashlib
from dataclasses import replace
from math import isnan, nan
from typing import NamedTuple

from analysis.figures.layout import Layout, interval_cell, listing
from analysis.options.choices import ALL
from analysis.reports.base import columns_of
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import AVERAGE, comparable, correlate
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import labels_of
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.baselines import without_draws
from analysis.reports.words import notes_beside
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from annotate.quality.measures import Evidence
from annotate.quality.rules import TITLES, offered
from annotate.templatetags.concord import leading_point

say = notes_beside(__file__, "exclusions")
NO_ALPHA = "α is undefined for every question with labels, or there is none"
NO_JUDGE = "no judge has a correlation with the reference"
COLUMNS = {
    "would exclude": lambda row: f"{row['excluded']:,} of {row['raters']:,}",
    "cannot judge": lambda row: f"{row['unjudged']:,}",
    "α now": lambda row: interval_cell(row, "alpha"),
    "α after": lambda row: interval_cell(row, "alpha_after"),
    "highest r now": lambda row: replace(interval_cell(row, "r"), size=row["judge"]),
    "r after": lambda row: replace(interval_cell(row, "r_after"), size=row["judge_after"]),
}


class Beside(Evidence):
    """Evidence on raters whose text changes with what platforms told of them."""

    def __str__(self):
        return hashlib.sha256(repr(self.told).encode()).hexdigest()


class Exclusions(MeasuredReport):
    """A row for each rule: raters left out, and α and a judge's largest r before and after."""

    name, title, options, stamp = "exclusions", "Exclusions", CorrelationOptions, Beside
    named_by, of_judges, is_drawn = ("rule",), False, False

    def list_parts(self, questions):
        return Shown("rules", "Rules", [("usual", "at their usual settings")])

    def measure(self, report, scores, parts):
        answers, before = scores.answers, headlines(scores)
        evidence = answers.beside or Beside(answers.study)
        evidence.questions = answers.questions
        for rule in offered(answers.study, evidence):
            if any(parameter.is_text for parameter in rule.parameters):
                continue  # it asks for something that has no usual value
            given = {parameter.name: parameter.default for parameter in rule.parameters}
            measured = rule.measure(evidence, **given)
            out = {pk for pk, value in measured.items() if rule.excludes(value, given)}
            names = {evidence.raters[pk].key for pk in out}
            after = headlines(without(scores, names)) if out else before
            numbers = before.alpha, before.r, after.alpha, after.r
            # Without a value before there is none to compare with; else why an interval lacks.
            why = [e.reason for e in numbers[:2] if isnan(e.value)] or [e.reason for e in numbers]
            row = {
                "rule": rule.key,
                "reason": rule.reason(given),
                "excluded": len(out),
                "unjudged": len(evidence.raters) - len(measured),
                "raters": len(evidence.raters),
            }
            row |= columns_of("alpha", before.alpha) | columns_of("alpha_after", after.alpha)
            row |= {"question": AVERAGE, "judge": before.judge} | columns_of("r", before.r)
            row |= {"judge_after": after.judge} | columns_of("r_after", after.r)
            reason = "; ".join(dict.fromkeys(filter(None, why)))
            lost = max(estimate.undefined_draws for estimate in numbers)
            report.add(row, kind="rater", reason=reason, undefined_draws=lost)
        return [
            *policy_notes(scores, compared=False),
            *map(say, ("alone", "all", "stay", "intervals")),
            interval_note(scores),
        ]

    def layout(self, report, chosen, looks):
        """Return one table, a line per rule with α and the largest r before and after."""
        caption = "Each rule alone; α and r are means over the questions."
        names = [TITLES[row["rule"]] for row in report.rows]
        return Layout([], [listing(caption, "Rule", names, report.rows, COLUMNS)])

    def find(self, report, chosen):
        """Say which rule would leave out most raters."""
        row = _strictest(report)
        if row is None or not row["excluded"]:
            return "No rule would leave out a rater." if row else ""
        change = _change(row)
        return (
            f"The strictest rule ({TITLES[row['rule']].lower()}) would leave out "
            f"{row['excluded']:,} of {row['raters']:,} raters"
            f"{'' if '–' in change else f': {change}'}."
        )


def _strictest(report):
    return max(report.rows, key=lambda row: row["excluded"], default=None)


def _change(row):
    return f"α {leading_point(row['alpha'])} → {leading_point(row['alpha_after'])}"


def without(scores, raters):
    """Return the Scores with these raters excluded."""
    return Scores(_without(scores.answers, raters), scores.options)


def _without(answers, raters):
    table = answers.table
    gone = (table["source"] == "human") & table["rater"].isin(raters)
    rest = answers.choosing and _without(answers.choosing, raters)
    return replace(answers, table=table.assign(excluded=table["excluded"] | gone), choosing=rest)


class Headlines(NamedTuple):
    """α of people, and the judge that follows them most closely with its r."""

    alpha: Estimate
    judge: str
    r: Estimate


def headlines(scores):
    """Estimate α (mean of the questions; ordinal, of words nominal) and a judge's largest r."""
    alphas = []
    for place, question in enumerate(scores.questions):
        ratings = scores.ratings(place, ALL)
        if labels_of(question) and ratings.size:
            metric = "nominal" if question.scale.is_nominal else "ordinal"
            alphas.append(krippendorff_alpha(ratings, metric, **scores.resampling()))
    alphas = [alpha for alpha in alphas if not isnan(alpha.value)]
    alpha = average(alphas) if alphas else Estimate(nan, reason=NO_ALPHA)
    rs = [(_r(without_draws(scores), e).value, e) for e in evaluators(scores) if e.judge]
    rs = [(r, judge) for r, judge in rs if not isnan(r)]
    if not rs:
        return Headlines(alpha, "", Estimate(nan, reason=NO_JUDGE))
    _, best = max(rs, key=lambda own: own[0])
    return Headlines(alpha, best.name, _r(scores, best))


def _r(scores, judge):
    """Return the mean over the questions of a judge's r with the reference."""
    places = comparable(scores)
    if not places:
        return Estimate(nan, reason=NO_JUDGE)
    return average([correlate(scores, judge, place, "dataset", "pearson") for place in places])


KIND = Exclusions().kind()
