"""Judges whose values are not on the scale of the question: which, and what they say instead."""

from dataclasses import dataclass

import numpy as np

from judges.models import Judge
from judges.scorers import ON_SCALE, SCORERS

EVERY_KIND = ("likert", "binary", "choice", "number")
FITS_ABOVE = 0.5  # between no fit (0) and fit (1), and where neutral stands
ENTAILED_ABOVE = 0.5  # of the probability that a statement is entailed


@dataclass(frozen=True)
class OwnScale:
    """kinds: of the questions whose scale it is not; above: what is more says fit, else None.

    neutral: whether exactly `above` says neither fit nor misfit.
    """

    kinds: tuple = EVERY_KIND
    above: float | None = None
    neutral: bool = False

    def fits(self, values):
        """1 where a value says fit, 0 where not, NaN where there is none."""
        return _flags(values, values > self.above)

    def misfits(self, values):
        """1 where a value says misfit: not fit, but for a neutral one."""
        says = values < self.above if self.neutral else values <= self.above
        return _flags(values, says)

    @property
    def words(self):
        """What its values say, in words."""
        neutral = ", exactly that is neutral" if self.neutral else ""
        return f"above {self.above:g} says fit{neutral}"


def _flags(values, says):
    return np.where(np.isnan(values), np.nan, says)


def own_scale(kind, method, neutral, threshold):
    """The OwnScale of a judge by its settings; None where it answers on each question's."""
    if kind == Judge.Kind.SBERT:
        kinds = tuple(k for k in EVERY_KIND if k not in SCORERS[kind].on_scale_of)
        return OwnScale(kinds, threshold)
    if kind == Judge.Kind.NLI:
        return OwnScale(above=ENTAILED_ABOVE)
    if kind in SCORERS and SCORERS[kind].scale != ON_SCALE:
        return OwnScale()
    if method == Judge.Method.FIT:
        # Fit or not is an answer to a yes/no question as it stands; neutral is none.
        kinds = ("likert", "number", "binary") if neutral else ("likert", "number")
        return OwnScale(kinds, FITS_ABOVE, neutral=True)
    return None


def of_members(scales):
    """The OwnScale of what combines these judges; None where all answer on the question's."""
    own = [scale for scale in scales if scale is not None]
    if not own:
        return None
    if len(set(scales)) == 1:
        return own[0]
    return OwnScale(tuple(kind for kind in EVERY_KIND if any(kind in s.kinds for s in own)))


def of_learned(scales):
    """The OwnScale of what learns from people to combine these judges.

    Its values are on the people's scale, whatever its members' are; but for a choice of words,
    where it takes the majority as it stands.
    """
    elsewhere = any(scale is not None and "choice" in scale.kinds for scale in scales)
    return OwnScale(("choice",)) if elsewhere else None
