"""Ensembles' values, by hand."""

import numpy as np
import pytest

from analysis.stats.ensembles.combined import combined

NAN = np.nan
# Three members, five places.
MEMBERS = np.array([[1, 2, 5, NAN, 3], [2, 2, 4, 4, 3], [6, 3, 1, 4, 3]], dtype=float)


@pytest.mark.parametrize(
    "rule, expected",
    [
        ("mean", [3, 7 / 3, 10 / 3, NAN, 3]),
        ("median", [2, 2, 4, NAN, 3]),
        # 1, 2, 6 and 5, 4, 1 have no winner; two 4 do not make up for a member without a value.
        ("majority", [NAN, 2, NAN, NAN, 3]),
    ],
)
def test_each_rule_by_hand(rule, expected):
    assert combined(MEMBERS, rule) == pytest.approx(np.array(expected), nan_ok=True)


@pytest.mark.parametrize("rule", ["mean", "median"])
def test_equal_means_of_decimals_are_equal_numbers(rule):
    members = np.array([[0.6, 0.8, 0.7], [0.7, 0.7, 0.6], [0.8, 0.6, 0.8]])
    assert combined(members, rule).tolist() == [0.7, 0.7, 0.7]


def test_two_against_two_is_a_tie_and_three_against_two_is_none():
    assert np.isnan(combined(np.array([[1.0], [1.0], [2.0], [2.0]]), "majority")).all()
    assert combined(np.array([[1.0], [1.0], [2.0], [2.0], [1.0]]), "majority") == [1]


@pytest.mark.parametrize("rule", ["mean", "median", "majority"])
def test_the_order_of_the_members_changes_nothing(rule):
    turned = combined(MEMBERS[::-1], rule)
    assert turned == pytest.approx(combined(MEMBERS, rule), nan_ok=True)


@pytest.mark.parametrize("rule", ["mean", "median", "majority"])
def test_a_table_without_rows_stays_one(rule):
    assert combined(np.empty((3, 0, 2)), rule).shape == (0, 2)


def test_another_rule_or_no_member_is_an_error():
    with pytest.raises(ValueError, match="found rule 'best'"):
        combined(MEMBERS, "best")
    with pytest.raises(ValueError, match="at least one member"):
        combined(MEMBERS[:0], "mean")
