"""Describe judges whose values are not on the question's scale, and what their values say."""

from dataclasses import dataclass

import numpy as np

from judges import methods
from judges.scorers import ON_SCALE, SCORERS

EVERY_KIND = ("likert", "binary", "choice", "number")
FITS_ABOVE = 0.5  # between no fit (0) and fit (1), and where neutral stands


@dataclass(frozen=True)
class OwnScale:
    """A scale of a judge that is not the question's.

    kinds: of the questions whose scale it is not; above: a larger value says fit, None if no value
    says fit; neutral: whether exactly `above` says neither fit nor misfit.
    """

    kinds: tuple = EVERY_KIND
    above: float | None = None
    neutral: bool = False

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
        kinds = tuple(k for k in EVERY_KIND if k not in scorer.on_scale_of)
        return OwnScale(kinds, threshold if "threshold" in scorer.settings else scorer.fits_above)
    if methods.named(method).scale:
        # Fit or not is an answer to a yes/no question as it stands; neutral is none.
        kinds = ("likert", "number", "binary") if neutral else ("likert", "number")
        return OwnScale(kinds, FITS_ABOVE, neutral=True)
    return None


def of_members(scales):
    """Return the OwnScale of a combination of judges; None if all use the questions' scales."""
    own = [scale for scale in scales if scale is not None]
    if not own:
        return None
    if len(set(scales)) == 1:
        return own[0]
    return OwnScale(tuple(kind for kind in EVERY_KIND if any(kind in s.kinds for s in own)))


def of_learned(scales):
    """Return the OwnScale of a judge that learns from people how to combine these judges.

    Its values are on the people's scale, whatever its members' are; but for a choice of words,
    where it takes the majority as it stands.
    """
    elsewhere = any(scale is not None and "choice" in scale.kinds for scale in scales)
    return OwnScale(("choice",)) if elsewhere else None
