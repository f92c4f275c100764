"""Describe judges whose values are not on the question's scale, and what their values say."""

from dataclasses import dataclass

import numpy as np

from annotate.values.scales.base import BINARY, GRADED, NOMINAL
from judges import methods
from judges.scorers import ON_SCALE, SCORERS

EVERY_LEVEL = (GRADED, BINARY, NOMINAL)
FITS_ABOVE = 0.5  # between no fit (0) and fit (1), and where neutral stands


@dataclass(frozen=True)
class OwnScale:
    """A scale of a judge that is not the question's.

    levels: of the questions whose scale it is not; above: a larger value says fit, None if no value
    says fit; neutral: whether exactly `above` says neither fit nor misfit.
    """

    levels: tuple = EVERY_LEVEL
    above: float | None = None
    neutral: bool = False

    def replaces(self, scale):
        """Return whether the judge's values are on this scale instead of a question's."""
        return scale.level in self.levels

    def fits(self, values):
        """Return 1 where a value says fit, 0 where it does not, NaN where it is missing."""
        return _flags(values, values > self.above)

    def misfits(self, values):
        """Return 1 where a value says misfit: neither fit nor neutral; NaN where it is missing."""
        says = values < self.above if self.neutral else values <= self.above
        return _flags(values, says)

    @property
    def words(self):
        """Say in words what the values mean."""
        neutral = ", exactly that is neutral" if self.neutral else ""
        return f"above {self.above:g} says fit{neutral}"


def _flags(values, says):
    return np.where(np.isnan(values), np.nan, says)


def own_scale(kind, method, neutral, threshold):
    """Return a judge's OwnScale by its settings; None if it answers on the questions' scales."""
    scorer = SCORERS.get(kind)
    if scorer and scorer.scale != ON_SCALE:
        levels = tuple(level for level in EVERY_LEVEL if level not in scorer.on_scale_of)
        return OwnScale(
            levels, threshold if "threshold" in scorer.settings.model_fields else scorer.fits_above
        )
    if methods.named(method).scale:
        # Fit or not is an answer to a yes/no question as it stands; neutral is none.
        levels = (GRADED, BINARY) if neutral else (GRADED,)
        return OwnScale(levels, FITS_ABOVE, neutral=True)
    return None


def of_members(scales):
    """Return the OwnScale of a combination of judges; None if all use the questions' scales."""
    own = [scale for scale in scales if scale is not None]
    if not own:
        return None
    if len(set(scales)) == 1:
        return own[0]
    return OwnScale(tuple(level for level in EVERY_LEVEL if any(level in s.levels for s in own)))


def of_learned(scales):
    """Return the OwnScale of a judge that learns from people how to combine these judges.

    Its values are on the people's scale, whatever its members' are; but for a choice of words,
    where it takes the majority as it stands.
    """
    elsewhere = any(scale is not None and NOMINAL in scale.levels for scale in scales)
    return OwnScale((NOMINAL,)) if elsewhere else None
