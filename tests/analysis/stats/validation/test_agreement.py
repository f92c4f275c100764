"""Judge and rater: examples A to D, loops with numerical derivatives, what is undefined."""

import numpy as np
import pytest

from analysis.stats.validation.people import Agreement, Errors, compare_judge, gather_people
from tests.analysis.stats.validation.worked import (
    CONTENTS_JUDGE,
    CROWD_JUDGE,
    PAIRS,
    contents,
    crowd,
    labels,
    long_study,
)


def near(value):
    return pytest.approx(value, abs=5e-7)


def r_by_loops(values, items, judge, weight):
    """r of weighted items of a crowd, with loops."""
    rows = {i: [y for y, k in zip(values, items, strict=True) if k == i] for i in set(items)}
    rows = {i: row for i, row in rows.items() if len(row) >= 2}
    total = sum(weight[i] for i in rows)

    def mean(values):
        return sum(weight[i] * values[i] for i in rows) / total

    mu, centre = mean({i: np.mean(rows[i]) for i in rows}), mean(judge)
    v_h = mean({i: np.mean([(y - mu) ** 2 for y in rows[i]]) for i in rows})
    v_f = mean({i: (judge[i] - centre) ** 2 for i in rows})
    product = mean({i: (judge[i] - centre) * (np.mean(rows[i]) - mu) for i in rows})
    return product / np.sqrt(v_f * v_h)


def covariance(agreement, people):
    """C_FH, which the agreement keeps as r alone."""
    return agreement.r_value * np.sqrt(agreement.v_f * people.v_h)


def test_the_worked_crowd():
    agreement = compare_judge(crowd(), CROWD_JUDGE)
    assert agreement.v_f == near(1.609375)
    assert covariance(agreement, crowd()) == pytest.approx(1.179688, abs=6e-7)
    assert (agreement.r.value, agreement.r.error) == near((0.725707, 0.058075))
    kept, full = agreement.retention(2 / 3), agreement.retention(1)
    assert (kept.value, kept.error, kept.p_above()) == near((0.321266, 0.044906, 0.000092))
    assert (full.value, full.p_above(), full.df) == near((0.119046, 0.077453, 7))
    # In fractions K is 4.2677232...; 4.267724 was printed.
    assert agreement.worth == near(4.267723)
    assert agreement.share_proven() == near(0.971787)
    assert (agreement.excess.value, agreement.excess.error) == near((-0.080010, 0.067559))


def test_clusters_of_the_worked_crowd():
    agreement = compare_judge(crowd(clusters=PAIRS), CROWD_JUDGE)
    assert agreement.r.error == near(0.035426)
    assert agreement.retention(2 / 3).error == near(0.049487)


def test_raters_as_a_sample_of_the_worked_crowd():
    agreement = compare_judge(crowd(is_sample=True), CROWD_JUDGE)
    assert agreement.rho.error == near(0.180224)
    assert agreement.retention(2 / 3).error == near(0.044906)  # none is added to theta
    few = 22**2 / 82 - 1
    df = agreement.rho.df, agreement.retention(2 / 3).df, agreement.joint_df
    assert df == pytest.approx((few, 7, few))
    # V_rater and V_cell of theta are .009499 and .025007
    combination = np.array([1, -2 / 3])
    added = combination @ agreement.errors.raters @ combination
    assert added == pytest.approx(0.009499 - 0.025007, abs=1e-6)


def test_the_worked_labels():
    people, judge = labels()
    agreement = compare_judge(people, judge)
    assert (agreement.v_f, agreement.r.value) == near((0.666667, 0.416667))
    assert covariance(agreement, people) == near(0.277778)


def test_the_worked_contents():
    agreement = compare_judge(contents(), CONTENTS_JUDGE)
    assert (agreement.rho.value, agreement.rho.error) == near((0.754266, 0.053596))
    assert (agreement.r.value, agreement.r.error) == near((0.842926, 0.027453))
    kept = agreement.retention(2 / 3)
    assert (kept.value, kept.error) == near((0.340082, 0.026720))
    assert agreement.retention(1).error == near(0.040640)
    assert agreement.worth == near(5.292043)
    assert agreement.least_worth() == near(0.902068)


def test_the_proven_share_solves_the_test():
    agreement = compare_judge(crowd(), CROWD_JUDGE)
    assert agreement.retention(agreement.share_proven()).p_above() == pytest.approx(0.05)


@pytest.mark.parametrize("seed", range(3))
def test_r_and_its_influence_are_those_of_loops(seed):
    values, items, who, judge = long_study(seed, n=50)
    people = gather_people(values, items, who, 50)
    agreement = compare_judge(people, judge[people.rows, None])
    weight = np.ones(50)
    r = r_by_loops(values, items, judge, weight)
    assert agreement.r_value == pytest.approx(r)
    psi = []
    for row in people.rows:
        weight[row] += 1e-6
        psi.append((r_by_loops(values, items, judge, weight) - r) / 1e-6)
        weight[row] = 1.0
    np.testing.assert_allclose(agreement.psi[0], np.multiply(psi, people.n), atol=1e-4)
    error = np.sqrt(people.n / (people.n - 1) * np.sum(np.square(psi)))
    assert np.sqrt(agreement.errors.items[0, 0]) == pytest.approx(error, rel=1e-4)


def test_raters_as_a_sample_are_those_of_loops():
    values, items, who, judge = long_study(4, n=80)
    people = gather_people(values, items, who, 80)
    agreement = compare_judge(people, judge[people.rows, None])
    assert people.n_raters == 12
    z, f = people.values[:, 0] - people.means.mean(), judge[people.rows]
    f, m, n = f - f.mean(), people.m, people.n
    v_h, v_f = people.v_h, (f**2).mean()
    c_fh = agreement.r_value * np.sqrt(v_f * v_h)
    sums, cells = dict.fromkeys(range(12), 0.0), 0.0
    for z_ij, i, j in zip(z, people.item, people.rater, strict=True):
        part = (f[i] * z_ij - c_fh) / np.sqrt(v_f * v_h)
        part = (part - agreement.r_value / 2 * (z_ij**2 - v_h) / v_h) / m[i]
        sums[j] += part
        cells += part**2
    share = np.bincount(people.rater) / len(people.rater)
    second = (share**2).sum()
    more = second / (second - 2 * (share**3).sum() + second**2)
    added = more * sum(x**2 for x in sums.values()) / n**2 - cells / n**2
    assert agreement.errors.raters[0, 0] == pytest.approx(added)


def test_a_constant_judge_has_no_agreement_but_the_people_have():
    agreement = compare_judge(crowd(), np.full((8, 1), 0.1))
    assert np.isnan(agreement.r.value)
    assert agreement.r.reason == "the judge gives the same answer to every item"
    assert (agreement.rho.value, agreement.rho.error) == near((0.606661, 0.112747))
    assert np.isnan(agreement.least_worth()) and np.isnan(agreement.share_proven())
    assert np.isnan(agreement.retention(1).p_above())


def test_equal_ratings_leave_nothing_to_agree_with():
    people = gather_people([3] * 6, np.repeat(range(3), 2), [0, 1] * 3, 3)
    agreement = compare_judge(people, np.array([[1], [2], [3.0]]))
    assert agreement.r.reason == agreement.rho.reason == "all ratings are equal"


def test_people_who_contradict_each_other_make_no_judge_worth_anything():
    people = gather_people([1, 5, 2, 4, 5, 1, 4, 2], np.repeat(range(4), 2), [0, 1] * 4, 4)
    agreement = compare_judge(people, np.array([[1], [2], [3.0], [5]]))
    assert agreement.rho.value < 0
    assert np.isnan(agreement.worth)
    assert agreement.least_worth() == 0


def test_raters_who_always_agree_leave_no_error():
    values = np.repeat([1, 2, 3, 4, 5, 2, 4.0], 2)
    people = gather_people(values, np.repeat(range(7), 2), [0, 1] * 7, 7)
    agreement = compare_judge(people, values[::2, None])
    assert agreement.retention(2 / 3).p_above() == 0
    assert agreement.retention(1).p_above() == 1
    assert agreement.worth == np.inf
    assert np.isnan(agreement.least_worth())  # one rater says as much as a thousand


def test_a_judge_better_than_any_panel_is_worth_the_most_that_is_looked_for():
    errors = Errors(np.diag([1e-8, 1e-8]), np.zeros((2, 2)), 50, 3)
    assert Agreement(0.7, 0.3, errors, 100, 1.0).least_worth() == 1000
    assert Agreement(-0.2, 0.3, errors, 100, 1.0).least_worth() == 0


def test_order_and_scale_of_the_judge_change_nothing():
    values, items, who, judge = long_study(3)
    people = gather_people(values, items, who, 60)
    agreement = compare_judge(people, judge[people.rows, None])
    other = compare_judge(people, 7 + 3 * judge[people.rows, None])
    assert other.r.value == pytest.approx(agreement.r.value)
    assert other.r.error == pytest.approx(agreement.r.error)


@pytest.mark.parametrize("judge", [np.ones((7, 1)), np.full((8, 1), np.nan), np.ones(8)])
def test_a_judgment_for_each_item_is_needed(judge):
    with pytest.raises(ValueError, match="judge: expected"):
        compare_judge(crowd(), judge)
