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
from analysis.options.declare import choice
from analysis.reports.base import pivot
from analysis.reports.closeness.engine import (
    CERTAIN,
    HOLM,
    MAX_T,
    ClosenessReport,
    add_family,
    as_difference,
    in_words,
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
    correction: str = choice(
        MAX_T,
        "Correction of p",
        "max_t (default) or holm: how p is corrected for the number of pairs",
        [(MAX_T, "max-T, of the same draws"), (HOLM, "Holm")],
    )


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
            common.add_part(report, *part.split())
        return scores, [*question_notes(scores, common.places), *common.notes()]

    def layout(self, report, measure, looks):
        """Return the page of one coefficient and level: the clearest differences, and all."""
        words = f"{in_words(measure)} level, mean of the questions"
        entries = [as_difference(entry) for entry in report.entries]
        averages = [entry for entry in entries if entry.row["question"] == AVERAGE]
        averages.sort(key=lambda entry: (isnan(p := entry.row["p"]), p, -abs(entry.row["value"])))
        title = f"Difference of {LABELS[measure.split()[0]]}"
        drawn = [entry for entry in averages if not isnan(entry.row["value"])][:MOST_DRAWN]
        caption = say("figure", words=words, most=MOST_DRAWN)
        shown = drawn, "pair", "question", looks, title
        figures = dot_figure("differences", caption, *shown, of="values")
        corrected = CORRECTED[report.options["correction"]]
        by_pair = pivot(entries, "pair", column="question")
        keys = [key for key in dict.fromkeys(e.row["question"] for e in entries) if key != AVERAGE]
        lines = []
        for entry in averages[:MOST_PAIRS]:
            row, own = entry.row, by_pair[entry.row["pair"]]
            mean = Cell(row, row["value"], entry.reason)
            cells = [_with_p(own[key]) if key in own else "–" for key in keys]
            numbers = p_words(row["p"]), p_words(row["p_adjusted"]), row["n"]
            lines.append((row["pair"], [mean, *numbers, *cells]))
        case = "first_of" if len(averages) > MOST_PAIRS else "all"
        facts = {"most": MOST_PAIRS, "n": len(averages), "corrected": corrected}
        caption = say(case, words=words, **facts)
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
        coefficient, level = measure.split()
        return say(
            "ahead" if isnan(row["p"]) else "ahead_tested",
            better=better,
            other=other,
            coefficient=LABELS[coefficient],
            level=level,
            by=" ".join(filter(None, [leading_point(abs(row["difference"])), ends])),
            p=p_words(row["p"]),
        )


class _Common:
    """The judges of each question, on the items that all of them and the reference have.

    places: of the questions that can be compared. answered: {judge: the places of which it has a
    value to compare}; without: the judges that have none. shared: {(first, other): the places that
    both answered}, of all pairs to be tested.
    """

    def __init__(self, scores):
        self.scores, self.places = scores, comparable(scores)
        judges = [own for own in evaluators(scores) if own.judge]
        is_complete, self.answered = np.ones(scores.shape, dtype=bool), {}
        for own in judges:
            has = ~np.isnan(own.values) & ~np.isnan(own.reference)
            if places := [place for place in self.places if has[:, place].any()]:
                self.answered[own.name] = places
                is_complete[:, places] &= has[:, places]
        self.without = [own.name for own in judges if own.name not in self.answered]
        self.judges = {
            own.name: replace(own, values=np.where(is_complete, own.values, np.nan))
            for own in judges
        }
        against, names = scores.options.against, [*self.answered]
        pairs = [(name, against) for name in names if against in names and name != against]
        both = {
            (first, other): tuple(p for p in self.answered[first] if p in self.answered[other])
            for first, other in (pairs if against else combinations(names, 2))
        }
        self.shared = {pair: places for pair, places in both.items() if places}

    def add_part(self, report, coefficient, level):
        """Add the rows of one coefficient and level: each question's family, the average last."""

        @cache
        def estimate(name, place):
            return correlate(self.scores, self.judges[name], place, level, coefficient)

        @cache
        def mean(name, places):
            return average([estimate(name, place) for place in places])

        of_question = [(self.scores.questions[place].key, {place}) for place in self.places]
        for question, own in [*of_question, (AVERAGE, {*self.places})]:
            family = [
                (*(self.judges[n] for n in pair), [mean(n, shown) for n in pair], {})
                for pair, places in self.shared.items()
                if (shown := tuple(place for place in places if place in own))
            ]
            about = {"question": question, "level": level, "coefficient": coefficient}
            tests = "p", "p_holm", "p_adjusted"
            add_family(report, about, family, tests, self.scores.options.correction)

    def notes(self):
        """Yield notes on which judges, questions and items are compared, and on the p-values."""
        options, pairs = self.scores.options, len(self.shared)
        if self.without:
            yield say("without", names=", ".join(self.without))
        if options.against and options.against not in self.answered:
            yield say("against", name=options.against)
        if not pairs:
            yield say("two")
        numbers = Counter(place for places in self.answered.values() for place in places)
        if any(numbers[place] < len(self.answered) for place in self.places):
            keys = (f"{self.scores.questions[p].key} {numbers[p]}" for p in self.places)
            yield say("unequal", keys=", ".join(keys))
        yield say("items")
        smallest = (2 * pairs if options.correction == HOLM else 1) / (options.draws + 1)
        if options.draws and smallest > CERTAIN:
            facts = {"draws": options.draws, "pairs": pairs, "least": min(smallest, 1)}
            yield say(f"few_draws_{options.correction}", **facts)
        yield say(f"p_{options.correction}", pairs=pairs)
        if options.correction == MAX_T:
            yield say("too_small")


def _with_p(entry):
    p = entry.row["p_adjusted"]
    rank = "certain" if p < CERTAIN else ""
    return Cell(entry.row, entry.row["value"], entry.reason, f"p {p_words(p)}", rank)


KIND = Differences().kind()
