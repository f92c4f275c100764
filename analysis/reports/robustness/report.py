"""Measure how far judges' answers move when a prompt changes in ways that should not matter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.answers.perturbed import Perturbed, ends_of, setting
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.scores import Scores
from analysis.stats.classification.classification import round_half_down
from analysis.stats.estimate import Estimate
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
from judges.models import Judgment, Run
from judges.perturbations.relations import NO_CHANGE, RELATIONS

ROBUSTNESS, CHANGE, FLIPS, FAILURES = "robustness", "mean_change", "flip_rate", "failures"
EVERY = "all"  # relations together
NO_TEST = (
    "No judge was tested with changed prompts: the page of a judge that was run has the button."
)
MULTIPLIED = (
    "A multiplied scale has more points than the question's, so that answers mapped back may lie "
    "between these: changes are taken of them as they are; whether an answer is another one is "
    "asked of their nearest points, halves down. So a judge that answers at random changes a "
    "little more under it than when asked again."
)
NO_ENDS = "the scale has no ends, so that no change is large or small on it"


def robust(answers, options, parts=None):
    """Compute a row per tested judge, question, relation and measure; parts: questions."""
    scores = Scores(answers, options)
    report = Report("robustness", answers.study.slug, options.as_dict())
    tests = answers.beside or Perturbed(answers.study)
    runs, answers_by_judge = tests.runs(options.version), tests.answers(options.version)
    judges = [judge for judge in scores.judges if judge in runs]
    for judge in judges:
        rows = answers_by_judge[judge]
        for question in scores.questions:
            asked = rows[rows["question"] == question.key]
            if len(asked) and (not parts or question.key in parts):
                _add_question(_Work(scores, report, judge, runs[judge], question, asked))
    report.notes = [
        *item_notes(scores),
        *_notes(scores, runs, judges),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["evaluator", "question", "relation", "measure"]),
    ]
    return report


@dataclass
class _Work:
    """Holds what the rows of one judge and question share."""

    scores: Scores
    report: Report
    judge: str
    run: object
    question: object
    asked: pd.DataFrame

    @cached_property
    def places(self):
        """Return the places of the items that are left in and that the test asked about."""
        place = {key: number for number, key in enumerate(self.scores.items["item"].astype(str))}
        return sorted({place[key] for key in self.asked["item"].unique() if key in place})

    @cached_property
    def resampling(self):
        return self.scores.resampling(np.array(self.places, dtype=np.intp))

    @cached_property
    def relations(self):
        """Return the keys of the relations asked, in RELATIONS' order, without *no change*."""
        asked = set(self.asked["relation"])
        return [key for key in RELATIONS if key in asked and key != NO_CHANGE]

    @property
    def is_nominal(self):
        """Return whether the question's labels have no order."""
        return self.question.scale.is_nominal

    @cached_property
    def ends(self):
        """Return the (lowest, highest) answer that the judge can give; None without ends."""
        return ends_of(self.run, self.question)

    @cached_property
    def same(self):
        """Return the answers to the unchanged prompt (items, repetitions)."""
        return self.table(NO_CHANGE, "value")

    def table(self, relation, column):
        """Return answers to a relation's prompt (items, repetitions), NaN without an answer."""
        rows = self.asked[self.asked["relation"] == relation]
        keys = self.scores.items["item"].astype(str).iloc[self.places]
        table = rows.pivot_table(column, "item", "sample", aggfunc="first", dropna=False)
        return table.reindex(keys).to_numpy(dtype=float)

    def at_points(self, values):
        """Round answers to the points of the question's scale, halves down, if it has any."""
        return round_half_down(values) if self.question.scale.points else values

    def failed(self, relation):
        """Return the share of each item's answers without a value (items,)."""
        rows = self.asked[self.asked["relation"] == relation]
        lost = rows["state"].isin(Judgment.NO_VALUE).groupby(rows["item"]).mean()
        keys = self.scores.items["item"].astype(str).iloc[self.places]
        return lost.reindex(keys).to_numpy(dtype=float)

    def add(self, relation, measure, comparison):
        """Add the row of a relation and measure."""
        options = self.run.frozen["robustness"]["relations"].get(relation, {})
        row = {
            "evaluator": self.judge,
            "question": self.question.key,
            "relation": relation,
            "setting": setting(options),
            "measure": measure,
            **_numbers("", comparison.value),
            "n": comparison.value.n,
            **_numbers("floor", comparison.floor),
            **_numbers("excess", comparison.excess),
        }
        lost = max(
            estimate.undefined_draws
            for estimate in (comparison.value, comparison.floor, comparison.excess)
        )
        self.report.add(
            row,
            reason=comparison.value.reason or comparison.excess.reason,
            judge=self.judge,
            kind="judge",
            undefined_draws=lost,
        )


def _numbers(name, estimate):
    """Return three keys of a row; those of the value itself have no name before them."""
    names = [f"{name}_low", f"{name}_high"] if name else ["low", "high"]
    return dict(
        zip([name or "value", *names], (estimate.value, estimate.low, estimate.high), strict=True)
    )


def _add_question(work):
    if not work.places:
        return
    moves = {key: _moves(work, key) for key in work.relations}
    for key in work.relations:
        _add_relation(work, key, moves[key])
    if len(moves) > 1:
        together = np.stack([changes for changes, _ in moves.values()])
        floors = next(iter(moves.values()))[1]
        # Items on which each of them was answered: no mean may hang on who failed where.
        comparison = compared(together.mean(axis=0), floors, **work.resampling)
        work.add(EVERY, ROBUSTNESS, _as_robustness(work, comparison))


def _moves(work, relation):
    """Return (moves, floors) of the items, by the distance that robustness is made of."""
    changed = work.table(relation, "value")
    if work.is_nominal:
        return moved(work.at_points(changed), work.same, differs)
    return moved(changed, work.same, distance)


def _add_relation(work, relation, moves):
    changed = work.table(relation, "value")
    comparison = compared(*moves, **work.resampling)
    work.add(relation, ROBUSTNESS, _as_robustness(work, comparison))
    if not work.is_nominal:
        work.add(relation, CHANGE, comparison)
    flips = moved(work.at_points(changed), work.same, differs)
    flips = compared(*flips, is_share=True, **work.resampling)
    work.add(relation, FLIPS, flips)
    if not work.is_nominal:
        for name in RANKS:
            work.add(relation, name, compared_ranks(changed, work.same, name, **work.resampling))
    lost = compared(work.failed(relation), work.failed(NO_CHANGE), **work.resampling)
    work.add(relation, FAILURES, lost)


def _as_robustness(work, comparison):
    """Turn a comparison of distances into robustness, 1 − distance / range."""
    if work.is_nominal:
        return robustness(comparison, 1)
    if work.ends is None:
        return Compared(*[Estimate(np.nan, reason=NO_ENDS)] * 3)
    return robustness(comparison, work.ends[1] - work.ends[0])


def _notes(scores, runs, judges):
    """Yield notes on what was asked, how often, and which judges were not tested."""
    for judge in judges:
        run, settings = runs[judge], runs[judge].frozen["robustness"]
        ended = "" if run.state == Run.State.FINISHED else ", not to its end"
        yield (
            f"{judge}: run {run.pk}{ended}, {settings['items']} items drawn with seed "
            f"{settings['seed']}; each changed prompt asked {_times(settings['repeats'])}, the "
            f"unchanged one {_times(settings['repeats'] + 1)}."
        )
    if any("multiply" in runs[judge].frozen["robustness"]["relations"] for judge in judges):
        yield MULTIPLIED
    if not judges:
        yield NO_TEST
    others = [name for name in scores.judges if name not in runs]
    if judges and others:
        yield f"Not tested: {', '.join(others)}."
    if judges:
        yield (
            "The noise floor compares answers to the unchanged prompt with one another; the excess "
            "is what a change adds to it. Replies without a value are left out of all measures but "
            "failures, the share of them."
        )


def _times(count):
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
