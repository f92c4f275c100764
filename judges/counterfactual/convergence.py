"""Watch recommendations and CF settle while the model of a study trains, from several seeds."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from annotate.models import Item
from judges.counterfactual import histories, proximity
from judges.counterfactual.factorisation import EXPLICIT, train, without
from judges.counterfactual.proximity import NoScore
from judges.counterfactual.scorer import explaining_keys

ITERATIONS = (10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Explained:
    """A recommendation with its explanation: a row of a matrix, and columns."""

    item: str
    matrix: sparse.csr_matrix
    row: int
    content: int
    explaining: list[int]

    @property
    def seen(self):
        return self.matrix.indices[self.matrix.indptr[self.row] : self.matrix.indptr[self.row + 1]]


def sample(study, n, seed, form):
    """Draw n explanations of a study that name contents of the recipient's history, by a seed.

    All where there are not so many; NoScore where there is none.
    """
    ratings = histories.read_histories(study)
    if form == EXPLICIT and ratings.unrated:
        raise NoScore("the explicit form needs ratings, and some interactions have none")
    columns = {content.key: ratings.columns.get(content.pk) for content in _contents(study)}
    items = Item.objects.filter(study=study, recipient__isnull=False, content__isnull=False)
    named = [item for item in items.order_by("key") if explaining_keys(item)]
    order = np.random.default_rng([seed]).permutation(len(named)).tolist()
    cases: list[Explained] = []
    for item in (named[place] for place in order):
        case = _explained(item, ratings, columns)
        if case and len(cases) < n:
            cases.append(case)
    if not cases:
        raise NoScore("no item explains a recommendation by contents of its recipient's history")
    return cases


def _contents(study):
    return study.contents.only("pk", "key")


def _explained(item, ratings, columns):
    """Return the Explained of an item, or None where its judge could not score it."""
    try:
        matrix, row = ratings.matrix_for(item.recipient_id)
    except NoScore:
        return None
    explaining = [columns.get(key) for key in explaining_keys(item)]
    content = ratings.columns.get(item.content_id)
    if None in (content, *explaining):
        return None
    case = Explained(item.key, matrix, row, content, explaining)
    seen = {*case.seen.tolist()}
    is_whole = {*explaining} < seen and content not in seen
    return case if is_whole else None


def watch(cases, recipe, seeds, iterations, say=lambda done, whole: None, top=1):
    """Train the model of each case from each seed and look at it after so many iterations.

    top: how many films are recommended. say(done, all) is called after a case. Returns
    {"iterations", "seeds", "items", "best", "cf"}: best[s][t][i] is the column of the film that
    stands first for case i after iterations[t] from seeds[s], cf[s][t][i] the normalised CF of its
    explanation, with both models trained for as many.
    """
    best, cf = [], []
    for place, seed in enumerate(seeds):
        own = []
        for number, case in enumerate(cases, 1):
            own.append(_trajectory(case, replace(recipe, seed=seed), iterations, top))
            say(place * len(cases) + number, len(seeds) * len(cases))
        best.append([[films[t] for films, _ in own] for t in range(len(iterations))])
        cf.append([[values[t] for _, values in own] for t in range(len(iterations))])
    items = [case.item for case in cases]
    facts = {"iterations": [*iterations], "seeds": [*seeds], "items": items}
    return facts | {"best": best, "cf": cf}


def _trajectory(case, recipe, iterations, top):
    """Return (films that stand first, values of CF) after each number of iterations."""
    left = without(case.matrix, case.row, case.explaining)
    films, values = [], []
    both = zip(
        _scores(case.matrix, case.row, recipe, iterations),
        _scores(left, case.row, recipe, iterations),
        strict=True,
    )
    for before, after in both:
        among = before.copy()
        among[case.seen] = -np.inf
        films.append(int(among.argmax()))
        effect = proximity.proximity(before, after, case.content, case.seen, case.explaining, top)
        values.append(effect.value)
    return films, values


def _scores(matrix, row, recipe, iterations):
    """Yield a row's scores after each number of iterations; each training goes on from the last."""
    model, done = None, 0
    for count in iterations:
        model = train(matrix, replace(recipe, iterations=count - done), begin=model)
        done = count
        yield model.scores(row)
