"""Measure agreement among people, with a judge as one more rater, and of a judge with a role."""

from functools import partial
from itertools import product

import numpy as np

from analysis.figures.dots import dots
from analysis.figures.layout import Figure, Layout, details, n_words, table_of
from analysis.options.choices import ALL
from analysis.reports.base import Entry
from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.findings import defined, pick, with_interval
from analysis.reports.shared.given import Given
from analysis.reports.shared.labels import LabelNotes, as_labels, labels_of
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.shared.options import AgreementOptions
from analysis.reports.verdict.baselines import keep_baselines, with_grey
from analysis.reports.words import notes_beside
from analysis.stats.agreement.measures import LABELS, MEASURES, VALUES, Rated
from analysis.stats.estimate import Estimate

say = notes_beside(__file__, "agreement")
HUMANS, JOINED, VERSUS = "humans", "joined", "versus"
POOLED = "pooled"
# On the page α comes before percent agreement: it allows for chance.
FIRST = ("alpha_ordinal", "alpha_nominal", "alpha_interval")
WORDS = {key: MEASURES[key].label for key in (*FIRST, *(k for k in MEASURES if k not in FIRST))}


class Agreement(MeasuredReport):
    """All measures among people, and one chosen measure with each judge."""

    name, title, options = "agreement", "Agreement", AgreementOptions
    named_by, of_judges = ("raters", "question", "measure"), False
    formula = [*dict.fromkeys(measure.formula for measure in MEASURES.values())]
    source = "; ".join(dict.fromkeys(measure.source for measure in MEASURES.values())) + "."

    def list_parts(self, questions):
        return Shown("measure", "Measure with judges", list(WORDS.items()))

    def measure(self, report, scores, of_judges):
        """Add the rows. of_judges: the measures that judges get; None for all, [] for no judge."""
        options, answers, pool = scores.options, scores.answers, pooled_places(scores)
        labels = LabelNotes(options.missing_judgment, answers.own_scale)
        of_judges, groups = MEASURES if of_judges is None else of_judges, {HUMANS: ALL}
        if len(scores.roles) > 1:
            groups |= {f"{HUMANS} ({role})": role for role in scores.roles}
        role = options.reference
        versus = "all people" if role == ALL else role
        pairs = [key for key in of_judges if MEASURES[key].pairs]
        questions = [[place] for place in range(len(scores.questions))]
        for places in [*questions, pool] if pool else questions:
            units = _Units(scores, labels, places)
            for group, members in groups.items():
                report.entries += units.measured(group, units.ratings(members), MEASURES)
            for judge in filter(units.fits, scores.judges if of_judges else []):
                values = units.judged(judge)
                joined = f"{HUMANS} + {judge}", units.apart(judge).beside(values)
                report.entries += units.measured(*joined, of_judges, judge)
                alone = f"{judge} vs {versus}", units.ratings(role)
                report.entries += units.measured(*alone, pairs, judge, values)
        if of_judges:
            keep_baselines(report, scores, partial(_baselines, measures=of_judges))
        pooled = ", ".join(scores.questions[place].key for place in pool)
        return [
            *policy_notes(scores),
            *([say("pooled", keys=pooled)] if pool else []),
            *map(say, ("humans", "labels", "pairs", "complete")),
            *labels.sentences(),
            interval_note(scores),
        ]

    def layout(self, report, measure, looks):
        """Return a figure of the chosen measure, and tables of people and judges."""
        words = WORDS[measure]
        people, joined, versus = (
            [entry for entry in report.entries if entry.kind == kind]
            for kind in (HUMANS, JOINED, VERSUS)
        )
        chosen = [e for e in [*people, *joined] if e.row["measure"] == measure]
        drawn, _, grey = with_grey(report, chosen, lambda row: row["measure"] == measure)
        chart = dots(drawn, "raters", "question", looks, f"{words} ({n_words(chosen, 'n_units')})")
        caption = f"{words} by question. Lines: 95 % intervals.{grey}"
        tables = []
        for group in dict.fromkeys(entry.row["raters"] for entry in people):
            own = [entry for entry in people if entry.row["raters"] == group]
            tables.append(table_of(own, "measure", f"Agreement of {group}.", "Measure", WORDS))
        as_one = f"{words}: people with each judge as one more rater."
        beside = f"{words}: each judge with the raters of the reference."
        tables += [table_of(joined, "raters", as_one, "Raters", {})]
        tables += [table_of(versus, "raters", beside, "Raters", {})]
        return Layout([Figure("agreement", caption, chart)], tables, *details(report))

    def parts_of_finding(self, measure):
        return []  # of people alone

    def find(self, report, measure):
        """Say on which question raters agree most, and on which least."""
        rows = defined(pick(report, HUMANS, raters=HUMANS, measure=measure), "value")
        rows = [row for row in rows if row["question"] != POOLED] or rows
        if not rows:
            return ""
        most, least = rows[0], rows[-1]
        value = f"{MEASURES[measure].label} {with_interval(most, 'value')}"
        if not rows[1:]:
            return f"Raters agree on {most['question']}: {value}."
        return (
            f"Raters agree most on {most['question']}, {value}, and least on {least['question']}, "
            f"{with_interval(least, 'value')}."
        )


def pooled_places(scores):
    """Return the places of the questions that share the most frequent scale; [] if all differ."""
    by_scale: dict = {}
    for place, question in enumerate(scores.questions):
        if labels_of(question):
            scale = question.scale.kind, *labels_of(question)
            by_scale.setdefault(scale, []).append(place)
    most = max(by_scale.values(), key=len, default=[])
    return most if len(most) > 1 else []


def _baselines(scores, baselines, measures):
    """Yield the entries of people with a baseline as one more rater."""
    for evaluator, place in product(baselines, range(len(scores.questions))):
        values = evaluator.values[:, place]
        if not np.isnan(values).all():
            units = _Units(scores, LabelNotes(), [place])
            beside = units.ratings(ALL).beside(values)
            yield from units.measured(f"{HUMANS} + {evaluator.name}", beside, measures)


class _Units:
    """The items of one question; of several on one scale, each item and question is a unit."""

    def __init__(self, scores, labels, places):
        self.scores, self.labels, self.places = scores, labels, places
        self.question = scores.questions[places[0]]
        self.points = labels_of(self.question)

    def ratings(self, role):
        """Return the ratings by raters of a role, as a Given."""
        return Given.below([self.scores.narrow(place, role) for place in self.places])

    def apart(self, judge):
        """Return all people's ratings but of the items that the judge's examples are drawn from."""
        people = self.ratings(ALL)
        parts = np.split(people.values, len(self.places))
        return people.with_values(np.concatenate([self.scores.apart(judge, p) for p in parts]))

    def _answers(self, judge):
        """Yield (question, the judge's values (items,))."""
        values = self.scores.judge(judge)
        return [(self.scores.questions[place], values[:, place]) for place in self.places]

    def judged(self, judge):
        """Return the judge's values (units,)."""
        answers = self._answers(judge)
        return np.concatenate([self.labels.answers(judge, own, asked) for asked, own in answers])

    def fits(self, judge):
        """Return whether the judge uses the scale."""
        return not self.points or all(
            self.labels.says_yes_or_no(judge, asked) or self.labels.fits(judge, values, asked)
            for asked, values in self._answers(judge)
        )

    def measured(self, raters, ratings, measures, judge="", judged=None):
        """Yield the Entry of each measure of the ratings, a Given.

        judged (units,): the judge's values, where each rater is compared with the judge.
        """
        units = np.flatnonzero((~np.isnan(ratings.values)).any(axis=1))
        ratings, n_raters = ratings.of_units(units), ratings.n_raters + (judged is not None)
        sides = self._sides(judge or "people", ratings.values)
        of_judge = {} if judged is None else self._sides(judge, judged[units])
        kind = HUMANS if not judge else JOINED if judged is None else VERSUS
        for key, measure in MEASURES.items():
            if key not in measures or measure.metric not in self.question.scale.metrics:
                continue
            own = ratings.with_values(sides[measure.takes])
            estimate = self._estimate(measure, own, of_judge.get(measure.takes), units)
            question = POOLED if self.places[1:] else self.question.key
            first = {"raters": raters, "question": question, "measure": key}
            sizes = {"n_units": estimate.n, "n_raters": n_raters}
            yield Entry.from_estimate(first, estimate, sizes, judge=judge, kind=kind)

    def _sides(self, name, values):
        """Return the values as they are and as labels; one question alone counts those off it."""
        if not self.points:
            return {VALUES: values}
        if self.places[1:]:
            return {VALUES: values, LABELS: as_labels(values, self.question)}
        return {VALUES: values, LABELS: self.labels.labels(name, values, self.question)}

    def _estimate(self, measure, ratings, judged, units):
        if not len(units):
            return Estimate(np.nan, reason="nobody answered")
        values, rows = ratings.values, units % len(self.scores.items)
        if measure.complete:
            complete, values = ratings.complete()
            rows = rows[complete]
        resampling = self.scores.resampling(rows)
        return measure.estimate(Rated(values, self.points, judged, ratings.raters, resampling))


KIND = Agreement().kind()
