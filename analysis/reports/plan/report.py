"""Predict from a study's own ratings with how many more a judge would get a yes."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan, sqrt

import numpy as np

from analysis.figures.frame import SOFT
from analysis.figures.layout import Figure, Layout, Table
from analysis.figures.lines import series
from analysis.reports.base import Report
from analysis.reports.kind import NO_JUDGE, ReportObject, no_value, of_questions
from analysis.reports.plan import words
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.candidates import is_fitted
from analysis.reports.verdict.options import Conventions
from analysis.reports.verdict.questions import Asked, asked_questions, list_roles, read_lengths
from analysis.stats.planning.collection import plan_collection
from analysis.stats.planning.forecast import expect_as_in, forecast
from analysis.stats.planning.power import POWER
from analysis.stats.validation.decision import Answer, Reason, decide
from annotate.design.payment import pay_of
from annotate.design.planner_link import HOUR, USUAL_SECONDS
from annotate.recruitment.costs import USUAL_PAY, item_seconds
from annotate.templatetags.concord import interval, leading_point

SIZE, FORMULA = "size", "formula"  # rows of studies of some size, and of those that decide
SIZES = (0.5, 1, 2, 3, 4)  # of studies, in sizes of the pilot
RATINGS_AN_ITEM = (2, 3, 4, 5)
CHECKS = (words.AGREE, words.KEEPS, words.KNOWN, words.LEVEL)


@dataclass(frozen=True)
class Candidate:
    """A judge on one question, with its judgments; m: ratings of an item, on average."""

    name: str
    asked: Asked
    judgments: np.ndarray
    has_own_scale: bool
    is_fitted: bool

    @cached_property
    def evidence(self):
        flags = {"has_own_scale": self.has_own_scale, "is_fitted": self.is_fitted}
        return self.asked.gather_evidence(self.judgments, **flags)

    @property
    def n(self):
        """Return the items with two ratings and a judgment on people's scale."""
        return self.evidence.n

    @cached_property
    def m(self):
        """Return the ratings that an item has on average."""
        return float(self.asked.reference.people.m.mean())

    @property
    def correlation(self):
        """Return r/√ρ, the judge's correlation with what raters share; NaN unless ρ > 0."""
        agreement = self.evidence.agreement
        rho = agreement.rho_value
        return agreement.r_value / sqrt(rho) if rho > 0 else nan

    @property
    def refusal(self):
        """Return why nothing can be planned from these ratings; blank where it can."""
        return words.refusal(
            self.name,
            self.asked.question.key,
            self.n,
            has_own_scale=self.has_own_scale,
            is_fitted=self.is_fitted,
            is_defined=isfinite(self.evidence.agreement.r_value),
        )

    @cached_property
    def verdict(self):
        """Return today's verdict on the judge by itself, without the correction for several."""
        return decide(self.evidence, self.asked.scores.options.criteria)

    @property
    def refused(self):
        """Return the reason of a no that stands already; blank where more items may decide."""
        is_refused = self.verdict.answer in (Answer.NO, Answer.PEOPLE_DISAGREE)
        return str(self.verdict.reason) if is_refused else ""

    @cached_property
    def expected(self):
        """Return what a verdict on more items like these is expected to measure."""
        return self.expect()

    def expect(self, m=None):
        return expect_as_in(self.evidence, self.asked.scores.options.criteria, self.m, m)

    @property
    def hardest(self):
        """Return the check that keeps the largest of studies from a yes."""
        power = self.expected.power(1e9)
        chances = {check: float(getattr(power, check)) for check in CHECKS}
        return min(chances, key=lambda check: np.nan_to_num(chances[check], nan=1.0))

    def rows(self):
        """Yield (method, m, items, Forecast): studies of several sizes, and those that decide."""
        for items in sorted({round(share * self.n) for share in SIZES}):
            yield SIZE, self.m, items, forecast(self.expected, self.n, items)
        for m in RATINGS_AN_ITEM:
            yield (FORMULA, m, *self.needed(m))

    def needed(self, m=None):
        """Return (the items with which a yes is likely, the Forecast there)."""
        expected = self.expect(m)
        items = inf if self.refused else expected.items(POWER)
        return items, forecast(expected, self.n, items) if isfinite(items) else None


@dataclass(frozen=True)
class Prices:
    """What a session costs, by the study or as assumed; sources: in words."""

    session_items: int
    item_seconds: float
    hourly_pay: float
    is_paid: bool
    is_timed: bool

    def collect(self, items, ratings):
        """Return {ratings, sessions, cost} of so many items."""
        taken = plan_collection(
            items,
            ratings,
            session_items=self.session_items,
            item_seconds=self.item_seconds,
            hourly_pay=self.hourly_pay,
        )
        return {name: float(getattr(taken, name)) for name in ("ratings", "sessions", "cost")}


def prices_of(study):
    """Return the Prices of a study: its own time and pay, else what is usual."""
    seconds, pay = item_seconds(study), pay_of(study)
    taken = seconds or USUAL_SECONDS
    hourly = pay.amount * HOUR / (study.items_per_session * taken) if pay else USUAL_PAY
    return Prices(study.items_per_session, taken, hourly, bool(pay), bool(seconds))


class HowManyMore(ReportObject):
    """How many more ratings let a judge get a yes, for each question."""

    name, title = "plan", "How many more ratings"
    options = Conventions
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    is_slow = True
    instead = staticmethod(lambda reader: "stop" if reader.judges.planned else "")
    method = (
        "How many more items, or ratings of them, let a judge stand in for a rater, from the "
        "ratings and judgments that are here. It takes 50 items with two ratings and a judgment."
    )
    formula = [
        "The planner's formula with this study's own squared errors: of N items they are n/N of "
        "those of the n that are here. A yes: raters agree, the judge keeps enough of it, both "
        "beyond what is known without reading, and the level, all together.",
        "Band: Φ(z ± 1.28 s), z the normal score of the chance, s² = Σ (Δz)², Δz its change by one "
        "standard error of the estimates of agreement, of retention, and of the level.",
        "Other ratings an item m: the errors squared times v(m)/v(m here), v of normal scores.",
    ]
    source = "Oehlert (1992), American Statistician 46; O'Hagan, Stevens & Campbell (2005)."

    def build(self, answers, options, parts=None):
        """Give for each question a judge's chance of a yes, by items and ratings of an item.

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
        report.verdict = report.verdict or [words.NOTHING]
        report.notes = words.notes(prices)
        return report

    def layout(self, report, question, looks):
        """Return the page of one question: the curve with its band, and what to collect."""
        rows = [row for row in report.rows if row["question"] == question]
        several = len({row["role"] for row in rows}) > 1
        by_method = {SIZE: {}, FORMULA: {}}
        for row in rows:
            name = f"{row['evaluator']} ({row['role']})" if several else row["evaluator"]
            by_method[row["method"]].setdefault(name, []).append(row)
        needed = [row for row in rows if row["method"] == FORMULA and isfinite(row["items"])]
        tables = [
            _table(f"{question}: what to collect.", by_method[FORMULA] if needed else {}),
            _table(f"{question}: chances of a yes, by items.", by_method[SIZE], is_folded=True),
        ]
        return Layout(
            _figures(by_method[SIZE], question, looks), [table for table in tables if table.lines]
        )

    def headline(self, answers, options, judges):
        """Return that the page has to be opened: it takes too long for the index."""
        return no_value("open it: it plans from this study’s ratings") if judges else NO_JUDGE


def _figures(by_name, question, looks):
    """Draw the chance of a yes over items with its band, a line for each judge."""
    if not by_name:
        return []
    lines = [
        (
            name,
            looks.colour(rows[0]["evaluator"]),
            [(row["items"], row["power"], row["low"], row["high"]) for row in rows],
        )
        for name, rows in by_name.items()
    ]
    ends = [lines[0][2][place][0] for place in (0, -1)]
    lines.append(
        (f"a chance of {leading_point(POWER)}", SOFT, [(x, POWER, nan, nan) for x in ends])
    )
    caption = (
        f"{question}: chance of a yes over the number of items. Lines upright: what these ratings "
        "leave open; four of five hold the true chance."
    )
    return [Figure("plan", caption, series(lines, "Items", "Chance of a yes", [-0.02, 1.02]))]


def _table(caption, by_name, *, is_folded=False):
    headings = ["Ratings an item", "Items", "More items", "Ratings", "Sessions", "Cost", "Says yes"]
    lines = [(name, _cells(row)) for name, rows in by_name.items() for row in rows]
    return Table(caption, headings, lines, [], "Judge", is_folded=is_folded)


def _cells(row):
    """Return the cells of a row; a dash where no number of items would do."""
    counts = [row["items"], row["items"] - row["pilot_items"], row["ratings"], row["sessions"]]
    band = f"{leading_point(row['power'])} {interval(row['low'], row['high'])}"
    return [
        f"{row['raters_per_item']:.2g}",
        *(f"{max(count, 0):,.0f}" if isfinite(count) else "–" for count in counts),
        f"{row['cost']:,.2f}" if isfinite(row["cost"]) else "–",
        band if isfinite(row["items"]) else "–",
    ]


def _candidates(asked):
    """Return the Candidates that are planned for: the chosen ones, else the best."""
    scores, chosen = asked.scores, asked.scores.options.judges
    candidates = []
    for name in scores.judges:
        values, has_own_scale = asked.values_of(name)
        if not np.isnan(values).all():
            own_scale = has_own_scale or not asked.has_ends
            judgments = asked.as_judgments(values)
            candidates.append(Candidate(name, asked, judgments, own_scale, is_fitted(scores, name)))
    if chosen or not candidates:
        return candidates
    return [max(candidates, key=_order)]


def _order(candidate):
    """Return what sorts judges: the undecided first, those whose later checks are open last."""
    verdict, r = candidate.verdict, candidate.evidence.agreement.r_value
    return (
        not candidate.refusal,
        not candidate.has_own_scale,
        verdict.answer == Answer.NOT_YET,
        verdict.answer == Answer.YES,
        list(Reason).index(verdict.reason),
        r if isfinite(r) else -inf,
    )


def _add(report, candidate, prices):
    """Add the rows of a judge and a question with their sentence, or why there are none."""
    if candidate.refusal:
        report.verdict.append(candidate.refusal)
        return
    is_chosen = bool(candidate.asked.scores.options.judges)
    choice = "" if is_chosen else words.chosen(candidate.verdict.answer, candidate.refused)
    report.verdict.append(words.sentence(candidate, choice, candidate.needed()))
    for method, m, items, at in candidate.rows():
        shown = (nan,) * 5
        if at:
            joint = at.power.joint.item()
            shown = joint, joint, at.low.item(), at.high.item(), at.assurance.item()
        numbers = dict(zip(("power", "yes", "low", "high", "assurance"), shown, strict=True))
        taken = prices.collect(items, m) if isfinite(items) else dict.fromkeys(PRICED, items)
        report.add(
            {
                "evaluator": candidate.name,
                "question": candidate.asked.question.key,
                "role": candidate.asked.role,
                "use": "rate_items",
                "method": method,
                "rho": candidate.evidence.agreement.rho_value,
                "judge": candidate.correlation,
                "raters_per_item": m,
                "items": items,
            }
            | taken
            | numbers
            | {"states": _states(at), "pilot_items": candidate.n},
            judge=candidate.name,
            kind="judge",
        )


PRICED = ("ratings", "sessions", "cost")


def _states(at):
    """Write the chance of each check by itself."""
    if at is None:
        return ""
    chances = {check: getattr(at.power, check).item() for check in CHECKS}
    return ", ".join(f"{check} {p:.2f}" for check, p in chances.items() if not np.isnan(p))


KIND = HowManyMore().kind()
