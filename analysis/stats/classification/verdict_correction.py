"""Correct the share of yes among a judge's verdicts by how often the judge is right.

corrected_share(said_yes, n, right_no, no, right_yes, yes)
"""

from math import nan

import numpy as np
from scipy import stats

from analysis.stats.estimate import Estimate

LEAST_INFORMATION = 0.1  # sensitivity + specificity - 1
TOO_FEW = "no interval: too few labels of a class to say that the judge tells yes from no"
Z = float(stats.norm.ppf(0.975))


def corrected_share(
    said_yes: float, n: int, right_no: float, n_no: int, right_yes: float, n_yes: int
) -> Estimate:
    """Estimate the share of units that people would call yes from the judge's verdicts: 0..1.

    said_yes: share of the judge's n verdicts; right_no (specificity) and right_yes (sensitivity):
    shares of n_no and n_yes labelled units of each class that the judge gets right. Units are
    taken as independent. Estimate.n: n. NaN without verdicts, without a label of each class, or
    where sensitivity + specificity is below 1.1: the judge hardly tells yes from no. No interval
    where that holds of the shares drawn towards the middle: it would be upside down, or over 0.
    Raises ValueError for shares outside 0..1.
    Source: Rogan & Gladen (1978), American Journal of Epidemiology 107; interval: Lang & Reiczigel
    (2014), Preventive Veterinary Medicine 113.
    """
    for share in (said_yes, right_no, right_yes):
        if share < 0 or share > 1:
            raise ValueError(f"expected shares within 0..1, found {share}")
    reason = _why_undefined(n, n_no, n_yes, right_no + right_yes - 1)
    if reason:
        return Estimate(nan, n=n, reason=reason)
    information = right_no + right_yes - 1
    value = float(np.clip((said_yes + right_no - 1) / information, 0, 1))
    if sum(drawn_in(right_no, n_no, right_yes, n_yes)) - 1 < LEAST_INFORMATION:
        return Estimate(value, n=n, reason=TOO_FEW)
    low, high = _interval(said_yes, n, right_no, n_no, right_yes, n_yes)
    return Estimate(value, low, high, n=n)


def _why_undefined(n: int, n_no: int, n_yes: int, information: float) -> str:
    if n == 0:
        return "no verdict without a human label"
    if n_no == 0 or n_yes == 0:
        return "people gave one and the same label throughout"
    if information < LEAST_INFORMATION:
        return (
            f"the judge hardly tells yes from no: sensitivity + specificity - 1 = {information:.2f}"
        )
    return ""


def drawn_in(q0: float, m0: int, q1: float, m1: int) -> tuple[float, float]:
    """Draw both shares towards the middle, the further the fewer labels they are from."""
    return (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)


def adjusted(
    p: float, n: int, q0: float, m0: int, q1: float, m1: int
) -> tuple[float, float, float, float, float, float]:
    """Return shares drawn towards the middle, the value from them, its shift and its error."""
    p = (n * p + Z**2 / 2) / (n + Z**2)
    q0, q1 = drawn_in(q0, m0, q1, m1)
    n_all, m0, m1 = n + Z**2, m0 + 2, m1 + 2
    theta = float(np.clip((p + q0 - 1) / (q0 + q1 - 1), 0, 1))
    no, yes = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    shift = 2 * Z**2 * (theta * yes - (1 - theta) * no)
    variance = p * (1 - p) / n_all + (1 - theta) ** 2 * no + theta**2 * yes
    return p, q0, q1, theta, shift, float(np.sqrt(variance)) / (q0 + q1 - 1)


def _interval(p: float, n: int, q0: float, m0: int, q1: float, m1: int) -> tuple[float, float]:
    *_, theta, shift, error = adjusted(p, n, q0, m0, q1, m1)
    low, high = np.clip([theta + shift - Z * error, theta + shift + Z * error], 0, 1)
    return float(low), float(high)
