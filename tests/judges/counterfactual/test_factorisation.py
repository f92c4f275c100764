"""Factorisation and proximity against cases solved by hand, by other formulas and by implicit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from implicit.cpu.als import AlternatingLeastSquares
from scipy import sparse

from judges.counterfactual import proximity
from judges.counterfactual.factorisation import (
    EXPLICIT,
    Model,
    Recipe,
    fold_in,
    start,
    train,
    with_row,
    without,
)

# Three recipients, four contents. The first has A and B; the second B and C; the third A, C, D.
SEEN = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=float)
RATED = np.array([[5, 3, 0, 0], [0, 4, 1, 0], [4, 0, 2, 5]], dtype=float)


def one_factor(weights, wanted, penalty, y, iterations):
    """ALS with a single factor, where each solution is a quotient of sums; plain Python."""
    rows, columns = range(len(weights)), range(len(weights[0]))
    x = [0.0 for _ in rows]
    for _ in range(iterations):
        x = [
            sum(weights[u][i] * wanted[u][i] * y[i] for i in columns)
            / (sum(weights[u][i] * y[i] ** 2 for i in columns) + penalty(weights[u]))
            for u in rows
        ]
        y = [
            sum(weights[u][i] * wanted[u][i] * x[u] for u in rows)
            / (
                sum(weights[u][i] * x[u] ** 2 for u in rows)
                + penalty([weights[u][i] for u in rows])
            )
            for i in columns
        ]
    return x, y


def by_hand(matrix, recipe):
    """The one-factor model of a dense matrix."""
    y = start(recipe, matrix.shape).contents[:, 0].tolist()
    seen = (matrix > 0).tolist()
    if recipe.form == EXPLICIT:
        weights = [[float(has) for has in row] for row in seen]
        wanted, penalty = matrix.tolist(), lambda some: recipe.regularisation * sum(some)
    else:
        weights = [[recipe.confidence if has else 1.0 for has in row] for row in seen]
        wanted, penalty = seen, lambda _some: recipe.regularisation
    return one_factor(weights, wanted, penalty, y, recipe.iterations)


@pytest.mark.parametrize(
    ("recipe", "matrix"),
    [
        (Recipe(factors=1, iterations=7, regularisation=0.3, confidence=5), SEEN),
        (Recipe(factors=1, iterations=7, regularisation=0.3), SEEN),
        (Recipe(EXPLICIT, factors=1, iterations=7, regularisation=0.3), RATED),
    ],
)
def test_training_equals_the_closed_form_with_one_factor(recipe, matrix):
    x, y = by_hand(matrix, recipe)
    model = train(sparse.csr_matrix(matrix), recipe)
    np.testing.assert_allclose(model.recipients[:, 0], x, atol=1e-8)
    np.testing.assert_allclose(model.contents[:, 0], y, atol=1e-8)


@pytest.mark.parametrize("form", ["implicit", EXPLICIT])
def test_proximity_equals_the_case_solved_by_hand(form):
    """The third recipient, D explained by A: forget A, retrain, compare."""
    recipe = Recipe(form, factors=1, iterations=5, regularisation=0.2)
    matrix = RATED.copy()
    matrix[2, 3], matrix[0, 3] = 0, 4  # D was not seen by the third, but by the first
    forgot = matrix.copy()
    forgot[2, 0] = 0
    x, y = by_hand(matrix, recipe)
    after_x, after_y = by_hand(forgot, recipe)
    before = [x[2] * each for each in y]
    after = [after_x[2] * each for each in after_y]
    # B was never seen, A is open again; C stays seen; D is recommended.
    raw = max(after[0], after[1]) - after[3]
    spread = max(before) - min(before)

    sparsely = sparse.csr_matrix(matrix)
    model, again = train(sparsely, recipe), train(without(sparsely, 2, [0]), recipe)
    found = proximity.proximity(model.scores(2), again.scores(2), 3, [0, 2], [0])
    assert found.raw == pytest.approx(raw, abs=1e-8)
    assert found.value == pytest.approx(max(-1, min(1, raw / spread)), abs=1e-8)
    assert found.rank_before == 1 + (before[1] > before[3])
    assert found.rank_after == 1 + (after[0] > after[3]) + (after[1] > after[3])


def dense(n_rows, n_columns, seed):
    dice = np.random.default_rng(seed)
    return sparse.csr_matrix(
        dice.integers(1, 6, (n_rows, n_columns)) * (dice.random((n_rows, n_columns)) < 0.3)
    ).astype(float)


@pytest.mark.parametrize("form", ["implicit", EXPLICIT])
@pytest.mark.parametrize("confidence", [1.0, 12.5])
def test_folding_in_is_the_exact_least_squares_solution(form, confidence):
    """Against numpy's lstsq on the stacked, weighted equations, to 1e-8."""
    recipe = Recipe(form, factors=6, regularisation=0.4, confidence=confidence)
    contents = np.random.default_rng(3).normal(size=(30, 6))
    histories = [([2, 5, 11], [4.0, 1.0, 5.0]), ([0], [3.0]), ([], [])]
    for (columns, ratings), vector in zip(
        histories, fold_in(contents, histories, recipe), strict=True
    ):
        weights, wanted, penalty = np.ones(30), np.zeros(30), recipe.regularisation
        if form == EXPLICIT:
            weights, penalty = np.zeros(30), recipe.regularisation * len(columns) or 1.0
            weights[columns], wanted[columns] = 1, ratings
        else:
            weights[columns], wanted[columns] = confidence, 1
        root = np.sqrt(weights)
        stacked = np.vstack([contents * root[:, None], np.sqrt(penalty) * np.eye(6)])
        exact = np.linalg.lstsq(stacked, np.append(wanted * root, np.zeros(6)), rcond=None)[0]
        np.testing.assert_allclose(vector, exact, atol=1e-8)


def test_folding_in_equals_implicit_s_own():
    matrix = dense(40, 60, seed=1)
    recipe = Recipe(factors=8, confidence=3)
    model = train(matrix, recipe)
    theirs = AlternatingLeastSquares(factors=8, regularization=0.01, dtype=np.float64)
    theirs.item_factors, theirs.user_factors = model.contents, model.recipients
    row = matrix[4]
    expected = theirs.recalculate_user(0, sparse.csr_matrix((row != 0) * 3.0))
    found = fold_in(model.contents, [(row.indices, row.data)], recipe)[0]
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize(("form", "confidence"), [("implicit", 1), ("implicit", 3), (EXPLICIT, 1)])
def test_the_same_seed_trains_the_same_on_one_thread_and_on_two(form, confidence):
    matrix = dense(80, 120, seed=2)
    recipe = Recipe(form, factors=10, iterations=5, confidence=confidence)
    one, two = (train(matrix, recipe, threads=threads) for threads in (1, 2))
    assert (one.contents == two.contents).all() and (one.recipients == two.recipients).all()
    other = train(matrix, replace(recipe, seed=2))
    assert not np.allclose(one.contents, other.contents)


@pytest.mark.parametrize("shape", [(40, 60), (60, 25)])
def test_where_nothing_weighs_more_fewer_steps_give_what_implicit_gives(shape):
    """Also with a recipient and a content without any interaction."""
    matrix = dense(*shape, seed=6).tolil()
    matrix[3], matrix[:, 5] = 0, 0
    matrix, recipe = matrix.tocsr(), Recipe(factors=7, iterations=9, regularisation=0.05, seed=8)
    begin = start(recipe, shape)
    theirs = AlternatingLeastSquares(
        factors=7, iterations=9, regularization=0.05, use_cg=False, dtype=np.float64
    )
    theirs.user_factors, theirs.item_factors = begin.recipients.copy(), begin.contents.copy()
    theirs.fit(sparse.csr_matrix((matrix != 0) * 1.0), show_progress=False)
    found = train(matrix, recipe)
    np.testing.assert_allclose(found.recipients, theirs.user_factors, atol=1e-9)
    np.testing.assert_allclose(found.contents, theirs.item_factors, atol=1e-9)


def test_one_more_recipient_does_not_change_where_the_others_begin():
    few, many = (start(Recipe(), (n, 7)) for n in (3, 4))
    assert (few.contents == many.contents).all() and (few.recipients == many.recipients[:3]).all()


def test_a_warm_start_goes_on_from_the_model():
    matrix, recipe = dense(40, 60, seed=4), Recipe(factors=5, iterations=6)
    whole = train(matrix, recipe)
    half = train(matrix, Recipe(factors=5, iterations=3))
    np.testing.assert_allclose(
        train(matrix, Recipe(factors=5, iterations=3), begin=half).contents, whole.contents
    )


@given(st.data())
def test_without_and_with_row_change_that_row_alone(data):
    matrix = dense(6, 9, seed=data.draw(st.integers(0, 99)))
    row = data.draw(st.integers(0, 5))
    columns = data.draw(st.lists(st.integers(0, 8), unique=True))
    expected = matrix.toarray()
    expected[row, columns] = 0
    found = without(matrix, row, columns)
    assert (found.toarray() == expected).all()
    assert found.nnz == np.count_nonzero(expected)
    more = with_row(matrix, columns, [2.0] * len(columns)).toarray()
    assert (more[:-1] == matrix.toarray()).all()
    assert more[-1].sum() == 2 * len(columns) and (more[-1, columns] == 2).all()


def test_a_row_without_ratings_has_no_factors_in_the_explicit_form():
    matrix = sparse.csr_matrix(np.vstack([RATED, np.zeros(4)]))
    assert (train(matrix, Recipe(EXPLICIT, factors=2)).recipients[3] == 0).all()


# Proximity itself: scores of five contents before and after; 0 and 1 were seen, 2 is recommended.
BEFORE = np.array([0.9, 0.8, 0.7, 0.3, 0.1])


@pytest.mark.parametrize(
    ("after", "top", "raw", "ranks"),
    [
        ([0.2, 0.8, 0.6, 0.3, 0.1], 1, -0.3, (1, 1)),  # 3 comes next, .3 below
        ([0.65, 0.8, 0.6, 0.3, 0.1], 1, 0.05, (1, 2)),  # what was forgotten now stands first
        ([0.65, 0.8, 0.2, 0.3, 0.1], 1, 0.45, (1, 3)),
        ([0.65, 0.8, 0.2, 0.3, 0.1], 2, 0.1, (1, 3)),  # falls out of the best two by .1
        ([0.65, 0.8, 0.4, 0.3, 0.1], 2, -0.1, (1, 2)),
    ],
)
def test_proximity_by_hand(after, top, raw, ranks):
    found = proximity.proximity(BEFORE, np.array(after), 2, [0, 1], [0], top)
    assert found.raw == pytest.approx(raw)
    assert found.value == pytest.approx(raw / 0.8)
    assert (found.rank_before, found.rank_after) == ranks
    assert found.moved == ranks[1] - ranks[0]
    assert not found.is_clipped


def test_a_difference_beyond_the_range_is_clipped_and_said():
    found = proximity.proximity(BEFORE, np.array([9, 0, 1, 0, 0.0]), 2, [0, 1], [0])
    assert (found.value, found.raw, found.is_clipped) == (1, 8, True)


def test_what_has_no_proximity_says_why():
    with pytest.raises(ValueError, match="every content the same score"):
        proximity.proximity(np.ones(5), BEFORE, 2, [0], [0])
    with pytest.raises(ValueError, match="fewer than 4 other contents"):
        proximity.proximity(BEFORE, BEFORE, 2, [0, 1], [0], top=4)


@given(st.integers(0, 500), st.floats(0.1, 9), st.floats(-5, 5))
def test_proximity_does_not_change_with_the_model_s_unit(seed, factor, shift):
    dice = np.random.default_rng(seed)
    before, after = dice.normal(size=(2, 9))
    one = proximity.proximity(before, after, 4, [0, 1, 2], [1])
    two = proximity.proximity(before * factor + shift, after * factor + shift, 4, [0, 1, 2], [1])
    assert two.value == pytest.approx(one.value, abs=1e-9)
    assert (two.rank_before, two.rank_after) == (one.rank_before, one.rank_after)


def test_similarity_is_the_mean_cosine():
    # Cosines of (3, 4) with (4, 3) and (-4, 3): 24/25 and 0.
    contents = np.array([[3, 4], [4, 3], [-4, 3], [0, 0]], dtype=float)
    assert proximity.similarity(contents, 0, [1, 2]) == pytest.approx(0.48)
    with pytest.raises(ValueError, match="nobody has it"):
        proximity.similarity(contents, 0, [1, 3])


def test_overlap_is_the_mean_jaccard_index():
    own = {"comedy", "drama"}
    # 1 of 3 in common, 2 of 2, none of 3.
    others = [{"comedy", "crime"}, {"drama", "comedy"}, {"war"}]
    assert proximity.overlap(own, others) == pytest.approx((1 / 3 + 1 + 0) / 3)
    with pytest.raises(ValueError, match="no genres"):
        proximity.overlap(set(), others)


def test_a_model_is_scored_by_the_inner_product():
    model = Model(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.5, 0.0]]))
    assert model.scores(0).tolist() == [11.0, 0.5]
