"""Say how much a judge narrows the interval of a mean of people's ratings.

interval_narrowing(r_squared, rated, judged)
"""

from math import nan, sqrt


def interval_narrowing(r_squared: float, rated: int, judged: int) -> float:
    """Return the share by which prediction-powered inference narrows the interval of a mean.

    r_squared: squared correlation of judge and people's mean over the rated items, 0..1; rated:
    items that have both; judged: all items with a judgment, the rated ones among them.
    A share in 0..1: .11 is an interval narrower by 11 %, 0 where everything is rated. NaN without
    a rated item, or where r_squared is NaN, as of a judge that gives one answer to every item.
    Raises ValueError for values out of range, and for more items rated than judged.
    Source: Angelopoulos, Duchi & Zrnic (2023), PPI++, with the weight of least variance:
    1 - sqrt(1 - R² (1 - n/N)).
    """
    if r_squared < 0 or r_squared > 1:
        raise ValueError(f"r_squared: expected a value in 0..1, got {r_squared}")
    if not 0 <= rated <= judged:
        raise ValueError(f"expected 0 <= rated <= judged, got {rated} and {judged}")
    return 1 - sqrt(1 - r_squared * (1 - rated / judged)) if rated else nan
