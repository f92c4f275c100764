"""Say what a pilot tells about larger studies, and where it cannot tell."""

from math import isfinite

from analysis.stats.planning.forecast import FEWEST, ROUGH_BELOW
from analysis.stats.validation.decision import Answer, Reason
from annotate.templatetags.concord import leading_point, measured

NOTHING = "No judge has judged items that people rated, so nothing can be planned from them."
WITHOUT = "The page “How many ratings do I need?” plans without a pilot."
AGREE, KEEPS, KNOWN, LEVEL = "agreement", "retention", "known", "level"
# Why a study would not get a yes, by the check that is most often failed.
WHY = {
    AGREE: "raters agree by {rho}",
    KEEPS: "it agrees with a rater by {r}, and two raters by {rho}",
    KNOWN: "beyond what is known without reading, raters agree by {rho_left} and the judge with "
    "them by {r_left}",
    LEVEL: "its level is {bias} points off people’s",
}


def chosen(answer, refused):
    """Say why a judge is planned for that nobody asked for."""
    if refused:
        return "as no judge is undecided or passes every check by itself"
    if answer == Answer.YES:
        return "which passes every check by itself already"
    return "the undecided judge nearest to a yes"


def refusal(judge, question, n, *, has_own_scale, is_fitted, is_defined):
    """Return why nothing can be planned from these ratings; blank where it can."""
    start = f"{judge} on {question}: "
    if has_own_scale:  # first: the pilot has left out its judgments off people's scale
        return (
            f"{start}it has a scale of its own, so that no number of items gives it a level. It "
            "can be shown to order items like a rater, no more."
        )
    if is_fitted:
        return f"{start}it learned from these very ratings, so they plan nothing."
    if n < FEWEST:
        return (
            f"{start}{n} item{'' if n == 1 else 's'} with two ratings and a judgment are too few "
            f"to plan from; {FEWEST} are the least. {WITHOUT}"
        )
    return "" if is_defined else f"{start}all its judgments, or all ratings, are equal."


def sentence(candidate, choice, needed):
    """Return the answer on a judge: how many more items, or why no number would do.

    needed: (items with which a yes is likely, the Forecast there); items may be infinite.
    """
    judge, question = candidate.name, candidate.asked.question.key
    items, at = needed
    n, start = candidate.n, f"For {judge}, {choice}: " if choice else ""
    if candidate.refused:
        why = WHY.get(candidate.hardest, "")
        if candidate.refused == Reason.EXTREMES_ONLY:
            why = "it tells a few items apart, and nothing among the others"
        said = f"more items would not change the answer on {question}: {_why(candidate, why)}"
    elif not isfinite(items):
        said = f"more items would not change this on {question}: {_why(candidate)}"
    else:
        more = items - n
        collect = f"about {more:,.0f} more items like these" if more > 0 else "these items"
        said = (
            f"{collect} let {judge} stand in for a rater on {question} with probability "
            f"{leading_point(at.power.joint.item())}; these {n:,} items cannot tell it better than "
            f"{leading_point(at.low.item())} to {leading_point(at.high.item())}"
        )
    rough = ""
    if n < ROUGH_BELOW:
        rough = f" This is rough: there are {n} items, and {ROUGH_BELOW} tell more."
    said = start + (said if start else said[0].upper() + said[1:])
    return f"{said}.{rough}"


def _why(candidate, words=""):
    """Return the reason at hand, with its numbers."""
    expected = candidate.expected
    beyond = expected.beyond[0] if expected.beyond else expected.order
    return (words or WHY[candidate.hardest]).format(
        rho=leading_point(expected.order.rho),
        r=leading_point(expected.order.r),
        rho_left=leading_point(beyond.rho),
        r_left=leading_point(beyond.r),
        bias=measured(expected.bias),
    )


def notes(prices):
    """Return what the numbers rest on."""
    time = "the median of the study’s sessions" if prices.is_timed else "assumed"
    pay = "by the study’s settings" if prices.is_paid else "assumed; Settings say what is paid"
    return [
        "power: the chance that all checks are passed, by the planner’s formula with the errors "
        "that these ratings have; yes is the same. states has the chance of each check by itself.",
        "low and high: what these ratings leave open, from their own errors (delta method); about "
        "four of five such bands hold the true chance in simulations; where one misses it, it is "
        "more often too low, as the judge’s level looks off by chance. "
        "assurance: the mean chance over what is left open.",
        "For other numbers of ratings an item the errors change as those of normal scores do. The "
        "correction for several judges and questions is left out: it needs more items.",
        f"Cost: {prices.item_seconds:.0f} seconds a rating ({time}), {prices.hourly_pay:,.2f} an "
        f"hour ({pay}), sessions of {prices.session_items} items, without a platform’s fee.",
        "If the number of items is chosen after looking at these ratings, and they stay in the "
        "study, say so with the result.",
    ]
