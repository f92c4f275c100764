"""Measure how far judges' answers move when a prompt changes in ways that should not matter."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import isnan, nan

import numpy as np

from analysis.answers.perturbed import Perturbed, ends_of, setting
from analysis.figures.dots import dot_figure
from analysis.figures.layout import Layout, cell_of, details, listing
from analysis.options.common import Drawn, Judged
from analysis.reports.base import columns_of
from analysis.reports.kind import of_questions
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.findings import with_interval
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.words import notes_beside
from analysis.stats.estimate import Estimate
from analysis.stats.inputs import round_half_down
from analysis.stats.ranked_lists.robustness import (
    RANKS,
    Compared,
    compared,
    compared_ranks,
    differs,
    distance,
    moved,
    robustness,
)
from annotate.templatetags.concord import leading_point
from judges.models import Judgment, Run
from judges.perturbations.relations import NO_CHANGE, RELATIONS

ROBUSTNESS, CHANGE, FLIPS, FAILURES = "robustness", "mean_change", "flip_rate", "failures"
EVERY = "all"  # relations together
SAME_AGAIN = "Same prompt again"
CAPTIONS = {
    ROBUSTNESS: "robustness: 1 − mean change / range of the scale, or 1 − share of other answers.",
    CHANGE: "mean absolute change of an answer, in points of the scale.",
    FLIPS: "share of the answers that are another one.",
    "spearman": "Spearman's ρ with the answers to the unchanged prompt.",
    "kendall": "Kendall's τ-b with the answers to the unchanged prompt.",
    FAILURES: "share of the replies without a value.",
}
# Heading of a table: the number in a row, whose interval stands under its name.
PARTS = {"Changed prompt": "", SAME_AGAIN: "floor", "Difference": "excess"}
say = notes_beside(__file__, "robustness")


@dataclass(frozen=True, kw_only=True)
class RobustnessOptions(Judged, Drawn):
    """Options of a report that compares judges with themselves."""


class Robustness(MeasuredReport):
    """A row for each tested judge, question, relation and measure."""

    name, title, options = "robustness", "Robustness", RobustnessOptions
    named_by = ("evaluator", "question", "relation", "measure")
    needs_ratings, silent = False, "no judge was tested with changed prompts"
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    watch = staticmethod(Perturbed.known_by)

    def measure(self, report, scores, keys):
        version = scores.options.version
        tests = scores.answers.beside or Perturbed(scores.answers.study)
        runs, answers = tests.runs(version), tests.answers(version)
        judges = [judge for judge in scores.judges if judge in runs]
        for judge, question in product(judges, scores.questions):
            if not keys or question.key in keys:
                test = _Test(scores, runs[judge], question, answers[judge])
                for relation, name, comparison in test.measured():
                    _add(report, test, judge, relation, name, comparison)
        return [*item_notes(scores), *_notes(scores, runs, judges), interval_note(scores)]

    def layout(self, report, question, looks):
        """Return the page of one question: tables by measure, robustness and excess as figures."""
        own = [entry for entry in report.entries if entry.row["question"] == question]
        of = {name: [e for e in own if e.row["measure"] == name] for name in CAPTIONS}
        tables = [
            listing(f"{question}: {CAPTIONS[name]}", "Judge and relation", names, entries, COLUMNS)
            for name, entries in of.items()
            if (names := [f"{entry.judge}: {_named(entry.row)}" for entry in entries])
        ]
        defined = [entry for entry in of[ROBUSTNESS] if not isnan(entry.row["value"])]
        again = {e.judge: _taken(e, "floor", SAME_AGAIN) for e in reversed(defined)}
        drawn, how = [*again.values(), *map(_taken, defined)], ("relation", "evaluator", looks)
        caption = f"{question}: {CAPTIONS[ROBUSTNESS]} Lines: 95 % intervals."
        figures = dot_figure(ROBUSTNESS, caption, drawn, *how, "Robustness", unit_interval=True)
        beyond = [_taken(entry, "excess") for entry in of[FLIPS]]
        caption = (
            f"{question}: share of other answers, less that of the same prompt asked again. "
            "Lines: 95 % intervals."
        )
        figures += dot_figure("excess", caption, beyond, *how, "Other answers beyond chance")
        return Layout(figures, tables, *details(replace(report, entries=own)))

    def find(self, report, question):
        """Say under which change a judge falls furthest below being asked the same again."""
        rows = [row for row in report.rows if row["measure"] == ROBUSTNESS]
        rows = [row for row in rows if row["relation"] != EVERY and not isnan(row["excess"])]
        if not rows:
            return ""
        worst = min(rows, key=lambda row: row["excess"])
        return (
            f"{worst['evaluator']} is least robust under {label(worst['relation']).lower()} on "
            f"{question}: {with_interval(worst, 'value')}; asked the same again "
            f"{leading_point(worst['floor'])}."
        )


class _Test:
    """The answers of one judge to one question, by relation; of the items left in and asked."""

    def __init__(self, scores, run, question, asked):
        self.run, self.question, self.is_nominal = run, question, question.scale.is_nominal
        self.asked = asked[asked["question"] == question.key]
        keys = scores.items["item"].astype(str)
        places = np.flatnonzero(keys.isin(self.asked["item"]))
        self.keys, self.resampling = keys.iloc[places], scores.resampling(places)

    @cached_property
    def same(self):
        """Return the answers to the unchanged prompt (items, repetitions)."""
        return self.answers(NO_CHANGE)

    def answers(self, relation):
        """Return answers to a relation's prompt (items, repetitions), NaN without an answer."""
        rows = self.asked[self.asked["relation"] == relation]
        table = rows.pivot_table("value", "item", "sample", aggfunc="first", dropna=False)
        return table.reindex(self.keys).to_numpy(dtype=float)

    def failed(self, relation):
        """Return the share of each item's answers without a value (items,)."""
        rows = self.asked[self.asked["relation"] == relation]
        lost = rows["state"].isin(Judgment.NO_VALUE).groupby(rows["item"]).mean()
        return lost.reindex(self.keys).to_numpy(dtype=float)

    def flips(self, changed):
        """Return (moves, floors) of the items; answers count at the points of a scale with such."""
        at_points = round_half_down(changed) if self.question.scale.points else changed
        return moved(at_points, self.same, differs)

    def measured(self):
        """Yield (relation, measure, Compared), the relations in their order, then all of them."""
        asked = set(self.asked["relation"])
        relations = [key for key in RELATIONS if key in asked and key != NO_CHANGE]
        all_moves = []
        for relation in relations if len(self.keys) else ():
            changed = self.answers(relation)
            flips = self.flips(changed)
            moves = flips if self.is_nominal else moved(changed, self.same, distance)
            all_moves.append(moves)
            change = compared(*moves, **self.resampling)
            yield relation, ROBUSTNESS, self.robustness(change)
            if not self.is_nominal:
                yield relation, CHANGE, change
            yield relation, FLIPS, compared(*flips, is_share=True, **self.resampling)
            for name in () if self.is_nominal else RANKS:
                yield relation, name, compared_ranks(changed, self.same, name, **self.resampling)
            lost = self.failed(relation), self.failed(NO_CHANGE)
            yield relation, FAILURES, compared(*lost, **self.resampling)
        if len(all_moves) > 1:
            # Items on which each of them was answered: no mean may hang on who failed where.
            together = np.mean([changes for changes, _ in all_moves], axis=0)
            change = compared(together, all_moves[0][1], **self.resampling)
            yield EVERY, ROBUSTNESS, self.robustness(change)

    def robustness(self, change):
        """Turn Compared distances into robustness, 1 − distance / range."""
        if self.is_nominal:
            return robustness(change, 1)
        ends = ends_of(self.run, self.question)
        if ends is None:
            reason = "the scale has no ends, so that no change is large or small on it"
            return Compared(*[Estimate(nan, reason=reason)] * 3)
        return robustness(change, ends[1] - ends[0])


def _add(report, test, judge, relation, name, comparison):
    options = test.run.frozen["robustness"]["relations"].get(relation, {})
    about = {"evaluator": judge, "question": test.question.key, "relation": relation}
    about |= {"setting": setting(options), "measure": name}
    numbers = {name: getattr(comparison, name) for name in ("value", "floor", "excess")}
    value, floor, excess = numbers.values()
    row = about | dict(zip(ENDS, (value.value, value.low, value.high), strict=True))
    row |= {"n": value.n} | columns_of("floor", floor) | columns_of("excess", excess)
    facts = {"judge": judge, "kind": "judge", "reason": value.reason or excess.reason}
    report.add(row, numbers, **facts)


def label(relation):
    """Return a relation's label; the key of a relation that no longer exists."""
    if relation == EVERY:
        return "All relations"
    return RELATIONS[relation].label if relation in RELATIONS else relation


def _named(row):
    return label(row["relation"]) + (f" ({row['setting']})" if row["setting"] else "")


def _taken(entry, part="", relation=""):
    """Return the entry with a part's number as its value, and with its relation's label."""
    row, names = entry.row, (part, f"{part}_low", f"{part}_high") if part else ENDS
    numbers = dict(zip(ENDS, (row[name] for name in names), strict=True))
    return replace(entry, row=row | numbers | {"relation": relation or label(row["relation"])})


ENDS = ("value", "low", "high")
COLUMNS = {
    heading: lambda entry, part=part: cell_of(_taken(entry, part), f"n = {entry.row['n']:,}")
    for heading, part in PARTS.items()
}


def _notes(scores, runs, judges):
    """Yield notes on what was asked, how often, and which judges were not tested."""
    if not judges:
        yield say("untested")
        return
    for judge in judges:
        run, settings = runs[judge], runs[judge].frozen["robustness"]
        ended = "" if run.state == Run.State.FINISHED else ", not to its end"
        times, again = (_times(settings["repeats"] + more) for more in (0, 1))
        facts = {"run": run, "ended": ended, "own": settings, "times": times, "again": again}
        yield say("run", judge=judge, **facts)
    if any("multiply" in runs[judge].frozen["robustness"]["relations"] for judge in judges):
        yield say("multiplied")
    if others := [name for name in scores.judges if name not in runs]:
        yield say("others", names=", ".join(others))
    yield say("floor")


def _times(count):
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


TEST = Robustness()
KIND = TEST.kind()
