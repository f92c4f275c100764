"""Compare the cells (score, level) of a study of explanations by paired tests.

Tables 3 and 4 of Yao, Wang & Li (2022): a pair is one participant's two screens.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.stats.comparison.differences import holm
from analysis.stats.comparison.paired_t import upper_paired_t

LEVELS, BETWEEN = "level_test", "score_test"
SCORES = ("cf", "cf-a", "item-sim", "genre-jacc")
HIGHEST, LOWEST, MEAN = "highest", "lowest", "mean"
LEVEL_NAMES = (HIGHEST, LOWEST, MEAN)
COLUMNS = ("cell_score", "cell_level")


@dataclass(frozen=True)
class Cells:
    """The cell (score, level) in which a study shows each item.

    of_item: the cell of each item (items,), −1 without a cell; names: (score, level) of each cell;
    scores: those that items have, in their order; strange: values that are no score or level.
    """

    of_item: np.ndarray
    names: list
    scores: list
    strange: list


def cells_of(scores):
    """Return the Cells of the items left in; None if no item has a cell."""
    if not {*COLUMNS} <= {*scores.items.columns}:
        return None
    columns = [_words(scores.items[column]) for column in COLUMNS]
    names = [(score, level) for score in SCORES for level in LEVEL_NAMES]
    places = {name: place for place, name in enumerate(names)}
    cells_of_items = list(zip(*columns, strict=True))
    of_item = np.array([places.get(cell, -1) for cell in cells_of_items], dtype=np.int64)
    if not (of_item >= 0).any():
        return None
    present = {names[place][0] for place in of_item[of_item >= 0].tolist()}
    strange = sorted(
        {" ".join(cell) for cell in cells_of_items if any(cell) and cell not in places}
    )
    return Cells(of_item, names, [score for score in SCORES if score in present], strange)


def _words(column):
    return [str(value).strip().lower() for value in column]


def comparisons(cells):
    """Return {table: [(first cell, second cell)]}; the first is expected to be rated higher."""
    levels = [
        ((score, HIGHEST), (score, other)) for score in cells.scores for other in (LOWEST, MEAN)
    ]
    between = [
        ((first, HIGHEST), (other, HIGHEST)) for first, other in combinations(cells.scores, 2)
    ]
    return {LEVELS: levels, BETWEEN: between}


def add_tests(work, cells):
    """Add a row per comparison and question, with Holm's p over all tests of a table.

    The adjustment counts every question, also those whose rows are not added.
    """
    rated = {key: means(work.scores, cells, place) for key, place in work.places.items()}
    for part, pairs in comparisons(cells).items():
        about = [(key, *cell) for cell in pairs for key in rated]
        tested = [
            upper_paired_t(*(rated[key][:, cells.names.index(cell)] for cell in both))
            for key, *both in about
        ]
        adjusted = holm([test.p for test in tested]).tolist()
        for (key, *both), test, p_holm in zip(about, tested, adjusted, strict=True):
            if key in work.wanted:
                _add(work, part, key, both, test, p_holm)


def _add(work, part, key, both, tested, p_holm):
    (score, level), (other, other_level) = both
    work.add_estimate(
        part,
        tested.difference,
        question=key,
        score=score,
        level=level,
        other=other,
        other_level=other_level,
        measure="mean_difference",
        mean=tested.mean,
        sd=tested.sd,
        other_mean=tested.other_mean,
        other_sd=tested.other_sd,
        t=tested.t,
        p=tested.p,
        p_holm=p_holm,
    )


def means(scores, cells, place):
    """Return raters' mean ratings of each cell (raters, cells) on one question; NaN if none."""
    role = scores.options.reference
    items, raters, values = scores.given(place, role)
    cell = cells.of_item[items]
    inside = cell >= 0
    shape = len(scores.raters_of(role)), len(cells.names)
    flat = raters[inside] * shape[1] + cell[inside]
    size = shape[0] * shape[1]
    n = np.bincount(flat, minlength=size)
    sums = np.bincount(flat, values[inside], minlength=size)
    return np.divide(sums, n, out=np.full(size, np.nan), where=n > 0).reshape(shape)


def notes(work, cells):
    """Write notes on the tests, and on values of the columns that name no cell."""
    if not cells:
        return
    n = {part: len(pairs) * len(work.places) for part, pairs in comparisons(cells).items()}
    yield (
        "Tables 3 and 4: paired t-tests, one-tailed (upper): the first is rated higher. A pair is "
        "one participant's two screens; who saw several of a cell counts with their mean. Means "
        "and standard deviations are over the participants of the pairs; low and high are a "
        "two-sided 95 % interval of the difference."
    )
    yield (
        f"p_holm: adjusted (Holm) for all {n[LEVELS]} tests of table 3, and for all {n[BETWEEN]} "
        "of table 4, over all questions, whichever are shown."
    )
    if cells.strange:
        yield f"Cells that no test knows: {'; '.join(cells.strange[:5])}."
