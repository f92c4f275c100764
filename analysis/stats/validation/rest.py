"""Ask whether a judge tells more than a few plain items: does it agree on the others?

outs = ends_of(values)            the items at either end, which are taken out in turn
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.inputs import Flags, Floats

SHARE, MOST = 0.1, 0.35  # of the items: an end is at least, and at most
FEWEST = 30  # items, of which the rest has to consist
TIMES = 5  # p of the rest of people's ends counts so often: .01 where the judge's has .05


@dataclass(frozen=True)
class Rest:
    """The largest p of "judge and raters agree among the other items"; share: taken out there."""

    p: float
    share: float


def ends_of(values: Floats) -> list[Flags]:
    """Return flags (n,) of the items of the low end and of the high end, where there is one.

    Whole values are taken from the end until a tenth of the items is out, before more than .35 is.
    Where the first value alone is more, that end is not tested.
    """
    values = np.round(values, 9)
    ends = []
    for sign in (1, -1):
        points, counts = np.unique(sign * values, return_counts=True)
        out = np.cumsum(counts)
        taken = min(int((out < SHARE * len(values)).sum()) + 1, int((out <= MOST * out[-1]).sum()))
        if taken:
            ends.append(sign * values <= points[taken - 1])
    return ends
