"""Worth that cannot be measured is said in words, never as the number where computing ends."""

from math import inf, nan

import pytest

from analysis.reports.verdict.page import _answer, _worth_cell
from analysis.reports.verdict.sentences import say_worth

ROW = {
    "answer": "yes",
    "why": "",
    "worth": 4.0,
    "worth_low": 1.5,
    "worth_high": 20.0,
    "warnings": "",
}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"worth_high": 1000.0}, "4.00 [1.50, any]"),
        ({"worth": inf, "worth_high": 999.9999}, "not measurable [1.50, any]"),
        ({"worth": inf, "worth_low": 1000.0, "worth_high": 1000.0}, "not measurable [any, any]"),
    ],
)
def test_an_end_that_cannot_be_measured_is_no_number(row, words):
    assert _worth_cell(ROW | row) == words


@pytest.mark.parametrize("high", [20.0, nan])
def test_other_worths_are_numbers_with_their_interval(high):
    cell = _worth_cell(ROW | {"worth_high": high})
    assert (cell.value, cell.row) == (4.0, {"low": 1.5, "high": high})


def test_the_least_worth_is_said_as_a_bound_where_it_is_one():
    assert say_worth(ROW) == ", worth at least 1.5 raters"
    assert say_worth(ROW | {"worth_low": 1000.0}) == ", worth at least 1,000 raters"
    assert _answer(ROW) == "✓ yes, ≥ 1.5 raters"
    assert _answer(ROW | {"worth_low": 1000.0}) == "✓ yes, ≥ 1,000 raters"


@pytest.mark.parametrize("low", [nan, 0.0, 0.09])
def test_a_worth_that_says_nothing_is_left_out(low):
    assert say_worth(ROW | {"worth_low": low}) == ""
    assert _answer(ROW | {"worth_low": low}) == "✓ yes"


def test_a_worth_is_a_clause_of_its_own():
    assert say_worth(ROW) == ", worth at least 1.5 raters"
    assert say_worth(ROW | {"warnings": "own_answers"}) == ", worth at least 1.5 own answers"


def test_a_judge_on_another_scale_waits_for_no_ratings():
    undecided = ROW | {"answer": "not_yet"}
    assert _answer(undecided) == "… not yet"
    for why in ("scale", "points"):
        assert _answer(undecided | {"why": why}) == "… not yet, for its scale"
