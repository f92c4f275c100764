"""Gather what judges are compared with: each question's ratings by the raters of one role.

Recipients rate their own items, so that no item has two raters. Those who were asked again
(repeat_share) say how far a person agrees with themselves, which stands in for a second rater.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.answers.overlap import text_sizes
from analysis.answers.repeats import people_twice
from analysis.options.choices import ALL
from analysis.reports.shared.labels import LabelNotes, labels_of
from analysis.stats.validation.criteria import SHARES, Scale
from analysis.stats.validation.decision import largest_people_p
from analysis.stats.validation.evidence import (
    RECIPIENT,
    Repeats,
    gather_evidence,
    gather_reference,
    gather_repeat_evidence,
    largest_p,
)
from analysis.stats.validation.people import indicators
from annotate.models import Rater

SYSTEM = "system"
GROUPINGS = (SYSTEM, "content", RECIPIENT)


@dataclass(frozen=True)
class Asked:
    """A question that raters of one role answered.

    reference: what its judges are compared with; is_rated (items,): whether an item has a rating;
    has_ends: whether its scale has ends, without which a judge has no level; repeats: recipients'
    first and second own answers, where its judges are compared with these.
    """

    scores: object
    place: int
    role: str
    reference: object
    is_rated: np.ndarray
    has_ends: bool
    repeats: Repeats | None = None

    @property
    def question(self):
        return self.scores.questions[self.place]

    @property
    def is_nominal(self):
        return self.question.scale.is_nominal

    @property
    def has_one_own_rating(self):
        """Whether only recipients rated, no item twice; a choice has no yardstick then."""
        role = self.role if self.role != ALL else "".join(self.scores.roles)
        is_own = role == Rater.Role.RECIPIENT and not self.is_nominal
        return is_own and not self.reference.people.n

    @cached_property
    def n_gone(self):
        """How many judges that had answered it were deleted with their answers.

        A judge on a scale of its own is no candidate, so that it is not counted here either.
        """
        if not self.has_ends:
            return 0
        answers, question, gone = self.scores.answers, self.question, 0
        notes = LabelNotes(own_scale=answers.own_scale)
        for judge, keys in answers.gone:
            own = answers.own_scale.get(judge)
            is_off = own is not None and own.replaces(question.scale)
            if notes.says_yes_or_no(judge, question) or not is_off:
                gone += keys.count(question.key)
        return gone

    @cached_property
    def people_p(self):
        """The largest p of "raters agree", over all rated items and beyond what is known.

        Of own answers that recipients repeat theirs.
        """
        if self.repeats:
            nothing = np.full(len(self.repeats.first), self.repeats.scale.low)
            return largest_people_p(self.gather_evidence(nothing))
        parts = [self.reference.people]
        if parts[0].n:
            left = self.reference.left
            parts += [left.people, *(people for _, people, *_ in left.small)]
        return largest_p(people.agreement.p_above() for people in parts)

    @property
    def ratings(self):
        """The ratings of items with two ratings (N,), labels of a choice as their points.

        Of own answers the first to each item.
        """
        if self.repeats:
            return self.means[~np.isnan(self.means)]
        table = self.reference.people.values
        if not self.is_nominal:
            return table[:, 0]
        return self.question.scale.low + table.argmax(axis=1)

    @cached_property
    def means(self):
        """The mean rating of each item (items,) that has two ratings; NaN elsewhere.

        Of a choice the label that most raters gave, the first of several; of own answers the first.
        """
        if self.repeats:
            return self.repeats.first
        people, means = self.reference.people, np.full(len(self.scores.items), np.nan)
        if self.is_nominal:
            means[people.rows] = self.question.scale.low + people.means.argmax(axis=1)
        else:
            means[people.rows] = people.means[:, 0]
        return means

    def gather_evidence(self, judgments, **flags):
        """Compute what a verdict on these judgments rests on; flags: as in gather_evidence."""
        criteria = self.scores.options.criteria
        if self.repeats:
            return gather_repeat_evidence(self.repeats, judgments, criteria, **flags)
        return gather_evidence(self.reference, judgments, criteria, **flags)

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


def list_roles(scores):
    """Return the roles that each have a verdict of their own: they are not one population."""
    chosen = scores.options.reference
    return scores.roles if chosen == ALL and len(scores.roles) > 1 else [chosen]


def read_lengths(scores):
    """Return how many characters each item's text has (items,), None where no item has a text."""
    lengths = text_sizes(scores.texts, scores.items["item"].astype(str).to_numpy())
    return None if np.isnan(lengths).all() else lengths


def asked_questions(scores, role, lengths):
    """Yield an Asked for each question with a scale that raters of this role answered."""
    groupings, every = {}, []
    for name in GROUPINGS:
        codes = scores.codes(name)
        if (codes >= 0).any():
            groupings[name] = np.where(codes < 0, codes.max() + 1, codes)
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


def with_own_answers(questions, scores, role):
    """Yield each Asked, with own second answers if any where no item has two ratings."""
    rows = None
    place_of = {pk: place for place, pk in enumerate(scores.item_ids)}
    for asked in questions:
        if not asked.has_one_own_rating:
            yield asked
            continue
        if rows is None:
            rows = people_twice(scores.answers.study, Rater.Role.RECIPIENT, scores.options.version)
        second = np.full(len(scores.items), np.nan)
        for _, item, question, _, value in rows:
            if question == asked.question.pk and item in place_of:
                second[place_of[item]] = value
        yield _compare_with_own(asked, second)


def _compare_with_own(asked, second):
    """Return the Asked with these second answers (items,), as it is where there are none."""
    items, raters, values = asked.scores.given(asked.place, asked.role)
    n_items = len(second)
    sums, counts = np.bincount(items, values, n_items), np.bincount(items, minlength=n_items)
    first = np.divide(sums, counts, out=np.full(n_items, np.nan), where=counts > 0)
    second = np.where(counts > 0, second, np.nan)
    if np.isnan(second).all():
        return asked
    recipients = np.full(n_items, raters.max() + 1)
    recipients[items] = raters
    reference = asked.reference
    groupings = {k: v for k, v in reference.groupings.items() if k != RECIPIENT}
    repeats = Repeats(first, second, recipients, reference.scale, groupings, reference.lengths)
    seen = replace(reference, groupings=groupings | {RECIPIENT: recipients})
    return replace(asked, reference=seen, repeats=repeats)
