"""Hold the conventions of the verdict: levels, shares, margins, and the scale they depend on."""

from dataclasses import dataclass

import numpy as np

from analysis.stats.inputs import Floats, round_half_down

LEVEL_MARGIN_OF_FIVE, LEVEL_SHARE = 0.25, 0.05
LEVEL_SDS = 0.2  # of people's ratings, which a judge's mean may always be off
SYSTEM_MARGIN_OF_FIVE, SYSTEM_SHARE = 0.3, 0.06
FEWEST_OF_A_PANEL = 30  # ratings, before a rater is centred on his or her own mean
FEWEST_RATERS = 10  # that raters are worth, before they count as a sample
FEWEST_ITEMS_A_GROUP = 5


@dataclass(frozen=True)
class Scale:
    """The scale of a question: its ends, and the step between its points (None: continuous)."""

    low: float
    high: float
    step: float | None = 1.0

    def __post_init__(self) -> None:
        """Refuse a scale without a range or a step that is not above 0."""
        if not self.low < self.high:
            raise ValueError(f"scale: expected low < high, found {self.low} and {self.high}")
        if self.step is not None and not self.step > 0:
            raise ValueError(f"scale: expected a step above 0, found {self.step}")

    @property
    def range(self) -> float:
        """Return the distance of the scale's ends."""
        return self.high - self.low

    @property
    def level_margin(self) -> float:
        """Return how far a judge's mean may be off: .25 on five points, else 5 % of the range."""
        return LEVEL_MARGIN_OF_FIVE if self._has_five_points else LEVEL_SHARE * self.range

    @property
    def system_margin(self) -> float:
        """Return how far a difference of systems may be off: .3 on five points, else 6 %."""
        return SYSTEM_MARGIN_OF_FIVE if self._has_five_points else SYSTEM_SHARE * self.range

    @property
    def _has_five_points(self) -> bool:
        return self.step is not None and self.range == 4 * self.step == 4

    def round(self, values: Floats) -> Floats:
        """Round values to the nearest point of the scale, halves down; NaN stays NaN."""
        if self.step is None:
            return values
        return self.low + self.step * round_half_down((values - self.low) / self.step)

    def keep_inside(self, values: Floats) -> Floats:
        """Return the values with NaN for those outside the scale."""
        return np.where((values >= self.low) & (values <= self.high), values, np.nan)


SHARES = Scale(0.0, 1.0, step=None)  # of the labels of a choice


@dataclass(frozen=True)
class Criteria:
    """The conventions of a verdict; the defaults are those that are printed with it.

    alpha: level of each check. retention: share of one rater's agreement that the judge has to
    keep. floor: least agreement of two raters; where less is shown, a question is called hopeless,
    over all items and beyond what is known of them. beyond_retention: the share to be kept beyond
    what is known. level_margin, system_margin: None takes those of the scale. fewest_*: items and
    clusters before anything is decided. rare_share: a class is rare up to this share. family_alpha:
    for the judges of a family, and for questions.
    """

    alpha: float = 0.05
    retention: float = 2 / 3
    floor: float = 0.10
    beyond_retention: float = 0.5
    level_margin: float | None = None
    system_margin: float | None = None
    fewest_items: int = 30
    fewest_clusters: int = 10
    rare_share: float = 0.2
    family_alpha: float = 0.025

    def __post_init__(self) -> None:
        """Refuse levels and shares outside 0..1."""
        for name in ("alpha", "retention", "beyond_retention", "family_alpha"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name}: expected a share within 0..1")


USUAL = Criteria()
