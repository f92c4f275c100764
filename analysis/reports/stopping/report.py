"""Look at unfinished collecting by the rule that the study fixed before its first rating."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np

from analysis.reports.base import Report
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.stopping import words
from analysis.reports.stopping.checks import checks_of
from analysis.reports.stopping.complete import collected_of
from analysis.reports.stopping.fan import RETENTION_PLACE, fan_of
from analysis.reports.stopping.price import Price, price_of
from analysis.reports.verdict.questions import asked_questions, read_lengths
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


def stop(answers, options, parts=None):
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
    report.verdict = [*_ended(rule), *_counted(collected, rule)]
    if not _is_early(collected, rule):
        report.verdict += [entry.reason for entry in report.entries]
    role_note = words.say_role(beside.plan.role, asked_role)
    report.notes = [*item_notes(scores), role_note, *_notes(report, rule)]
    return report


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
    if _is_early(collected, rule):
        yield words.say_lacking(collected, rule.m, rule.price)
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
