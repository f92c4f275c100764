"""How far answers move, by hand; degenerate cases; what must not change it."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.ranked_lists.robustness import (
    compared,
    compared_ranks,
    differs,
    moved,
    robustness,
)

NAN = np.nan
# Two units, the changed prompt asked twice, the unchanged one three times.
CHANGED = np.array([[4, 5], [2, 2]], dtype=float)
SAME = np.array([[4, 4, 3], [2, 1, 3]], dtype=float)


def test_moves_are_means_over_all_pairs_by_hand():
    # Unit 1: 4 against 4 4 3: 0 0 1; 5: 1 1 2; sum 5 of 6. Floor: 4-4, 4-3, 4-3: 0 1 1, 2/3.
    # Unit 2: 2 against 2 1 3: 0 1 1, twice; 4 of 6. Floor: 2-1, 2-3, 1-3: 1 1 2, 4/3.
    moves, floors = moved(CHANGED, SAME)
    assert moves.tolist() == pytest.approx([5 / 6, 4 / 6])
    assert floors.tolist() == pytest.approx([2 / 3, 4 / 3])
    found = compared(moves, floors)
    assert found.value.value == pytest.approx(0.75)
    assert found.floor.value == pytest.approx(1.0)
    assert found.excess.value == pytest.approx(-0.25)
    assert found.value.n == found.excess.n == 2


def test_flips_are_shares_of_pairs_by_hand():
    # Unit 1: 4: same same other, 5: three others: 4/6. Unit 2: same, other, other, twice: 4/6.
    moves, floors = moved(CHANGED, SAME, differs)
    assert moves.tolist() == pytest.approx([4 / 6, 4 / 6])
    assert floors.tolist() == pytest.approx([2 / 3, 1])


def test_robustness_is_one_less_the_share_of_the_scale():
    found = robustness(compared(*moved(CHANGED, SAME)), 4)
    assert found.value.value == pytest.approx(1 - 0.75 / 4)
    assert found.floor.value == pytest.approx(1 - 1 / 4)
    assert found.excess.value == pytest.approx(0.25 / 4)


def test_intervals_turn_round_with_the_sign():
    rng = np.random.default_rng(1)
    changed, same = rng.integers(1, 6, (30, 2)), rng.integers(1, 6, (30, 3))
    counts, clusters = draw_counts(10, 200, rng), np.arange(30) // 3
    plain = compared(*moved(changed, same), clusters=clusters, counts=counts)
    turned = robustness(plain, 4)
    assert plain.value.low < plain.value.value < plain.value.high
    assert turned.value.low == pytest.approx(1 - plain.value.high / 4)
    assert turned.value.high == pytest.approx(1 - plain.value.low / 4)
    assert turned.excess.low == pytest.approx(-plain.excess.high / 4)


def test_who_ignores_every_change_is_as_robust_as_can_be():
    answers = np.array([[3.0], [5.0], [1.0]])
    found = compared(*moved(np.repeat(answers, 2, 1), np.repeat(answers, 3, 1)))
    assert (found.value.value, found.floor.value, found.excess.value) == (0, 0, 0)
    assert robustness(found, 4).value.value == 1
    ranks = compared_ranks(np.repeat(answers, 2, 1), np.repeat(answers, 3, 1), "kendall")
    assert (ranks.value.value, ranks.floor.value, ranks.excess.value) == (1, 1, 0)


def test_who_answers_at_random_stands_at_the_floor():
    # E|X − Y| of two uniform answers of 1..5 is (0·5 + 2(1·4 + 2·3 + 3·2 + 4·1))/25 = 1.6.
    rng = np.random.default_rng(2)
    changed, same = rng.integers(1, 6, (20_000, 2)), rng.integers(1, 6, (20_000, 3))
    found = compared(*moved(changed, same))
    assert found.value.value == pytest.approx(1.6, abs=0.02)
    assert found.floor.value == pytest.approx(1.6, abs=0.02)
    flips = compared(*moved(changed, same, differs))
    assert flips.value.value == pytest.approx(0.8, abs=0.01)
    ranks = compared_ranks(changed, same, "spearman")
    assert ranks.value.value == pytest.approx(0, abs=0.02)
    assert ranks.floor.value == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize(
    ("coefficient", "scipys"), [("kendall", stats.kendalltau), ("spearman", stats.spearmanr)]
)
def test_ranks_of_all_pairs_at_once_are_those_of_scipy(coefficient, scipys):
    rng = np.random.default_rng(3)
    same = rng.integers(1, 6, (12, 3)).astype(float)
    changed = same[:, :2] + rng.integers(-1, 2, (12, 2))
    found = compared_ranks(changed, same, coefficient)
    x = [row[r] for r in range(2) for _ in range(3) for row in changed]
    y = [row[s] for _ in range(2) for s in range(3) for row in same]
    assert found.value.value == pytest.approx(scipys(x, y).statistic)
    orders = [(s, t) for s in range(3) for t in range(3) if s != t]
    x, y = ([row[pair[at]] for pair in orders for row in same] for at in range(2))
    assert found.floor.value == pytest.approx(scipys(x, y).statistic)
    assert found.excess.value == pytest.approx(found.value.value - found.floor.value)
    assert found.value.n == 12


def test_missing_answers_are_left_out_and_a_unit_needs_both():
    changed = np.array([[4, NAN], [NAN, NAN], [2, 2]])
    same = np.array([[4, 3, NAN], [4, 4, 4], [1, NAN, NAN]])
    moves, floors = moved(changed, same)
    assert moves.tolist() == pytest.approx([0.5, NAN, 1], nan_ok=True)
    assert floors.tolist() == pytest.approx([1, 0, NAN], nan_ok=True)
    found = compared(moves, floors)
    assert (found.value.n, found.value.value, found.floor.value) == (1, 0.5, 1)


def test_without_a_second_answer_there_is_no_floor():
    for found in (
        compared(*moved(np.array([[4.0]]), np.array([[4.0]]))),
        compared_ranks(np.array([[4.0]]), np.array([[4.0]]), "kendall"),
        compared(*moved(np.empty((0, 2)), np.empty((0, 3)))),
    ):
        assert np.isnan(found.value.value) and np.isnan(found.excess.value)
        assert "not answered twice" in found.value.reason
        assert "not answered twice" in found.excess.reason


def test_equal_answers_have_no_ranks():
    found = compared_ranks(np.full((5, 2), 3.0), np.full((5, 3), 3.0), "spearman")
    assert np.isnan(found.value.value)
    assert found.value.reason == "all answers are equal"


def test_the_order_of_units_and_of_repetitions_changes_nothing():
    rng = np.random.default_rng(4)
    changed, same = rng.integers(1, 6, (9, 2)), rng.integers(1, 6, (9, 3))
    order = rng.permutation(9)
    other = changed[order][:, ::-1], same[order][:, [2, 0, 1]]
    for found, again in [
        (compared(*moved(changed, same)), compared(*moved(*other))),
        (compared_ranks(changed, same, "kendall"), compared_ranks(*other, "kendall")),
    ]:
        assert again.value.value == pytest.approx(found.value.value)
        assert again.floor.value == pytest.approx(found.floor.value)


def test_a_shift_of_the_whole_scale_changes_no_move():
    moves = moved(CHANGED + 10, SAME + 10)
    assert np.allclose(moves, moved(CHANGED, SAME))


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="expected .units, answers. twice"):
        moved(np.ones(3), np.ones((3, 2)))
    with pytest.raises(ValueError, match="expected .units, answers. twice"):
        moved(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="differ in shape"):
        compared(np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match="span above 0"):
        robustness(compared(*moved(CHANGED, SAME)), 0)
    with pytest.raises(ValueError, match="coefficient"):
        compared_ranks(CHANGED, SAME, "pearson")
