"""Look at unfinished collecting by the rule that the study fixed before its first rating.

collected_of(answers, plan)     the answers that a look may use: of the complete clusters in order
fan_of, draw_fan                how the bounds of a judge's retention close in over clusters
"""

from dataclasses import dataclass, replace
from math import isfinite, isnan, nan, sqrt

import numpy as np

from analysis.figures.frame import SOFT
from analysis.figures.layout import Figure, Layout, Table, Words, cross_table, interval_cell
from analysis.figures.lines import series
from analysis.figures.looks import JUDGE_COLOURS
from analysis.options.common import Referenced
from analysis.options.declare import number
from analysis.reports.base import Report
from analysis.reports.how_many.prices import prices_of
from analysis.reports.how_many.tables import count
from analysis.reports.how_many.words import say, say_all
from analysis.reports.kind import ReportObject, of_questions
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.questions import asked_questions, read_lengths
from analysis.stats.planning.stopping import (
    FIRST_LOOK,
    RETENTION,
    State,
    StoppingRule,
    advise,
    checks_of,
    complete_clusters,
    look,
    sequence_bounds,
    share_alpha,
)
from analysis.stats.validation.criteria import USUAL
from analysis.stats.validation.evidence import gather_evidence
from annotate.models import StoppingPlan
from annotate.stopping.clusters import cluster_by_item, items_in_order
from annotate.stopping.exclusions import later_exclusions
from annotate.stopping.plan import plan_of
from judges.stopping.plan import pairs_of

POINTS = 16
RETENTION_PLACE = 1  # of a Look's checks
BEYOND = 1.25  # of the clusters that are planned, here, or advised
WIDEST = 20  # times the planned clusters
UNDECIDED = (State.CONTINUE, State.LIMIT)
AFTER_LOOKING = "chosen after looking"
TO_COLLECT = [
    Words("What the rule says"),
    "More items",
    "More ratings per item",
    "Cost",
    Words("Why"),
]
NUMBERS = ["Raters' own ρ", "Retention θ", "Clusters"]


@dataclass(frozen=True)
class Collected:
    """The answers of a look. clusters: how many it uses; in_order: how many the order has.

    lacking: how many of the first 50 clusters are incomplete, lacking_ratings: what they lack;
    later_items: added after the plan was fixed; gone_items: of the order, and rated no more.
    """

    answers: object
    clusters: int
    in_order: int
    lacking: int
    lacking_ratings: int
    later_items: int
    gone_items: int

    @property
    def is_spent(self):
        """Return whether all that the order has is collected."""
        return 0 < self.in_order == self.clusters

    @property
    def is_early(self):
        """Return whether the first look is still to come."""
        return self.clusters < FIRST_LOOK


def collected_of(answers, plan):
    """Return the Collected of a plan; items outside its order wait for ever."""
    rated = cluster_by_item(answers.study)
    frozen = plan.items or items_in_order(plan.order, rated)
    place = {pk: code for code, items in enumerate(frozen) for pk in items}
    codes = np.array(
        [place.get(pk, -1) if pk in rated else -1 for pk in answers.item_ids], dtype=np.int64
    )
    inside = codes >= 0
    # A part of a study has not all clusters of the order: count on without the others.
    present, ranks = np.unique(codes[inside], return_inverse=True)
    ratings, m = _raters_by_item(answers, plan.role)[inside], plan.raters_per_item
    t = complete_clusters(ranks, ratings, m)
    uses = inside.copy()
    uses[inside] = ranks < t
    missing = np.maximum(m - ratings, 0) * (ranks < FIRST_LOOK)
    return Collected(
        _answers_about(answers, uses),
        t,
        len(present),
        lacking=len(np.unique(ranks[missing > 0])),
        lacking_ratings=int(missing.sum()),
        later_items=len(rated.keys() - place.keys()),
        gone_items=len(place.keys() - rated.keys()),
    )


def _raters_by_item(answers, role):
    """Count the people (items,) whose answers to an item count: of this role, of all if blank."""
    table = answers.table
    is_counted = (table["source"] == "human").to_numpy() & ~table["excluded"].to_numpy()
    if role:
        is_counted &= (table["role"] == role).to_numpy()
    counts = table[is_counted]
    raters = counts[["item", "rater"]].drop_duplicates()
    return np.bincount(raters["item"].cat.codes, minlength=len(answers.items)).astype(np.float64)


def _answers_about(answers, uses):
    """Leave the ratings of some items, flagged (items,), and all judgments."""
    table = answers.table
    is_used = uses[table["item"].cat.codes.to_numpy()]
    return replace(answers, table=table[is_used | (table["source"] != "human").to_numpy()])


@dataclass(frozen=True)
class Fan:
    """The bounds (low, high) over clusters if today's estimate and its spread stay as they are.

    now: (clusters, estimate, low, high) of this look.
    """

    clusters: list
    low: list
    high: list
    now: tuple


def fan_of(seen, advice, rule):
    """Return the Fan of a look's retention; None where it is undefined."""
    check = seen.checks[RETENTION_PLACE]
    if isnan(check.value) or isnan(check.error) or not seen.clusters:
        return None
    needed = advice.cheapest.clusters if advice and advice.cheapest else 0
    last = max(seen.clusters, rule.planned, needed if isfinite(needed) else 0, 2 * FIRST_LOOK)
    last = min(BEYOND * last, WIDEST * rule.planned + seen.clusters)
    clusters = np.unique(np.geomspace(FIRST_LOOK, last, POINTS).round())
    errors = check.error * sqrt(seen.clusters) / np.sqrt(clusters)
    low, high = sequence_bounds(check.value, errors, clusters, rule.alpha, rule.planned)
    ends = float(seen.low[RETENTION_PLACE]), float(seen.high[RETENTION_PLACE])
    return Fan(clusters.tolist(), low.tolist(), high.tolist(), (seen.clusters, check.value, *ends))


def draw_fan(fan):
    """Draw a fan with its decision line, and the present look."""
    points = zip(fan.clusters, fan.low, fan.high, strict=True)
    low, high = zip(*(((x, a, nan, nan), (x, b, nan, nan)) for x, a, b in points), strict=True)
    ends = fan.clusters[0], fan.clusters[-1]
    lines = [
        ("upper bound", JUDGE_COLOURS[0], list(high)),
        ("lower bound", JUDGE_COLOURS[1], list(low)),
        ("this look", "var(--ink)", [fan.now]),
        ("decision line", SOFT, [(x, 0.0, nan, nan) for x in ends]),
    ]
    return series(lines, "Complete clusters", "Retention, with its bounds")


def describe_fan(judge, question, fan, still_open=""):
    """Write what the figure shows, also for readers who do not see it.

    still_open: the names of the checks that are not settled, which the figure may not show.
    """
    clusters, value, low, high = fan.now
    cases = ["fan" if isnan(low) else "fan_bounds"]
    if still_open and RETENTION not in still_open.split(", "):
        cases.append("fan_settled")
    about = {"judge": judge, "question": question, "still_open": still_open}
    bounds = {"clusters": clusters, "value": value, "low": low, "high": high}
    return say("stop", *cases, **about, **bounds)


MOST_FANS, MOST_COST = 8, 100_000


@dataclass(frozen=True, kw_only=True)
class StopOptions(Referenced):
    """Options of a look. item_cost: dollars for all ratings of an item; None: the study's own."""

    item_cost: float | None = number(
        None,
        0,
        MOST_COST,
        "Cost of an item",
        "dollars that all ratings of one item cost; default: by the study's own pay, else its own "
        "time",
    )


class Beside:
    """The plan, its pairs and the exclusions that came later, as text that changes with them."""

    def __init__(self, study, may_be_planned=True):
        self.plan = plan_of(study) if may_be_planned else None
        self.pairs = pairs_of(self.plan) if self.plan else []
        self.later = later_exclusions(self.plan) if self.plan else []

    @classmethod
    def known_by(cls, reader):
        """Return the Beside of a reader's study; the reader knows whether judges are planned."""
        return cls(reader.study, reader.judges.planned)

    def __str__(self):
        plan = (self.plan.pk, self.later) if self.plan else ()
        return repr((plan, [(pair.judge.key, pair.question.key) for pair in self.pairs]))


@dataclass(frozen=True)
class Terms:
    """A plan at work: what holds for each pair of a judge and a question.

    ended: why its guarantee has ended, blank while it holds; item_cost: of all ratings of an item,
    None where it is not known; sign: before an amount; priced: by what, in words.
    """

    plan: StoppingPlan
    rule: StoppingRule
    ended: str
    item_cost: float | None
    sign: str
    priced: str

    @classmethod
    def at_look(cls, beside, options, collected):
        plan, item_cost = beside.plan, options.item_cost
        sign, priced = "$", say("cost", "option")
        if item_cost is None:
            prices = prices_of(plan.study)
            item_cost, sign = prices.of_item(plan.raters_per_item), prices.sign
            priced = prices.source if prices.is_known else say("cost", "unknown")
        later, gone = beside.later, collected.gone_items
        cases = [
            case for case, holds in {"by_exclusions": later, "by_items": gone}.items() if holds
        ]
        if options.only or options.exclude:
            cases = ["by_option"]
        ended = "; ".join(say_all("stop", cases, exclusions=", ".join(later), gone=gone))
        rule = StoppingRule(share_alpha(plan.alpha, plan.decisions), plan.planned, USUAL.floor)
        return cls(plan, rule, ended, item_cost, sign, priced)

    @property
    def m(self):
        """Return the ratings per item that were planned."""
        return self.plan.raters_per_item


class Stop(ReportObject):
    """Whether collecting may stop at this look, and how many more ratings it takes if not."""

    name, title = "stop", "How many more ratings before stopping"
    options = StopOptions
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    instead = staticmethod(lambda reader: "" if reader.judges.planned else "plan")
    watch, stamp = Beside.known_by, Beside
    method, source = say_all("stop", ["method", "source"])
    formula = say_all("stop", ["formula_bound", "formula_states", "formula_advice"])

    def build(self, answers, options, parts=None):
        """Say for each planned pair of judge and question whether the rule would stop here.

        parts: keys of the questions that get rows, None for all.
        """
        beside, asked_role = answers.beside or Beside(answers.study), options.reference
        plan = beside.plan
        if plan is None:
            report = Report("stop", answers.study.slug, options.as_dict())
            report.verdict = [say("stop", "no_plan")]
            return report
        options = replace(options, reference=plan.role or asked_role)
        report = Report("stop", answers.study.slug, options.as_dict())
        collected = collected_of(answers, plan)
        terms = Terms.at_look(beside, options, collected)
        scores = Scores(collected.answers, options)
        for asked in asked_questions(scores, options.reference, read_lengths(scores)):
            key = asked.question.key
            if parts is None or key in parts:
                for pair in beside.pairs:
                    if pair.question.key == key and pair.judge.key in scores.every_judge:
                        _add(report, asked, pair.judge.key, terms, collected)
        if terms.ended:
            report.verdict = [say("stop", "ended", ended=terms.ended)]
        if collected.is_early and not terms.ended:
            report.verdict = [say_lacking(collected, terms)]
        else:
            report.verdict += [entry.reason for entry in report.entries]
        report.verdict += say_counted(collected, terms.m)
        notes = say_notes(report, terms)
        report.notes = [*item_notes(scores), say_role(plan.role, asked_role), *notes]
        return report

    def layout(self, report, question, looks):
        """Return the page: what the rule says of the question's judges, with the fan of each.

        Nothing before the first look: what the report says is all that there is to say.
        """
        if all(r["state"] == State.CONTINUE and r["clusters"] < FIRST_LOOK for r in report.rows):
            return Layout([], [])
        own = [entry for entry in report.entries if entry.row["question"] == question]
        figures, advised, numbers = [], [], []
        for entry in own:
            row, name = entry.row, entry.row["evaluator"]
            if len(figures) < MOST_FANS and (fan := report.curves.get((name, question))):
                still_open = row["open"] if row["state"] in UNDECIDED else ""
                caption = describe_fan(name, question, fan, still_open)
                key = f"stop-{len(figures)}"
                figures.append(Figure(key, caption, draw_fan(fan), is_folded=bool(figures)))
            advised.append((name, _advised(entry)))
            estimates = interval_cell(row, "rho"), interval_cell(row, "retention")
            numbers.append((name, [*estimates, f"{row['clusters']:,}"]))
        states = {(r["evaluator"], r["question"]): _state(r) for r in report.rows}
        every = cross_table("Every judge and question at this look.", "Judge", states)
        tables = [
            Table(f"{question}: what to collect.", TO_COLLECT, advised, [], "Judge"),
            Table(f"{question}: estimates.", NUMBERS, numbers, [], "Judge", is_folded=True),
            replace(every, is_folded=True),
        ]
        return Layout(figures, [table for table in tables if table.lines])


def _add(report, asked, judge, terms, collected):
    """Add the row of a judge and a question, with its sentence and its fan."""
    values, has_own_scale = asked.values_of(judge)
    own, judgments = has_own_scale or not asked.has_ends, asked.as_judgments(values)
    evidence = gather_evidence(asked.reference, judgments, USUAL, has_own_scale=own)
    agreement, theta = evidence.agreement, evidence.agreement.retention(USUAL.retention)
    counted = {"clusters": evidence.n_clusters, "is_budget_spent": collected.is_spent}
    seen = look(terms.rule, *checks_of(evidence, USUAL), **counted)
    shown = zip(seen.checks, seen.is_open, strict=True)
    still_open = ", ".join(dict.fromkeys(check.name for check, is_open in shown if is_open))

    advice = option = None
    is_early = seen.clusters < FIRST_LOOK
    if seen.state in UNDECIDED and not is_early and not terms.ended:
        cost = 1.0 if terms.item_cost is None else terms.item_cost
        advice = advise(terms.rule, seen, items=evidence.n, m=terms.m, rating_cost=cost / terms.m)
        option = advice.cheapest

    state = "" if terms.ended else str(seen.state)
    case = "early" if state == State.CONTINUE and is_early else state
    words = say(
        "stop",
        case or "ended_pair",
        judge=judge,
        question=asked.question.key,
        still_open=still_open,
        seen=seen,
    )
    row = {
        "evaluator": judge,
        "question": asked.question.key,
        "role": asked.scores.options.reference,
        "state": state,
        "items": option.more_items if option else nan,
        "items_low": advice.fewest_items if option else nan,
        "items_high": advice.most_items if option else nan,
        "raters": option.more_raters if option else nan,
        "cost": option.cost if option and terms.item_cost is not None else nan,
        "clusters": seen.clusters,
        "rated_items": evidence.n,
        **_with_bounds("rho", agreement.rho, 0, seen, terms.ended),
        **_with_bounds("retention", theta, RETENTION_PLACE, seen, terms.ended),
        "open": still_open,
        "bounds": AFTER_LOOKING if terms.ended else "always valid",
    }
    reason = f"{words} {say_advice(advice, terms)}".strip()
    report.add(row, reason=reason, judge=judge, kind="judge")
    if not terms.ended and not collected.is_early:
        report.curves[judge, asked.question.key] = fan_of(seen, advice, terms.rule)


def _with_bounds(name, quantity, place, seen, ended):
    """Return an estimate with the bounds of all looks; without a guarantee its usual interval."""
    of_looks = float(seen.low[place]), float(seen.high[place])
    low, high = quantity.interval() if ended else of_looks
    return {name: quantity.value, f"{name}_low": low, f"{name}_high": high}


def _state(row):
    return say("state", row["state"] or "ended")


def _advised(entry):
    """Return the cells under TO_COLLECT."""
    row = entry.row
    more, raters, cost = (count(row[name], "no end") for name in ("items", "raters", "cost"))
    if not isnan(row["items_low"]):
        more += f" ({count(row['items_low'], 'no end')} to {count(row['items_high'], 'no end')})"
    return [Words(_state(row)), more, raters, cost, Words(entry.reason)]


def say_advice(advice, terms):
    """Return what it would take if today's estimates stay, never as a promise."""
    if advice is None:
        return ""
    if advice.course is not None:
        return say("stop", f"course_{advice.course}")
    option = advice.cheapest
    if option is None:
        return say("stop", "untold")
    cases = ["takes_raters" if option.more_raters else "takes"]
    cases += [] if terms.item_cost is None else ["costs"]
    if not isnan(advice.fewest_items) and not isnan(advice.most_items):
        cases.append("between" if isfinite(advice.most_items) else "endless")
    cases += ["alone"] if advice.raters_alone is None else []
    return say("stop", *cases, advice=advice, terms=terms, ratings=terms.m + option.more_raters)


def say_lacking(collected, terms):
    """Return what the first look still needs, and about what that costs."""
    case, cost = "lacks", (terms.item_cost or 0) * collected.lacking_ratings / terms.m
    if collected.in_order < FIRST_LOOK:
        case = "no_look"
    elif cost:
        case = "lacks_cost"
    return say("stop", case, collected=collected, terms=terms, cost=cost)


def say_counted(collected, m):
    """Return which clusters a look uses, and what becomes of items that were added later."""
    counted = ["counted"] if collected.is_spent else ["counted", "late"]
    added = ["added"] if collected.later_items else []
    words = say("stop", *counted, collected=collected, m=m)
    return [words, *say_all("stop", added, collected=collected)]


def say_role(role, asked):
    """Return whose ratings the plan counts. role: blank in older plans; asked: by the option."""
    cases = ["role", "role_unused"] if asked != role else ["role"]
    return say("stop", *(cases if role else ["role_open"]), role=role, asked=asked)


def say_notes(report, terms):
    plan, missing = terms.plan, terms.plan.decisions - len(report.entries)
    cases = ["fixed", "advice", "exclusions", "cost"]
    cases += ["missing"] if missing > 0 else []
    cases += ["dash"] if np.isnan([row["rho"] for row in report.rows]).any() else []
    return say_all(
        "stop",
        [f"note_{case}" for case in cases],
        plan=plan,
        terms=terms,
        alpha=f"{plan.alpha:g}".lstrip("0"),
        rules=", ".join(entry["rule"] for entry in plan.exclusions) or "none",
        missing=missing,
    )


KIND = Stop().kind()
