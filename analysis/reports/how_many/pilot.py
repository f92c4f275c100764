"""Predict from a study's own ratings with how many more a judge would get a yes."""

from functools import cached_property
from math import inf, isfinite, nan, sqrt

from analysis.figures.layout import Layout, Table
from analysis.reports.base import Report
from analysis.reports.how_many.prices import prices_of
from analysis.reports.how_many.tables import (
    PER_ITEM,
    RATINGS_PER_ITEM,
    TO_COLLECT,
    chance_figure,
    collect_cells,
    count,
)
from analysis.reports.how_many.words import say, say_all
from analysis.reports.kind import NO_JUDGE, ReportObject, of_questions
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict.candidates import Candidate, judges_of
from analysis.reports.verdict.options import Conventions
from analysis.reports.verdict.questions import asked_questions, list_roles, read_lengths
from analysis.stats.planning.planning import (
    FEWEST_OF_A_PILOT,
    POWER,
    ROUGH_BELOW,
    expect_as_in,
    forecast,
)
from analysis.stats.validation.decision import Answer, Reason, decide

SIZE, FORMULA = "size", "formula"  # rows of studies of some size, and of those that decide
NOTES = [f"note_{case}" for case in ("chance", "band", "other", "cost", "chosen")]
SIZES = (0.5, 1, 2, 3, 4)  # of studies, in sizes of the pilot


class Pilot(Candidate):
    """A judge on one question, as the verdict has it, with what more items would show of it."""

    @property
    def n(self):
        """Return the items with two ratings and a judgment on people's scale."""
        return self.evidence.n

    @cached_property
    def m(self):
        """Return the ratings that an item has on average."""
        return float(self.asked.reference.people.m.mean())

    @property
    def refusal(self):
        """Return why nothing can be planned from these ratings; blank where it can."""
        cases = {
            "own_scale": self.has_own_scale,  # first: its judgments off people's scale are left out
            "fitted": self.evidence.is_fitted,
            "too_few": self.n < FEWEST_OF_A_PILOT,
            "all_equal": not isfinite(self.evidence.agreement.r_value),
        }
        return next((say("pilot", case, judge=self) for case in cases if cases[case]), "")

    @cached_property
    def verdict(self):
        """Return today's verdict on the judge by itself, without the correction for several."""
        return decide(self.evidence, self.criteria)

    @property
    def is_refused(self):
        """Say whether a no stands already, which more items do not change."""
        return self.verdict.answer in (Answer.NO, Answer.PEOPLE_DISAGREE)

    @property
    def order(self):
        """Return what sorts judges: the undecided first, those whose later checks are open last."""
        answer, r = self.verdict.answer, self.evidence.agreement.r_value
        return (
            not self.refusal,
            not self.has_own_scale,
            answer == Answer.NOT_YET,
            answer == Answer.YES,
            list(Reason).index(self.verdict.reason),
            r if isfinite(r) else -inf,
        )

    def expect(self, m):
        """Return what a verdict on more items like these, of m ratings each, would measure."""
        return expect_as_in(self.evidence, self.criteria, self.m, m)

    def needed(self, m):
        """Return with how many items of m ratings a yes is likely."""
        return inf if self.is_refused else self.expect(m).items(POWER)

    def forecast(self, m, items):
        """Return the Forecast of a yes; None for infinitely many items."""
        return forecast(self.expect(m), self.n, items) if isfinite(items) else None

    def sentence(self):
        """Say with how many more items a yes is likely, or why no number is enough."""
        items = self.needed(self.m)
        predicted, more = self.forecast(self.m, items), items - self.n
        cases = ["never" if predicted is None else "more" if more > 0 else "enough"]
        if self.n < ROUGH_BELOW:
            cases.append("rough")
        if not self.asked.scores.options.judges:
            shown = {Answer.YES: "shown_yes", Answer.NOT_YET: "shown_not_yet"}
            cases.append(shown.get(self.verdict.answer, "shown_refused"))
        why = self._why() if predicted is None else ""
        return say("pilot", *cases, judge=self, at=predicted, more=more, why=why)

    def _why(self):
        """Return the check that keeps the largest of studies from a yes, with its numbers."""
        expected = self.expect(self.m)
        case = expected.power(1e9).hardest
        if self.is_refused and self.verdict.reason == Reason.EXTREMES_ONLY:
            case = Reason.EXTREMES_ONLY
        beyond = expected.beyond[0] if expected.beyond else expected.order
        return say("why", case, of=expected, beyond=beyond)

    def rows(self, prices):
        """Yield the rows of studies of several sizes, then of those that decide."""
        sizes = sorted({round(share * self.n) for share in SIZES})
        designs = [(SIZE, self.m, items) for items in sizes]
        designs += [(FORMULA, m, self.needed(m)) for m in RATINGS_PER_ITEM]
        agreement = self.evidence.agreement
        rho = agreement.rho_value
        for method, m, items in designs:
            predicted = self.forecast(m, items)
            power = predicted.power.joint.item() if predicted else nan
            checks = predicted.power.by_check if predicted else {}
            yield {
                "evaluator": self.name,
                "question": self.question,
                "role": self.asked.role,
                "use": "rate_items",
                "method": method,
                "rho": rho,
                # its correlation with what raters share
                "judge": agreement.r_value / sqrt(rho) if rho > 0 else nan,
                "raters_per_item": m,
                "items": items,
                **prices.collect(items, m),
                "power": power,
                "yes": power,
                "low": predicted.low.item() if predicted else nan,
                "high": predicted.high.item() if predicted else nan,
                "assurance": predicted.assurance.item() if predicted else nan,
                "states": ", ".join(f"{check} {chance:.2f}" for check, chance in checks.items()),
                "pilot_items": self.n,
            }


class HowManyMore(ReportObject):
    """How many more ratings let a judge get a yes, for each question."""

    name, title = "plan", "How many more ratings"
    options = Conventions
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    is_slow = True
    instead = staticmethod(lambda reader: "stop" if reader.judges.planned else "")
    method, source = say_all("pilot", ["method", "source"])
    formula = say_all("pilot", ["formula_chance", "formula_band", "formula_other"])

    def build(self, answers, options, parts=None):
        """Give for each question a judge's chance of a yes, by items and ratings per item.

        parts: keys of the questions, None for all. Without chosen judges the undecided one that is
        nearest to a yes, else one with a yes, else one that is refused.
        """
        scores = Scores(answers, options)
        report = Report("plan", answers.study.slug, options.as_dict())
        lengths, prices = read_lengths(scores), prices_of(answers.study)
        for role in list_roles(scores):
            for asked in asked_questions(scores, role, lengths):
                if parts is not None and asked.question.key not in parts:
                    continue
                pilots = [Pilot(**vars(own)) for own in judges_of(asked, scores.judges)]
                if pilots and not options.judges:
                    pilots = [max(pilots, key=lambda pilot: pilot.order)]
                for pilot in pilots:
                    report.verdict.append(pilot.refusal or pilot.sentence())
                    for row in () if pilot.refusal else pilot.rows(prices):
                        report.add(row, judge=pilot.name, kind="judge")
        report.verdict = report.verdict or [say("pilot", "nothing")]
        report.notes = say_all("pilot", NOTES, source=prices.source)
        return report

    def layout(self, report, question, looks):
        """Return the page of one question: the curve with its band, and what to collect."""
        rows = [row for row in report.rows if row["question"] == question]
        several = len({row["role"] for row in rows}) > 1
        by_method = {SIZE: {}, FORMULA: {}}
        for row in rows:
            name = f"{row['evaluator']} ({row['role']})" if several else row["evaluator"]
            by_method[row["method"]].setdefault(name, []).append(row)
        lines = [
            (
                name,
                looks.colour(of[0]["evaluator"]),
                [(row["items"], row["power"], row["low"], row["high"]) for row in of],
            )
            for name, of in by_method[SIZE].items()
        ]
        caption = say("pilot", "figure", question=question)
        needed = any(isfinite(row["items"]) for row in rows if row["method"] == FORMULA)
        tables = [_table(f"{question}: what to collect.", by_method[FORMULA])] if needed else []
        if rows:
            folded = f"{question}: chances of a yes, by items."
            tables.append(_table(folded, by_method[SIZE], is_folded=True))
        return Layout([chance_figure("plan", lines, POWER, caption)] if lines else [], tables)

    def headline(self, answers, options, judges):
        """Return that the page has to be opened: it takes too long for the index."""
        return "", "open it: it plans from this study’s ratings" if judges else NO_JUDGE


def _table(caption, by_name, *, is_folded=False):
    """Tabulate rows of each judge; a dash where no number of items is enough."""
    items, *others = TO_COLLECT
    headings = [PER_ITEM, items, "More items", *others]
    lines = []
    for name, rows in by_name.items():
        for row in rows:
            items, *others = collect_cells(row)
            more = count(max(row["items"] - row["pilot_items"], 0))
            lines.append((name, [f"{row['raters_per_item']:.2g}", items, more, *others]))
    return Table(caption, headings, lines, [], "Judge", is_folded=is_folded)


KIND = HowManyMore().kind()
