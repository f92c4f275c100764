"""Report: how far judges' answers move when a prompt is changed as should not matter."""

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
    """Rows of every judge that was tested, question, relation and measure; parts: questions."""
    scores = Scores(answers, options)
    report = Report("robustness", answers.study.slug, options.as_dict())
    tests = answers.beside or Perturbed(answers.study)
    runs, found = tests.runs(options.version), tests.answers(options.version)
    judges = [judge for judge in scores.judges if judge in runs]
    for judge in judges:
        rows = found[judge]
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
    """What the rows of one judge and question share."""

    scores: Scores
    report: Report
    judge: str
    run: object
    question: object
    asked: pd.DataFrame

    @cached_property
    def places(self):
        """Of the items that are left in and that the test asked about."""
        place = {key: at for at, key in enumerate(self.scores.items["item"].astype(str))}
        return sorted({place[key] for key in self.asked["item"].unique() if key in place})

    @cached_property
    def resampling(self):
        return self.scores.resampling(np.array(self.places, dtype=np.intp))

    @cached_property
    def relations(self):
        """Keys of those that were asked, in the order of RELATIONS, without *no change*."""
        asked = set(self.asked["relation"])
        return [key for key in RELATIONS if key in asked and key != NO_CHANGE]

    @property
    def is_nominal(self):
        return self.question.scale.kind == "choice"

    @cached_property
    def ends(self):
        return ends_of(self.run, self.question)

    @cached_property
    def same(self):
        return self.table(NO_CHANGE, "value")

    def table(self, relation, column):
        """The answers to a relation's prompt (items, repetitions), NaN where there is none."""
        rows = self.asked[self.asked["relation"] == relation]
        keys = self.scores.items["item"].astype(str).iloc[self.places]
        table = rows.pivot_table(column, "item", "sample", aggfunc="first", dropna=False)
        return table.reindex(keys).to_numpy(dtype=float)

    def at_points(self, values):
        """Answers at the nearest points of the question's scale, halves down, where it has any."""
        return round_half_down(values) if self.question.scale.points else values

    def failed(self, relation):
        """Share of the answers without a value of each item (items,)."""
        rows = self.asked[self.asked["relation"] == relation]
        lost = rows["state"].isin(Judgment.NO_VALUE).groupby(rows["item"]).mean()
        keys = self.scores.items["item"].astype(str).iloc[self.places]
        return lost.reindex(keys).to_numpy(dtype=float)

    def add(self, relation, measure, found):
        options = self.run.frozen["robustness"]["relations"].get(relation, {})
        row = {
            "evaluator": self.judge,
            "question": self.question.key,
            "relation": relation,
            "setting": setting(options),
            "measure": measure,
            **_numbers("", found.value),
            "n": found.value.n,
            **_numbers("floor", found.floor),
            **_numbers("excess", found.excess),
        }
        lost = max(one.undefined_draws for one in (found.value, found.floor, found.excess))
        self.report.add(
            row,
            reason=found.value.reason or found.excess.reason,
            judge=self.judge,
            kind="judge",
            undefined_draws=lost,
        )


def _numbers(name, estimate):
    """Three keys of a row: those of the value have no name before them."""
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
        together = np.stack([each for each, _ in moves.values()])
        floors = next(iter(moves.values()))[1]
        # Items on which each of them was answered: no mean may hang on who failed where.
        found = compared(together.mean(axis=0), floors, **work.resampling)
        work.add(EVERY, ROBUSTNESS, _as_robustness(work, found))


def _moves(work, relation):
    """(moves, floors) of the items, by the distance that robustness is made of."""
    changed = work.table(relation, "value")
    if work.is_nominal:
        return moved(work.at_points(changed), work.same, differs)
    return moved(changed, work.same, distance)


def _add_relation(work, relation, moves):
    changed = work.table(relation, "value")
    found = compared(*moves, **work.resampling)
    work.add(relation, ROBUSTNESS, _as_robustness(work, found))
    if not work.is_nominal:
        work.add(relation, CHANGE, found)
    flips = moved(work.at_points(changed), work.same, differs)
    flips = compared(*flips, is_share=True, **work.resampling)
    work.add(relation, FLIPS, flips)
    if not work.is_nominal:
        for name in RANKS:
            work.add(relation, name, compared_ranks(changed, work.same, name, **work.resampling))
    lost = compared(work.failed(relation), work.failed(NO_CHANGE), **work.resampling)
    work.add(relation, FAILURES, lost)


def _as_robustness(work, found):
    if work.is_nominal:
        return robustness(found, 1)
    if work.ends is None:
        return Compared(*[Estimate(np.nan, reason=NO_ENDS)] * 3)
    return robustness(found, work.ends[1] - work.ends[0])


def _notes(scores, runs, judges):
    """What was asked, how often, and who was not tested."""
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
