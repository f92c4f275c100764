"""Many studies of normal scores, and the verdict's estimates of all of them, for the tests here.

The estimates are written out once more, for complete crowds only: every item has m ratings by
raters who rate little else, so that all ratings are centred on one mean.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Estimates:
    """Estimates of S studies with the standard errors of their clusters, all (S,)."""

    rho: np.ndarray
    rho_error: np.ndarray
    theta: np.ndarray
    theta_error: np.ndarray
    bias: np.ndarray
    bias_error: np.ndarray
    clusters: int

    def passed(self, k_level):
        """Return which studies pass agreement, retention, level, all with the floor (4, S)."""
        quantile = stats.t.isf(0.05, self.clusters - 1)
        agreement = (self.rho > quantile * self.rho_error) & (self.rho >= 0.10)
        retention = self.theta > quantile * self.theta_error
        level = np.abs(self.bias) + quantile * self.bias_error < k_level
        return np.stack([agreement, retention, level, agreement & retention & level])


def shared_quality(rng, studies, clusters, size, icc):
    """Normal qualities (S, n) of items in clusters with this intraclass correlation."""
    own = rng.normal(size=(studies, clusters * size))
    common = np.repeat(rng.normal(size=(studies, clusters)), size, axis=1)
    return np.sqrt(icc) * common + np.sqrt(1 - icc) * own


def simulate(rng, rho, quality, m, studies, clusters, size=1, icc=0.0):
    """Return ratings (S, n, m) and judgments (S, n); quality None: a judge equal to one rater."""
    shared = shared_quality(rng, studies, clusters, size, icc)
    errors = rng.normal(size=(*shared.shape, m))
    ratings = np.sqrt(rho) * shared[:, :, None] + np.sqrt(1 - rho) * errors
    q = np.sqrt(rho) if quality is None else quality
    return ratings, q * shared + np.sqrt(1 - q**2) * rng.normal(size=shared.shape)


def estimate(ratings, judge, size=1, k=2 / 3):
    """Estimate rho, theta_k and the level of every study, with clusters of neighbouring items."""
    m = ratings.shape[2]
    means = ratings.mean(axis=2)
    z = ratings - means.mean(axis=1)[:, None, None]
    zbar, a = z.mean(axis=2), (z**2).mean(axis=2)
    c = (m * zbar**2 - a) / (m - 1)
    centred = judge - judge.mean(axis=1, keepdims=True)
    f, g = centred * zbar, centred**2
    v_h, v_f, c_fh = (values.mean(axis=1, keepdims=True) for values in (a, g, f))
    rho, r = c.mean(axis=1, keepdims=True) / v_h, c_fh / np.sqrt(v_f * v_h)
    of_rho = (c - rho * a) / v_h
    of_r = f / np.sqrt(v_f * v_h) - r / 2 * (g / v_f + a / v_h)
    bias = (judge - means).mean(axis=1, keepdims=True)
    errors = [
        clustered_error(influence, size)
        for influence in (of_rho, of_r - k * of_rho, judge - means - bias)
    ]
    clusters = judge.shape[1] // size
    theta = r - k * rho
    values = zip((rho[:, 0], theta[:, 0], bias[:, 0]), errors, strict=True)
    return Estimates(*(array for pair in values for array in pair), clusters)


def clustered_error(influence, size):
    """Return the standard errors (S,) from influences (S, n) in clusters of `size` neighbours."""
    studies, n = influence.shape
    sums = influence.reshape(studies, n // size, size).sum(axis=2)
    clusters = n // size
    return np.sqrt(clusters / (clusters - 1) * (sums**2).sum(axis=1)) / n
