"""Estimate what an item costs with each judge and with people, and the accuracy this buys."""

from dataclasses import dataclass, field
from math import isnan, nan

import numpy as np

from analysis.answers.families import MODEL, families
from analysis.answers.spending import MEASURES, NOTHING, spending
from analysis.figures.layout import Figure, Layout, cell_of, listing
from analysis.figures.lines import frontier
from analysis.reports.base import columns_of
from analysis.reports.kind import Shown
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.findings import defined
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import DeviationOptions
from analysis.reports.words import NoFinding, money, notes_beside, worded
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.ensembles.average import average
from analysis.stats.ensembles.frontier import non_dominated
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from analysis.stats.intervals.few_raters import SPLITS, few_raters
from annotate.design.payment import USD, pay_of
from annotate.templatetags.concord import leading_point, measured

say = notes_beside(__file__, "cost")
MOST_RATERS = 10
MOST_LINES = 100
JUDGE, ENSEMBLE, PEOPLE = "judge", "ensemble", "people"
BOTH_ASPECTS = ("prompt", "max_tokens")  # may differ between the two ways of asking
ASKED = {"single": "one call a question", "multiple": "all in one call"}
# What says nothing; a column of these alone is left out.
BLANK = ("unknown", "–", "– / –")
COLUMNS = {
    "An item costs": lambda e: _price(e.row),
    "Pearson's r": lambda e: cell_of(e, f"n = {e.row['n']:,}"),
    "Not dominated": lambda e: {True: "yes", False: "no", None: "–"}[e.row["frontier"]],
    "Asked": lambda e: ASKED.get(e.row["aspects"], "–"),
    "Calls an item": lambda e: measured(e.row["calls"]),
    "Tokens in / out": lambda e: " / ".join(
        measured(e.row[name]) for name in ("tokens_in", "tokens_out")
    ),
    "Seconds": lambda e: measured(e.row["seconds"]),
    "Items": lambda e: e.row["n_items"],
}
# Of judges with one call a question (the first) and with all in one call.
OF_PAIRS = {
    "One call a question": lambda pair: _price(pair[0]),
    "All in one call": lambda pair: _price(pair[1]),
    "Times as dear": lambda pair: _ratio(*pair),
    "r, one a question": lambda pair: worded(pair[0], 2),
    "r, all in one": lambda pair: worded(pair[1], 2),
}


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


class Cost(MeasuredReport):
    """A row for each evaluator and question (or their average): cost of an item, r, frontier."""

    name, title, options = "cost", "Cost", DeviationOptions
    named_by, is_drawn = ("evaluator", "question"), False

    def list_parts(self, questions):
        """Return the questions, and their mean, on which accuracy can be shown."""
        keys = [question.key for question in questions if question.scale.is_ordered]
        average = [(AVERAGE, "mean of the questions")] if keys else []
        return Shown("question", "Accuracy on", [*average, *((key, key) for key in keys)])

    def measure(self, report, scores, parts):
        study, settings = scores.answers.study, scores.answers.settings
        places = {q.key: place for place, q in enumerate(scores.questions) if q.scale.is_ordered}
        wanted = [key for key in (AVERAGE, *places) if places and (not parts or key in parts)]
        used = {key: place for key, place in places.items() if {AVERAGE, key} & {*wanted}}
        spent = spending(study, scores.options.version)
        points = [*_judges(scores, spent, used), *_people(scores, used)]
        for key in wanted:
            _add(report, points, key)
        models = {judge["key"]: judge[MODEL] for judge in settings}
        report.curves["pairs"] = [
            (models[pair["single"]], pair["single"], pair["multiple"])
            for pair in families(settings, "aspects", BOTH_ASPECTS)
            if {pair.get("single"), pair.get("multiple")} <= {*scores.judges}
        ]
        if report.rows and all(isnan(row["cost"]) for row in report.rows):
            report.verdict.append(NoFinding(say("unknown")))
        best = [row for row in report.rows if row["question"] == wanted[0] and row["frontier"]]
        if len(best) > 1:
            steps = [
                f"{row['evaluator']} (${row['cost']:.2g} an item, r = {row['value']:.2f})"
                for row in sorted(best, key=lambda row: row["cost"])
            ]
            what = _what(wanted[0])
            what = f"{what[0].upper()}{what[1:]}"
            report.verdict.append(f"{what}: not dominated are {'; '.join(steps)}.")
        notes = _notes(scores, spent, points)
        return [*policy_notes(scores, compared=False), *notes, interval_note(scores)]

    def layout(self, report, key, looks):
        """Return the page of accuracy on one question: the frontier, the costs, pairs of judges."""
        entries, what, figures = report.entries, _what(key), []
        if len({entry.row["cost"] for entry in entries if entry.row["frontier"] is not None}) > 1:
            caption = (
                f"Pearson's r with people ({what}) over what an item costs. Squares are judges, "
                "stars ensembles, circles the mean of k raters; filled marks are not dominated. "
                "Lines: 95 % intervals."
            )
            plot = frontier(entries, looks, f"Pearson's r, {what}")
            figures.append(Figure("frontier", caption, plot))
        entries = sorted(entries, key=lambda e: (isnan(cost := e.row["cost"]), cost))
        shown = entries[:MOST_LINES]
        names = [entry.row["evaluator"] for entry in shown]
        more = f" The first {MOST_LINES} of {len(entries)}." if entries[MOST_LINES:] else ""
        caption = f"Cost of an item on all questions, and Pearson's r ({what}), the cheapest first."
        columns = {
            heading: of for heading, of in COLUMNS.items() if any(of(e) not in BLANK for e in shown)
        }
        costs = listing(caption + more, "Evaluator", names, shown, columns)
        rows = {row["evaluator"]: row for row in report.rows if row["kind"] == JUDGE}
        pairs = report.curves["pairs"]
        names = [f"{model}: {single} / {multiple}" for model, single, multiple in pairs]
        both = [(rows[single], rows[multiple]) for _, single, multiple in pairs]
        caption = "Single-aspect against multiple-aspect judges with the same other settings."
        return Layout(figures, [costs, listing(caption, "Judges", names, both, OF_PAIRS)])

    def find(self, report, key):
        """Say what an item costs with the judge that follows people most closely."""
        rows = [row for row in report.rows if row["kind"] != PEOPLE and row["question"] == key]
        priced = defined([row for row in rows if not isnan(row["cost"])], "value")
        if not priced:
            return ""
        return (
            f"An item costs {money(priced[0]['cost'])} with {priced[0]['evaluator']}: r "
            f"{leading_point(priced[0]['value'])} with people's means, {_what(key)}."
        )


def _what(key):
    return "mean of the questions" if key == AVERAGE else key


def _price(row):
    """Write what an item costs, with its interval if the items differ."""
    price, *ends = (money(row[name], row["currency"]) for name in ("cost", "cost_low", "cost_high"))
    same = isnan(row["cost_low"]) or ends == [price, price]
    return "unknown" if isnan(row["cost"]) else price + ("" if same else f" [{', '.join(ends)}]")


def _ratio(single, multiple):
    both_known = multiple["cost"] > 0 and not isnan(single["cost"])
    return f"{single['cost'] / multiple['cost']:.1f}" if both_known else "–"


def cost_by_item(scores, spent):
    """Return {measure: cost of each item (items,)}; NaN where not asked, or unknown."""
    rows = spent.items.reindex(scores.items["item"].astype(str))
    return {measure: rows[measure].to_numpy(dtype=float) for measure in MEASURES}


def cost_of(scores, spent, name):
    """Return a judge's `cost_by_item`, an ensemble's summed over its members, and what is unknown.

    That is {member: why its cost is not known}.
    """
    members = scores.ensembles[name].members if name in scores.ensembles else [name]
    own = {member: spent.get(scores.sampled(member), NOTHING) for member in members}
    by_member = [cost_by_item(scores, part) for part in own.values()]
    costs = {measure: np.sum([own[measure] for own in by_member], axis=0) for measure in MEASURES}
    return costs, {member: part.unknown for member, part in own.items() if part.unknown}


def _judges(scores, spent, places):
    """Yield a point per judge, or per ensemble with the sum of its members' costs."""
    reference = scores.reference()
    aspects = {judge["key"]: judge["aspects"] for judge in scores.answers.settings}
    for name in scores.judges:
        by_item, unknown = cost_of(scores, spent, name)
        resampling = scores.resampling()
        costs = {measure: clustered_mean(own, **resampling) for measure, own in by_item.items()}
        reasons = [why if member == name else f"{member}: {why}" for member, why in unknown.items()]
        kind = ENSEMBLE if name in scores.ensembles else JUDGE
        asked = aspects.get(scores.sampled(name), "")
        point = Point(name, kind, costs, "; ".join(reasons), aspects=asked)
        values, people = scores.judge(name), scores.apart(name, reference)
        for key, place in places.items():
            both = values[:, place], people[:, place]
            rows = np.flatnonzero(~np.isnan(both).any(axis=0))
            own = [side[rows] for side in both]
            r = dataset_correlation(*own, "pearson", **scores.resampling(rows))
            point.accuracy[key] = r
        yield point


def _people(scores, places):
    """Yield a point for the mean of 1, 2, … raters, while another rater is left to compare with."""
    study, options = scores.answers.study, scores.options
    pay = pay_of(study)
    tables = {key: scores.ratings(place, options.reference) for key, place in places.items()}
    most = max((int((~np.isnan(t)).sum(axis=1).max(initial=0)) for t in tables.values()), default=0)
    for k in range(1, min(max(most, 1), MOST_RATERS) + 1):
        name = "1 rater" if k == 1 else f"mean of {k} raters"
        price = pay.amount * k / study.items_per_session if pay else nan
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
    dollars = [p.costs["cost"].value if p.currency == USD else nan for p in points]
    values = [estimate.value for estimate in accuracy]
    compared, best = ~np.isnan([dollars, values]).any(axis=0), non_dominated(dollars, values)
    marks = [
        bool(is_best) if is_compared else None
        for is_compared, is_best in zip(compared, best, strict=True)
    ]
    for point, estimate, mark in zip(points, accuracy, marks, strict=True):
        price, unknown = point.costs["cost"], Estimate(nan)
        about = {"evaluator": point.name, "kind": point.kind, "aspects": point.aspects}
        about |= {"raters": point.raters, "question": key} | columns_of("cost", price)
        about |= {"currency": point.currency}
        about |= {name: point.costs.get(name, unknown).value for name in MEASURES[1:]}
        about |= {"n_items": price.n or None}
        reason = "; ".join(why for why in (point.reason, estimate.reason) if why)
        facts = {"kind": point.kind, "judge": "" if point.kind == PEOPLE else point.name}
        more = {"n": estimate.n, "frontier": mark}
        report.add_estimate(about, estimate, more, reason=reason, **facts)


def _notes(scores, spent, points):
    study, pay = scores.answers.study, pay_of(scores.answers.study)
    yield say("cost")
    here = [name for name in scores.judges if name in spent and spent[name].here]
    if here:
        yield say("here", names=", ".join(here))
    for name in scores.judges:
        if name in spent and spent[name].reused:
            yield say("reused", name=name, n=spent[name].reused)
    if pay:
        yield say("people", pay=pay, items=study.items_per_session)
        if pay.currency != USD:
            yield say("currencies", usd=USD, pay=pay)
    if any(point.kind == PEOPLE for point in points):
        yield say("r_of_people", splits=SPLITS, seed=scores.options.seed)
    yield say("dominated")


KIND = Cost().kind()
