"""Compute Wilson's interval of a share, without the test that scipy computes with it.

wilson_interval(3, 20)      ends of the 95 % interval of 3 of 20
"""

from math import sqrt

Z = 1.959963984540054  # the normal quantile of .975


def wilson_interval(k: int, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the share k / n, in 0..1.

    Raises ValueError without an observation, and for k outside 0..n.
    Source: Wilson (1927), Journal of the American Statistical Association 22.
    """
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"expected 0 <= k <= n and n >= 1, found {k} of {n}")
    middle = (k + Z**2 / 2) / (n + Z**2)
    reach = Z / (n + Z**2) * sqrt(k * (n - k) / n + Z**2 / 4)
    return (middle - reach if k else 0.0), (middle + reach if k < n else 1.0)
