"""Compute what tables 1 and 2 of P0 print, and what its figures 3 and 4 draw."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np

from analysis.answers.spending import NOTHING, spending
from analysis.options.choices import Choices
from analysis.reports.closeness.ensembles import SIZE, Ensembles
from analysis.reports.cost.report import cost_by_item
from analysis.reports.shared.correlations import correlate
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.shared.scores import Evaluator, Scores
from analysis.stats.ensembles.average import average
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from annotate.design.payment import USD, pay_of
from annotate.models import Rater

ASPECTS = ("Persuasiveness", "Transparency", "Accuracy", "Satisfaction")
AVERAGE = "Average"
LEVELS = ("dataset", "user", "pair")
UNKNOWN_ATTITUDE, PENALTY = 3, 0  # for what a user, and what a judge, did not answer
DATA, FIGURE_3, FIGURE_4 = "Data", "Figure 3", "Figure 4"
COST, HUMAN = "Cost", "Human"
SINGLE, MULTIPLE, SHOTS = "(S)", "(M)", {"one-shot": "one", "personalised": "personalised"}
MODELS = ("Llama2-7B", "Llama2-13B", "Qwen1.5-7B", "Qwen1.5-14B", "GPT3.5-Turbo", "GPT4")
PRICED = ("GPT3.5-Turbo", "GPT4")
WITH_EXAMPLES = ("GPT4", "Qwen1.5-14B")
COMBINED = tuple(f"{model} {MULTIPLE}" for model in MODELS[1:])
ANNOTATORS = ("Annotator-1", "Annotator-2")
OF_ANNOTATORS = "Annotators, averaged"
NO_ANNOTATOR = "no third party has rated besides those that judges are compared with"
NOT_TWO = "the paper has two third-party annotators, this study {}"
NO_PAY = "the study does not say what a session pays in dollars (Settings)"
NO_QUESTION = "the study has no question called {}"
PERCENT = 100


@dataclass
class Numbers:
    """What the paper's tables print, measured in one study.

    judges: {role: name of the study's judge}, of which a study may lack some.
    """

    answers: object
    judges: dict
    draws: int = 2000

    def cells(self):
        """Return {(table, row, column): Estimate}; correlations and their intervals in %."""
        cells = self._data() | self._annotators() | self._costs()
        for role, name in self.judges.items():
            table = FIGURE_3 if role.endswith(tuple(SHOTS)) else "1"
            apart = self.scores.apart(name, self.users)
            judge = Evaluator(name, "judge", self.scores.judge(name), apart)
            cells |= self._line(table, role, judge)
        return cells | self._ensembles()

    @cached_property
    def options(self):
        reference = Choices.from_answers(self.answers).reference
        return CorrelationOptions.choose(
            reference=reference, missing_judgment=PENALTY, draws=self.draws
        )

    @cached_property
    def scores(self):
        return Scores(self.answers, self.options)

    @cached_property
    def users(self):
        """Return users' mean ratings (items, questions), 3 where they left out a question."""
        mean = self.scores.reference()
        has_rated = ~np.isnan(mean).all(axis=1, keepdims=True)
        return np.where(np.isnan(mean) & has_rated & self.scores.applies, UNKNOWN_ATTITUDE, mean)

    @cached_property
    def places(self):
        """Return {aspect: place of its question} of those that the study asks."""
        places = {q.key.lower(): place for place, q in enumerate(self.scores.questions)}
        return {name: places[name.lower()] for name in ASPECTS if name.lower() in places}

    def _line(self, table, row, evaluator):
        """Return the cells of one evaluator: each aspect and their average, at each level."""
        cells = {}
        for level in LEVELS:
            estimates = []
            for name in ASPECTS:
                own = Estimate(nan, reason=NO_QUESTION.format(name.lower()))
                if (place := self.places.get(name)) is not None:
                    own = correlate(self.scores, evaluator, place, level, "pearson")
                estimates.append(own)
                cells[table, row, f"{name}: {level}"] = _in_percent(own)
            cells[table, row, f"{AVERAGE}: {level}"] = _in_percent(average(estimates))
        return cells

    @cached_property
    def third_parties(self):
        """Return the names of the raters that the paper calls annotators, in their order."""
        role = str(Rater.Role.THIRD_PARTY)
        return [] if self.options.reference == role else self.scores.raters_of(role)

    def _annotators(self):
        raters = self.third_parties
        why = NOT_TWO.format(len(raters)) if raters else NO_ANNOTATOR
        lines = dict.fromkeys((*ANNOTATORS, OF_ANNOTATORS))
        if raters:
            mean = self.scores.role_mean(str(Rater.Role.THIRD_PARTY))
            lines[OF_ANNOTATORS] = Evaluator("mean", "mean", mean, self.users)
        if len(raters) == len(ANNOTATORS):
            lines |= {
                row: Evaluator(rater, "rater", self.scores.rater(rater), self.users)
                for row, rater in zip(ANNOTATORS, raters, strict=True)
            }
        cells = {}
        for row, evaluator in lines.items():
            cells |= self._line("1", row, evaluator) if evaluator else _without("1", row, why)
        return cells

    def _costs(self):
        pay, study = pay_of(self.answers.study), self.answers.study
        human = Estimate(nan, reason=NO_PAY)
        if pay and pay.currency == USD:
            human = Estimate(pay.amount / study.items_per_session)
        cells, spent = {("2", HUMAN, COST): human}, spending(study)
        for role, name in self.judges.items():
            if role in {f"{model} {asked}" for model in PRICED for asked in (SINGLE, MULTIPLE)}:
                own = spent.get(self.scores.sampled(name), NOTHING)
                dollars = cost_by_item(self.scores, own)["cost"]
                estimate = clustered_mean(dollars, **self.scores.resampling())
                cells["2", role.replace("-Turbo", ""), COST] = replace(
                    estimate, reason=own.unknown or estimate.reason
                )
        return cells

    def _ensembles(self):
        """Return the means of every subset of the judges of figure 4, by size."""
        names = tuple(dict.fromkeys(self.judges[role] for role in COMBINED if role in self.judges))
        if len(names) < 2:
            return {}
        parts = [f"pearson {level}" for level in LEVELS]
        report = Ensembles().build(self.answers, replace(self.options, judges=names), parts)
        aspects = {self.scores.questions[place].key: name for name, place in self.places.items()}
        cells = {}
        for row in report.rows:
            if row["kind"] == SIZE and row["question"] in aspects:
                column = f"{aspects[row['question']]}: {row['level']}"
                for measure, ends in (("mean", ("low", "high")), ("min", ()), ("max", ())):
                    own = Estimate(row[measure], *(row[end] for end in ends), n=row["n"])
                    cells[FIGURE_4, f"{row['size']} judges, {measure}", column] = _in_percent(own)
        return cells

    def _data(self):
        pairs = self.scores.pairs[self.scores.recipients >= 0]
        users = self.scores.recipients[self.scores.recipients >= 0]
        n_users = len(np.unique(users))
        movies = len(np.unique(pairs)) / n_users if n_users else nan
        why = "" if n_users else "no item has a recipient"
        return {
            (DATA, "Users", "Number"): Estimate(float(n_users), n=n_users),
            (DATA, "Movies per user", "Number"): Estimate(movies, n=n_users, reason=why),
            (DATA, "Third-party annotators", "Number"): Estimate(float(len(self.third_parties))),
        }


def _without(table, row, reason):
    columns = [f"{name}: {level}" for name in (*ASPECTS, AVERAGE) for level in LEVELS]
    return {(table, row, column): Estimate(nan, reason=reason) for column in columns}


def _in_percent(estimate):
    value, low, high = (PERCENT * part for part in (estimate.value, estimate.low, estimate.high))
    return replace(estimate, value=value, low=low, high=high, draws=None)
