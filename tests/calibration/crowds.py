"""Compute what simulated crowds and judges agree by, from their distributions.

The truth is of the very ratings: on five points, with the systems' effects that a study has drawn,
and contents, recipients, items and raters as a population.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr

from analysis.stats.validation.checks import compare_beyond, describe_items, take_out

RELIABILITIES = (0.1, 0.2, 0.3, 0.5, 0.7)
SHARES = (0.0, 0.2, 0.4)  # of systems in the variance of quality
KEPT = 2 / 3  # theta = r - KEPT rho
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])  # between the five points, from their middle
OF_LENGTH = 0.4  # correlation of an item's own quality with its length
NODES, WEIGHTS = hermegauss(32)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
NO_SYSTEMS = np.zeros(1)


@dataclass(frozen=True)
class Truth:
    """What studies estimate: rho, r and level; rho within systems, and beyond length.

    slope: covariance of quality with one rating, over the rating's SD; mean, variance: of one
    rating; by_system: mean ratings.
    """

    rho: float
    variance: float
    slope: float
    mean: float
    rho_within: float
    rho_beyond_length: float
    by_system: np.ndarray

    def agreement(self, q):
        """Return r of a judge that correlates q with quality."""
        return q * self.slope

    def retention(self, q):
        """Return theta of a judge that correlates q with quality."""
        return self.agreement(q) - KEPT * self.rho

    @property
    def q_of_boundary(self):
        """Return the q of a judge with theta = 0."""
        return KEPT * self.rho / self.slope


def compute_truth(reliability, system_share=0.0, by_system=NO_SYSTEMS, drawn_share=0.0):
    """Integrate over systems, the length, and all else of quality.

    by_system: effects of mean 0 and SD 1; drawn_share: of contents or recipients in the variance
    of quality, which have nothing to do with length.
    """
    own = 1 - system_share - drawn_share
    from_length = sqrt(own) * OF_LENGTH * NODES
    rest = sqrt(own * (1 - OF_LENGTH**2) + drawn_share) * NODES
    by_system = np.asarray(by_system, dtype=float)
    quality = (
        sqrt(system_share) * by_system[:, None, None] + from_length[:, None] + rest
    )  # systems, lengths, rest
    weights = WEIGHTS[:, None] * WEIGHTS / len(by_system) * np.ones_like(quality)
    mean, square = _moments(reliability, quality)

    def average(values):
        return float((weights * values).sum())

    centre = average(mean)
    variance = average(square) - centre**2
    of_system = (weights * mean).sum(axis=(1, 2)) * len(by_system)
    of_length = (weights * mean).sum(axis=(0, 2)) / WEIGHTS
    between_systems = float(of_system.var())
    between_lengths = float(WEIGHTS @ (of_length - centre) ** 2)
    shared = average((mean - centre) ** 2)
    return Truth(
        rho=shared / variance,
        variance=variance,
        slope=average(quality * (mean - centre)) / sqrt(variance),
        mean=centre,
        rho_within=(shared - between_systems) / (variance - between_systems),
        rho_beyond_length=(shared - between_lengths) / (variance - between_lengths),
        by_system=of_system,
    )


def _moments(reliability, quality):
    """Return the mean and the mean square of ratings of items of this quality."""
    distance = sqrt(reliability) * quality[..., None] - CUTS
    above = ndtr(distance / sqrt(1 - reliability))
    return 1 + above.sum(axis=-1), 1 + (above * np.arange(3, 10, 2)).sum(axis=-1)


def compare_without(study, name, judge):
    """Compare a judge (n, 1) with people beyond the systems alone, or the length alone."""
    people = study.reference.people
    lengths = study.length[people.rows] if name == "length" else None
    groupings = {"system": study.system[people.rows]} if name == "system" else {}
    features = describe_items(people.n, lengths, groupings)
    return compare_beyond(take_out(people, features), judge)[0][1]


def follow_quality(study, q, spread=1.0):
    """Return a judge that correlates q with quality, around the scale's middle."""
    noise = study.rng.normal(size=len(study.quality))
    return 3 + spread * (q * study.quality + sqrt(1 - q**2) * noise)
