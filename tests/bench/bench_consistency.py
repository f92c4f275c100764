"""NLI metrics of statements, given the model's scores.

Usage: python -m tests.bench.bench_consistency [items]. 10,000 items of five statements a side by
default: StEnt, StEnt-bin and StCoh, beside a loop over the items in numpy, taken in turn.
"""

import sys
import time

import numpy as np

from analysis.stats.statements.best_match import Pairs
from analysis.stats.statements.statement_entailment import statement_entailment

SIDE = 5


def looped(forward, backward):
    """What a plain loop makes of the same scores: E and E − C, both directions."""
    for one, other in zip(forward, backward, strict=True):
        for matrix in (one, other):
            entailed = matrix[..., 0] >= matrix.max(axis=2)
            yield matrix[..., 0].max(axis=1).mean(), entailed.max(axis=1).mean()
            yield (matrix[..., 0] - matrix[..., 2]).max(axis=1).mean(), 0


def main(n):
    dice = np.random.default_rng(1)
    both = dice.dirichlet([1, 1, 1], (2, n, SIDE, SIDE))
    sizes = np.full(n, SIDE)
    began = time.perf_counter()
    first, second = (Pairs(each.reshape(-1, 3), sizes, sizes) for each in both)
    found = statement_entailment(first, second)
    whole = time.perf_counter() - began
    began = time.perf_counter()
    plain = list(looped(*both))
    loop = time.perf_counter() - began
    assert np.allclose(found["ent"].precision, [p for p, _ in plain[::4]])
    print(f"{n:,} items × {SIDE} statements a side, {both.size // 3:,} pairs")
    print(f"all metrics of all items: {whole:.3f} s (to reach: 2 s for 10,000)")
    print(f"a loop over the items: {loop:.3f} s, {loop / whole:.0f} times as long")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
