"""The worked examples of the verdict's definitions, and small random studies."""

import numpy as np

from analysis.stats.validation.people import gather_people, indicators

CROWD = "1a4 1b5 1c4 2a2 2d1 2e3 3b3 3d3 4c5 4e4 4f5 5a1 5f2 6b4 6d2 6e3 7c2 7f1 7a3 8d4 8e5 8f3"
CROWD_JUDGE = np.array([4, 2, 3, 4, 2, 4, 1, 5.0])[:, None]
PAIRS = [0, 0, 1, 1, 2, 2, 3, 3]
LABELS = ["aab", "bbb", "abc", "ccc", "cbc", "aaa"]
LABELS_JUDGE = "abaccb"
CONTENTS = ["45", "33", "21", "55", "43", "23", "34", "23", "11", "54", "34", "32"]
CONTENTS_JUDGE = np.array([4, 3, 2, 5, 4, 2, 4, 2, 2, 4, 4, 3.0])[:, None]
SYSTEMS, CONTENT = np.tile([0, 1, 2], 4), np.repeat(range(4), 3)


def crowd(**options):
    """Example A: eight items, three of six raters each (two of them by two)."""
    values, items, raters = zip(
        *((int(c[2]), int(c[0]) - 1, "abcdef".index(c[1])) for c in CROWD.split()), strict=True
    )
    return gather_people(values, items, raters, 8, **options)


def labels():
    """Example B: six items, three raters, three labels; and the judge."""
    codes = np.array(["abc".index(c) for row in LABELS for c in row])
    items, raters = np.repeat(range(6), 3), np.tile(range(3), 6)
    judge = indicators(np.array(["abc".index(c) for c in LABELS_JUDGE]), 3)
    return gather_people(indicators(codes, 3), items, raters, 6), judge


def contents(**options):
    """Example D: four contents by three systems, two raters."""
    values = [int(c) for row in CONTENTS for c in row]
    options = {"clusters": CONTENT, **options}
    return gather_people(values, np.repeat(range(12), 2), np.tile([0, 1], 12), 12, **options)


def long_study(seed, n=60, raters=12, most=4):
    """A crowd with one to `most` ratings per item: values, items, raters, judge (n,)."""
    rng = np.random.default_rng(seed)
    items, chosen = [], []
    for item in range(n):
        m = rng.integers(1, most + 1)
        items += [item] * m
        chosen += rng.choice(raters, m, replace=False).tolist()
    quality, items = rng.normal(size=n), np.array(items)
    noise = rng.normal(size=len(items))
    values = np.clip(np.round(3 + quality[items] + noise), 1, 5)
    judge = np.clip(np.round(3 + quality + rng.normal(size=n)), 1, 5)
    return values, items, np.array(chosen), judge
