"""Compute what each exclusion rule would change in the headlines; nothing is applied."""

import hashlib
from dataclasses import replace
from math import isnan

from analysis.options.choices import ALL
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.closeness.correlation import CORRELATION
from analysis.reports.shared.correlations import AVERAGE, comparable, correlate
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import labels_of
from analysis.reports.shared.scores import Scores
from analysis.stats.agreement.krippendorff_alpha import krippendorff_alpha
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from annotate.quality.measures import Evidence
from annotate.quality.rules import offered

NAN = float("nan")
UNDEFINED = {
    "alpha": "α is undefined for every question with labels, or there is none",
    "r": "no judge has a correlation with the reference",
}


class Beside(Evidence):
    """Evidence on raters whose text changes with what platforms told of them."""

    def __str__(self):
        return hashlib.sha256(repr(self.told).encode()).hexdigest()


def exclusions(answers, options, parts=None):
    """Add one row for each rule at its usual settings: raters left out, α, a judge's highest r."""
    report = Report("exclusions", answers.study.slug, options.as_dict())
    before = headlines(answers, options)
    evidence = answers.beside or Beside(answers.study)
    evidence.questions = answers.questions
    for rule in offered(answers.study, evidence):
        if any(parameter.is_text for parameter in rule.parameters):
            continue  # it asks for something that has no usual value
        given = {parameter.name: parameter.default for parameter in rule.parameters}
        measured = rule.measure(evidence, **given)
        out = {pk for pk, value in measured.items() if rule.excludes(value, given)}
        names = {evidence.raters[pk].key for pk in out}
        after = headlines(without(answers, names), options) if out else before
        row = {
            "rule": rule.key,
            "reason": rule.reason(given),
            "excluded": len(out),
            "unjudged": len(evidence.raters) - len(measured),
            "raters": len(evidence.raters),
        }
        why = [words for key, words in UNDEFINED.items() if isnan(before[key].value)]
        why = why or [estimates[key].reason for estimates in (before, after) for key in UNDEFINED]
        reason = "; ".join(dict.fromkeys(filter(None, why)))
        lost = max(
            estimates[key].undefined_draws for estimates in (before, after) for key in UNDEFINED
        )
        report.add(row | _both(before, after), kind="rater", reason=reason, undefined_draws=lost)
    report.notes = [
        *policy_notes(Scores(answers, options), compared=False),
        "Each rule is taken alone, at its usual settings, and changes nothing; the Quality page "
        "sets, previews and applies it.",
        "A rule looks at all that a rater did, whatever items and parts are left in.",
        "Raters whom a rule cannot judge, having too few answers or no such data, stay.",
        "The intervals draw the same clusters before and after; that of r is of the judge that "
        "had the largest r, and does not know of the choice.",
        interval_note(Scores(answers, options)),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["rule"]),
    ]
    return report


def _both(before, after):
    """Return the row of the headlines with all raters, and with those who would stay."""
    alpha, alpha_after = _with_ends("alpha", before), _with_ends("alpha_after", after)
    r, r_after = _with_ends("r", before), _with_ends("r_after", after)
    judges = {"judge": before["judge"]} | r | {"judge_after": after["judge"]} | r_after
    return alpha | alpha_after | {"question": AVERAGE} | judges


def _with_ends(key, estimates):
    """Return a headline and the ends of its interval, under the key."""
    estimate = estimates[key.removesuffix("_after")]
    return {key: estimate.value, f"{key}_low": estimate.low, f"{key}_high": estimate.high}


def without(answers, raters):
    """Return the answers with these raters excluded."""
    table = answers.table
    gone = (table["source"] == "human") & table["rater"].isin(raters)
    rest = answers.choosing and without(answers.choosing, raters)
    table = table.assign(excluded=table["excluded"] | gone)
    return replace(answers, table=table, choosing=rest)


def headlines(answers, options):
    """Estimate α (mean of the questions; ordinal, of words nominal) and a judge's largest r."""
    scores = Scores(answers, options)
    alphas = []
    for place, question in enumerate(scores.questions):
        ratings = scores.ratings(place, ALL)
        if labels_of(question) and ratings.size:
            metric = "nominal" if question.scale.is_nominal else "ordinal"
            alphas.append(krippendorff_alpha(ratings, metric, **scores.resampling()))
    defined = [alpha for alpha in alphas if not isnan(alpha.value)]
    alpha = average(defined) if defined else Estimate(NAN, reason=UNDEFINED["alpha"])
    return {"alpha": alpha} | _best_judge(answers, options, scores)


def _best_judge(answers, options, scores):
    """Return the judge with the largest r, and its r with an interval."""
    quick = replace(options, draws=0)
    report = CORRELATION.build(answers, quick, ["pearson dataset"])
    rows = [row for row in report.rows if row["question"] == AVERAGE and not isnan(row["value"])]
    rows = [row for row in rows if row["evaluator"] in scores.judges]
    if not rows:
        return {"judge": "", "r": Estimate(NAN, reason=UNDEFINED["r"])}
    name = max(rows, key=lambda row: row["value"])["evaluator"]
    judge = next(evaluator for evaluator in evaluators(scores) if evaluator.name == name)
    estimates = [
        correlate(scores, judge, place, "dataset", "pearson") for place in comparable(scores)
    ]
    return {"judge": name, "r": average(estimates)}
