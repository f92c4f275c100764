"""Say in words what the stopping rule says at a look, and what more it would take."""

from math import isfinite, isnan

from analysis.reports.verdict.sentences import short
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
    "No stopping plan was fixed before the first rating, so this report cannot say when collecting "
    "may stop: without a plan every further look makes it likelier that a judge passes by chance. "
    "Results of a study that stopped because of what was seen are chosen after looking; the "
    "verdict gives them as usual."
)
LATE = "Items get their last rating only after all items have the others, so that looks come late."
AFTER_LOOKING = "chosen after looking"


def say_ended(later, gone):
    """Return what ended the guarantee; blank while it holds.

    later: exclusions that came later, in words; gone: items of the order that are rated no more.
    """
    reasons = []
    if later:
        reasons.append(f"exclusions that the plan does not name: {', '.join(later)}")
    if gone:
        were = "1 item of its order was" if gone == 1 else f"{gone:,} items of its order were"
        reasons.append(f"{were} deleted, corrected or taken out of rating")
    return "; ".join(reasons)


def say_later(items):
    """Return what becomes of items that were added after the plan was fixed."""
    were = "1 item was" if items == 1 else f"{items:,} items were"
    return (
        f"{were} added after the plan was fixed, and {'has' if items == 1 else 'have'} no place in "
        "its order: ratings of added items count at no look."
    )


def say_lacking(collected, m, price):
    """Return what the first look still needs, and about what it costs; price: of m ratings."""
    if collected.in_order < FIRST_LOOK:
        return (
            f"No look can come: the order has {collected.in_order:,} clusters here, and the first "
            f"look needs {FIRST_LOOK}."
        )
    clusters, ratings = collected.lacking, collected.lacking_ratings
    cost = price.item and f", about {price.sign}{ratings * price.item / m:,.0f}"
    return (
        f"Before the first look {clusters} of the first {FIRST_LOOK} clusters "
        f"{'is' if clusters == 1 else 'are'} still to be completed: "
        f"{ratings:,} rating{'' if ratings == 1 else 's'}{cost or ''}."
    )


def say_role(role, asked):
    """Return whose ratings the plan counts. role: blank in older plans; asked: by the option."""
    if not role:
        return (
            "The plan does not fix whose ratings count: an item is complete with ratings by people "
            f"of all roles, and what stands here is of the reference role ({asked})."
        )
    whose = (
        f"The plan fixed whose ratings count: those by raters of the role {role}, and no others."
    )
    return whose if asked == role else f"{whose} The option Reference role ({asked}) is not used."


def sentence(judge, question, seen):
    """Return what the rule says of a judge and a question at a look."""
    if seen.state == State.MAY:
        return (
            f"{STOPS} {judge} may stand in for one rater on {question}. Ask the verdict what it "
            "may not be used for."
        )
    if seen.state == State.MAY_NOT:
        return (
            f"{STOPS} {judge} tells less about a rater's answer on {question} than two thirds of "
            "what another rater tells."
        )
    if seen.state == State.RATERS_DISAGREE:
        return (
            f"{STOPS} two raters of one item agree by less than .1 on {question}, so that no judge "
            "can be tested there, and none may be used alone."
        )
    if seen.state == State.LIMIT:
        return (
            f"{STOPS} all clusters of the order are complete, and {judge} on {question} is not "
            f"decided ({open_checks(seen)})."
        )
    if seen.clusters < FIRST_LOOK:
        return (
            f"Too early for {judge} on {question}: this look uses {seen.clusters} clusters, and a "
            f"look counts from {FIRST_LOOK}."
        )
    return f"Go on. Open for {judge} on {question}: {open_checks(seen)}."


def open_checks(seen):
    """List the names of the checks that are not shown yet."""
    pairs = zip(seen.checks, seen.is_open, strict=True)
    return ", ".join(dict.fromkeys(check.name for check, is_open in pairs if is_open))


def advice_in_words(advice, m, price):
    """Return what it would take at today's estimate, never as a promise.

    m: ratings an item; price: the Price of these.
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
    return " ".join([_cheapest(advice, m, price), _range(advice), _alone(advice)]).strip()


COURSES = {
    State.MAY_NOT: "may not",
    State.RATERS_DISAGREE: "people disagree",
    State.LIMIT: "undecided",
}


def _cheapest(advice, m, price):
    option = advice.cheapest
    what = f"about {option.more_items:,.0f} more items"
    if option.more_raters:
        what += f", all items with {m + option.more_raters} ratings"
    if price.item is None:
        return f"At today's estimate: {what}."
    return (
        f"At today's estimate: {what}, about {price.sign}{option.cost:,.0f} at "
        f"{price.sign}{short(price.item)} an item."
    )


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
