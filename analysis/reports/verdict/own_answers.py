"""Compare judges with recipients' second own answers, where each item has one rating.

Recipients rate their own items, so that no item has two raters. Those who were asked again
(repeat_share) say how far a person agrees with themselves, which stands in for a second rater.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from analysis.answers.repeats import pages_between, people_twice
from analysis.options.choices import ALL
from analysis.reports.verdict.questions import Asked
from analysis.stats.validation.evidence import has_one_point
from analysis.stats.validation.repeats import RECIPIENT, Repeats, gather_repeat_evidence
from analysis.stats.validation.verdict import largest_people_p
from annotate.design.own_answers import APART
from annotate.models import Rater


@dataclass(frozen=True)
class OwnAsked(Asked):
    """A question whose judges are compared with recipients' first and second own answers."""

    repeats: Repeats

    @property
    def ratings(self):
        """Return the first answers (N,)."""
        return self.means[~np.isnan(self.means)]

    @property
    def means(self):
        """Return the first answer to each item (items,); NaN elsewhere."""
        return self.repeats.first

    @cached_property
    def people_p(self):
        """Return the largest p of "recipients repeat themselves", beyond each grouping too."""
        nothing = np.full(len(self.repeats.first), self.repeats.scale.low)
        return largest_people_p(self.gather_evidence(nothing))

    def gather_evidence(self, judgments, **flags):
        """Compute what a verdict on these judgments rests on; flags: as in gather_evidence."""
        criteria, scale = self.scores.options.criteria, self.repeats.scale
        evidence = gather_repeat_evidence(self.repeats, judgments, criteria, **flags)
        if evidence.level is None:  # on a scale of its own
            return evidence
        given = scale.keep_inside(judgments[~np.isnan(self.repeats.first)])
        return replace(evidence, has_one_point=has_one_point(given[~np.isnan(given)], scale))


def with_own_answers(questions, scores, role):
    """Yield each Asked, as an OwnAsked where no item has two ratings but own second answers."""
    rows = None
    for asked in questions:
        if not has_one_own_rating(asked):
            yield asked
            continue
        if rows is None:
            rows = people_twice(scores.answers.study, Rater.Role.RECIPIENT, scores.options.version)
        yield _compare_with_own(asked, _second_answers(asked, rows))


def has_one_own_rating(asked):
    """Tell whether only recipients rated, no item twice; a choice has no such yardstick."""
    role = asked.role if asked.role != ALL else "".join(asked.scores.roles)
    return role == Rater.Role.RECIPIENT and not asked.is_nominal and not asked.reference.people.n


def _second_answers(asked, rows):
    """Return the second answer to each item (items,), NaN where there is none."""
    second, place_of = np.full(len(asked.scores.items), np.nan), _places(asked.scores)
    for _, item, question, _, value in rows:
        if question == asked.question.pk and item in place_of:
            second[place_of[item]] = value
    return second


def _places(scores):
    return {pk: place for place, pk in enumerate(scores.item_ids)}


def _compare_with_own(asked, second):
    """Return the OwnAsked of these second answers (items,); the Asked where there are none."""
    items, raters, values = asked.scores.given(asked.place, asked.role)
    n_items = len(second)
    sums, counts = np.bincount(items, values, n_items), np.bincount(items, minlength=n_items)
    first = np.divide(sums, counts, out=np.full(n_items, np.nan), where=counts > 0)
    second = np.where(counts > 0, second, np.nan)
    if np.isnan(second).all():
        return asked
    recipients = np.full(n_items, raters.max() + 1)
    recipients[items] = raters
    groupings = {k: v for k, v in asked.reference.groupings.items() if k != RECIPIENT}
    reference = asked.reference
    repeats = Repeats(first, second, recipients, reference.scale, groupings, reference.lengths)
    seen = replace(reference, groupings=groupings | {RECIPIENT: recipients})
    given = {field.name: getattr(asked, field.name) for field in fields(Asked)}
    return OwnAsked(**given | {"reference": seen}, repeats=repeats)


def own_answer_notes(questions):
    """Return what the report says of the questions that have this yardstick."""
    own = [asked for asked in questions if isinstance(asked, OwnAsked)]
    if not own:
        return []
    keys = ", ".join(asked.question.key for asked in own)
    return [
        f"Each item has one rating, by its recipient ({keys}): judges are compared with "
        "the second answers that recipients gave to some of their own items, and a worth is in own "
        "answers. Items count where they were answered twice; clusters are the recipients who "
        "answered some item twice.",
        "Who remembers a first answer agrees more with themselves, and more is asked of a judge: "
        f"memory makes this test strict, never lax.{_say_gap(own[0].scores)}",
        "In simulations with 60 recipients of 10 items, of which they answered a fifth again, a "
        "constant, a coin and a judge that knows only the recipient got no yes. At its boundary "
        "the check of θ passed wrongly in .03 to .05, and 95 % intervals of ρ and θ held the truth "
        "in .92 to .96 of studies (docs/CALIBRATION.md). Judges that know only the length, the "
        "system or the content were not simulated there.",
    ]


def _say_gap(scores):
    """Say how few pages stood between two answers, where they are fewer than was meant."""
    study, version = scores.answers.study, scores.options.version
    pages = pages_between(study, Rater.Role.RECIPIENT, version)
    short = [between for between in pages if between < APART]
    if not short:
        return ""
    least, most = min(short), max(short)
    many = f"{least}" if least == most else f"{least} to {most}"
    return (
        f" Of {len(pages)} items answered twice, {len(short)} had only {many} other pages between "
        f"both answers, as in short sessions; {APART} are meant to be."
    )
