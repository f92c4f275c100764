"""The agreement of two raters: example A, loops over pairs, and what cannot be computed."""

import numpy as np
import pytest

from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.validation.people import gather_people
from tests.analysis.stats.validation.worked import (
    LABELS,
    PAIRS,
    crowd,
    labels,
    long_study,
)

A = [1.837240, 1.795573, 0.003906, 2.795573, 2.691406, 0.670573, 1.795573, 1.545573]
C = [1.503906, 0.795573, 0.003906, 2.462240, 2.191406, -0.329427, 0.795573, 0.545573]


def rho_by_loops(values, items, raters, weight, panel=30):
    """rho of weighted items with loops over raters and pairs of raters."""
    table = {i: {} for i in range(len(weight))}
    for value, item, rater in zip(values, items, raters, strict=True):
        table[item][rater] = value
    table = {i: row for i, row in table.items() if len(row) >= 2}
    total = sum(weight[i] for i in table)
    counts = {}
    for row in table.values():
        for rater in row:
            counts[rater] = counts.get(rater, 0) + 1

    def mean_of(raters):
        cells = [(weight[i], y) for i, row in table.items() for j, y in row.items() if j in raters]
        return sum(s * y for s, y in cells) / sum(s for s, _ in cells)

    few = {rater for rater, count in counts.items() if count < panel}
    if len(few) == len(counts):
        mu = sum(weight[i] * np.mean(list(row.values())) for i, row in table.items()) / total
        centre = dict.fromkeys(counts, mu)
    else:
        centre = {j: mean_of(few) if j in few else mean_of({j}) for j in counts}
    squares = products = 0.0
    for i, row in table.items():
        z = {j: y - centre[j] for j, y in row.items()}
        pairs = [z[j] * z[k] for j in z for k in z if j != k]
        squares += weight[i] * np.mean([x * x for x in z.values()])
        products += weight[i] * np.mean(pairs)
    return products / squares


def test_the_worked_crowd():
    people = crowd()
    assert people.average(people.means) == pytest.approx(3.0625, abs=5e-7)
    assert (people.v_h, people.c_hh) == pytest.approx((1.641927, 0.996094), abs=5e-7)
    np.testing.assert_allclose(people.a, A, atol=5e-7)
    np.testing.assert_allclose(people.c, C, atol=5e-7)
    assert people.agreement.value == pytest.approx(0.606661, abs=5e-7)
    assert people.agreement.error == pytest.approx(0.112747, abs=5e-7)
    assert people.agreement.p_above() == pytest.approx(0.000515, abs=5e-7)
    assert crowd(clusters=PAIRS).agreement.error == pytest.approx(0.092220, abs=5e-7)


def test_raters_as_a_sample_of_the_worked_crowd():
    people = crowd(is_sample=True)
    by_rater, cells = people.rater_covariances(people.u[None])
    assert (by_rater.item(), cells.item()) == pytest.approx((0.060755, 0.040986), abs=5e-7)
    assert people.agreement.error == pytest.approx(0.180224, abs=5e-7)
    assert people.agreement.df == pytest.approx(22**2 / 82 - 1)  # 3, 3, and four times 4 ratings
    assert crowd().agreement.df == 7  # six raters are no sample by default


def test_labels_with_equal_numbers_of_ratings_give_fleiss_kappa():
    people, _ = labels()
    assert people.v_h == pytest.approx(0.666667, abs=5e-7)
    assert people.agreement.value == pytest.approx(0.416667, abs=5e-7)
    codes = np.array([["abc".index(c) for c in row] for row in LABELS], float)
    assert people.agreement.value == pytest.approx(fleiss_kappa(codes, [0, 1, 2]).value)


@pytest.mark.parametrize("raters", [3, 4, 12])  # a panel, some with thirty ratings, a crowd
def test_rho_and_its_influence_are_those_of_loops_over_pairs(raters):
    values, items, who, _ = long_study(raters, n=70, raters=raters, most=3)
    people = gather_people(values, items, who, 70)
    counts = np.bincount(people.rater)
    n_panel = (counts >= 30).sum()
    assert {3: n_panel == 3, 4: 0 < n_panel < 4, 12: n_panel == 0}[raters]
    weight = np.ones(70)
    rho = rho_by_loops(values, items, who, weight)
    assert people.rho == pytest.approx(rho)
    if raters != 12:
        return  # means of raters are estimates too; the influence leaves that out
    for place, row in enumerate(people.rows):
        weight[row] += 1e-6
        step = (rho_by_loops(values, items, who, weight) - rho) / 1e-6 * people.n
        assert people.psi[place] == pytest.approx(step, abs=1e-4)
        weight[row] = 1.0


def test_order_of_rows_and_names_of_raters_change_nothing():
    values, items, who, _ = long_study(1)
    people = gather_people(values, items, who, 60)
    rng = np.random.default_rng(5)
    order, names = rng.permutation(len(values)), rng.permutation(40)
    other = gather_people(values[order], items[order], names[who[order]], 60)
    assert other.agreement.value == pytest.approx(people.agreement.value, rel=1e-12)
    assert other.agreement.error == pytest.approx(people.agreement.error, rel=1e-12)


def test_a_rater_who_rated_an_item_twice_counts_once_by_the_mean():
    people = gather_people([2, 4, 5, 1, 2], [0, 0, 0, 1, 1], [0, 0, 1, 0, 1], 2)
    assert people.values[:, 0].tolist() == [3, 5, 1, 2]
    assert people.m.tolist() == [2, 2]


def test_items_with_one_rating_are_left_out():
    people = gather_people([1, 2, 3, 4, np.nan, 5], [0, 0, 1, 2, 2, 3], [0, 1, 0, 0, 1, 1], 5)
    assert people.rows.tolist() == [0]


def test_equal_ratings_have_no_agreement():
    people = gather_people([3] * 6, np.repeat(range(3), 2), [0, 1] * 3, 3)
    assert np.isnan(people.agreement.value)
    assert people.agreement.reason == "all ratings are equal"
    leaning = gather_people([0.1, 0.2] * 40, np.repeat(range(40), 2), [0, 1] * 40, 40)
    assert leaning.is_flat  # each rater's only answer


def test_without_an_item_rated_twice_there_is_nothing():
    people = gather_people([3, 4], [0, 1], [0, 1], 2)
    assert people.agreement.reason == "no item has two ratings and a judgment"
    assert gather_people([], np.empty(0, int), np.empty(0, int), 0).is_flat


def test_a_single_cluster_has_no_test():
    agreement = crowd(clusters=[0] * 8).agreement
    assert agreement.value == pytest.approx(0.606661, abs=5e-7)
    assert np.isnan(agreement.p_above())
    assert "one cluster" in agreement.reason


def test_people_of_some_items_are_gathered_from_these_alone():
    values, items, who, judge = long_study(2)
    keep = judge > 2
    people = gather_people(values, items, who, 60)
    some = people.restrict(keep[people.rows])
    inside = keep[items]
    again = gather_people(values[inside], items[inside], who[inside], 60)
    assert some.rows.tolist() == again.rows.tolist()
    assert (some.agreement, some.n_raters) == (again.agreement, again.n_raters)
    assert people.restrict(np.ones(people.n, bool)) is people


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], [0], [0, 1], 1), {}, "items: expected 2 codes"),
        (([1, 2], [0, 3], [0, 1], 1), {}, "codes below 1, found 3"),
        (([[[1]]], [0], [0], 1), {}, "values: expected"),
        (([1, 2], [0, 0], [0, 1], 1), {"clusters": [0, 1]}, "clusters: expected 1"),
        (([1, 1e200], [0, 0], [0, 1], 1), {}, "within 1e100"),
    ],
)
def test_bad_input_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        gather_people(*arguments, **options)


def test_without_a_rater_items_left_with_one_rating_go():
    values, items, who, _ = long_study(2)
    people = gather_people(values, items, who, 60)
    flags = np.isin(people.raters, [3, 5])
    fewer = people.drop_raters(flags)
    keep = ~np.isin(who, [3, 5])
    again = gather_people(values[keep], items[keep], who[keep], 60)
    assert fewer.rows.tolist() == again.rows.tolist()
    assert fewer.raters.tolist() == again.raters.tolist()
    assert fewer.agreement == again.agreement
    assert fewer.m.min() == 2
