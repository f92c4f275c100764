"""Compare judge and raters beyond what a grouping or the text length explains.

within = take_out_groups(people, "system", codes)    residuals on the groups' means
within = take_out_length(people, lengths)            residuals on length and its deciles
compare_beyond(within, judge)                        rho', r', theta'
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from analysis.stats.inputs import Flags, Floats, Ints
from analysis.stats.validation.agreement import Agreement, compare_judge
from analysis.stats.validation.criteria import FEWEST_ITEMS_A_GROUP
from analysis.stats.validation.people import People
from analysis.stats.validation.small_groups import within_groups

LENGTH = "length"
SAME_WITHIN = 1e-6  # share of a judge's variance below which nothing is left of it
RANK = 1e-9  # relative size of a singular value that is rounding
ONE_GROUP = "there are not two groups"
FEW_A_GROUP = "there are too few rated items a group"
ONE_LENGTH = "all texts are equally long"

Fit = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Within:
    """The people of the same items without what a grouping explains.

    fit: maps values (n, K) to what the grouping explains of them; None where the people are those
    within small groups. keep (n,): the items that are checked, None = all. skipped: why there is
    no such check; then people is None.
    """

    name: str
    people: People | None = None
    fit: Fit | None = field(default=None, compare=False, repr=False)
    keep: Flags | None = field(default=None, compare=False, repr=False)
    skipped: str = ""


def take_out_groups(
    people: People, name: str, codes: Ints, fewest: int = FEWEST_ITEMS_A_GROUP
) -> Within:
    """Take the groups' means of the items out of the ratings.

    codes: (n,), the group of each item of `people`, from 0. Groups with less than `fewest` rated
    items are joined. With less than `fewest` items a group on average an item's own error would
    be much of its group's mean: then the products of items within groups are compared. There is no
    check with one group, or where most items are alone in their group or groups of few items cut
    across clusters.
    """
    fit, skipped = fit_groups(codes, people.weight, fewest)
    if skipped == FEW_A_GROUP:
        inside, keep = within_groups(people, codes)
        return Within(name, inside, keep=keep, skipped="" if inside else skipped)
    return Within(name, skipped=skipped) if fit is None else _without_fit(people, name, fit)


def take_out_length(people: People, lengths: Floats, name: str = LENGTH) -> Within:
    """Take the logarithm of the length and indicators of its deciles out of the ratings.

    lengths: (n,), characters or entries of each item of `people`. There is no check where all are
    equally long. A fit of p columns takes p/n of the chance in the items' means with it, so that
    rho' would be too low; what is left of the means is multiplied by sqrt(n / (n - p)).
    """
    basis = _length_basis(lengths, people.weight)
    if basis is None:
        return Within(name, skipped=ONE_LENGTH)
    fit = _project(basis, people.weight)
    fitted = fit(people.means)
    scale = np.sqrt(people.n / max(people.n - basis.shape[1], 1))
    residuals = people.values - fitted[people.item]
    residuals += (scale - 1) * (people.means - fitted)[people.item]
    return Within(name, people.replace_values(residuals), fit)


def fit_groups(codes: Ints, weight: Floats, fewest: int) -> tuple[Fit | None, str]:
    """Return the map of values (n, K) to their groups' weighted means, or None and why not."""
    group, n_groups = _join_small_groups(codes, fewest)
    if len(codes) and len(codes) < fewest * len(np.unique(codes)):
        return None, FEW_A_GROUP
    if n_groups < 2:
        return None, ONE_GROUP
    sizes = np.bincount(group, weight, minlength=n_groups)

    def fit(values: Floats) -> Floats:
        columns = [np.bincount(group, weight * column, n_groups) / sizes for column in values.T]
        return np.stack(columns, axis=1)[group]

    return fit, ""


def fit_length(lengths: Floats, weight: Floats) -> tuple[Fit | None, str]:
    """Return the map of values (n, K) to their least-squares fit by length, or None and why not."""
    basis = _length_basis(lengths, weight)
    return (None, ONE_LENGTH) if basis is None else (_project(basis, weight), "")


def _length_basis(lengths: Floats, weight: Floats) -> Floats | None:
    """Return an orthonormal basis (n, p) of the length and its deciles; None for one length."""
    if not len(lengths) or np.ptp(lengths) == 0:
        return None
    log_length = np.log1p(lengths)
    deciles = np.quantile(log_length, np.arange(1, 10) / 10)
    spread = (log_length - log_length.mean()) / log_length.std()
    above = (log_length[:, None] > deciles).astype(np.float64)
    root = np.sqrt(weight)[:, None]
    table = root * np.column_stack([np.ones(len(lengths)), spread, above])
    vectors, sizes, _ = np.linalg.svd(table, full_matrices=False)
    return vectors[:, sizes > RANK * sizes[0]]


def _project(basis: Floats, weight: Floats) -> Fit:
    root = np.sqrt(weight)[:, None]
    return lambda values: basis @ (basis.T @ (root * values)) / root


def _without_fit(people: People, name: str, fit: Fit) -> Within:
    residuals = people.values - fit(people.means)[people.item]
    return Within(name, people.replace_values(residuals), fit)


def _join_small_groups(codes: Ints, fewest: int) -> tuple[Ints, int]:
    """Return codes without gaps, in which all groups below `fewest` items are one; their number."""
    sizes = np.bincount(codes)
    large = sizes >= fewest
    place = np.cumsum(large) - 1
    place[~large] = large.sum()
    joined = place[codes]
    return joined, int(large.sum()) + bool((~large[codes]).any())


def compare_beyond(within: Within, judge: Floats) -> Agreement:
    """Compare the judge's residuals with the raters': r', rho' and theta' in the result.

    judge: (n, K), a row for each item of the people that were given. r' is NaN where the grouping
    explains all but 1e-6 of the judge's variance. Raises ValueError for a check that was skipped.
    """
    if within.people is None:
        raise ValueError(f"{within.name}: {within.skipped}")
    people = within.people
    judge = judge if within.keep is None else judge[within.keep]
    variance = people.average(((judge - people.average(judge)) ** 2).sum(axis=1))
    residuals = judge if within.fit is None else judge - within.fit(judge)
    return compare_judge(people, residuals, floor=SAME_WITHIN * float(variance))
