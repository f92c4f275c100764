"""One question of a survey: a history, what is recommended for it, and an explanation of one cell.

Yao, Wang & Li (2022), section 4.2. A cell is one of four scores at one of three levels: the
explanation that is shown has the highest or the lowest of that score among its candidates, or the
one nearest to their mean.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judges import proximity
from judges.factorisation import fold_in, train, with_row, without
from judges.proximity import NoScore
from judges.surveys.plan import CELLS, HIGHEST, LOWEST, MEAN, SCORES, SEEN, SHOWN, NoQuestion

DRAWS = 50  # of a history, until one can be used
SAME = 12  # decimals: scores that differ less are tied


@dataclass(frozen=True)
class Question:
    """history, content and explaining are columns; scores: all four of the explanation that is
    shown; draws: how many histories were drawn for it.
    """

    cell_score: str
    cell_level: str
    history: list[int]
    content: int
    explaining: list[int]
    scores: dict[str, float]
    draws: int


def pick(values, level, count=1):
    """The places of the count highest or lowest values, or of those nearest to the mean.

    Ties go to who stands first.
    """
    values = np.asarray(values, dtype=float)
    far = {HIGHEST: -values, LOWEST: values, MEAN: np.abs(values - values.mean())}[level]
    return np.argsort(np.round(far, SAME), kind="stable")[:count].tolist()


class Case:
    """One made-up recipient: a row of their own in the training, and its top recommendation."""

    def __init__(self, films, recipe, seen, tick=None):
        self.genres, self.recipe, self.seen = films.genre_sets, recipe, np.asarray(seen)
        self.tick = tick or (lambda: None)
        self.matrix = with_row(films.matrix, seen, np.ones(len(seen)))
        self.row = films.matrix.shape[0]
        self.model = train(self.matrix, recipe)
        self.before = self.model.scores(self.row)
        is_open = np.ones(len(self.before), dtype=bool)
        is_open[self.seen] = False
        self.content = int(np.argmax(np.where(is_open, self.before, -np.inf)))

    def scores_of(self, kind, explaining):
        """One of the four, as judges give it, of each explanation; NoScore where it has none."""
        if kind == "cf-a":
            return self._cf_a(list(explaining))
        return [getattr(self, "_" + kind.replace("-", "_"))(some) for some in explaining]

    def _cf(self, some):
        self.tick()
        left = without(self.matrix, self.row, some)
        return self._near(train(left, self.recipe).scores(self.row), some)

    def _cf_a(self, explaining):
        """All at once: the contents' part of the equations is the same for every candidate."""
        left = [np.setdiff1d(self.seen, some) for some in explaining]
        rest = [(columns, np.ones(len(columns))) for columns in left]
        found = zip(fold_in(self.model.contents, rest, self.recipe), explaining, strict=True)
        return [self._near(self.model.contents @ alone, some) for alone, some in found]

    def _near(self, after, some):
        found = proximity.proximity(self.before, after, self.content, self.seen, some)
        return found.raw / found.spread  # not clipped yet: what is clipped would be tied

    def _item_sim(self, some):
        return proximity.similarity(self.model.contents, self.content, list(some))

    def _genre_jacc(self, some):
        return proximity.overlap(self.genres[self.content], [self.genres[one] for one in some])


def explanation(case, score, level):
    """The columns of one cell's explanation; NoScore where all candidates have the same score."""
    is_whole = score in ("cf", "cf-a")
    seen = case.seen.tolist()
    candidates = list(combinations(seen, SHOWN if is_whole else 1))
    values = case.scores_of(score, map(list, candidates))
    if np.ptp(np.round(values, SAME)) == 0:
        raise NoScore(f"all candidates have the same {SCORES[score]}")
    chosen = pick(values, level, 1 if is_whole else SHOWN)
    return sorted(one for place in chosen for one in candidates[place])


def drawn(films, dice, people=False):
    """A history, in the order of columns: of popular films, or of those that one person has."""
    pool = films.popular
    if people:
        if not films.histories:
            raise NoQuestion(f"nobody in the ratings has {SEEN} popular films")
        pool = films.histories[dice.integers(len(films.histories))]
    return np.sort(dice.choice(pool, SEEN, replace=False)).tolist()


def question(films, recipe, number, seed, tick=None, people=False):
    """The Question of cell `number`, from 0; seed: [whole numbers] that it is drawn by; tick is
    called before each training.

    A history is drawn anew where a score has no value or does not tell the candidates apart.
    """
    score, level = CELLS[number]
    why = ""
    for draw in range(1, DRAWS + 1):
        dice = np.random.default_rng([*seed, number, draw])
        seen = drawn(films, dice, people)
        try:
            case = Case(films, recipe, seen, tick)
            shown = explanation(case, score, level)
            scores = {one: float(np.clip(case.scores_of(one, [shown])[0], -1, 1)) for one in SCORES}
        except NoScore as error:
            why = str(error)
            continue
        return Question(score, level, seen, case.content, shown, scores, draw)
    raise NoQuestion(
        f"no explanation with the {level} {SCORES[score]} can be made: {why}, in {DRAWS} histories "
        "that were drawn. Take ratings that differ more between films, and films with genres"
    )
