"""Score made questions again with models of other seeds.

The seed of a study chooses its films and explanations, so that more seeds change no question: they
say how far the scores follow from where the training began.
"""

from dataclasses import replace

import numpy as np

from judges.counterfactual.factorisation import EXPLICIT, with_row
from judges.counterfactual.proximity import NoScore
from judges.counterfactual.surveys.choosing import Case, Repeat, person
from judges.counterfactual.surveys.plan import COUNTERFACTUAL, NoQuestion

# The columns of items.csv: of seeds, then of each score.
SEEDS, RECOMMENDED_BY = "seeds", "recommended_by_seeds"
SPREADS = ("mean", "sd", "min", "max")


def score_again(films, recipe, made, seed, row=None, tick=None):
    """Score a question's explanation by the model of another seed, as a Repeat.

    row: the person whose survey it is; else the history belongs to somebody made up. Recommended
    is a film that stands in a list as long as that of the study. NoQuestion where this model has
    no score.
    """
    recipe = replace(recipe, seed=seed)
    try:
        case, listed = _case_and_list(films, recipe, made, row, tick)
        case.content = made.content
        scores = {kind: case.scores_of(kind, [made.explaining])[0] for kind in COUNTERFACTUAL}
    except NoScore as error:
        raise NoQuestion(f"the model of seed {seed} does not score a question: {error}") from error
    clipped = {kind: float(np.clip(score, -1, 1)) for kind, score in scores.items()}
    return Repeat(seed, made.content in listed, clipped)


def _case_and_list(films, recipe, made, row, tick):
    """Make the Case of the question's recipient, and the columns that this model recommends."""
    if row is not None:
        case = person(films, recipe, row, made.history, 0, tick)
        return case, case.best(case.top, [bool(own) for own in films.genre_sets])
    ratings = films.ratings if recipe.form == EXPLICIT else films.matrix
    given = made.ratings or np.ones(len(made.history))
    matrix = with_row(ratings, made.history, given)
    case = Case(films, recipe, matrix, ratings.shape[0], made.history, tick)
    return case, [case.content]


def column_names():
    """List the columns of items.csv that say how far scores follow from the seed."""
    names = [
        f"{score.replace('-', '_')}_{spread}" for score in COUNTERFACTUAL for spread in SPREADS
    ]
    return [SEEDS, RECOMMENDED_BY, *names]


def cells_of(made, seed):
    """Return these columns' cells of a question made by this seed, with its repeats."""
    recommending = [again.seed for again in made.repeats if again.is_recommended]
    lists = [[seed, *(again.seed for again in made.repeats)], [seed, *recommending]]
    cells = ["|".join(map(str, seeds)) for seeds in lists]
    for score in COUNTERFACTUAL:
        values = [made.scores[score], *(again.scores[score] for again in made.repeats)]
        cells += [np.mean(values), np.std(values, ddof=1), min(values), max(values)]
    return [cell if isinstance(cell, str) else float(cell) for cell in cells]
