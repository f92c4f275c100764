"""Look for raters who paste a judge's answers, or without whom the others agree more.

echo = find_echoes(people, judges)            for all judges on the same items
echo.study_p, echo.rater_p
lowering = find_lowering_raters(people)       in a small panel
lowering.raters, lowering.without             those without whom rho rises most first, rho then
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import sparse
from scipy.special import gammainc, gammaincc, ndtr

from analysis.stats.comparison.differences import holm
from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.people import People

TINY = 1e-12
NO_SKEWNESS = 1e-4
PROBES = 100  # vectors of random signs, each as long as there are raters


@dataclass(frozen=True)
class Echo:
    """What was found of J judges and R raters.

    study_p: (J,), whether raters differ in how far they follow the judge; rater_p: (J, R), that a
    rater follows it, corrected for the number of raters by Bonferroni's sum; t: (J, R). NaN: the
    judge is constant, or a rater's ratings are the same as the others' of each item.
    """

    study_p: Floats
    rater_p: Floats
    t: Floats

    def flag_raters(self, alpha: float = 0.05) -> Flags:
        """Return which raters (J, R) follow a judge more than people, at the family level."""
        return self.rater_p < alpha


def find_echoes(people: People, judges: Floats) -> Echo:
    """Test who follows a judge beyond people, as if each item's raters had changed places.

    judges: (J, n) or, for labels, (J, n, K), of the items of `people`, without NaN. T_j = sum_i
    z_ij (F_i - o_ij), F and the others' mean o standardised over ratings; t_j is its distance from
    its mean over all permutations of each item's products among its raters, in standard deviations,
    both exact. Of a rater p is Pearson's type III with the exact skewness, of the study (sum t_j^2)
    with the exact mean and variance and the skewness that normal T_j have. Raises ValueError for
    another shape or NaN.
    Source: Mielke & Berry (2007), Permutation Methods, ch. 2.
    """
    values = judges[:, :, None] if judges.ndim == 2 else judges
    if values.shape[1:] != people.means.shape or np.isnan(values).any():
        raise ValueError(f"judges: expected (J, n) without NaN, found {judges.shape}")
    tests = [_test(people, _products(people, answers)) for answers in values]
    study_p, rater_p, t = (np.array(part) for part in zip(*tests, strict=True))
    return Echo(study_p, rater_p, t)


def permutation_moments(people: People, values: Floats, counts: Flags) -> tuple[Floats, Floats]:
    """Return (t, skewness) (R,) of each rater's sum of values (N,), less that of permutations.

    Permutations are of each item's values among its raters; their moments are exact. counts (N,):
    which ratings count. NaN: all permutations give the same sum.
    """
    apart = values - (people.sum_by_item(values) / people.m)[people.item]
    moments = [(people.sum_by_item(apart**k) / people.m)[people.item] for k in (2, 3)]
    sums, variances, thirds = (
        np.bincount(people.rater, np.where(counts, column, 0.0), minlength=people.n_raters)
        for column in (apart, *moments)
    )
    root = np.sqrt(np.where(variances > TINY**2, variances, np.nan))
    return sums / root, thirds / root**3


def upper_tail(t: Floats, skewness: Floats) -> Floats:
    """Return P(T > t) of a shifted gamma variable with mean 0, variance 1 and this skewness."""
    size = np.where(np.abs(skewness) < NO_SKEWNESS, 1.0, np.abs(skewness))
    shape = 4 / size**2
    place = np.maximum(0.0, shape + np.sign(skewness) * t * np.sqrt(shape))
    tail = np.where(skewness > 0, gammaincc(shape, place), gammainc(shape, place))
    return np.where(np.abs(skewness) < NO_SKEWNESS, ndtr(-t), tail)


def _products(people: People, judge: Floats) -> Floats:
    """Return z_ij (F_i - o_ij) of each rating (N,), F and o standardised over ratings."""
    scores, others = (_standardise(v) for v in (judge[people.item], people.z_others))
    return np.einsum("nk,nk->n", people.z, scores - others)


def _standardise(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / spread if spread > TINY else np.full_like(centred, np.nan)


def _test(people: People, products: Floats) -> tuple[float, Floats, Floats]:
    """Return (p of the study, p of each rater (R,), t (R,)) of the products (N,) of a judge."""
    t, skewness = permutation_moments(people, products, np.ones(len(products), dtype=bool))
    if np.isnan(t).all():
        return np.nan, t, t
    variance, of_normal = moments_of_study(people, products, ~np.isnan(t))
    excess, p = float(np.nansum(t**2)) - float((~np.isnan(t)).sum()), 1.0
    if variance > TINY:
        p = float(upper_tail(np.array(excess / sqrt(variance)), np.array(of_normal)))
    return p, _p_of_largest(t, skewness), t


def _trace_of_cube(matrix: sparse.csr_array) -> float:
    """Return the trace of a symmetric matrix's cube, of a large one by random signs.

    The square of a large sparse matrix need not be sparse.
    Source: Hutchinson (1990), Communications in Statistics 19.
    """
    n = matrix.shape[0]
    signs = np.eye(n)
    if n > PROBES:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (n, PROBES)) / sqrt(PROBES)
    once = matrix @ signs
    return float((once * (matrix @ once)).sum())


def _p_of_largest(t: Floats, skewness: Floats) -> Floats:
    """Return the most that the p (R,) of "some rater's t is as large" may be: the sum over raters.

    Raters change places, so that one is low where another is high: as if they were independent, p
    would be too low. t and skewness are rounded, as few differ then.
    """
    values, place = np.unique(np.round(t, 3), return_inverse=True)
    own, counts = np.unique(np.round(skewness[~np.isnan(t)], 2), return_counts=True)
    tails = upper_tail(values[:, None], own[None])
    p: Floats = np.minimum(1.0, tails @ counts)
    return p[place]


def moments_of_study(people: People, products: Floats, tested: Flags) -> tuple[float, float]:
    """Return the exact variance of sum t_j^2, and the skewness that it has for normal T_j.

    With S the covariance of all T, S_i that of item i's part, and A = diag(1 / var T_j): the parts
    of two items are uncorrelated, so that the variance is sum_i var(sum_j A_j Y_ij^2) + 2 (|A S|^2
    - sum_i |A S_i|^2).
    """
    m = people.m

    def total(values: Floats) -> Floats:
        return people.sum_by_item(values)

    apart = products - (total(products) / m)[people.item]
    squares = total(apart**2)
    own, crossed = squares / m, squares / m / (m - 1)  # S_i: own on its diagonal, else -crossed
    shape = people.n, people.n_raters
    has = sparse.csr_array((np.ones(len(apart)), (people.item, people.rater)), shape=shape)
    variances = has.T @ own
    weight = np.where(tested, 1 / np.where(tested, variances, 1.0), 0.0)
    a = weight[people.rater]
    roots, diagonal = sparse.diags_array(np.sqrt(weight)), sparse.diags_array(crossed)
    scaled = sparse.csr_array(
        sparse.diags_array(weight * (variances + has.T @ crossed))
        - roots @ (has.T @ diagonal @ has) @ roots
    )
    second, third = float((scaled.data**2).sum()), _trace_of_cube(scaled)
    both, sums = total(a**2), total(a)
    within = (both - sums**2 / m) * (total(apart**4) - squares**2 / m) / (m - 1)
    of_items = own**2 * both + crossed**2 * (sums**2 - both)
    return float((within - 2 * of_items).sum()) + 2 * second, 8 * third / (2 * second) ** 1.5


MOST_RATERS = 10  # of a panel: among more, one changes no answer
FEWEST_RATINGS = 10  # of items with three ratings, before a rater is tested
FEWEST_OF_AN_ITEM = 3  # of two raters it cannot be told which is off


@dataclass(frozen=True)
class Lowering:
    """The raters who lower rho.

    raters: (k,) codes as given; without: (k,), rho of the others.
    """

    raters: Ints
    without: Floats


def find_lowering_raters(people: People, alpha: float = 0.05) -> Lowering:
    """Find the raters whose ratings agree less with the others than their items' ratings do.

    The part u_ij of each rating in the influence on rho is compared with the mean part of its
    item's ratings, which it is on average if raters are exchangeable; Holm over raters. Items with
    two ratings take no part; a rater needs ten others. Nobody is named of more than ten raters.
    """
    if people.is_flat or people.n_raters > MOST_RATERS:
        return Lowering(people.raters[:0], np.empty(0))
    places = np.flatnonzero(adjusted_p(people) < alpha)
    rho = [people.drop_raters(np.arange(people.n_raters) == place).rho for place in places]
    without = np.array(rho, dtype=float)
    order = [k for k in np.argsort(-without, kind="stable") if without[k] > people.rho]
    return Lowering(people.raters[places[order]], without[order])


def adjusted_p(people: People) -> Floats:
    """Return the p of each rater (R,) by Holm over those who are tested; NaN for the others."""
    counts = people.m[people.item] >= FEWEST_OF_AN_ITEM
    t, skewness = permutation_moments(people, -people.u, counts)
    enough = np.bincount(people.rater, counts, minlength=people.n_raters) >= FEWEST_RATINGS
    return np.asarray(holm(np.where(enough, upper_tail(t, skewness), np.nan)))
