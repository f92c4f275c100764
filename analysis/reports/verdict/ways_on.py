"""Lead on from "not yet": to the planner with today's estimates, and to more ratings an item."""

from dataclasses import dataclass
from math import isnan, sqrt
from urllib.parse import urlencode

from django.urls import reverse

from analysis.reports.verdict.report import JUDGE, RATE
from analysis.reports.verdict.words import USES
from analysis.stats.planning.design import FEWEST_ITEMS
from analysis.stats.planning.pilot import FEWEST
from analysis.stats.validation.answers import Answer, Reason
from annotate.design.planner_link import planned_scale, planner_address
from annotate.recruitment.costs import item_seconds

NO_SCALE = "scale"  # why: the judge has a scale of its own, and no number of items gives it a level
FEWEST_RATINGS = 2


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
class WaysOn:
    """What leads on from a question's "not yet": planners, and the page that opens places."""

    question: str
    planners: list
    places: str


def list_ways_on(study, report, question):
    """Return the WaysOn of a question; None where more items or ratings decide nothing."""
    rows = [entry.row for entry in report.entries if entry.kind == JUDGE]
    rows = [row for row in rows if row["question"] == question.key and not row["systems"]]
    undecided = [row for row in rows if _is_helped_by_more(row)]
    if not undecided:
        return None
    estimates = {(row["evaluator"], row["role"]): row for row in rows if row["use"] == RATE}
    shared = {"retention": report.options["retention"], "item_seconds": item_seconds(study)}
    several = len({row["role"] for row in undecided}) > 1
    planners = [
        WayOn(
            _name(row, several),
            planner_address(
                study,
                planned_scale(question.scale),
                use=row["use"],
                **shared,
                **_estimates(estimates.get((row["evaluator"], row["role"]), row)),
            ),
            _own_address(study, row),
        )
        for row in undecided
    ]
    return WaysOn(question.key, planners, _places_address(study, question.key, undecided))


def _own_address(study, row):
    """Return the address of the plan from this study's own ratings of a judge."""
    if row["use"] != RATE or row["items"] < FEWEST:
        return ""
    query = {"question": row["question"], "judges": row["evaluator"], "reference": row["role"]}
    return f"{reverse('report', args=[study.slug, 'plan'])}?{urlencode(query)}"


def _is_helped_by_more(row):
    """Say whether more items, or more ratings of them, may decide."""
    if row["answer"] == Answer.NOT_TESTABLE:
        return row["use"] == RATE and not row["items"]
    return row["answer"] == Answer.NOT_YET and row["why"] != NO_SCALE


def _name(row, several):
    role = f" ({row['role']})" if several else ""
    return f"{row['evaluator']}{role}, to {USES[row['use']]}"


def _estimates(row):
    """Return today's estimates as options of the planner; none where they rest on too little."""
    items, clusters, rho, r = (row[name] for name in ("items", "clusters", "rho", "agreement"))
    asked = {"cluster_items": max(round(items / clusters), 1)} if clusters else {}
    if items < FEWEST_ITEMS or isnan(rho) or isnan(r):
        return asked
    inside = min(max(rho, 0.0), 1.0)
    quality = min(max(r / sqrt(inside), -1.0), 1.0) if inside else 0.0
    return {**asked, "rho": f"{inside:.3f}", "judge": f"{quality:.3f}"}


def _places_address(study, key, rows):
    """Return the page that opens places: second ratings where they lack, else one more an item."""
    few = (Reason.NOT_COMPARABLE, Reason.TOO_FEW)
    is_single = study.raters_per_item < FEWEST_RATINGS or all(row["verdict"] in few for row in rows)
    ratings = FEWEST_RATINGS if is_single else study.raters_per_item + 1
    query = urlencode({"ratings": ratings, "question": key})
    return f"{reverse('more_ratings', args=[study.slug])}?{query}"
