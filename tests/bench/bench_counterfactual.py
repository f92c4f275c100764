"""Counterfactual scores of the explanations of one recommendation, MovieLens-small's shape.

Usage: python -m tests.bench.bench_counterfactual [explanations]. 84 by default: all subsets of
three of a history of nine. The full scores beside as many trainings by implicit alone, taken in
turn; the scores that solve only the recipient, and the warm start; how alike they rank.
"""

import sys
import time
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from implicit.cpu.als import AlternatingLeastSquares
from scipy import sparse
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from judges.counterfactual.factorisation import Recipe, train, with_row, without
from judges.counterfactual.proximity import proximity
from judges.counterfactual.surveys.choosing import Case

RECIPIENTS, CONTENTS, INTERACTIONS = 610, 9724, 100_836
WARM = 2


def histories(dice):
    """Random histories whose contents are as unevenly popular as films are."""
    weights = 1 / np.arange(1, CONTENTS + 1)
    columns = dice.choice(CONTENTS, size=2 * INTERACTIONS, p=weights / weights.sum())
    rows = dice.integers(0, RECIPIENTS, size=2 * INTERACTIONS)
    pairs = np.unique(np.stack([rows, columns]), axis=1)
    pairs = pairs[:, dice.permutation(pairs.shape[1])[:INTERACTIONS]]
    values = np.ones(pairs.shape[1])
    return sparse.csr_matrix((values, (pairs[0], pairs[1])), shape=(RECIPIENTS, CONTENTS))


def plain(matrix, recipe):
    """One training by implicit, as anybody would call it."""
    with threadpool_limits(1, "blas"):
        model = AlternatingLeastSquares(
            factors=recipe.factors,
            iterations=recipe.iterations,
            regularization=recipe.regularisation,
            use_cg=False,
            dtype=np.float64,
        )
        model.fit(matrix, show_progress=False)


def main(most):
    dice, recipe = np.random.default_rng(1), Recipe()
    matrix = histories(dice)
    popular = np.argsort(-np.bincount(matrix.indices, minlength=CONTENTS))[:900]
    seen = np.sort(dice.choice(popular, 9, replace=False))
    matrix = with_row(matrix, seen, np.ones(9))
    row = matrix.shape[0] - 1
    model = train(matrix, recipe)
    before = model.scores(row)
    content = int(np.argmax(np.where(np.isin(np.arange(CONTENTS), seen), -np.inf, before)))
    subsets = [list(some) for some in combinations(seen.tolist(), 3)][:most]

    def score(after, subset):
        return proximity(before, after, content, seen, subset).value

    full, warm, seconds = [], [], dict.fromkeys(("full", "implicit", "warm"), 0.0)
    for subset in subsets:
        for what in ("full", "implicit", "warm"):
            began = time.perf_counter()
            if what == "implicit":
                plain(matrix, recipe)
            elif what == "full":
                full.append(score(train(without(matrix, row, subset), recipe).scores(row), subset))
            else:
                again = Recipe(iterations=WARM)
                left = without(matrix, row, subset)
                warm.append(score(train(left, again, begin=model).scores(row), subset))
            seconds[what] += time.perf_counter() - began
    case = Case(SimpleNamespace(genre_sets=[]), recipe, matrix, row, seen)
    alone = []
    for _ in range(5):
        began = time.perf_counter()
        folded = case.scores_of("cf-a", subsets)
        alone.append(time.perf_counter() - began)
    print(f"{len(subsets)} explanations, {matrix.shape[0]} recipients x {CONTENTS} contents")
    print(
        f"  in full: {seconds['full']:.1f} s, {seconds['full'] / seconds['implicit']:.2f} of as "
        f"many trainings by implicit alone (target: at most 1.2)"
    )
    print(
        f"  warm start, {WARM} iterations: {seconds['warm']:.1f} s; the recipient alone: "
        f"{1000 * np.median(alone):.1f} ms (target: at most 20 for 84)"
    )
    for name, values in (("warm start", warm), ("recipient alone", folded)):
        print(
            f"  Kendall's tau with the full scores, {name}: "
            f"{kendalltau(full, values).statistic:.2f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 84)
