"""Test whether one judge follows the reference more closely than another."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import isnan

import numpy as np

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Cell, Layout, Table
from analysis.options.common import judge_or_none
from analysis.reports.closeness.engine import (
    CERTAIN,
    CORRECTION,
    HOLM,
    MAX_T,
    ClosenessReport,
    add_tested,
    as_difference,
    test_family,
)
from analysis.reports.shared.correlations import (
    AVERAGE,
    LABELS,
    PARTS,
    comparable,
    correlate,
    question_notes,
)
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.options import CorrelationOptions
from analysis.reports.words import notes_beside, p_words
from analysis.stats.ensembles.average import average
from annotate.templatetags.concord import interval, leading_point

MOST_DRAWN = 24
MOST_PAIRS = 60
say = notes_beside(__file__, "differences")
CORRECTED = {MAX_T: "p (max-T)", HOLM: "p (Holm)"}


@dataclass(frozen=True, kw_only=True)
class DifferencesOptions(CorrelationOptions):
    """Options of differences.

    against: the judge that the others differ from, "" = every two; correction: of the p-values
    for the number of pairs, "max_t" or "holm".
    """

    against: str = judge_or_none(
        "Differences from",
        "judge that the others differ from; default: every two judges",
        "every two judges",
    )
    correction: str = CORRECTION


class Differences(ClosenessReport):
    """A row for each pair of judges, question, level and coefficient, on the items that all have.

    The pairs of one question at one level are a family of tests.
    """

    name, title, options = "differences", "Differences", DifferencesOptions
    named_by = ("evaluator", "other", "question", "level")
    silent = "no two judges have values of one question"

    def compare(self, report, scores, parts):
        common = _Common(scores)
        for part in parts or PARTS:
            _add_part(report, common, *part.split())
        notes = [*question_notes(common.scores, common.places), *common.notes()]
        return common.scores, [*notes, *_test_notes(common)]

    def layout(self, report, measure, looks):
        """Return the page of one coefficient and level: the clearest differences, and all."""
        coefficient, level = measure.split()
        words = f"{LABELS[coefficient]}, {level} level"
        entries = [as_difference(entry) for entry in report.entries]
        averages = [entry for entry in entries if entry.row["question"] == AVERAGE]
        averages.sort(key=lambda entry: (isnan(p := entry.row["p"]), p, -abs(entry.row["value"])))
        title = f"Difference of {LABELS[coefficient]}"
        drawn = [entry for entry in averages if not isnan(entry.row["value"])][:MOST_DRAWN]
        caption = (
            f"{words}, mean of the questions: first judge less second, the {MOST_DRAWN} clearest "
            "at most. Lines: 95 % intervals."
        )
        shown = drawn, "pair", "question", looks, title
        figures = dot_figure("differences", caption, *shown, of="values")
        corrected = CORRECTED[report.options["correction"]]
        keys = [key for key in dict.fromkeys(e.row["question"] for e in entries) if key != AVERAGE]
        cells = {(entry.row["pair"], entry.row["question"]): _with_p(entry) for entry in entries}
        lines = []
        for entry in averages[:MOST_PAIRS]:
            row, pair = entry.row, entry.row["pair"]
            mean = Cell(row, row["value"], entry.reason)
            numbers = [mean, p_words(row["p"]), p_words(row["p_adjusted"]), row["n"]]
            lines.append((pair, numbers + [cells.get((pair, key), "–") for key in keys]))
        first = f", the first {MOST_PAIRS} of {len(averages)} pairs"
        caption = (
            f"{words}, mean of the questions{first if len(averages) > MOST_PAIRS else ''}, and "
            f"each question; bold where {corrected} is below .05."
        )
        table = Table(caption, ["Difference", "p", corrected, "n", *keys], lines, [], "Judges")
        return Layout(figures, [table])

    def find(self, report, measure):
        """Say how far the judge with the highest coefficient is ahead of the next."""
        rows = [row for row in report.rows if row["question"] == AVERAGE]
        rows = [row for row in rows if not isnan(row["difference"])]
        if not rows:
            return ""
        row = max(rows, key=lambda row: row["value"] + row["other_value"])
        sign = -1 if row["difference"] < 0 else 1
        better, other = (row["evaluator"], row["other"])[::sign]
        ends = " ".join(interval(*sorted((sign * row["low"], sign * row["high"]))).split())
        p = "" if isnan(row["p"]) else f", p {p_words(row['p'])} for these two alone"
        coefficient, level = measure.split()
        return (
            f"{better} has the highest {LABELS[coefficient]} at the {level} level, mean of the "
            f"questions; {other}, the next, has {leading_point(abs(row['difference']))} "
            f"{ends and ends + ' '}less{p}."
        )


class _Common:
    """The judges of each question, on the items that all of them and the reference have.

    places: of the questions that can be compared. answered: {judge: the places of which it has a
    value to compare}; without: the judges that have none. shared: {(first, other): the places
    that both answered}, of all pairs to be tested.
    """

    def __init__(self, scores):
        self.scores, self.places = scores, comparable(scores)
        is_complete = np.ones(scores.shape, dtype=bool)
        judges = {own.name: own for own in evaluators(scores) if own.judge}
        self.answered = {}
        for name, judge in judges.items():
            is_defined = ~np.isnan(judge.values) & ~np.isnan(judge.reference)
            if answered := [place for place in self.places if is_defined[:, place].any()]:
                self.answered[name] = answered
                is_complete[:, answered] &= is_defined[:, answered]
        self.without = [name for name in judges if name not in self.answered]
        self.judges = {
            name: replace(judges[name], values=np.where(is_complete, judges[name].values, np.nan))
            for name in self.answered
        }
        against = scores.options.against
        pairs = combinations(self.answered, 2)
        if against:
            is_answered = against in self.answered
            pairs = [(name, against) for name in self.answered if is_answered and name != against]
        both = {
            (first, other): tuple(p for p in self.answered[first] if p in self.answered[other])
            for first, other in pairs
        }
        self.shared = {pair: places for pair, places in both.items() if places}

    def families(self):
        """Yield (question, {pair: places that it is compared on}); the average comes last."""
        for place in self.places:
            own = {pair: (place,) for pair, places in self.shared.items() if place in places}
            yield self.scores.questions[place].key, own
        yield AVERAGE, self.shared

    def notes(self):
        """Yield notes on which judges are compared, and on which questions and items."""
        against = self.scores.options.against
        if self.without:
            yield say("without", names=", ".join(self.without))
        if against and against not in self.answered:
            yield say("against", name=against)
        if not self.shared:
            yield say("two")
        numbers = Counter(place for places in self.answered.values() for place in places)
        if any(numbers[place] < len(self.answered) for place in self.places):
            keys = (f"{self.scores.questions[p].key} {numbers[p]}" for p in self.places)
            yield say("unequal", keys=", ".join(keys))
        yield say("items")


def _add_part(report, common, coefficient, level):
    @cache
    def estimate(name, place):
        return correlate(common.scores, common.judges[name], place, level, coefficient)

    @cache
    def mean(name, places):
        return average([estimate(name, place) for place in places])

    correction = common.scores.options.correction
    for question, family in common.families():
        both = [[mean(name, places) for name in pair] for pair, places in family.items()]
        for (first, other), tested in zip(family, test_family(both, correction), strict=True):
            about = {"evaluator": first, "other": other, "question": question}
            numbers = {"p": tested.p, "p_holm": tested.p_holm, "p_adjusted": tested.p_adjusted}
            about |= {"level": level, "coefficient": coefficient}
            add_tested(report, about, tested, numbers, judge=first, kind="judge")


def _test_notes(common):
    """Yield notes on the p-values and the smallest that there can be."""
    options = common.scores.options
    pairs = max(len(family) for _, family in common.families())
    of = "holm" if options.correction == HOLM else "max_t"
    smallest = (2 * pairs if of == "holm" else 1) / (options.draws + 1)
    if options.draws and smallest > CERTAIN:
        yield say(f"few_draws_{of}", draws=options.draws, pairs=pairs, least=min(smallest, 1))
    yield say(f"p_{of}", pairs=pairs)
    if of == "max_t":
        yield say("too_small")


def _with_p(entry):
    p = entry.row["p_adjusted"]
    rank = "certain" if p < CERTAIN else ""
    return Cell(entry.row, entry.row["value"], entry.reason, f"p {p_words(p)}", rank)


KIND = Differences().kind()
