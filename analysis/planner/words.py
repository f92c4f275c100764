"""Say in plain words what a plan comes to, why it cannot decide, and what it leaves out."""

from analysis.planner.options import ONE_END, RANGE
from analysis.planner.plan import AGREEMENT, FEWEST, KNOWN, LEVEL, RETENTION, SYSTEM, SYSTEMS
from analysis.reports.base import Report
from analysis.stats.planning.collection import FEWEST_RATERS
from analysis.stats.planning.design import FEWEST_CLUSTERS, FEWEST_ITEMS, FLOOR, LENGTH_COLUMNS
from analysis.stats.planning.systems import FEWEST as FEWEST_OF_A_SYSTEM
from annotate.templatetags.concord import leading_point, measured

NEVER = "no number of items can show it"
# What decides, by the name of a check.
CHECKS = {
    AGREEMENT: "whether raters agree",
    RETENTION: "whether the judge keeps enough of a rater’s agreement",
    KNOWN: "whether raters and judge agree beyond what is known without reading",
    LEVEL: "whether the judge’s level is people’s",
    SYSTEM: "whether the judge favours neither system",
    FEWEST: "the fewest items of a verdict",
}


def sentences(plan):
    """Return the answer: the cheapest design, or why no design can decide."""
    design, assumed = plan.cheapest, plan.assumed
    if design is None:
        why = reasons(assumed) or ["It would take more than a billion items."]
        return [f"With these numbers {NEVER}.", *why]
    items, whom = f"{design.items:,.0f} items", "a judge like this passes all checks"
    if assumed.is_comparison:
        items = f"{design.items / SYSTEMS:,.0f} items of each of two systems"
        whom = "a judge that favours neither system is shown to favour neither"
    sessions = f"{design.sessions:,.0f} session{'' if design.sessions == 1 else 's'}"
    said = [
        f"{items} with {design.raters_per_item} ratings each decide: {design.ratings:,.0f} "
        f"ratings, {sessions}, about {design.cost:,.2f}.",
        f"Then {whom} with probability {leading_point(design.power)}. What decides most: "
        f"{CHECKS[design.hardest]}.",
    ]
    if design.sessions < FEWEST_RATERS:
        said.append(
            f"These are fewer than {FEWEST_RATERS} raters if each rates one session: the verdict "
            "would be about these raters only."
        )
    return said


def reasons(assumed):
    """Return why no number of items can show it, each reason with what would help."""
    rho, judge = leading_point(assumed.options.rho), leading_point(assumed.judge)
    why = []
    if assumed.options.rho <= FLOOR:
        why.append(
            f"Two raters of an item agree by {rho}. At {leading_point(FLOOR)} or less no judge can "
            "be checked against them, and more items do not help. A clearer question or trained "
            "raters do."
        )
    if assumed.is_comparison and assumed.judge <= 0:
        why.append(
            f"A judge like this agrees with a rater by {judge}: it does not follow people, so that "
            "it tells nothing of their systems, and more items do not help. A better judge would."
        )
    if not assumed.is_comparison and assumed.effect <= 0:
        why.append(
            f"A judge like this agrees with a rater by {judge}. That is not more than "
            f"{assumed.options.retention} of the {rho} by which two raters agree, so there is "
            "nothing to show. A better judge would, or a smaller share to keep."
        )
    return why


def notes(plan):
    """Return what the plan assumes and what it does not cover."""
    assumed, options = plan.assumed, plan.assumed.options
    targets = assumed.targets
    if assumed.is_comparison:
        own = [
            f"The judge has to be within {measured(assumed.scale.system_margin)} points of people "
            "in how far two systems lie apart. A verdict needs at least "
            f"{FEWEST_OF_A_SYSTEM} items of each system.",
            "It is for one pair of systems whose items are about different contents; each further "
            "system takes as many items again, and all pairs are harder to pass than one. A "
            "verdict on comparing needs three systems.",
            "Not planned is that people see a difference between the systems and the judge sees "
            "the same. Nor is the correction for several judges.",
        ]
    else:
        own = [
            "All checks together: raters agree; the judge keeps "
            f"{options.retention} of their agreement; both agree beyond what is known without "
            f"reading; its mean is within {measured(targets.level_margin)} points of people’s; it "
            "follows them without the plainest items too. A verdict needs at least "
            f"{FEWEST_ITEMS} items, and {FEWEST_CLUSTERS} clusters where items come in clusters.",
            f"Of what raters agree on {leading_point(options.known)} is taken to be known without "
            "reading: text length, systems, contents. The joint check takes out "
            f"{LENGTH_COLUMNS + options.systems} numbers for it, and one for each cluster: with no "
            "more items than that it can never be passed.",
            "Raters are taken to differ in leniency by a tenth of what they do not agree on: the "
            "more items each rates, the less sure is the level.",
            "In eleven designs of 250 to 400 simulated studies each, yes came as often as "
            "predicted, within .07. The correction for several judges is not planned, and needs "
            "more items.",
        ]
    scale = "in proportion to 5 points" if options.scale == RANGE else "as is usual"
    shared = [
        f"At least {FEWEST_RATERS} raters, else the verdict is about these raters only. Each "
        "session is taken to be another rater’s and is paid whole.",
        "One rating an item can decide nothing, however many items there are: it does not tell how "
        "far raters agree.",
        "Ratings of all items are taken to have the variance "
        f"{measured(targets.rating_variance)} (squared points), {scale}, and the judge’s scores "
        "the same. Give the agreement as two raters’ answers will show it: few points on a scale "
        "lower it.",
    ]
    if options.answers == ONE_END:
        shared.append("Answers at one end of the scale tell less, so that more items are planned.")
    if options.cluster_items > 1:
        shared.append(
            f"Items come in clusters of {options.cluster_items}, so "
            f"{measured(assumed.factor)} times as many are planned. This factor is assumed (0.1 "
            "for each further item of a cluster); in simulations fewer were enough."
        )
    return [*own, *shared]


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
