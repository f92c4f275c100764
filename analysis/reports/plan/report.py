"""Predict from a study's own ratings which verdicts larger studies like it would give a judge."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan, sqrt

import numpy as np

from analysis.reports.base import Report
from analysis.reports.plan import words
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.questions import Asked, asked_questions, read_lengths
from analysis.reports.verdict.report import is_fitted, list_roles
from analysis.stats.planning.collection import plan_collection
from analysis.stats.planning.other_ratings import PilotVariances, items_by_ratings
from analysis.stats.planning.pilot import FEWEST, Pilot, make_pilot, predict_states
from analysis.stats.planning.power import POWER
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.answers import Answer, Reason
from analysis.stats.validation.level import measure_level
from analysis.stats.validation.verdict import decide
from annotate.design.payment import pay_of
from annotate.design.planner_link import HOUR, USUAL_SECONDS
from annotate.recruitment.costs import USUAL_PAY, item_seconds

DRAWN, FORMULA = "drawn", "formula"
SIZES = (0.5, 1, 2, 3, 4)  # of studies, in sizes of the pilot
RATINGS_AN_ITEM = (2, 3, 4, 5)
RATE = "rate_items"


@dataclass(frozen=True)
class Candidate:
    """A judge on one question, with its judgments, and the items that people answered too."""

    name: str
    asked: Asked
    judgments: np.ndarray
    pilot: Pilot
    has_own_scale: bool
    is_fitted: bool

    @property
    def agreement(self) -> Agreement:
        """Return how the judge agrees with a rater on the pilot."""
        return compare_judge(self.pilot.people, self.pilot.judge)

    @property
    def correlation(self):
        """Return r/√ρ, the judge's correlation with what raters share; NaN unless ρ > 0."""
        rho = self.agreement.rho_value
        return self.agreement.r_value / sqrt(rho) if rho > 0 else nan

    @property
    def refusal(self):
        """Return why nothing can be planned from these ratings; blank where it can."""
        n, about = self.pilot.people.n, (self.name, self.asked.question.key)
        if self.has_own_scale:  # first: the pilot has left out its judgments off people's scale
            return words.own_scale(*about)
        if self.is_fitted:
            return words.fitted(*about)
        if n < FEWEST:
            return words.too_few(*about, n)
        return "" if isfinite(self.agreement.r_value) else words.undefined(*about)

    @cached_property
    def verdict(self):
        """Return today's verdict on the judge by itself, without the correction for several."""
        evidence = self.asked.gather_evidence(
            self.judgments, has_own_scale=self.has_own_scale, is_fitted=self.is_fitted
        )
        return decide(evidence, self.asked.scores.options.criteria)

    @property
    def refused(self):
        """Return the reason of a no that stands already; blank where more items may decide."""
        is_refused = self.verdict.answer in (Answer.NO, Answer.PEOPLE_DISAGREE)
        return str(self.verdict.reason) if is_refused else ""


@dataclass(frozen=True)
class Prices:
    """What a session costs, by the study or as assumed; sources: in words."""

    session_items: int
    item_seconds: float
    hourly_pay: float
    is_paid: bool
    is_timed: bool

    def collect(self, items, ratings):
        """Return (ratings, sessions, cost) of so many items."""
        taken = plan_collection(
            items,
            ratings,
            session_items=self.session_items,
            item_seconds=self.item_seconds,
            hourly_pay=self.hourly_pay,
            fee=0,
        )
        return float(taken.ratings), float(taken.sessions), float(taken.cost)


@dataclass(frozen=True)
class Planned:
    """A study that is planned; size: its items, ratings, sessions and cost.

    power: the chance of a yes over all pilots that this one may be, or of each check by the
    formula; NaN where no number of items can show it.
    """

    method: str
    raters: float
    size: tuple[float, ...]
    power: float


def plan_from_pilot(answers, options, parts=None):
    """Give for each question a judge's forecast by size of the study, and by ratings an item.

    parts: keys of the questions, None for all. Without chosen judges the undecided one that is
    nearest to a yes, else one with a yes, else one that is refused.
    """
    scores = Scores(answers, options)
    report = Report("plan", answers.study.slug, options.as_dict())
    lengths, prices = read_lengths(scores), prices_of(answers.study)
    for role in list_roles(scores):
        for asked in asked_questions(scores, role, lengths):
            if parts is None or asked.question.key in parts:
                for candidate in _candidates(asked):
                    _add(report, candidate, prices)
    if not report.verdict:
        report.verdict = [words.NOTHING]
    report.notes = words.notes(prices, options)
    return report


def prices_of(study):
    """Return the Prices of a study: its own time and pay, else what is usual."""
    seconds, pay = item_seconds(study), pay_of(study)
    taken = seconds or USUAL_SECONDS
    hourly = pay.amount * HOUR / (study.items_per_session * taken) if pay else USUAL_PAY
    return Prices(study.items_per_session, taken, hourly, bool(pay), bool(seconds))


def _candidates(asked):
    """Return the Candidates that are planned for: the chosen ones, else the best."""
    scores, chosen = asked.scores, asked.scores.options.judges
    candidates = []
    for name in scores.judges:
        values, has_own_scale = asked.values_of(name)
        if not np.isnan(values).all():
            own_scale = has_own_scale or not asked.has_ends
            fitted = is_fitted(scores, name)
            judgments = asked.as_judgments(values)
            pilot = make_pilot(asked.reference, judgments)
            candidates.append(Candidate(name, asked, judgments, pilot, own_scale, fitted))
    if chosen or not candidates:
        return candidates
    return [max(candidates, key=_order)]


def _order(candidate):
    """Return what sorts judges: the undecided first, those whose later checks are open last."""
    verdict = candidate.verdict
    r = candidate.agreement.r_value if candidate.pilot.people.n else nan
    return (
        not candidate.refusal,
        not candidate.has_own_scale,
        verdict.answer == Answer.NOT_YET,
        verdict.answer == Answer.YES,
        list(Reason).index(verdict.reason),
        r if isfinite(r) else -inf,
    )


def _add(report, candidate, prices):
    """Add the rows of a judge and a question with their sentences, or why there are none."""
    if candidate.refusal:
        report.verdict.append(candidate.refusal)
        return
    forecasts = _forecasts(candidate)
    m = float(candidate.pilot.people.m.mean())
    for forecast in forecasts:
        states = ", ".join(f"{reason} {share:.2f}" for reason, share in forecast.shares.items())
        shares = {
            "yes": forecast.yes,
            "low": forecast.low,
            "high": forecast.high,
            "assurance": forecast.assurance,
        }
        size = forecast.items, *prices.collect(forecast.items, m)
        planned = Planned(DRAWN, m, size, forecast.assurance)
        _add_row(report, candidate, planned, shares, states)
    for ratings, items in zip(RATINGS_AN_ITEM, _needs(candidate, m), strict=True):
        size = items, *(prices.collect(items, ratings) if isfinite(items) else (items,) * 3)
        planned = Planned(FORMULA, ratings, size, POWER if isfinite(items) else nan)
        _add_row(report, candidate, planned, {}, "")
    is_chosen = bool(candidate.asked.scores.options.judges)
    choice = "" if is_chosen else words.chosen(candidate.verdict.answer, candidate.refused)
    about = words.About(candidate.name, candidate.asked.question.key, choice, candidate.refused)
    report.verdict += words.sentences(about, candidate.pilot.people.n, forecasts)


def _needs(candidate, m):
    """Return the items that decide, by ratings an item; infinite where a no stands already."""
    if candidate.refused:
        return [inf] * len(RATINGS_AN_ITEM)
    return items_by_ratings(_variances(candidate, m), RATINGS_AN_ITEM).tolist()


def _forecasts(candidate):
    pilot, options = candidate.pilot, candidate.asked.scores.options
    sizes = sorted({round(share * pilot.people.n) for share in SIZES})
    rng = np.random.default_rng(options.seed)
    return predict_states(pilot, sizes, rng, options.criteria)


def _variances(candidate, m):
    """Return what an item of the pilot adds to each variance."""
    pilot, criteria = candidate.pilot, candidate.asked.scores.options.criteria
    agreement, n = candidate.agreement, pilot.people.n
    level = measure_level(pilot.people, pilot.judge).largest
    margin = criteria.level_margin
    return PilotVariances(
        rho=agreement.rho_value,
        r=agreement.r_value,
        m=m,
        agreement=n * agreement.rho.error**2,
        retention=n * agreement.retention(criteria.retention).error ** 2,
        level=n * level.error**2,
        k=criteria.retention,
        floor=criteria.floor,
        margin=pilot.reference.level_margin if margin is None else margin,
    )


def _add_row(report, candidate, planned, shares, states):
    items, ratings, sessions, cost = planned.size
    numbers = {name: shares.get(name, nan) for name in ("yes", "low", "high", "assurance")}
    report.add(
        {
            "evaluator": candidate.name,
            "question": candidate.asked.question.key,
            "role": candidate.asked.role,
            "use": RATE,
            "method": planned.method,
            "rho": candidate.agreement.rho_value,
            "judge": candidate.correlation,
            "raters_per_item": planned.raters,
            "items": items,
            "ratings": ratings,
            "sessions": sessions,
            "cost": cost,
            "power": planned.power,
            **numbers,
            "states": states,
            "pilot_items": candidate.pilot.people.n,
        },
        judge=candidate.name,
        kind="judge",
    )
