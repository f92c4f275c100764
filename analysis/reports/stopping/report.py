"""Look at unfinished collecting by the rule that the study fixed before its first rating."""

from dataclasses import dataclass, replace
from math import inf, isnan, nan

import numpy as np

from analysis.figures.layout import Figure, Layout, Table, Words, cross_table, interval_cell
from analysis.reports.base import Report
from analysis.reports.kind import ReportObject, no_value, of_questions
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.stopping import words
from analysis.reports.stopping.checks import checks_of
from analysis.reports.stopping.complete import collected_of
from analysis.reports.stopping.fan import RETENTION_PLACE, describe_fan, draw_fan, fan_of
from analysis.reports.stopping.options import StopOptions
from analysis.reports.stopping.price import Price, price_of
from analysis.reports.verdict.questions import asked_questions, read_lengths
from analysis.reports.verdict.sentences import short
from analysis.stats.planning.advice import Advice, advise
from analysis.stats.planning.confidence_sequence import FIRST_LOOK, share_alpha
from analysis.stats.planning.stopping import Look, State, StoppingRule, look
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Evidence, gather_evidence
from annotate.models import StoppingPlan
from annotate.stopping.exclusions import later_exclusions
from annotate.stopping.plan import plan_of
from judges.stopping.plan import pairs_of

CRITERIA = Criteria()
JUDGE = "judge"
UNDECIDED = (State.CONTINUE, State.LIMIT)
BOUNDS = "always valid"
MOST_FANS = 8
SAID = [Words("What the rule says"), "More items", "More ratings an item", "Cost", Words("Why")]
NUMBERS = ["Raters' own ρ", "Retention θ", "Clusters"]


@dataclass(frozen=True)
class Rule:
    """A plan at work: the StoppingRule of one pair, and what an item costs.

    ended: why its guarantee has ended; blank while it holds.
    """

    plan: StoppingPlan
    stopping: StoppingRule
    ended: str
    price: Price

    @property
    def m(self):
        """Return the ratings an item that were planned."""
        return self.plan.raters_per_item


@dataclass(frozen=True)
class Looked:
    """A judge and a question at a look. advice: None where nothing is advised."""

    judge: str
    question: str
    evidence: Evidence
    seen: Look
    advice: Advice | None


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


class Stopping(ReportObject):
    """Whether collecting may stop at this look, and how many more ratings it takes if not."""

    name, title = "stop", "How many more ratings before stopping"
    options = StopOptions
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    instead = staticmethod(lambda reader: "" if reader.judges.planned else "plan")
    watch, stamp = Beside.known_by, Beside
    method = (
        "Whether collecting may stop at this look, by the rule that was fixed before the first "
        "rating, and what it would take if not. Looks are allowed at any time. Advice only: "
        "nothing closes by itself."
    )
    formula = [
        "t: clusters that a look uses, in an order drawn before collecting all those before the "
        "first that is incomplete. "
        "Bound: estimate ± SE √t · margin(t), "
        "margin(t)² = 2(tρ² + 1)/(t²ρ²) · ln(1 + √(tρ² + 1)/(2α)), "
        "ρ² = (L + ln(L + 1))/t*, L = −2 ln(2α); t* planned clusters, α shared by all decisions.",
        "May: lower bounds of the raters' agreement ρ and of θ = r − ⅔ρ above 0, also beyond all "
        "that is known of an item at once: text length, system, content, recipient, who rated it "
        "(there r′ − ½ρ′), the level's bounds within its "
        "margin, ρ at least .1, all at one look. May not: upper bound of θ below 0. People "
        "disagree: upper bound of ρ below .1.",
        "Advice: the fewest items or ratings an item with which all open bounds would decide, if "
        "today's estimates stay.",
    ]
    source = (
        "Robbins (1970); Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of "
        "Statistics 52."
    )

    def build(self, answers, options, parts=None):
        """Say for each planned pair of judge and question whether the rule would stop here.

        parts: keys of the questions that get rows, None for all.
        """
        beside, asked_role = answers.beside or Beside(answers.study), options.reference
        if beside.plan is None:
            report = Report("stop", answers.study.slug, options.as_dict())
            report.verdict = [words.NO_PLAN]
            return report
        if beside.plan.role:
            options = replace(options, reference=beside.plan.role)
        report = Report("stop", answers.study.slug, options.as_dict())
        collected = collected_of(answers, beside.plan)
        rule = _rule(beside, options, collected)
        scores = Scores(collected.answers, options)
        for asked in asked_questions(scores, options.reference, read_lengths(scores)):
            key = asked.question.key
            for name in _judges(beside, scores, key) if parts is None or key in parts else ():
                looked = _look(asked, name, rule, collected)
                _add(report, looked, rule, options)
                if not rule.ended and not collected.is_early:
                    report.curves[name, key] = fan_of(looked.seen, looked.advice, rule.stopping)
        counted = _counted(collected, rule)
        if _is_early(collected, rule):
            report.verdict = [words.say_lacking(collected, rule.m, rule.price), *counted]
        else:
            report.verdict = [*_ended(rule), *(entry.reason for entry in report.entries), *counted]
        role_note = words.say_role(beside.plan.role, asked_role)
        report.notes = [*item_notes(scores), role_note, *_notes(report, rule)]
        return report

    def layout(self, report, question, looks):
        """Return the page: what the rule says of the question's judges, with the fan of each.

        Nothing before the first look: what the report says is all that there is to say.
        """
        if all(r["state"] == State.CONTINUE and r["clusters"] < FIRST_LOOK for r in report.rows):
            return Layout([], [])
        own = [entry for entry in report.entries if entry.row["question"] == question]
        figures = []
        for entry in own:
            name, row = entry.row["evaluator"], entry.row
            if len(figures) < MOST_FANS and (fan := report.curves.get((name, question))):
                still_open = row["open"] if row["state"] in UNDECIDED else ""
                caption = describe_fan(name, question, fan, still_open)
                key = f"stop-{len(figures)}"
                figures.append(Figure(key, caption, draw_fan(fan), is_folded=bool(figures)))
        said = [(entry.row["evaluator"], _said(entry)) for entry in own]
        numbers = [(entry.row["evaluator"], _numbers(entry.row)) for entry in own]
        states = {
            (r["evaluator"], r["question"]): f"{words.SIGNS[r['state']]} {words.STATES[r['state']]}"
            for r in report.rows
        }
        every = cross_table("Every judge and question at this look.", "Judge", states)
        tables = [
            Table(f"{question}: what to collect.", SAID, said, [], "Judge"),
            Table(f"{question}: estimates.", NUMBERS, numbers, [], "Judge", is_folded=True),
            replace(every, is_folded=True),
        ]
        return Layout(figures, [table for table in tables if table.lines])

    def headline(self, answers, options, judges):
        """Return for how many planned pairs the rule would stop here."""
        report = self.build(answers, options)
        if report.verdict == [words.NO_PLAN]:
            return no_value("no stopping plan was fixed before the first rating")
        states = [row["state"] for row in report.rows]
        if "" in states:
            return no_value("the guarantee has ended: results are chosen after looking")
        if not states:
            return no_value("no cluster of items is complete and judged yet")
        stopping = [state for state in states if state != "continue"]
        decisions = _decisions(len(states))
        return f"{len(stopping)}", "", f"of {decisions}: the rule would stop here"


def _rule(beside, options, collected):
    plan, ended = beside.plan, words.say_ended(beside.later, collected.gone_items)
    if options.only or options.exclude:
        ended = "some items are left out by an option"
    stopping = StoppingRule(share_alpha(plan.alpha, plan.decisions), plan.planned, CRITERIA.floor)
    price = price_of(plan.study, plan.raters_per_item, options.item_cost)
    return Rule(plan, stopping, ended, price)


def _is_early(collected, rule):
    """Return whether a plan that holds has had no look yet, so that nothing is said of judges."""
    return collected.is_early and not rule.ended


def _judges(beside, scores, question):
    """Return the judges that the plan decides on for a question, if they have judged anything."""
    planned = [pair.judge.key for pair in beside.pairs if pair.question.key == question]
    return [name for name in planned if name in scores.every_judge]


def _look(asked, name, rule, collected):
    values, has_own_scale = asked.values_of(name)
    own = has_own_scale or not asked.has_ends
    judgments = asked.as_judgments(values)
    evidence = gather_evidence(asked.reference, judgments, CRITERIA, has_own_scale=own)
    agreement, retention, others = checks_of(evidence, CRITERIA)
    seen = look(
        rule.stopping,
        agreement,
        retention,
        others,
        clusters=evidence.n_clusters,
        is_budget_spent=collected.is_spent,
    )
    return Looked(name, asked.question.key, evidence, seen, _advice(seen, evidence, rule))


def _advice(seen, evidence, rule):
    """Return the Advice where nothing is decided; None before the first look."""
    if rule.ended or seen.state not in UNDECIDED or seen.clusters < FIRST_LOOK:
        return None
    cost = 1.0 if rule.price.item is None else rule.price.item
    return advise(rule.stopping, seen, items=evidence.n, m=rule.m, rating_cost=cost / rule.m)


def _add(report, looked, rule, options):
    seen, evidence = looked.seen, looked.evidence
    theta = evidence.agreement.retention(CRITERIA.retention)
    option = looked.advice.cheapest if looked.advice else None
    row = {
        "evaluator": looked.judge,
        "question": looked.question,
        "role": options.reference,
        "state": "" if rule.ended else str(seen.state),
        "items": option.more_items if option else nan,
        "items_low": looked.advice.fewest_items if option else nan,
        "items_high": looked.advice.most_items if option else nan,
        "raters": option.more_raters if option else nan,
        "cost": option.cost if option and rule.price.item is not None else nan,
        "clusters": seen.clusters,
        "rated_items": evidence.n,
        **_with_bounds("rho", evidence.agreement.rho, 0, seen, rule),
        **_with_bounds("retention", theta, RETENTION_PLACE, seen, rule),
        "open": words.open_checks(seen),
        "bounds": words.AFTER_LOOKING if rule.ended else BOUNDS,
    }
    report.add(row, reason=_reason(looked, rule), judge=looked.judge, kind=JUDGE)


def _said(entry):
    row = entry.row
    more = _number(row["items"])
    if not isnan(row["items_low"]):
        more += f" ({_number(row['items_low'])} to {_number(row['items_high'])})"
    state = Words(f"{words.SIGNS[row['state']]} {words.STATES[row['state']]}")
    return [state, more, _number(row["raters"]), _number(row["cost"]), Words(entry.reason)]


def _numbers(row):
    return [interval_cell(row, "rho"), interval_cell(row, "retention"), f"{row['clusters']:,}"]


def _number(value):
    """Write a count; a dash where it is undefined, words where no count would do."""
    if isnan(value):
        return short(value)
    return "no end" if value == inf else f"{value:,.0f}"


def _with_bounds(name, quantity, place, seen, rule):
    """Return an estimate with the bounds of all looks; without a guarantee its usual interval."""
    low, high = float(seen.low[place]), float(seen.high[place])
    if rule.ended:
        reach = quantity.reach(0.025)
        low, high = quantity.value - reach, quantity.value + reach
    return {name: quantity.value, f"{name}_low": low, f"{name}_high": high}


def _reason(looked, rule):
    if rule.ended:
        return (
            f"{looked.judge} on {looked.question}: the guarantee has ended; the intervals are the "
            f"usual ones, {words.AFTER_LOOKING}."
        )
    sentence = words.sentence(looked.judge, looked.question, looked.seen)
    advice = words.advice_in_words(looked.advice, rule.m, rule.price)
    return f"{sentence} {advice}".strip()


def _ended(rule):
    if rule.ended:
        yield (
            f"The guarantee has ended ({rule.ended}). What stands here is the usual result, "
            f"{words.AFTER_LOOKING}."
        )


def _counted(collected, rule):
    late = "" if collected.is_spent else f" {words.LATE}"
    yield (
        f"This look uses {collected.clusters:,} of {collected.in_order:,} clusters: in the plan’s "
        f"order all those before the first that is incomplete. A cluster is complete when each of "
        f"its items has {rule.m} ratings.{late}"
    )
    if collected.later_items:
        yield words.say_later(collected.later_items)


def _decisions(number):
    return f"{number} decision{'' if number == 1 else 's'}"


def _notes(report, rule):
    plan = rule.plan
    yield (
        f"Fixed {plan.fixed_at:%Y-%m-%d %H:%M} UTC by {plan.by_name}, before the first rating: "
        f"{plan.planned:,} planned clusters, level {f'{plan.alpha:g}'.lstrip('0')} divided by "
        f"{_decisions(plan.decisions)}, order of clusters by the seed {plan.seed}."
    )
    yield (
        "The rule advises and closes nothing. Its bounds hold at all looks together; the advice is "
        "made of today's estimates and promises no state."
    )
    yield (
        "Frozen exclusion rules: "
        f"{', '.join(entry['rule'] for entry in plan.exclusions) or 'none'}."
    )
    yield f"Cost of an item: {rule.price.source}."
    missing = plan.decisions - len(report.entries)
    if missing > 0:
        missing = _decisions(missing)
        yield f"Without a row, as not judged or not rated yet or not shown: {missing}."
    if np.isnan([row["rho"] for row in report.rows]).any():
        yield "A dash: there are no two ratings of one item and a judgment in these clusters."


KIND = Stopping().kind()
