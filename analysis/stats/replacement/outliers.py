"""Find values that lie far below the others, by the median and the median absolute deviation.

low_outliers(values, deviations)
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.inputs import as_floats

FEWEST = 4
SCALE = 1.482602218505602  # of the MAD, so that it estimates a normal distribution's SD


@dataclass(frozen=True)
class LowOutliers:
    """The low outliers among values, with the median and the limit.

    places: of the values below the limit, the lowest first; reason: why none can be named.
    """

    places: tuple[int, ...] = ()
    median: float = nan
    limit: float = nan
    reason: str = ""


def low_outliers(values: ArrayLike, deviations: float = 3.0) -> LowOutliers:
    """Return the places of the values below median - deviations * 1.4826 * MAD.

    values: (N,), NaN = unknown. Needs four known values, and not half of them equal: the MAD is
    then 0. Raises ValueError for other shapes.
    Source: Leys et al. (2013), Detecting outliers, J. of Experimental Social Psychology 49.
    """
    array = as_floats(values, "values")
    defined = array[~np.isnan(array)]
    if len(defined) < FEWEST:
        return LowOutliers(reason=f"it takes {FEWEST} raters, there are {len(defined)}")
    median = float(np.median(defined))
    deviation = SCALE * float(np.median(np.abs(defined - median)))
    if deviation == 0:
        return LowOutliers(median=median, reason="more than half of them agree equally well")
    limit = median - deviations * deviation
    places = [place for place in np.argsort(array) if array[place] < limit]
    return LowOutliers(tuple(int(place) for place in places), median, limit)
