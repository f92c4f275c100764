"""Say in plain words what a plan comes to, why it cannot decide, and what it leaves out."""

from analysis.planner.options import RANGE
from analysis.planner.plan import AGREEMENT, FEWEST, LEVEL, RETENTION, SYSTEM, SYSTEMS
from analysis.reports.base import Report
from analysis.stats.planning.collection import FEWEST_RATERS
from analysis.stats.planning.design import FEWEST_CLUSTERS, FEWEST_ITEMS, FLOOR
from analysis.stats.planning.systems import FEWEST as FEWEST_OF_A_SYSTEM
from annotate.templatetags.concord import leading_point, measured

NEVER = "no number of items can show it"
# What a check asks, by its name in Design.needs.
CHECKS = {
    AGREEMENT: "whether raters agree",
    RETENTION: "whether the judge keeps enough of a rater’s agreement",
    LEVEL: "whether the judge’s level is people’s",
    SYSTEM: "whether the judge favours neither system",
    FEWEST: "the fewest items that a verdict needs",
}


# The same in a table.
CHECK_NAMES = {
    AGREEMENT: "raters agree",
    RETENTION: "the judge keeps enough",
    LEVEL: "the judge’s level",
    SYSTEM: "no system is favoured",
    FEWEST: "the fewest items of a verdict",
}


def sentences(plan):
    """Return the answer: the cheapest design, or why no design can decide."""
    design = plan.cheapest
    if design is None:
        return [f"With these numbers {NEVER}.", *reasons(plan.assumed)]
    return [_cheapest(plan, design), _certainty(plan, design), *_too_few_raters(design)]


def _cheapest(plan, design):
    items = f"{design.items:,.0f} items"
    if plan.assumed.is_comparison:
        items = f"{design.items / SYSTEMS:,.0f} items of each of two systems"
    return (
        f"{items} with {design.raters_per_item} ratings each decide: "
        f"{design.ratings:,.0f} ratings, {design.sessions:,.0f} session"
        f"{'' if design.sessions == 1 else 's'}, about {design.cost:,.2f}."
    )


def _certainty(plan, design):
    power = leading_point(plan.assumed.options.power)
    if plan.assumed.is_comparison:
        return (
            "A judge that favours neither of two systems is shown to favour neither with "
            f"probability {power}."
        )
    passes = (
        f"Each check passes with probability {power} or more; all together with "
        f"{leading_point(design.power)} or more."
    )
    if design.deciding == FEWEST:
        return (
            f"{passes} The checks need fewer items; a verdict needs at least {FEWEST_ITEMS}, and "
            f"{FEWEST_CLUSTERS} clusters where items come in clusters."
        )
    return f"{passes} The check that needs most items: {CHECKS[design.deciding]}."


def _too_few_raters(design):
    if design.sessions >= FEWEST_RATERS:
        return []
    return [
        f"These are fewer than {FEWEST_RATERS} raters if each rates one session: the verdict "
        "would be about these raters only."
    ]


def reasons(assumed):
    """Return why no number of items can show it, each reason with what would help."""
    rho = leading_point(assumed.options.rho)
    why = []
    if assumed.options.rho <= FLOOR:
        why.append(
            f"Two raters of an item agree by {rho}. At {leading_point(FLOOR)} or less no judge can "
            "be checked against them, and more items do not help. A clearer question or trained "
            "raters do."
        )
    if assumed.is_comparison:
        return [*why, *_reasons_of_systems(assumed)]
    if assumed.effect <= 0:
        why.append(
            f"A judge like this agrees with a rater by {leading_point(assumed.judge)}. That is not "
            f"more than {assumed.options.retention} of the {rho} by which two raters agree, so "
            "there is nothing to show. A better judge would, or a smaller share to keep."
        )
    return why


def _reasons_of_systems(assumed):
    if assumed.judge > 0:
        return []
    judge = leading_point(assumed.judge)
    return [
        f"A judge like this agrees with a rater by {judge}: it does not follow people, so that "
        "it tells nothing of their systems, and more items do not help. A better judge would."
    ]


def notes(plan):
    """Return what the plan assumes and what it does not cover."""
    assumed = plan.assumed
    own = _notes_of_systems(assumed) if assumed.is_comparison else _notes_of_items(assumed)
    return [*own, *_notes_of_any_use(assumed)]


def _notes_of_items(assumed):
    margin = measured(assumed.scale.level_margin)
    return [
        "The number of items is a minimum: each check alone then has the probability asked for.",
        "Three checks are planned: raters agree, the judge keeps "
        f"{assumed.options.retention} of their agreement, and its mean lies within {margin} points "
        "of people’s.",
        "Not planned are the joint check, beyond text length, systems, contents, recipients and "
        "raters at once, the check without the plainest items, and the correction for several "
        "judges. They can need more items.",
        "Below 100 items a check passes less often than planned, in simulations of 50 items with "
        "a probability that was .07 lower.",
    ]


def _notes_of_systems(assumed):
    margin = measured(assumed.scale.system_margin)
    return [
        f"The judge has to be within {margin} points of people in how far two systems lie apart. "
        f"A verdict needs at least {FEWEST_OF_A_SYSTEM} items of each system.",
        "The number of items is a minimum. It is for one pair of systems whose items are about "
        "different contents; each further system takes as many items again, and all pairs are "
        "harder to pass than one.",
        "Not planned is that people see a difference between the systems and the judge sees the "
        "same. Nor is the correction for several judges.",
    ]


def _notes_of_any_use(assumed):
    variance = measured(assumed.rating_variance)
    scale = "in proportion to 5 points" if assumed.options.scale == RANGE else "as is usual"
    shared = [
        f"At least {FEWEST_RATERS} raters, else the verdict is about these raters only. Each "
        "session is taken to be another rater’s and is paid whole.",
        "One rating an item can decide nothing, however many items there are: it does not tell how "
        "far raters agree.",
        f"Ratings of all items are taken to have the variance {variance} (squared points), "
        f"{scale}, and the judge’s scores the same. Give the agreement as two raters’ answers "
        "will show it: few points on a scale lower it.",
        "The numbers are normal approximations, made before anything is rated.",
    ]
    if assumed.options.cluster_items > 1:
        shared.append(
            f"Items come in clusters of {assumed.options.cluster_items}, so "
            f"{measured(assumed.factor)} times as many are planned. This factor is assumed (0.1 "
            "for each further item of a cluster); a pilot tells the true one. In simulations of "
            "rating items fewer were enough."
        )
    return shared


def as_report(plan):
    """Return the plan as a Report, which is written as text, CSV or JSON like any other."""
    report = Report("plan", "", plan.assumed.options.as_dict(), notes=notes(plan))
    report.verdict = sentences(plan)
    for row in plan.rows:
        report.add(row)
    return report


def as_dict(plan):
    """Return the plan as a JSON object; undefined numbers become null."""
    whole = as_report(plan).as_dict()
    return {name: whole[name] for name in ("options", "rows", "notes")}
