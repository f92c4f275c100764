"""Rank judges beside a rater and beside judges without insight: one line each."""

from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from analysis.reports.cost.report import PEOPLE
from analysis.reports.shared.correlations import AVERAGE
from analysis.reports.verdict.baselines import BASELINE
from analysis.reports.verdict.candidates import JUDGE, RATER, mean_of
from analysis.reports.verdict.page import SIGNS
from analysis.reports.verdict.sentences import RATE, answer_of
from analysis.reports.words import money
from analysis.stats.validation.decision import Answer
from annotate.design.payment import USD
from annotate.templatetags.concord import measured
from judges.models import Judgment

A_RATER = "a rater"
RATER_AT = 10  # judges above the line of a rater, at most
ITEMS = 1000  # of which the price is told


@dataclass(frozen=True)
class Mark:
    """The answer on a question, by its key: a sign, its word, and its reason in a sentence."""

    question: str
    sign: str
    answer: str
    words: str
    why: str


@dataclass(frozen=True)
class Line:
    """A judge, a baseline or a rater in the leaderboard; NaN where a number is undefined.

    marks: in the order of the questions, None where it did not answer; agreement: mean r with
    people over the questions; ceiling: the same of one rater; level: mean of the judge less people
    on the question where it is furthest off, as a share of the scale's range; failed: share of the
    judgments without a value on the scale; price: of 1,000 items; seconds: of an item.
    """

    name: str
    kind: str
    marks: list
    agreement: float
    ceiling: float
    level: float = nan
    failed: float = nan
    price: float = nan
    currency: str = USD
    seconds: float = nan

    @property
    def bar(self):
        """Return the agreement as percent of a bar's width; 0 where it is none or undefined."""
        return 0 if isnan(self.agreement) else round(100 * max(self.agreement, 0))

    @property
    def tick(self):
        """Return where one rater stands on that bar; None where that is undefined."""
        return None if isnan(self.ceiling) else round(98 * max(self.ceiling, 0))

    @property
    def price_in_words(self):
        """Write the price with its currency, or that it is unknown; baselines have none."""
        is_unknown = self.kind != BASELINE and isnan(self.price)
        return "unknown" if is_unknown else money(self.price, self.currency)

    @property
    def seconds_in_words(self):
        return "unknown" if isnan(self.seconds) else measured(self.seconds)

    @property
    def question(self):
        """Return the key of the first question with a yes, else of the first one."""
        keys = [mark.question for mark in self.marks if mark and mark.answer == Answer.YES]
        return next(iter(keys or [mark.question for mark in self.marks if mark]), "")


def list_lines(verdict, costs, failed, ranked, ranges):
    """List the judges by rank, then one rater, then the baselines.

    verdict, costs: Reports; failed: {judge: share of judgments without a value}; ranges: {question:
    length of its scale, NaN where it has none}.
    """
    by_name: dict = {}
    for entry in verdict.entries:
        # Baselines answer what people rated, also where no judge that is shown did.
        if entry.row["use"] != RATE or entry.row["question"] not in ranges:
            continue
        if entry.kind in (JUDGE, BASELINE):
            by_name.setdefault((entry.kind, entry.row["evaluator"]), []).append(entry)
    prices = {e.row["evaluator"]: e.row for e in costs.entries if e.row["question"] == AVERAGE}
    judges = [
        _line(by_name.pop((JUDGE, name)), ranges, prices.get(name, {}), failed.get(name, nan))
        for name in ranked
    ]
    baselines = [_line(own, ranges) for own in by_name.values()]
    rho = _or_nan(mean_of([e.row for e in verdict.entries if e.kind == JUDGE], "rho"))
    price = next((row for row in prices.values() if row["kind"] == PEOPLE), {})
    rater = Line(A_RATER, RATER, [None] * len(ranges), rho, rho, **_price(price))
    return [*judges, rater, *baselines]


def _line(entries, ranges, price=None, failed=nan):
    rows = [entry.row for entry in entries]
    marks = {
        entry.row["question"]: Mark(
            entry.row["question"],
            SIGNS[entry.row["answer"]],
            entry.row["answer"],
            answer_of(entry.row),
            entry.reason,
        )
        for entry in entries
    }
    shares = [row["level"] / ranges[row["question"]] for row in rows]
    level = max((share for share in shares if not isnan(share)), key=abs, default=nan)
    return Line(
        rows[0]["evaluator"],
        entries[0].kind,
        [marks.get(question) for question in ranges],
        _or_nan(mean_of(rows, "agreement")),
        _or_nan(mean_of(rows, "rho")),
        level,
        failed,
        **_price(price or {}),
    )


def _price(row):
    if not row:
        return {}
    return {
        "price": row["cost"] * ITEMS,
        "currency": row["currency"] or USD,
        "seconds": row["seconds"] if row["seconds"] is not None else nan,
    }


def _or_nan(value):
    return nan if value == float("-inf") else value


def failed_shares(answers, own_scale):
    """Return {judge: share of what it was asked that has no value on the question's scale}.

    Of the answers that speak for the judge. own_scale: (judge, question) on a scale of its own, off
    which no value is.
    """
    table = answers.select_source("judge")
    table = table[(table["missing_reason"] != Judgment.State.NOT_ASKED.label).to_numpy()]
    value = table["value"].to_numpy(dtype=float)
    failed = np.isnan(value)
    for question in answers.questions:
        own = [judge for judge, key in own_scale if key == question.key]
        asked = (table["question"] == question.key) & ~table["judge"].isin(own)
        failed[asked] |= _is_off(question.scale, value[asked])
    shares = table.assign(failed=failed).groupby("judge", observed=True)["failed"].mean()
    return {str(name): float(share) for name, share in shares.items()}


def _is_off(scale, values):
    if scale.is_nominal:
        return ~np.isin(values, [value for value, _ in scale.points])
    return scale.is_off(values)


ON = "on:"  # begins the name of a question's column


def _place_on(line, question):
    answers = [mark.answer for mark in line.marks if mark and mark.question == question]
    return [*Answer].index(answers[0]) if answers else len(Answer)


# {column: (its heading, what judges are sorted by)}
SORTS = {
    "agreement": ("Agreement (r)", lambda line: -line.agreement),
    "level": ("Too high or low", lambda line: abs(line.level)),
    "failures": ("Failed", lambda line: line.failed),
    "price": ("Price of 1,000 items", lambda line: line.price),
    "seconds": ("Seconds an item", lambda line: line.seconds),
}


def columns_of(lines):
    """Return [(name, heading)] of the columns in which some judge has a number."""
    judges = [line for line in lines if line.kind == JUDGE]
    return [
        (name, heading)
        for name, (heading, key) in SORTS.items()
        if not all(isnan(key(line)) for line in judges)
    ]


def sorts_of(lines, questions):
    """Return the names of the columns that judges can be sorted by: numbers, then questions."""
    return [*(name for name, _ in columns_of(lines)), *(ON + question for question in questions)]


def in_order(lines, by):
    """Return the lines as the page lists them: judges by a column, else by rank, the rest below.

    by: a name of SORTS, or ON and the key of a question, whose answers come in the order of Answer.
    Undefined numbers come last. The line of a rater stands after the first ten judges.
    """
    judges = [line for line in lines if line.kind == JUDGE]
    rest = [line for line in lines if line.kind != JUDGE]
    if by in SORTS:
        _, key = SORTS[by]
        judges.sort(key=lambda line: (isnan(key(line)), key(line)))
    elif by.startswith(ON):
        judges.sort(key=lambda line: _place_on(line, by.removeprefix(ON)))
    return [*judges[:RATER_AT], *rest[:1], *judges[RATER_AT:], *rest[1:]]
