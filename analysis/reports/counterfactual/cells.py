"""Compare the cells (score, level) of a study of explanations by paired tests.

Tables 3 and 4 of Yao, Wang & Li (2022): a pair is one participant's two screens.
"""

from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np

from analysis.figures.layout import Table, cell_of
from analysis.reports.words import chance, notes_beside
from analysis.stats.comparison.differences import holm
from analysis.stats.comparison.paired_t import upper_paired_t

say = notes_beside(__file__, "counterfactual")

LEVELS, BETWEEN = "level_test", "score_test"
TITLES = {LEVELS: "Table 3", BETWEEN: "Table 4"}
SCORES = {"cf": "CF", "cf-a": "CF-A", "item-sim": "Item-Sim", "genre-jacc": "Genre-Jacc"}
HIGHEST, LOWEST, MEAN = "highest", "lowest", "mean"
CELLS = [(score, level) for score in SCORES for level in (HIGHEST, LOWEST, MEAN)]
COLUMNS = ("cell_score", "cell_level")
HEADINGS = [f"{name}: mean ± sd" for name in ("First", "Second")]
HEADINGS += ["Difference", "t", "p", "Holm p", "Pairs"]


@dataclass(frozen=True)
class Cells:
    """The cell (score, level) in which a study shows each item.

    of_item: the place of each item's cell in CELLS (items,), −1 without; strange: values that are
    no score or level.
    """

    of_item: np.ndarray
    strange: list

    @property
    def comparisons(self):
        """{table: [(first cell, second cell)]}; the first is expected to be rated higher."""
        present = {CELLS[place][0] for place in self.of_item[self.of_item >= 0].tolist()}
        scores = [score for score in SCORES if score in present]
        levels = [
            ((score, HIGHEST), (score, other)) for score in scores for other in (LOWEST, MEAN)
        ]
        between = [((first, HIGHEST), (other, HIGHEST)) for first, other in combinations(scores, 2)]
        return {LEVELS: levels, BETWEEN: between}


def cells_of(scores):
    """Return the Cells of the items left in; None if no item has a cell."""
    if not {*COLUMNS} <= {*scores.items.columns}:
        return None
    columns = [[str(value).strip().lower() for value in scores.items[column]] for column in COLUMNS]
    named = list(zip(*columns, strict=True))
    places = {name: place for place, name in enumerate(CELLS)}
    of_item = np.array([places.get(cell, -1) for cell in named], dtype=np.int64)
    strange = sorted({" ".join(cell) for cell in named if any(cell) and cell not in places})
    return Cells(of_item, strange) if (of_item >= 0).any() else None


def add(work, cells):
    """Add a row per comparison and question, with Holm's p over all tests of a table.

    The adjustment counts every question, also those whose rows are not added.
    """
    rated = {key: _means(work.scores, cells, place) for key, place in work.places.items()}
    for part, pairs in cells.comparisons.items():
        about = [(key, *both) for both in pairs for key in rated]
        tested = [
            upper_paired_t(*(rated[key][:, CELLS.index(cell)] for cell in both))
            for key, *both in about
        ]
        adjusted = holm([test.p for test in tested]).tolist()
        for (key, first, second), test, p_holm in zip(about, tested, adjusted, strict=True):
            if key in work.wanted:
                facts = {"question": key, "measure": "mean_difference", "p_holm": p_holm}
                facts |= dict(
                    zip(("score", "level", "other", "other_level"), first + second, strict=True)
                )
                names = "mean", "sd", "other_mean", "other_sd", "t", "p"
                facts |= {name: getattr(test, name) for name in names}
                work.add_estimate(part, test.difference, **facts)


def _means(scores, cells, place):
    """Return raters' mean ratings of each cell (raters, cells) on one question; NaN if none."""
    role = scores.options.reference
    items, raters, values = scores.given(place, role)
    cell = cells.of_item[items]
    inside = cell >= 0
    shape = len(scores.raters_of(role)), len(CELLS)
    flat = raters[inside] * shape[1] + cell[inside]
    size = shape[0] * shape[1]
    n = np.bincount(flat, minlength=size)
    sums = np.bincount(flat, values[inside], minlength=size)
    return np.divide(sums, n, out=np.full(size, np.nan), where=n > 0).reshape(shape)


def list_notes(work, cells):
    """Write notes on the tests, and on values of the columns that name no cell."""
    if not cells:
        return
    n = {part: len(pairs) * len(work.places) for part, pairs in cells.comparisons.items()}
    yield say("tests")
    yield say("holm", level=n[LEVELS], between=n[BETWEEN])
    if cells.strange:
        yield f"Cells that no test knows: {'; '.join(cells.strange[:5])}."


def tables(entries_by_part):
    """Yield a table of each part: a line for each comparison and question."""
    for part, title in TITLES.items():
        if not (entries := entries_by_part[part]):
            continue
        keys = {entry.row["question"] for entry in entries}
        lines = [(_compared(e.row, with_question=len(keys) > 1), _tested(e)) for e in entries]
        asks = f"{keys.pop()}: is" if len(keys) == 1 else "Is"
        caption = (
            f"{title}. {asks} the first rated above the second? Paired t-test, one-tailed; a pair "
            "is one participant."
        )
        yield Table(caption, HEADINGS, lines, [], "First / second")


def _compared(row, with_question):
    """Name what is compared: CF highest / CF lowest."""
    first = f"{SCORES[row['score']]} {row['level']}"
    second = f"{SCORES[row['other']]} {row['other_level']}"
    return f"{first} / {second}" + (f", {row['question']}" if with_question else "")


def _tested(entry):
    row = entry.row
    sides = [_mean_sd(row[f"{side}mean"], row[f"{side}sd"]) for side in ("", "other_")]
    t = "–" if isnan(row["t"]) else f"{row['t']:.2f}"
    numbers = [t, chance(row["p"]), chance(row["p_holm"])]
    return [*sides, cell_of(entry, entry.reason), *numbers, f"{row['n']:,}"]


def _mean_sd(mean, sd):
    if isnan(mean):
        return "–"
    return f"{mean:.2f}" + ("" if isnan(sd) else f" ± {sd:.2f}")
