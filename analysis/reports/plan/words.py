"""Say what a pilot tells about studies of other sizes, and where it is too small to tell."""

from dataclasses import dataclass

from analysis.stats.planning.pilot import (
    DRAWS,
    DRAWS_A_PILOT,
    FEWEST,
    PILOTS,
    ROUGH_BELOW,
)
from analysis.stats.validation.answers import Answer
from annotate.templatetags.concord import leading_point

NOTHING = "No judge has judged items that people rated, so nothing can be planned from them."
WITHOUT = "The page “How many ratings do I need?” plans without a pilot."
ASSURED = 0.8


@dataclass(frozen=True)
class About:
    """What sentences are about: a judge and a question.

    choice: why this judge, blank where it was asked for; refused: the reason of a no that stands
    already, blank where more items may decide.
    """

    judge: str
    question: str
    choice: str
    refused: str


def chosen(answer, refused):
    """Say why a judge is planned for that nobody asked for."""
    if refused:
        return "as no judge is undecided or passes every check by itself"
    if answer == Answer.YES:
        return "which passes every check by itself already"
    return "the undecided judge nearest to a yes"


def too_few(judge, question, n):
    """Say that a pilot is too small, and what plans instead."""
    return (
        f"{judge} on {question}: {n} item{'' if n == 1 else 's'} with two ratings and a judgment "
        f"are too few to plan from; {FEWEST} are the least. {WITHOUT}"
    )


def fitted(judge, question):
    """Say that a judge learned from the ratings of the pilot."""
    return f"{judge} on {question}: it learned from these very ratings, so they plan nothing."


def own_scale(judge, question):
    """Say that a judge has no level to be decided on."""
    return (
        f"{judge} on {question}: it has a scale of its own, so that no number of items gives it a "
        "level. It can be shown to order items like a rater, no more."
    )


def undefined(judge, question):
    """Say that there is no agreement to plan with."""
    return f"{judge} on {question}: all its judgments, or all ratings, are equal."


def sentences(about, n, forecasts):
    """Return the sentences on a judge: how sure a verdict would be, never a single power."""
    judge, question = about.judge, about.question
    start = f"For {judge}, {about.choice}: " if about.choice else ""
    if about.refused:
        return [
            f"{start}{judge} is refused on {question} already ({about.refused.replace('_', ' ')}): "
            "if today’s estimates hold, no number of items like these changes that."
        ]
    caution = ""
    if n < ROUGH_BELOW:
        caution = f" This is rough: the pilot has {n} items, and {ROUGH_BELOW} tell more."
    largest = forecasts[-1]
    assured = next((forecast for forecast in forecasts if forecast.low >= ASSURED), None)
    if assured:
        words = (
            f"{assured.items:,} items like these would let {judge} stand in for a rater on "
            f"{question} with probability {leading_point(ASSURED)} or more in nine of ten studies "
            "that this pilot may have come from."
        )
    else:
        low, high = leading_point(largest.low), leading_point(largest.high)
        words = (
            f"even {largest.items:,} items like these are not sure to let {judge} stand in for a "
            f"rater on {question}: the probability is between {low} and {high}, as far as this "
            "pilot tells."
        )
    return [start + (words if start else words[0].upper() + words[1:]) + caution]


def notes(prices, options):
    """Return what the numbers rest on."""
    time = "the median of the study’s sessions" if prices.is_timed else "assumed"
    pay = "by the study’s settings" if prices.is_paid else "assumed; Settings say what is paid"
    return [
        f"drawn: {DRAWS} studies of each size are drawn from the pilot’s clusters with "
        f"replacement, and each is decided as the verdict decides; seed {options.seed}. yes is "
        "the share of them that say yes: the power if the pilot’s own estimates were true, which "
        "they are not. In simulations it was too low on average: .75 from pilots of 300 items "
        "where .85 of studies got a yes (docs/CALIBRATION.md).",
        f"low and high: 10th and 90th percentile of that share over {PILOTS} bootstrapped pilots, "
        f"{DRAWS_A_PILOT} draws each, so that each of the {PILOTS} shares has a Monte Carlo error "
        "of .10 at most, by which the band is too wide. assurance: their mean.",
        "Each copy of a cluster is another content or recipient; ten raters or more are other "
        "raters in each copy, fewer are the same raters. The correction for several judges and "
        "questions is left out: it needs more items.",
        "formula: items with which each check has power .8, for other numbers of ratings an item: "
        "the planner’s variances at the pilot’s agreement, times what the pilot’s are of them. "
        "The joint check, beyond all that is known of an item, is not in it.",
        f"Cost: {prices.item_seconds:.0f} seconds a rating ({time}), {prices.hourly_pay:,.2f} an "
        f"hour ({pay}), sessions of {prices.session_items} items, without a platform’s fee.",
        "If the number of items is chosen after looking at the pilot, and the pilot stays in the "
        "study, say so with the result.",
    ]
