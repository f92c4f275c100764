"""Write the planner's address with the numbers of a study filled in.

The names are those of the planner's options; its page takes its usual value for the others.
"""

from urllib.parse import urlencode

from django.urls import reverse

from analysis.stats.validation.criteria import Scale as Range
from annotate.design.payment import pay_of

POINTS = (2, 5, 7, 10)  # of the scales that the planner knows by their number of points
USUAL_SECONDS = 40  # that a rating takes
HOUR = 3600
LARGEST_PAY, MOST_SECONDS = 100_000, 36_000


def planned_scale(scale):
    """Return the range and steps of a question's scale, as a plan takes them.

    Labels of a choice count as two points each: given or not. A number without ends counts as five
    points.
    """
    if scale.is_nominal:
        return Range(1, 2)
    if not scale.has_ends or not scale.low < scale.high:
        return Range(1, 5)
    is_whole = scale.is_whole and scale.high - scale.low + 1 in POINTS
    return Range(scale.low, scale.high, 1.0 if is_whole else None)


def planner_address(study, scale, **more):
    """Return the planner's address for a study and a planned_scale.

    more: further options of the planner by name, such as cluster_items, rho and judge.
    """
    asked = {**_scale(scale), **_collecting(study, more.pop("item_seconds", None)), **more}
    return f"{reverse('plan')}?{urlencode(asked)}#answer"


def _scale(scale):
    if scale.step is None:
        return {"scale": "range", "scale_range": f"{scale.range:g}"}
    return {"scale": f"{scale.range + 1:.0f}"}


def _collecting(study, item_seconds):
    """Return what a session holds, and an hour's pay where the study says what a session pays."""
    items, pay = study.items_per_session, pay_of(study)
    seconds = min(item_seconds or USUAL_SECONDS, MOST_SECONDS)
    asked = {"session_items": items, "item_seconds": f"{seconds:g}"}
    if pay:
        hourly = pay.amount * HOUR / (items * seconds)
        asked["hourly_pay"] = f"{min(hourly, LARGEST_PAY):.2f}"
    return asked
