"""Learned weights: against other routes to the same fit, and that nobody's rating leaks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.linear_model import LinearRegression

from analysis.stats.ensembles.learned_weights import FOLDS, learned_elsewhere, learned_weights

RECIPIENTS = np.repeat(np.arange(20), 6)


def data(seed=1, recipients=RECIPIENTS):
    """Three members on scales of their own; the third knows nothing and is a bit contrary."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, len(recipients))
    members = np.stack(
        [
            truth + rng.normal(0, 0.5, len(truth)),
            20 * truth + rng.normal(0, 20, len(truth)) - 7,
            -0.3 * truth + rng.normal(0, 1, len(truth)),
        ]
    )
    return members, truth + rng.normal(0, 0.3, len(truth))


def learn(members, ratings, recipients=RECIPIENTS, seed=5):
    return learned_weights(members, ratings, recipients, np.random.default_rng(seed))


def folds_of(members, ratings, found):
    """The fold of each item, by the weights that give its value."""
    by_fold = found.constants[:, None] + found.weights @ members
    return np.argmin(np.abs(by_fold - found.values), axis=0)


def test_each_fold_is_the_fit_of_the_others_by_two_other_routes():
    members, ratings = data()
    found = learn(members, ratings)
    fold = folds_of(members, ratings, found)
    assert sorted(np.bincount(fold)) == [24] * FOLDS, "four recipients of six items each"
    for at in range(FOLDS):
        x, y = members[:, fold != at].T, ratings[fold != at]
        other = LinearRegression(positive=True).fit(x, y)
        assert found.weights[at] == pytest.approx(other.coef_, abs=1e-8)
        assert found.constants[at] == pytest.approx(other.intercept_, abs=1e-8)
        ones = np.column_stack([x, np.ones(len(x))])
        third = lsq_linear(ones, y, ([0, 0, 0, -np.inf], np.inf), tol=1e-12).x
        assert [*found.weights[at], found.constants[at]] == pytest.approx(third, abs=1e-5)
        assert found.values[fold == at] == pytest.approx(other.predict(members[:, fold == at].T))


def test_a_member_that_is_contrary_has_no_weight():
    found = learn(*data())
    assert (found.weights[:, 2] == 0).all()
    assert (found.weights[:, :2] > 0).all()
    assert (found.n, found.reason) == (20, "")


def test_an_exact_combination_is_found():
    members, _ = data()
    found = learn(members, 1 + 0.5 * members[0] + 0.02 * members[1])
    assert found.weights == pytest.approx(np.tile([0.5, 0.02, 0], (FOLDS, 1)), abs=1e-9)
    assert found.constants == pytest.approx(np.ones(FOLDS))


@given(
    st.integers(0, 19),
    st.lists(st.one_of(st.floats(1, 5), st.just(np.nan)), min_size=6, max_size=6),
    st.integers(0, 2**32 - 1),
)
def test_a_recipient_s_ratings_never_change_their_own_values(recipient, others, seed):
    members, ratings = data()
    before = learn(members, ratings, seed=seed)
    own = recipient == RECIPIENTS
    changed = np.where(own, 0.0, ratings)
    changed[own] = others
    after = learn(members, changed, seed=seed)
    assert after.values[own].tolist() == before.values[own].tolist()


def test_others_values_do_change():
    """So that the test above is one."""
    members, ratings = data()
    own = RECIPIENTS == 3
    after = learn(members, np.where(own, 1.0, ratings))
    assert (after.values != learn(members, ratings).values).sum() == 96, "the other four folds"


def test_the_order_of_members_changes_nothing_and_the_seed_decides_the_rest():
    members, ratings = data()
    one, other = learn(members, ratings), learn(members[::-1], ratings)
    assert one.values == pytest.approx(other.values)
    assert one.weights == pytest.approx(other.weights[:, ::-1])
    assert learn(members, ratings).values.tolist() == one.values.tolist()
    assert learn(members, ratings, seed=6).values.tolist() != one.values.tolist()


def test_an_item_without_a_rating_has_a_value_and_without_a_score_none():
    members, ratings = data()
    ratings[0], members[1, 1] = np.nan, np.nan
    found = learn(members, ratings)
    assert not np.isnan(found.values[0])
    assert np.isnan(found.values[1])
    assert np.isnan(found.values).sum() == 1


def test_too_few_recipients_or_items_are_said_to_be():
    members, ratings = data()
    few = np.where(RECIPIENTS < 8, ratings, np.nan)
    found = learn(members, few)
    assert np.isnan(found.values).all()
    assert found.reason.startswith("too few recipients to learn weights from: ")
    one_each = np.arange(11)
    found = learn(np.tile(members[:, :11], (3, 1)), ratings[:11], one_each)
    assert found.reason.startswith(("too few rated items to learn 9 weights", "too few recip"))
    nothing = learn(np.empty((2, 0)), np.empty(0), np.empty(0, dtype=int))
    assert nothing.values.shape == (0,) and nothing.reason


def test_members_that_never_differ_have_no_weight():
    members, ratings = data()
    found = learn(np.ones_like(members), ratings)
    assert (found.weights == 0).all()
    assert found.values == pytest.approx(found.constants[folds_of(members * 0, ratings, found)])


def test_other_lengths_are_an_error():
    members, ratings = data()
    with pytest.raises(ValueError, match="other lengths"):
        learn(members[:, :-1], ratings)


# Learned on some items, for others


def test_weights_learned_elsewhere_are_those_of_a_line_without_noise():
    members = np.array([np.tile([1.0, 2, 3, 5], 4), np.tile([4.0, 1, 1, 3], 4)])
    ratings = 1 + 0.5 * members[0] + 0.25 * members[1]
    others = np.array([[2.0, 10, np.nan], [4.0, 0, 1]])
    found = learned_elsewhere(members, ratings, np.repeat(np.arange(8), 2), others)
    np.testing.assert_allclose(found.weights, [[0.5, 0.25]])
    np.testing.assert_allclose(found.constants, [1])
    np.testing.assert_allclose(found.values, [3, 6, np.nan])
    assert (found.n, found.reason) == (8, "")


def test_they_are_the_least_squares_that_are_not_negative():
    members, ratings = data()
    others, _ = data(seed=2)
    found = learned_elsewhere(members, ratings, RECIPIENTS, others)
    design = np.column_stack([members.T, np.ones(len(ratings))])
    bounds = [0, 0, 0, -np.inf], np.inf
    expected = lsq_linear(design, ratings, bounds=bounds, method="bvls", tol=1e-14).x
    np.testing.assert_allclose([*found.weights[0], *found.constants], expected, atol=1e-7)
    np.testing.assert_allclose(found.values, expected[:3] @ others + expected[3], atol=1e-6)


def test_the_order_of_members_and_items_changes_nothing():
    members, ratings = data()
    others, _ = data(seed=2)
    found = learned_elsewhere(members, ratings, RECIPIENTS, others).values
    turned = learned_elsewhere(
        members[::-1, ::-1], ratings[::-1], RECIPIENTS[::-1], others[::-1, ::-1]
    )
    np.testing.assert_allclose(turned.values[::-1], found)


def test_too_few_recipients_teach_nothing():
    members, ratings = data()
    ratings[RECIPIENTS >= 7] = np.nan
    found = learned_elsewhere(members, ratings, RECIPIENTS, members[:, :2])
    assert "too few recipients" in found.reason and found.weights.shape == (1, 3)
    assert np.isnan(found.values).all() and found.values.shape == (2,)


def test_other_shapes_of_them_are_refused():
    members, ratings = data()
    with pytest.raises(ValueError, match="other lengths"):
        learned_elsewhere(members, ratings[1:], RECIPIENTS, members)
    with pytest.raises(ValueError, match="number of members"):
        learned_elsewhere(members, ratings, RECIPIENTS, members[:2])
