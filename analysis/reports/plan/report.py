"""Predict from a study's own ratings which verdicts larger studies like it would give a judge."""

from dataclasses import dataclass
from math import inf, isfinite, nan

import numpy as np

from analysis.reports.base import Report
from analysis.reports.plan import words
from analysis.reports.shared.scores import LEARNED, Scores
from analysis.reports.verdict.questions import Asked, asked_questions, read_lengths
from analysis.reports.verdict.report import list_roles
from analysis.stats.planning.collection import plan_collection
from analysis.stats.planning.other_ratings import PilotVariances, items_by_ratings
from analysis.stats.planning.pilot import FEWEST, Pilot, make_pilot, predict_states
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.level import measure_level
from annotate.design.payment import pay_of
from annotate.design.planner_link import HOUR, USUAL_SECONDS
from annotate.recruitment.costs import USUAL_PAY, item_seconds

DRAWN, FORMULA = "drawn", "formula"
SIZES = (0.5, 1, 2, 3, 4)  # of studies, in sizes of the pilot
RATINGS_AN_ITEM = (2, 3, 4, 5)
RATE = "rate_items"


@dataclass(frozen=True)
class Candidate:
    """A judge on one question, with the items that both people and judge answered."""

    name: str
    asked: Asked
    pilot: Pilot
    has_own_scale: bool
    is_fitted: bool

    @property
    def agreement(self) -> Agreement:
        """Return how the judge agrees with a rater on the pilot."""
        return compare_judge(self.pilot.people, self.pilot.judge)

    @property
    def refusal(self):
        """Return why nothing can be planned from these ratings; blank where it can."""
        n, about = self.pilot.people.n, (self.name, self.asked.question.key)
        if n < FEWEST:
            return words.too_few(*about, n)
        if self.is_fitted:
            return words.fitted(*about)
        if self.has_own_scale:
            return words.own_scale(*about)
        return "" if isfinite(self.agreement.r_value) else words.undefined(*about)


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


def plan_from_pilot(answers, options, parts=None):
    """Give for each question a judge's forecast by size of the study, and by ratings an item.

    parts: keys of the questions, None for all. Without chosen judges the one whose agreement with
    a rater is largest.
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
    for name in chosen or scores.every_judge:
        values, has_own_scale = asked.values_of(name)
        if not np.isnan(values).all():
            pilot = make_pilot(asked.reference, asked.as_judgments(values))
            own_scale = has_own_scale or not asked.has_ends
            fitted = _is_fitted(scores, name)
            candidates.append(Candidate(name, asked, pilot, own_scale, fitted))
    if chosen or not candidates:
        return candidates
    possible = [candidate for candidate in candidates if not candidate.refusal] or candidates
    return [max(possible, key=_order)]


def _order(candidate):
    if not candidate.pilot.people.n:
        return -inf
    r = candidate.agreement.r_value
    return r if isfinite(r) else -inf


def _is_fitted(scores, name):
    ensemble = scores.ensembles.get(name)
    return bool(ensemble) and ensemble.rule == LEARNED and scores.choosing is None


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
        _add_row(report, candidate, DRAWN, m, size, shares, states)
    needs = items_by_ratings(_variances(candidate, m), RATINGS_AN_ITEM)
    for ratings, items in zip(RATINGS_AN_ITEM, needs.tolist(), strict=True):
        size = items, *(prices.collect(items, ratings) if isfinite(items) else (items,) * 3)
        _add_row(report, candidate, FORMULA, ratings, size, {}, "")
    about = candidate.name, candidate.asked.question.key
    report.verdict += words.sentences(*about, candidate.pilot.people.n, forecasts)


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
        margin=pilot.reference.scale.level_margin if margin is None else margin,
    )


def _add_row(report, candidate, method, raters, size, shares, states):
    items, ratings, sessions, cost = size
    numbers = {name: shares.get(name, nan) for name in ("yes", "low", "high", "assurance")}
    report.add(
        {
            "evaluator": candidate.name,
            "question": candidate.asked.question.key,
            "role": candidate.asked.role,
            "use": RATE,
            "method": method,
            "raters_per_item": raters,
            "items": items,
            "ratings": ratings,
            "sessions": sessions,
            "cost": cost,
            **numbers,
            "states": states,
            "pilot_items": candidate.pilot.people.n,
        },
        judge=candidate.name,
        kind="judge",
    )
