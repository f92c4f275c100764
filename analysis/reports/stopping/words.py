"""Say in words what the stopping rule says at a look, and what more it would take."""

from math import isfinite, isnan

from analysis.reports.verdict.words import short
from analysis.stats.planning.confidence_sequence import FIRST_LOOK
from analysis.stats.planning.stopping import State

STATES = {
    State.MAY: "would stop: may",
    State.MAY_NOT: "would stop: may not",
    State.RATERS_DISAGREE: "would stop: people disagree",
    State.CONTINUE: "go on",
    State.LIMIT: "would stop: all collected",
    "": "no guarantee",
}
SIGNS = {
    State.MAY: "✓",
    State.MAY_NOT: "✗",
    State.RATERS_DISAGREE: "≠",
    State.CONTINUE: "…",
    State.LIMIT: "–",
    "": "!",
}
STOPS = "The rule would stop here:"
NO_PLAN = (
    "No stopping plan was fixed before the first rating, so that no look here keeps its level. "
    "Results of a study that stopped because of what was seen are chosen after looking; the "
    "verdict gives them as usual."
)
AFTER_LOOKING = "chosen after looking"


def sentence(judge, question, seen):
    """Return what the rule says of a judge and a question at a look."""
    if seen.state == State.MAY:
        return f"{STOPS} {judge} may stand in for one rater on {question}."
    if seen.state == State.MAY_NOT:
        return (
            f"{STOPS} {judge} tells less about a rater's answer on {question} than two thirds of "
            "what another rater tells."
        )
    if seen.state == State.RATERS_DISAGREE:
        return (
            f"{STOPS} two raters of one item agree by less than .1 on {question}, so that no judge "
            "can be validated there."
        )
    if seen.state == State.LIMIT:
        return (
            f"{STOPS} all clusters of the order are complete, and {judge} on {question} is not "
            f"decided ({open_checks(seen)})."
        )
    if seen.clusters < FIRST_LOOK:
        return (
            f"Too early for {judge} on {question}: {seen.clusters} clusters are complete from the "
            f"start of the order on, and the first look is at {FIRST_LOOK}."
        )
    return f"Go on: not settled for {judge} on {question} is {open_checks(seen)}."


def open_checks(seen):
    """List the names of the checks that are not shown yet."""
    pairs = zip(seen.checks, seen.is_open, strict=True)
    return ", ".join(dict.fromkeys(check.name for check, is_open in pairs if is_open))


def advice_in_words(advice, m, item_cost):
    """Return what it would take at today's estimate, never as a promise.

    m: ratings an item; item_cost: of these, None where no cost is told.
    """
    if advice is None:
        return ""
    if advice.course is not None:
        return (
            "No number of items is advised: at today's estimate collecting is on course for "
            f"“{COURSES[advice.course]}”."
        )
    if advice.cheapest is None:
        return "What it would take cannot be told from today's estimates."
    return " ".join([_cheapest(advice, m, item_cost), _range(advice), _alone(advice)]).strip()


COURSES = {
    State.MAY_NOT: "may not",
    State.RATERS_DISAGREE: "people disagree",
    State.LIMIT: "undecided",
}


def _cheapest(advice, m, item_cost):
    option = advice.cheapest
    what = f"about {option.more_items:,.0f} more items"
    if option.more_raters:
        what += f", all items with {m + option.more_raters} ratings"
    if item_cost is None:
        return f"At today's estimate: {what}."
    return f"At today's estimate: {what}, about ${option.cost:,.0f} at ${short(item_cost)} an item."


def _range(advice):
    """Say which numbers of items the estimate allows, one standard error to either side."""
    low, high = advice.fewest_items, advice.most_items
    if isnan(low) or isnan(high):
        return ""
    if not isfinite(high):
        return f"One standard error to either side: {low:,.0f}, or no number of items."
    return f"One standard error to either side: {low:,.0f} to {high:,.0f}."


def _alone(advice):
    return "" if advice.raters_alone is not None else "More raters alone cannot."
