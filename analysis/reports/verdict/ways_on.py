"""Lead on from "not yet": to the planner with today's estimates, and to what the verdict asks."""

from dataclasses import dataclass
from math import isnan, sqrt
from urllib.parse import urlencode

from django.urls import reverse

from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.summary import is_of_own_answers
from analysis.reports.verdict.texts import COMPARE, PARTS, RATE
from analysis.stats.planning.design import FEWEST_ITEMS, Targets, predict_power
from analysis.stats.planning.forecast import FEWEST
from analysis.stats.planning.power import POWER
from analysis.stats.validation.decision import Answer, Reason
from annotate.design.planner_link import planned_scale, planner_address
from annotate.recruitment.costs import item_seconds
from annotate.recruitment.raise_ratings import MOST_RATINGS, count_open, lacks_places

OWN_SCALE = "own scale"  # of a report's curves: (judge, question) that items give no level
USES = {RATE: "rate items", COMPARE: "compare systems"}
FEWEST_RATINGS = 2
FEW, SECOND, ONE_MORE, AGAIN, INVITE, ITEMS = "few", "second", "more", "again", "invite", "items"
STEPS = {  # a button's words, and its page
    SECOND: ("Open places for second ratings …", "more_ratings"),
    ONE_MORE: ("Open places for one more rating of each item …", "more_ratings"),
    AGAIN: ("Ask recipients more of their items again", "inside"),
    INVITE: ("Invite raters to the open places", "raters"),
    ITEMS: ("Load more items", "load"),
}
# Reasons of "not yet" on which the planner says how many items decide.
PLANNED = (
    Reason.NOT_COMPARABLE,
    Reason.TOO_FEW,
    Reason.PEOPLE_UNSURE,
    Reason.UNDECIDED,
    Reason.KNOWN_FEATURES,
    Reason.ORDER_ONLY,
)
MOST_KNOWN = 0.95  # that the planner takes
POINTS = "points"  # what a "not yet" waits for that no ratings give
# More items help here too, but no plan says how many.
UNPLANNED = (Reason.NO_DIFFERENCE, Reason.FEW_SYSTEMS)


@dataclass(frozen=True)
class WayOn:
    """A judge and a use that are not decided yet, and where they are planned.

    address: the planner's; own: of the report that plans from these ratings, blank where they are
    too few.
    """

    words: str
    address: str
    own: str = ""


@dataclass(frozen=True)
class Step:
    """What an editor may do next: a button's words, its page, and whether it opens places."""

    words: str
    address: str
    opens_places: bool


@dataclass(frozen=True)
class WaysOn:
    """What leads on from a question's "not yet": planners, and pages that do what is advised."""

    question: str
    planners: list
    steps: list


def list_ways_on(study, report, question):
    """Return the WaysOn of a question; None where more items or ratings decide nothing."""
    rows = [entry.row for entry in report.entries if entry.kind == JUDGE]
    rows = [row for row in rows if row["question"] == question.key and not row["systems"]]
    own_scales = report.curves.get(OWN_SCALE, ())
    undecided = [
        row
        for row in rows
        if (row["evaluator"], question.key) not in own_scales and _is_helped_by_more(row)
    ]
    if not undecided:
        return None
    estimates = {(row["evaluator"], row["role"]): row for row in rows if row["use"] == RATE}
    several = len({row["role"] for row in undecided}) > 1
    shared = {"retention": report.options["retention"], "item_seconds": item_seconds(study)}
    planners = []
    for row in undecided:
        if row["verdict"] in PLANNED:
            role = f" ({row['role']})" if several else ""
            today = estimates.get((row["evaluator"], row["role"]), row)
            options = {"use": row["use"], **shared, **_estimates(today)}
            address = planner_address(study, planned_scale(question.scale), **options)
            words = f"{row['evaluator']}{role}, to {USES[row['use']]}"
            planners.append(WayOn(words, address, _own_address(study, row)))
    return WaysOn(question.key, planners, _steps(study, question, undecided))


def _own_address(study, row):
    """Return the address of the plan from this study's own ratings of a judge."""
    if row["use"] != RATE or row["items"] < FEWEST:
        return ""
    query = {"question": row["question"], "judges": row["evaluator"], "reference": row["role"]}
    return f"{reverse('report', args=[study.slug, 'plan'])}?{urlencode(query)}"


def _is_helped_by_more(row):
    """Say whether more items, or more ratings of them, may decide.

    Where the verdict says that no number of items would be enough, they do not.
    """
    if row["next"].startswith(PARTS["never"]) or row["why"] == POINTS:
        return False
    if row["answer"] == Answer.NOT_TESTABLE:
        return row["use"] == RATE and not row["items"]
    return row["answer"] == Answer.NOT_YET and row["verdict"] in (*PLANNED, *UNPLANNED)


def _estimates(row):
    """Return today's estimates as options of the planner; none where they rest on too little."""
    items, clusters, rho, r = (row[name] for name in ("items", "clusters", "rho", "agreement"))
    asked = {"cluster_items": _cluster_items(row)} if clusters else {}
    if items < FEWEST_ITEMS or isnan(rho) or isnan(r):
        return asked
    inside = min(max(rho, 0.0), 1.0)
    quality = min(max(r / sqrt(inside), -1.0), 1.0) if inside else 0.0
    within = row["rho_within"]
    if inside > 0 and within < 1:  # not NaN: known is as rho and the joint check's leave it
        share_known = (inside - within) / (inside * (1 - within))
        asked["known"] = f"{min(max(share_known, 0.0), MOST_KNOWN):.3f}"
    return {**asked, "rho": f"{inside:.3f}", "judge": f"{quality:.3f}"}


def _cluster_items(row):
    return max(round(row["items"] / row["clusters"]), 1)


def _steps(study, question, rows):
    """Return the Steps that the verdict's reasons ask for, each once."""
    ratings = {SECOND: FEWEST_RATINGS, ONE_MORE: min(study.raters_per_item + 1, MOST_RATINGS)}
    wanted = {_step(row, ratings[ONE_MORE]) for row in rows}
    # What gives more items two ratings: places that lack, else raters, else items.
    if FEW in wanted:
        lacks = lacks_places(study, FEWEST_RATINGS, question)
        wanted.add(SECOND if lacks else ITEMS)
        if not lacks and count_open(study, FEWEST_RATINGS, question):
            wanted.add(INVITE)
    steps = []
    for name, (words, page) in STEPS.items():
        if name in wanted:
            address = reverse(page, args=[study.slug])
            if name in ratings:
                query = urlencode({"ratings": ratings[name], "question": question.key})
                address = f"{address}?{query}"
            steps.append(Step(words, address, name in ratings))
    return steps


def _step(row, one_more):
    """Return what helps a judge on; FEW where that depends on the places of the study.

    One more rating of each item is advised where today's items then decide that raters agree.
    """
    if is_of_own_answers(row):
        return AGAIN
    if row["verdict"] in (Reason.NOT_COMPARABLE, Reason.TOO_FEW):
        return FEW
    if row["verdict"] == Reason.PEOPLE_UNSURE:
        rho, targets = row["rho"], Targets(cluster_items=_cluster_items(row))
        power = predict_power(rho, rho, one_more, row["items"], targets)
        return ONE_MORE if power.agreement >= POWER else ITEMS
    return ITEMS
