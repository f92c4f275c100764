"""Make one question: a history, its recommendation, and an explanation of one cell.

Yao, Wang & Li (2022), section 4.2. A cell is one of four scores at one of three levels: the
explanation that is shown has the highest or the lowest of that score among its candidates, or the
one nearest to their mean.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from judges.counterfactual import proximity
from judges.counterfactual.factorisation import EXPLICIT, fold_in, train, with_row, without
from judges.counterfactual.proximity import NoScore
from judges.counterfactual.surveys.plan import (
    CELLS,
    COUNTERFACTUAL,
    HIGHEST,
    LOWEST,
    MEAN,
    SCORES,
    SEEN,
    SHOWN,
    NoQuestion,
)

DRAWS = 50  # of a history, until one can be used
OWN = 25  # of them for the film that is a cell's own, in a survey about a real person
SAME = 12  # decimals: scores that differ less are tied


@dataclass(frozen=True)
class Repeat:
    """Another seed's model on a question: whether it recommends the film, and its scores."""

    seed: int
    is_recommended: bool
    scores: dict[str, float]


@dataclass(frozen=True)
class Question:
    """One question of a survey.

    history, content and explaining are columns; scores: all four of the explanation that is shown;
    draws: how many histories were drawn for it; ratings: of the history, where the model asks for
    them; person: whose recommendation it is, empty of somebody made up; repeats: what models of
    other seeds say of it.
    """

    cell_score: str
    cell_level: str
    history: list[int]
    content: int
    explaining: list[int]
    scores: dict[str, float]
    draws: int
    ratings: list[float] = field(default_factory=list)
    person: str = ""
    repeats: tuple[Repeat, ...] = ()


def pick(values, level, count=1):
    """Return places of the `count` highest or lowest values, or of those nearest to the mean.

    Ties go to who stands first.
    """
    values = np.asarray(values, dtype=float)
    far = {HIGHEST: -values, LOWEST: values, MEAN: np.abs(values - values.mean())}[level]
    return np.argsort(np.round(far, SAME), kind="stable")[:count].tolist()


class Case:
    """One recipient, a row of the training, and what is recommended to them.

    seen: the nine films of their history that an explanation may name; has: all of it.
    """

    def __init__(self, films, recipe, matrix, row, seen, tick=None):
        self.genres, self.recipe, self.seen = films.genre_sets, recipe, np.asarray(seen)
        self.tick = tick or (lambda: None)
        self.matrix, self.row = matrix, row
        mine = slice(matrix.indptr[row], matrix.indptr[row + 1])
        self.has, self.ratings = matrix.indices[mine], matrix.data[mine]
        self.model = train(matrix, recipe)
        self.before = self.model.scores(row)
        self.spread = proximity.spread_of(self.before)
        self.content, self.top = self.best(1)[0], 1

    def best(self, count, among=True):
        """Return the columns that are recommended, best first; among: which may be, by column."""
        is_open = np.full(len(self.before), True) & among
        is_open[self.has] = False
        if np.count_nonzero(is_open) < count:
            raise NoScore(f"fewer than {count} films can be recommended")
        return np.argsort(-np.where(is_open, self.before, -np.inf), kind="stable")[:count].tolist()

    def scores_of(self, kind, explaining):
        """Compute a score, as its judge gives it, of each explanation; NoScore where it fails."""
        if kind == "cf-a":
            return self._cf_a(list(explaining))
        return [getattr(self, "_" + kind.replace("-", "_"))(some) for some in explaining]

    def _cf(self, some):
        self.tick()
        left = without(self.matrix, self.row, some)
        return self._led(train(left, self.recipe).scores(self.row)[None], [some])[0]

    def _cf_a(self, explaining):
        """Score all at once: the contents' part of the equations is the same for all candidates."""
        kept = [(self.has[:, None] != some).all(axis=1) for some in explaining]
        rest = [(self.has[some], self.ratings[some]) for some in kept]
        folded = fold_in(self.model.contents, rest, self.recipe)
        return self._led(folded @ self.model.contents.T, explaining)

    def _led(self, after, explaining):
        """Score without clipping: clipped scores would be tied."""
        raw = proximity.leads(after, self.content, self.has, explaining, self.top)
        return (raw / self.spread).tolist()

    def _item_sim(self, some):
        return proximity.similarity(self.model.contents, self.content, list(some))

    def _genre_jacc(self, some):
        return proximity.overlap(
            self.genres[self.content], [self.genres[column] for column in some]
        )


def explanation(case, score, level):
    """Choose the columns of a cell's explanation; NoScore where all candidates score the same."""
    is_whole = score in COUNTERFACTUAL
    seen = case.seen.tolist()
    candidates = list(combinations(seen, SHOWN if is_whole else 1))
    values = case.scores_of(score, map(list, candidates))
    if np.ptp(np.round(values, SAME)) == 0:
        raise NoScore(f"all candidates have the same {SCORES[score]}")
    chosen = pick(values, level, 1 if is_whole else SHOWN)
    return sorted(column for place in chosen for column in candidates[place])


def drawn(films, dice, people=False, row=None):
    """Draw (a history in the order of columns, the row of its person, or None).

    It is of popular films, or of those that one person has, whose row is given or drawn.
    """
    if people:
        if not films.histories:
            raise NoQuestion(f"nobody in the ratings has {SEEN} popular films")
        row = [*films.histories][dice.integers(len(films.histories))]
    pool = films.popular if row is None else films.histories[row]
    return np.sort(dice.choice(pool, SEEN, replace=False)).tolist(), row


def made_up(films, recipe, seen, of, tick=None):
    """Make the Case of somebody who has these nine films alone, and its ratings.

    In the explicit form a film is rated as by whose history it is drawn from, else as by all.
    """
    last, given = films.matrix.shape[0], np.ones(SEEN)
    if recipe.form != EXPLICIT:
        return Case(films, recipe, with_row(films.matrix, seen, given), last, seen, tick), []
    given = films.typical[seen] if of is None else films.ratings[of, seen].toarray().ravel()
    return Case(films, recipe, with_row(films.ratings, seen, given), last, seen, tick), list(given)


def person(films, recipe, row, seen, rank, tick=None):
    """Make the Case of a person of the ratings, about one of the best films for them, from 0.

    A film without genres is passed over: one of the scores has no value for it.
    """
    matrix = films.ratings if recipe.form == EXPLICIT else films.matrix
    case = Case(films, recipe, matrix, row, seen, tick)
    case.top = len(CELLS)
    case.content = case.best(case.top, [bool(own) for own in films.genre_sets])[rank]
    return case


def rank_of(number, draw, seed, others=True):
    """Return the place in the list that cell `number` explains in a draw, drawn for each survey.

    Each cell has a place of its own, so that no film stands twice. Where that one cannot be
    explained by any of some histories, the next place is, which has an explanation already; at
    once where the person has no other history. Questions do not know of each other.
    """
    ranks = np.random.default_rng(seed).permutation(len(CELLS))
    later = max(0, draw - (OWN if others else 1))
    return int(ranks[(number + later) % len(CELLS)])


def question(films, recipe, number, seed, tick=None, people=False, row=None):
    """Make the Question of cell `number`, from 0.

    seed: [whole numbers] that it is drawn by; tick is called before each training; row: the person
    whose survey it is, else somebody is made up. A history is drawn anew where a score has no value
    or does not tell the candidates apart.
    """
    score, level = CELLS[number]
    why = ""
    for draw in range(1, DRAWS + 1):
        dice = np.random.default_rng([*seed, number, draw])
        seen, of = drawn(films, dice, people, row)
        try:
            if row is None:
                case, ratings = made_up(films, recipe, seen, of, tick)
            else:
                rank = rank_of(number, draw, seed, len(films.histories[row]) > SEEN)
                case, ratings = person(films, recipe, row, seen, rank, tick), []
            if not case.genres[case.content]:  # found out before 84 trainings
                raise NoScore(proximity.NO_GENRES)
            shown = explanation(case, score, level)
            scores = {
                name: float(np.clip(case.scores_of(name, [shown])[0], -1, 1)) for name in SCORES
            }
        except NoScore as error:
            why = str(error)
            continue
        who = "" if row is None else films.people[row]
        return Question(score, level, seen, case.content, shown, scores, draw, ratings, who)
    raise NoQuestion(
        f"no explanation with the {level} {SCORES[score]} can be made: {why}, in {DRAWS} histories "
        "that were drawn. Take ratings that differ more between films, and films with genres"
    )
