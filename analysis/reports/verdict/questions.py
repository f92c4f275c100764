"""Gather what judges are compared with: each question's ratings by the raters of one role."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.answers.overlap import text_sizes
from analysis.reports.shared.labels import LabelNotes, labels_of
from analysis.stats.validation.criteria import SHARES, Scale
from analysis.stats.validation.evidence import gather_evidence, largest_p
from analysis.stats.validation.gather import indicators
from analysis.stats.validation.reference import gather_reference

SYSTEM = "system"
GROUPINGS = (SYSTEM, "content", "recipient")


@dataclass(frozen=True)
class Asked:
    """A question that raters of one role answered.

    reference: what its judges are compared with; is_rated (items,): whether an item has a rating;
    has_ends: whether its scale has ends, without which a judge has no level.
    """

    scores: object
    place: int
    role: str
    reference: object
    is_rated: np.ndarray
    has_ends: bool

    @property
    def question(self):
        return self.scores.questions[self.place]

    @property
    def is_nominal(self):
        return self.question.scale.is_nominal

    @cached_property
    def item_ranks(self):
        """Return each item's place by its key (items,), so that no draw depends on their order."""
        return np.argsort(np.argsort(self.scores.items["item"].astype(str).to_numpy()))

    @property
    def people_p(self):
        """Return the largest p of "raters agree", over all rated items and beyond what is known."""
        parts = [self.reference.people]
        if parts[0].n:
            left = self.reference.left
            parts += [left.people, *(people for _, people, *_ in left.small)]
        return largest_p(people.agreement.p_above() for people in parts)

    @property
    def ratings(self):
        """Return the ratings of items with two ratings (N,), labels of a choice as their points."""
        table = self.reference.people.values
        if not self.is_nominal:
            return table[:, 0]
        return self.question.scale.low + table.argmax(axis=1)

    def gather_evidence(self, judgments, **flags):
        """Compute what a verdict on these judgments rests on; flags: as in gather_evidence."""
        return gather_evidence(self.reference, judgments, self.scores.options.criteria, **flags)

    def values_of(self, judge):
        """Return (a judge's values (items,), whether they are on a scale of its own)."""
        values, question = self.scores.unfilled(judge)[:, self.place], self.question
        notes = LabelNotes(own_scale=self.scores.answers.own_scale)
        if notes.says_yes_or_no(judge, question):
            return notes.answers(judge, values, question), False
        return values, not notes.fits(judge, values, question)

    def as_judgments(self, values):
        """Return values (items,) as indicators of the labels of a choice, else as they are."""
        if not self.is_nominal:
            return values
        points = labels_of(self.question)
        is_label = np.isin(values, points)
        codes = np.where(is_label, values - self.question.scale.low, -1).astype(np.int64)
        return indicators(codes, len(points))

    @cached_property
    def means(self):
        """Return the mean rating of each item (items,) that has two ratings; NaN elsewhere.

        Of a choice the label that most raters gave, the first of several.
        """
        people, means = self.reference.people, np.full(len(self.scores.items), np.nan)
        if self.is_nominal:
            means[people.rows] = self.question.scale.low + people.means.argmax(axis=1)
        else:
            means[people.rows] = people.means[:, 0]
        return means


def read_lengths(scores):
    """Return how many characters each item's text has (items,), None where no item has a text."""
    lengths = text_sizes(scores.texts, scores.items["item"].astype(str).to_numpy())
    return None if np.isnan(lengths).all() else lengths


def asked_questions(scores, role, lengths):
    """Yield an Asked for each question with a scale that raters of this role answered."""
    groupings, every = _groupings(scores), []
    for place, question in enumerate(scores.questions):
        items, raters, values = scores.given(place, role)
        if not question.scale.has_values or not len(values):
            continue
        scale, has_ends = _scale_of(question, values)
        if scale is None:
            continue
        if question.scale.is_nominal:
            codes = (values - question.scale.low).astype(np.int64)
            values = indicators(codes, len(labels_of(question)))
        reference = gather_reference(
            values,
            items,
            raters,
            len(scores.items),
            scale,
            groupings=groupings,
            lengths=lengths,
            clusters=scores.clusters,
        )
        is_rated = np.bincount(items, minlength=len(scores.items)) > 0
        every.append(Asked(scores, place, role, reference, is_rated, has_ends))
    tables = {asked.question.key: asked.reference.rated.get("") for asked in every}
    for asked in every:
        own = asked.question.key
        others = {"" if key == own else key: table for key, table in tables.items() if table}
        yield replace(asked, reference=replace(asked.reference, tables=others))


def _scale_of(question, values):
    """Return (Scale, whether it has ends); None for a number without ends of one value only."""
    scale = question.scale
    if scale.is_nominal:
        return SHARES, True
    if scale.has_ends:
        return Scale(scale.low, scale.high, 1.0 if scale.is_whole else None), True
    low, high = float(values.min()), float(values.max())
    return (Scale(low, high, None) if low < high else None), False


def _groupings(scores):
    """Return {column: codes (items,)} of the groupings that the items have."""
    groupings = {}
    for name in GROUPINGS:
        codes = scores.codes(name)
        if (codes >= 0).any():
            groupings[name] = np.where(codes < 0, codes.max() + 1, codes)
    return groupings
