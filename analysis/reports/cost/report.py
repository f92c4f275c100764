"""Estimate what an item costs with each judge and with people, and the accuracy this buys."""

from dataclasses import dataclass, field

import numpy as np

from analysis.answers.families import MODEL, families
from analysis.answers.spending import MEASURES, NOTHING, spending
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.scores import Scores
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.ensembles.average import average
from analysis.stats.ensembles.frontier import non_dominated
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.few_raters import SPLITS, few_raters
from annotate.design.payment import USD, pay_of

MOST_RATERS = 10
JUDGE, ENSEMBLE, PEOPLE = "judge", "ensemble", "people"
BOTH_ASPECTS = ("prompt", "max_tokens")  # may differ between the two ways of asking


@dataclass
class Point:
    """A way to get an item's answers: its costs by measure, and its r by question key."""

    name: str
    kind: str
    costs: dict
    reason: str = ""  # why the cost is unknown
    accuracy: dict = field(default_factory=dict)
    aspects: str = ""
    raters: int | None = None
    currency: str = USD


def cost(answers, options, parts=None):
    """Compute a row per evaluator and question (or their average): cost an item, r, frontier.

    parts: keys of questions, or "average"; all of them where none are named.
    """
    scores = Scores(answers, options)
    report = Report("cost", answers.study.slug, options.as_dict())
    places = {q.key: place for place, q in enumerate(scores.questions) if q.scale.is_ordered}
    wanted = [key for key in (AVERAGE, *places) if places and (not parts or key in parts)]
    used = {key: place for key, place in places.items() if AVERAGE in wanted or key in wanted}
    settings = answers.settings
    spent = spending(answers.study, scores.options.version)
    points = [
        *_judges(scores, spent, {judge["key"]: judge["aspects"] for judge in settings}, used),
        *_people(scores, used),
    ]
    for key in wanted:
        _add(report, points, key)
    report.curves["pairs"] = _pairs(scores, settings)
    report.verdict = list(_verdict(report, wanted))
    report.notes = [
        *policy_notes(scores, compared=False),
        *_notes(scores, spent, points),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question"]),
    ]
    return report


def _judges(scores, spent, aspects, places):
    """Yield a point per judge, or per ensemble with the sum of its members' costs."""
    reference = scores.reference()
    singles = [name for name in scores.every_judge if name not in scores.ensembles]
    spent_by_judge = {name: spent.get(scores.sampled(name), NOTHING) for name in singles}
    costs_by_judge = {
        name: cost_by_item(scores, spent_on_items)
        for name, spent_on_items in spent_by_judge.items()
    }
    for name in scores.judges:
        members = scores.ensembles[name].members if name in scores.ensembles else [name]
        costs = {
            measure: clustered_mean(
                np.sum([costs_by_judge[member][measure] for member in members], axis=0),
                **scores.resampling(),
            )
            for measure in MEASURES
        }
        unknown = [member for member in members if spent_by_judge[member].unknown]
        reasons = [
            spent_by_judge[m].unknown if m == name else f"{m}: {spent_by_judge[m].unknown}"
            for m in unknown
        ]
        kind = ENSEMBLE if name in scores.ensembles else JUDGE
        asked = aspects.get(scores.sampled(name), "")
        point = Point(name, kind, costs, "; ".join(reasons), aspects=asked)
        values, own = scores.judge(name), scores.apart(name, reference)
        point.accuracy = {
            key: _r(scores, values[:, place], own[:, place]) for key, place in places.items()
        }
        yield point


def cost_by_item(scores, spent):
    """Return {measure: cost of each item (items,)}; NaN where not asked, or unknown."""
    rows = spent.items.reindex(scores.items["item"].astype(str))
    return {measure: rows[measure].to_numpy(dtype=float) for measure in MEASURES}


def _r(scores, x, y):
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    return dataset_correlation(x[rows], y[rows], "pearson", **scores.resampling(rows))


def _people(scores, places):
    """Yield a point for the mean of 1, 2, … raters, while another rater is left to compare with."""
    study, options = scores.answers.study, scores.options
    pay = pay_of(study)
    tables = {key: scores.ratings(place, options.reference) for key, place in places.items()}
    most = max((int((~np.isnan(t)).sum(axis=1).max(initial=0)) for t in tables.values()), default=0)
    for k in range(1, min(max(most, 1), MOST_RATERS) + 1):
        name = "1 rater" if k == 1 else f"mean of {k} raters"
        price = pay.amount * k / study.items_per_session if pay else np.nan
        reason = "" if pay else "the study does not say what a session pays (Settings)"
        point = Point(name, PEOPLE, {"cost": Estimate(price)}, reason, raters=k)
        point.currency = pay.currency if pay else ""
        for key, table in tables.items():
            rng = np.random.default_rng([options.seed, k])
            point.accuracy[key] = few_raters(table, k, rng, **scores.resampling())
        yield point


def _add(report, points, key):
    """Add the rows of one question, and mark the points in dollars that nothing else dominates."""
    accuracy = [
        average(list(point.accuracy.values())) if key == AVERAGE else point.accuracy[key]
        for point in points
    ]
    dollars = [p.costs["cost"].value if p.currency == USD else np.nan for p in points]
    best = non_dominated(dollars, [estimate.value for estimate in accuracy])
    compared = ~np.isnan(dollars) & ~np.isnan([estimate.value for estimate in accuracy])
    for place, (point, estimate) in enumerate(zip(points, accuracy, strict=True)):
        price = point.costs["cost"]
        facts = {name: _value(point, name) for name in MEASURES[1:]}
        report.add(
            {
                "evaluator": point.name,
                "kind": point.kind,
                "aspects": point.aspects,
                "raters": point.raters,
                "question": key,
                "cost": price.value,
                "cost_low": price.low,
                "cost_high": price.high,
                "currency": point.currency,
                **facts,
                "n_items": price.n or None,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
                "frontier": bool(best[place]) if compared[place] else None,
            },
            reason="; ".join(why for why in (point.reason, estimate.reason) if why),
            judge="" if point.kind == PEOPLE else point.name,
            kind=point.kind,
            undefined_draws=estimate.undefined_draws,
        )


def _value(point, name):
    return point.costs[name].value if name in point.costs else np.nan


def _pairs(scores, settings):
    """Return [(model, single-aspect judge, multiple-aspect judge)] of the chosen judges."""
    models = {judge["key"]: judge[MODEL] for judge in settings}
    pairs = [
        (f.get("single"), f.get("multiple")) for f in families(settings, "aspects", BOTH_ASPECTS)
    ]
    return [(models[s], s, m) for s, m in pairs if s in scores.judges and m in scores.judges]


def _verdict(report, wanted):
    """Name the points of the frontier in words, the cheapest first."""
    if report.rows and all(np.isnan(row["cost"]) for row in report.rows):
        yield "What an item costs is not known, neither with a judge nor with people."
    for key in wanted[:1]:
        rows = [row for row in report.rows if row["question"] == key and row["frontier"]]
        if len(rows) < 2:
            continue
        steps = [
            f"{row['evaluator']} (${row['cost']:.2g} an item, r = {row['value']:.2f})"
            for row in sorted(rows, key=lambda row: row["cost"])
        ]
        what = "mean of the questions" if key == AVERAGE else key
        yield f"{what[0].upper()}{what[1:]}: not dominated are {'; '.join(steps)}."


def _notes(scores, spent, points):
    study, pay = scores.answers.study, pay_of(scores.answers.study)
    yield (
        "Cost of an item: all its questions and samples together, all runs, calls that failed or "
        "were repeated included; an ensemble costs what its members cost, a weighted value what "
        "its judge costs."
    )
    here = [name for name in scores.judges if name in spent and spent[name].here]
    if here:
        yield f"Computed here without a call, so counted as 0: {', '.join(here)}."
    for name in scores.judges:
        if name in spent and spent[name].reused:
            yield (
                f"{name}: {spent[name].reused:,} replies were taken over from identical calls of "
                "past runs, at no cost; asked for by itself it would cost more."
            )
    if pay:
        yield (
            f"People: {pay.amount:g} {pay.currency} a session / {study.items_per_session} items a "
            "session × raters; fees of a platform are not in it."
        )
        if pay.currency != USD:
            yield f"Judges are paid in {USD}, people in {pay.currency}: they are not compared."
    if any(point.kind == PEOPLE for point in points):
        yield (
            f"People's r: {SPLITS} random choices of k raters for each item, their mean against "
            "the mean of the item's other raters, Pearson's r over all items, averaged; seed "
            f"{scores.options.seed}. The others are fewer than the reference of judges, which "
            "keeps people's r low."
        )
    yield "Not dominated: nothing else costs less, or as much, and follows people more closely."
