"""Exclude raters by rules: each rule measures every rater and names those it would exclude.

A new rule is one more entry of RULES: its words, its parameters, and a function that measures the
raters. A rater whom a rule cannot measure (too few answers, no such data) is not judged by it.
`preview` changes nothing; sessions/exclude.py applies what was seen.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from annotate.models import Place, QualityStep, Screen, Session
from annotate.quality import about_raters, extra_measures, measures


@dataclass(frozen=True)
class Parameter:
    """A setting of a rule: a number within its ends, one of the choices, or a text."""

    name: str
    label: str
    default: float | str
    low: float = 0
    high: float = 0
    is_whole: bool = False
    choices: tuple = ()
    is_text: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule that measures raters and excludes some of them by the measured number.

    measure(evidence, **parameters) -> {rater id: number}; raters who are missing cannot be judged.
    excludes(number, parameters): whether that number leaves a rater out. words: the reason that
    the raters get, with the parameters filled in. offered(told): whether there are such data,
    given what a platform told about the raters; exit_key: the exit question that it is about, or
    "*" for any; extra: the kind of extra screens it is about; is_set(evidence): whether there is
    what it compares with.
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
    exit_key: str = ""
    extra: str = ""
    is_set: Callable = field(default=lambda evidence: True)

    def reason(self, parameters):
        """Return the words that Rater.excluded_because gets."""
        return self.words.format(**parameters)

    def why_unjudged(self, parameters):
        """Return what the raters lack whom the rule cannot judge."""
        return self.unjudged.format(**parameters)


def items_parameter(default):
    """Return the parameter for the least number of items of a rater."""
    return Parameter(
        "items", "Judge only raters with at least this many items", default, 1, 500, is_whole=True
    )


def answers_parameter(default):
    """Return the parameter for the least number of answers of a rater."""
    return Parameter(
        "answers",
        "Judge only raters with at least this many answers",
        default,
        2,
        10_000,
        is_whole=True,
    )


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
        measures.median_seconds,
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
        measures.share_of_quick_answers,
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
        measures.different_answers,
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
        measures.agreement_with_others,
        lambda r, given: r < given["correlation"],
    ),
    Rule(
        "attention_checks",
        "Failed attention checks",
        "How many of the attention checks that stood among the items a rater failed.",
        "failed {failures:g} or more attention checks",
        "Failed checks",
        "no attention check answered",
        (Parameter("failures", "Exclude with at least … failed checks", 1, 1, 100, is_whole=True),),
        extra_measures.failed_checks,
        lambda failed, given: failed >= given["failures"],
        extra=str(Screen.Kind.ATTENTION),
    ),
    Rule(
        "gold_agreement",
        "Wrong on gold items",
        "The share of answers to gold items that are right, within the item’s tolerance.",
        "gold items: fewer than {percent:g} % of answers right",
        "% right",
        "fewer than {answers} answers with a known right one",
        (
            Parameter("percent", "Exclude below … % of right answers", 60, 0.1, 100),
            Parameter(
                "answers",
                "Judge only raters with at least this many such answers",
                2,
                1,
                10_000,
                is_whole=True,
            ),
        ),
        extra_measures.gold_agreement,
        lambda right, given: right < given["percent"],
        extra=str(Screen.Kind.GOLD),
    ),
    Rule(
        "repeat_disagreement",
        "Other answers the second time",
        "The share of answers to repeated items that differ from the first ones by more than a "
        "number of points; of words and yes or no every difference counts.",
        "repeated items: more than {share:g} % of answers differ by more than {points:g} points",
        "% differ",
        "fewer than {answers} answers given twice",
        (
            Parameter("points", "A difference is more than … points", 1, 0, 100),
            Parameter("share", "Exclude above … % of answers that differ", 50, 0, 99.9),
            Parameter(
                "answers",
                "Judge only raters with at least this many such answers",
                4,
                1,
                10_000,
                is_whole=True,
            ),
        ),
        extra_measures.repeat_disagreement,
        lambda share, given: share > given["share"],
        extra=str(Screen.Kind.REPEAT),
    ),
    Rule(
        "minimum_time",
        "Too fast: the study’s minimum time",
        "The share of items whose last answer came before the minimum time that the study sets.",
        "too fast: more than {share:g} % of items under the minimum time",
        "% of items",
        "fewer than {items} items with a time",
        (Parameter("share", "Exclude above … % of such items", 50, 0, 99.9), items_parameter(3)),
        extra_measures.share_of_hurried_items,
        lambda share, given: share > given["share"],
        is_set=extra_measures.has_minimum,
    ),
    Rule(
        "unheard",
        "Recordings hardly played",
        "The share of the recordings on a rater’s pages of which less than a number of seconds, "
        "and not all, was played.",
        "recordings: more than {share:g} % played for less than {seconds:g} s",
        "% hardly played",
        "fewer than {recordings} recordings on pages that report what is played",
        (
            Parameter("seconds", "Hardly played is less than … seconds", 10, 0.1, 3600),
            Parameter("share", "Exclude above … % of such recordings", 50, 0, 99.9),
            Parameter(
                "recordings",
                "Judge only raters with at least this many recordings",
                2,
                1,
                500,
                is_whole=True,
            ),
        ),
        extra_measures.share_of_unheard_recordings,
        lambda share, given: share > given["share"],
        is_set=extra_measures.has_recordings,
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
        measures.visit_of_participant,
        lambda visit, given: visit > 1,
        measures.has_participants,
    ),
    Rule(
        "approval_rate",
        "Approval rate on the platform",
        "The share of the participant’s earlier submissions that were approved.",
        "approval rate on the platform under {percent:g} %",
        "% approved",
        "no approval rate",
        (Parameter("percent", "Exclude below an approval rate of … %", 80, 0, 100),),
        measures.platform_number(measures.APPROVAL_RATE),
        lambda rate, given: rate < given["percent"],
        measures.has_platform_number(measures.APPROVAL_RATE),
    ),
    Rule(
        "task_count",
        "Tasks done on the platform",
        "How many tasks the participant did there before.",
        "fewer than {tasks:g} tasks done on the platform",
        "Tasks",
        "no number of tasks",
        (Parameter("tasks", "Exclude with fewer than … tasks", 50, 1, 1_000_000, is_whole=True),),
        measures.platform_number(measures.TASK_COUNT),
        lambda tasks, given: tasks < given["tasks"],
        measures.has_platform_number(measures.TASK_COUNT),
    ),
    Rule(
        "few_movies",
        "Few films a month",
        "How many films the rater watches in a month, as asked after the items.",
        "fewer than {movies:g} films a month",
        "Films a month",
        "no answer to the exit question movies_per_month",
        (Parameter("movies", "Exclude below … films a month", 1, 0, 1000),),
        about_raters.numbers("movies_per_month"),
        lambda movies, given: movies < given["movies"],
        exit_key="movies_per_month",
    ),
    Rule(
        "unfamiliar",
        "Unfamiliar with the films",
        "What share of the films was familiar to the rater, as asked after the items.",
        "familiar with less than {percent:g} % of the films",
        "% familiar",
        "no answer to the exit question familiarity",
        (Parameter("percent", "Exclude below … % familiar", 60, 0, 100),),
        about_raters.numbers("familiarity"),
        lambda familiar, given: familiar < given["percent"],
        exit_key="familiarity",
    ),
    Rule(
        "exit_answer",
        "Exit answer",
        "Any answer of the rater to a question after the items.",
        "exit answer: {question} {how} {value}",
        "Met (1)",
        "no answer to the exit question {question}",
        (
            Parameter("question", "Key of the question about raters", "", is_text=True),
            Parameter(
                "how",
                "Exclude where the answer",
                "below",
                choices=(("below", "is below"), ("above", "is above"), ("equals", "equals")),
            ),
            Parameter("value", "The value: a number; for “equals” also words", "", is_text=True),
        ),
        about_raters.against,
        lambda met, given: met == 1,
        exit_key="*",
    ),
]
RULES = {rule.key: rule for rule in LIST}
TITLES = {rule.key: rule.title for rule in LIST} | {QualityStep.BY_HAND: "By hand"}


def offered(study, evidence=None):
    """Return the rules that the study has data for."""
    evidence = evidence or measures.Evidence(study)
    asked = {"", *(q.key for step in about_raters.asked_in(study).values() for q in step)}
    asked |= {"*"} if len(asked) > 1 else set()
    kinds = {"", *extra_measures.kinds_of(study)}
    rules = [rule for rule in LIST if rule.extra in kinds and rule.is_set(evidence)]
    return [rule for rule in rules if rule.offered(evidence.told) and rule.exit_key in asked]


@dataclass(frozen=True)
class Preview:
    """The effect of a rule now: out = [(rater, measured number)], the furthest off first.

    evidence: what the rule measured, read once for the page that shows it.
    """

    rule: Rule
    parameters: dict
    out: list
    raters: int
    unjudged: int
    places: int
    still_rating: int
    evidence: measures.Evidence

    @property
    def reason(self):
        return self.rule.reason(self.parameters)

    @property
    def why_unjudged(self):
        return self.rule.why_unjudged(self.parameters)

    @property
    def given(self):
        """Return (name, value) of the parameters: a template would take .items for a parameter."""
        return list(self.parameters.items())

    @property
    def seen(self):
        """Return a short text that names these raters: what is applied is what somebody saw."""
        raters = ",".join(str(rater.pk) for rater, _ in sorted(self.out, key=lambda o: o[0].pk))
        return hashlib.sha256(raters.encode()).hexdigest()[:16]


def preview(study, rule, parameters):
    """Compute whom the rule would exclude, of the raters who are not excluded; change nothing."""
    evidence = measures.Evidence(study)
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
        evidence=evidence,
    )


def places_of(raters):
    """Return how many places would open at once, and how many of the raters are at work now."""
    places = Place.objects.filter(rater__in=raters).exclude(session__state=Session.State.RATING)
    rating = Session.objects.filter(rater__in=raters, state=Session.State.RATING)
    return places.count(), rating.values("rater").distinct().count()
