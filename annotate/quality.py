"""Exclusion rules after the fact: each measures every rater and names those it would exclude.

A new rule is one more entry of RULES: its words, its parameters, and a function that measures the
raters. A rater whom a rule cannot measure (too few answers, no such data) is not judged by it.
`preview` changes nothing; excluding.py applies what was seen.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from annotate import measuring
from annotate.models import Place, Session

BY_HAND = "by_hand"


@dataclass(frozen=True)
class Parameter:
    """A number that the researcher sets, with what it may be."""

    name: str
    label: str
    default: float
    low: float
    high: float
    is_whole: bool = False


@dataclass(frozen=True)
class Rule:
    """measure(evidence, **parameters) -> {rater id: number}; who is missing cannot be judged.

    excludes(number, parameters): whether that number leaves a rater out. words: the reason that
    the raters get, with the parameters filled in. offered(told): whether there are such data,
    given what a platform told about the raters.
    """

    key: str
    title: str
    meaning: str
    words: str
    measured: str
    unjudged: str
    parameters: tuple[Parameter, ...]
    measure: Callable
    excludes: Callable
    offered: Callable = field(default=lambda told: True)

    def reason(self, parameters):
        """The words that Rater.excluded_because gets."""
        return self.words.format(**parameters)

    def why_unjudged(self, parameters):
        """What the raters lack whom the rule cannot judge."""
        return self.unjudged.format(**parameters)


def items_parameter(default):
    return Parameter("items", "Judge only raters with at least this many items", default, 1, 500,
                     is_whole=True)  # fmt: skip


def answers_parameter(default):
    return Parameter("answers", "Judge only raters with at least this many answers", default, 2,
                     10_000, is_whole=True)  # fmt: skip


LIST = [
    Rule(
        "too_fast",
        "Too fast: median time",
        "The median time that a rater spent on an item, from showing it to the last answer.",
        "too fast: median under {seconds:g} s per item",
        "Median seconds per item",
        "fewer than {items} items with a time",
        (
            Parameter("seconds", "Exclude below a median of … seconds per item", 5, 0.1, 3600),
            items_parameter(3),
        ),
        measuring.median_seconds,
        lambda median, given: median < given["seconds"],
    ),
    Rule(
        "fast_answers",
        "Too fast: share of quick answers",
        "The share of answers that came within a few seconds after their item was shown.",
        "too fast: more than {share:g} % of answers in under {seconds:g} s",
        "% of answers",
        "fewer than {answers} answers with a time",
        (
            Parameter("seconds", "A quick answer comes in under … seconds", 2, 0.1, 3600),
            Parameter("share", "Exclude above … % of quick answers", 50, 0, 99.9),
            answers_parameter(10),
        ),
        measuring.share_of_quick_answers,
        lambda share, given: share > given["share"],
    ),
    Rule(
        "straight_lining",
        "Straight-lining",
        "The same point of the scale every time: no variance over all Likert questions.",
        "straight-lining: the same answer to all of at least {answers} Likert questions",
        "Different answers",
        "fewer than {answers} answers to Likert questions",
        (answers_parameter(12),),
        measuring.different_answers,
        lambda different, given: different == 1,
    ),
    Rule(
        "low_agreement",
        "Low agreement with the others",
        "Pearson’s r between a rater’s answers and the mean of all other raters’ answers to the "
        "same questions on the same items (Likert and yes/no questions, on their scale from 0 to "
        "1). Raters who are excluded already are no part of the others.",
        "low agreement: r with the others under {correlation:g}",
        "r with the others",
        "fewer than {items} items that others rated too, or no variance",
        (
            Parameter("correlation", "Exclude below a correlation of …", 0, -1, 1),
            items_parameter(8),
        ),
        measuring.agreement_with_others,
        lambda r, given: r < given["correlation"],
    ),
    Rule(
        "duplicate",
        "The same participant twice",
        "The platform gave the same participant id more than once. The first visit that was "
        "completed stays; where none was, the first one.",
        "duplicate: the same participant of the platform took part before",
        "Visit",
        "no participant id of a platform",
        (),
        measuring.visit_of_participant,
        lambda visit, given: visit > 1,
        measuring.has_participants,
    ),
    Rule(
        "approval_rate",
        "Approval rate on the platform",
        "The share of the participant’s earlier submissions that were approved.",
        "approval rate on the platform under {percent:g} %",
        "% approved",
        "no approval rate",
        (Parameter("percent", "Exclude below an approval rate of … %", 80, 0, 100),),
        measuring.platform_number(measuring.APPROVAL_RATE),
        lambda rate, given: rate < given["percent"],
        measuring.has_platform_number(measuring.APPROVAL_RATE),
    ),
    Rule(
        "task_count",
        "Tasks done on the platform",
        "How many tasks the participant did there before.",
        "fewer than {tasks:g} tasks done on the platform",
        "Tasks",
        "no number of tasks",
        (Parameter("tasks", "Exclude with fewer than … tasks", 50, 1, 1_000_000, is_whole=True),),
        measuring.platform_number(measuring.TASK_COUNT),
        lambda tasks, given: tasks < given["tasks"],
        measuring.has_platform_number(measuring.TASK_COUNT),
    ),
]  # fmt: skip
RULES = {rule.key: rule for rule in LIST}
TITLES = {rule.key: rule.title for rule in LIST} | {BY_HAND: "By hand"}


def offered(study):
    """The rules that the study has data for."""
    told = measuring.told_by_platform(study)
    return [rule for rule in LIST if rule.offered(told)]


@dataclass(frozen=True)
class Preview:
    """What a rule would do now: out = [(rater, what was measured)], the furthest off first."""

    rule: Rule
    parameters: dict
    out: list
    raters: int
    unjudged: int
    places: int
    still_rating: int

    @property
    def reason(self):
        return self.rule.reason(self.parameters)

    @property
    def why_unjudged(self):
        return self.rule.why_unjudged(self.parameters)

    @property
    def given(self):
        """(name, value) of the parameters: a template would take .items for a parameter."""
        return list(self.parameters.items())

    @property
    def seen(self):
        """A short text that names these raters: what is applied is what somebody saw."""
        raters = ",".join(str(rater.pk) for rater, _ in sorted(self.out, key=lambda o: o[0].pk))
        return hashlib.sha256(raters.encode()).hexdigest()[:16]


def preview(study, rule, parameters):
    """Whom the rule would exclude, of the raters that nothing excludes yet; changes nothing."""
    evidence = measuring.Evidence(study)
    measured = rule.measure(evidence, **parameters)
    out = [pk for pk, value in measured.items() if rule.excludes(value, parameters)]
    out.sort(key=lambda pk: (measured[pk], pk))
    places, still_rating = places_of(out)
    return Preview(
        rule,
        parameters,
        [(evidence.raters[pk], measured[pk]) for pk in out],
        raters=len(evidence.raters),
        unjudged=len(evidence.raters) - len(measured),
        places=places,
        still_rating=still_rating,
    )


def places_of(raters):
    """How many places would open at once, and how many of the raters are at work now."""
    places = Place.objects.filter(rater__in=raters).exclude(session__state=Session.State.RATING)
    rating = Session.objects.filter(rater__in=raters, state=Session.State.RATING)
    return places.count(), rating.values("rater").distinct().count()
