"""Measure which system's lists people and judges prefer, and how often they are undecided."""

from dataclasses import replace
from math import isnan

import numpy as np

from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, Table, cell_of
from analysis.reports.base import columns_of, pivot
from analysis.reports.lists.engine import ListsReport
from analysis.reports.shared.findings import pick
from analysis.reports.shared.list_pairs import systems_of_sides, tie_of, values_of_sides
from analysis.reports.shared.options import AgreementOptions
from analysis.reports.words import notes_beside
from analysis.stats.estimate import Estimate
from analysis.stats.replacement.preference import system_preference
from analysis.stats.replacement.selection import share

say = notes_beside(__file__, "preferences")
ALL = "all"
SHARES = PREFERRED, WON, TIED = "preferred", "won", "tied"
BOTH_TIE = "both_tie"
PEOPLE = "people"
NO_PAIR = "no pair of lists has a verdict of both"


class Preferences(ListsReport):
    """Shares of the pairs in which each system is preferred, by people and by judges, and ties."""

    name, title, options = "preferences", "Preferred systems", AgreementOptions
    named_by = ("evaluator", "question", "system", "measure")
    nothing = "no question is a choice of two lists"

    def compare(self, report, scores, pairs, labels, majorities):
        systems, names = systems_of_sides(scores)
        resampling = scores.resampling()
        for pair in pairs:
            evaluator, question, values = pair.evaluator, pair.question, pair.values
            if not labels.fits(evaluator.name, values, question):
                continue
            judge = labels.labels(evaluator.name, values, question)
            human = majorities.labels_for(evaluator, pair.place)
            both = ~np.isnan(judge) & ~np.isnan(human)
            verdicts = [np.where(both, own, np.nan) for own in (judge, human)]
            for system in np.unique(systems[systems >= 0]).tolist():
                sides = systems, system, values_of_sides(question)
                counts = [system_preference(own, *sides, **resampling) for own in verdicts]
                for measure in SHARES:
                    estimates = [getattr(count, measure) for count in counts]
                    _add(report, pair, names[system], measure, *estimates)
            ties = [own == tie_of(question) for own in verdicts]
            of_ties = [
                share(tie, both, NO_PAIR, **resampling) for tie in (*ties, ties[0] & ties[1])
            ]
            _add(report, pair, ALL, TIED, *of_ties[:2])
            _add(report, pair, ALL, BOTH_TIE, of_ties[2], Estimate(np.nan, n=int(both.sum())))

    def list_notes(self, questions, options):
        if not questions:
            return [say("nothing")]
        return [say("same_pairs"), say("systems")]

    def layout(self, report, question, looks):
        """Return the page of one question: preferred systems, and ties."""
        preferred = [entry for entry in report.entries if entry.row["measure"] == PREFERRED]
        first = preferred[0].row["evaluator"] if preferred else ""
        drawn = [_of_people(e) for e in preferred if e.row["evaluator"] == first]
        drawn += [replace(e, row=e.row | {"who": e.row["evaluator"]}) for e in preferred]
        caption = (
            f"How often each system's list is preferred for {question}, ties split: by people (on "
            "the pairs of the first evaluator) and by each evaluator. Lines: 95 % intervals."
        )
        title = "Share of pairs in which it is preferred"
        shown = drawn, "system", "who", looks, title
        figures = dot_figure("preferences", caption, *shown, unit_interval=True)
        systems, ties = [], []
        by_system = pivot(report.entries, "evaluator", "system", column="measure")
        for (name, system), own in by_system.items():
            tied = own[TIED]
            if system == ALL:
                ties.append((name, [*_both(tied), cell_of(own[BOTH_TIE]), tied.row["n"]]))
            else:
                cells = [cell for measure in SHARES for cell in _both(own[measure])]
                systems.append((name, [system, *cells, tied.row["n"]]))
        beside = [words for share in ("Preferred", "Won", "Tied") for words in (share, "by people")]
        tables = [
            Table(
                f"Preferred systems for {question}: won, and half of the ties.",
                ["System", *beside, "Pairs"],
                systems,
                [],
                "Evaluator",
            ),
            Table(
                f"Pairs left undecided for {question}.",
                ["Ties", "Ties of people", "Ties of both", "Pairs"],
                ties,
                [],
                "Evaluator",
            ),
        ]
        return Layout(figures, tables)

    def find(self, report, question):
        """Say which system people prefer most, over the pairs of the judge of most pairs."""
        rows = [row for row in pick(report, "judge", measure=PREFERRED) if not isnan(row["value"])]
        if not rows:
            return ""
        judge = max(rows, key=lambda row: row["n"])["evaluator"]
        own = [row for row in rows if row["evaluator"] == judge]
        row = max(own, key=lambda row: (row["people"], row["n"]))
        if row["people"] <= 1 / 2:
            return say("no_system", row=row, question=question)
        shares = {"people": 100 * row["people"], "judge": 100 * row["value"]}
        return say("system", row=row, question=question, **shares)


def _add(report, pair, system, measure, judge, people):
    report.add(
        {"evaluator": pair.evaluator.name, "question": pair.question.key}
        | {"system": system, "measure": measure}
        | {"value": judge.value, "low": judge.low, "high": judge.high}
        | columns_of("people", people)
        | {"n": judge.n},
        {"judge": judge, "people": people},
        **pair.evaluator.facts,
    )


def _of_people(entry):
    """Return the entry with people's number as its value."""
    ends = {"value": "people", "low": "people_low", "high": "people_high"}
    row = entry.row | {name: entry.row[key] for name, key in ends.items()}
    return replace(entry, row=row | {"who": PEOPLE}, judge="")


def _both(entry):
    return [cell_of(entry), cell_of(_of_people(entry))]


PREFERENCES = Preferences()
KIND = PREFERENCES.kind()
