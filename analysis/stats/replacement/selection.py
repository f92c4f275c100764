"""Compare judge and people on which of two lists fits better, and which items do not fit.

model_selection(human, judge, tie)          wins, ties, losses and MSA over pairs of lists
misfit_recall(ratings, misfit)              RSM: how many strong misfits the judge sees
misfit_precision(ratings, misfit)           how many of the judge's misfits are strong ones
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.inputs import Flags, Floats, Ints, complete_pairs
from analysis.stats.intervals.bootstrap import cluster_sums, weighted_sums, with_interval

STRONGLY = 1.0  # rating from which downwards an item is strongly misaligned


@dataclass(frozen=True)
class ModelSelection:
    """Verdicts on pairs of lists, the judge's compared with people's.

    wins: both name the same list; ties: both say tie; losses: everything else, one-sided ties
    included. msa: (wins + ties) / n; win_share: wins / n; one_sided_ties: share of pairs in which
    exactly one of them says tie.
    """

    wins: int
    ties: int
    losses: int
    msa: Estimate
    win_share: Estimate
    one_sided_ties: Estimate


def model_selection(
    human: ArrayLike,
    judge: ArrayLike,
    tie: float,
    *,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> ModelSelection:
    """Count the pairs of lists on which people and the judge prefer the same one.

    human, judge, clusters: (N,), codes of the preferred list or `tie`; NaN drops the pair.
    Estimate.n: pairs. NaN where no pair has both verdicts. Raises ValueError for unequal lengths.
    Source: model selection agreement of podcast recommendations judged from a profile (2025),
    whose printed values are (wins + ties) / n.
    """
    people, machine, units = complete_pairs(human, judge, clusters)
    same, tied = people == machine, (people == tie) & (machine == tie)
    one_sided = (people == tie) != (machine == tie)
    everything = np.ones(len(people), dtype=bool)
    why = "no pair of lists has a verdict of both"

    def estimate_share(flags: Flags) -> Estimate:
        return share(flags, everything, why, units, counts)

    wins, ties = int((same & ~tied).sum()), int(tied.sum())
    return ModelSelection(
        wins,
        ties,
        len(people) - wins - ties,
        estimate_share(same),
        estimate_share(same & ~tied),
        estimate_share(one_sided),
    )


def misfit_recall(
    ratings: ArrayLike,
    misfit: ArrayLike,
    *,
    strongly: float = STRONGLY,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return RSM: the judge's share of misfits among items that people rate `strongly` or lower.

    ratings: (N,); misfit: (N,) 1 or 0; NaN drops the item; clusters: (N,). Estimate.n: items that
    are strongly misaligned; NaN where there is none. Raises ValueError for unequal lengths.
    Source: rate of strong misalignment, as for `model_selection`.
    """
    low, called, units = _misfits(ratings, misfit, strongly, clusters)
    return share(low & called, low, "no item is strongly misaligned", units, counts)


def misfit_precision(
    ratings: ArrayLike,
    misfit: ArrayLike,
    *,
    strongly: float = STRONGLY,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return the share of the judge's misfits that people rate `strongly` or lower.

    As for `misfit_recall`; Estimate.n: items called misfits, NaN where there is none.
    Raises ValueError for unequal lengths.
    """
    low, called, units = _misfits(ratings, misfit, strongly, clusters)
    return share(low & called, called, "the judge calls no item a misfit", units, counts)


def _misfits(
    ratings: ArrayLike, misfit: ArrayLike, strongly: float, clusters: Ints | None
) -> tuple[Flags, Flags, Ints | None]:
    values, flags, units = complete_pairs(ratings, misfit, clusters)
    return values <= strongly, flags == 1, units


def share(
    chosen: Flags | Floats,
    among: Flags,
    why: str,
    clusters: Ints | None = None,
    counts: NDArray[Any] | None = None,
) -> Estimate:
    """Return the share of `among` (N,) that is chosen; NaN, and why, where among is empty.

    chosen: (N,) flags or parts in 0..1, none outside `among`.
    """
    n = int(among.sum())
    value = float(chosen.sum() / n) if n else np.nan
    rows = np.flatnonzero(among)

    def draws(codes: Ints, counts: NDArray[Any]) -> Floats:
        columns = chosen[rows].astype(np.float64), np.ones(n)
        taken, total = weighted_sums(counts, cluster_sums(codes, counts.shape[1], *columns)).T
        return taken / total

    estimate = Estimate(value, n=n, reason="" if n else why)
    return with_interval(
        estimate, None if clusters is None else clusters[rows], counts, draws, is_share=True
    )
