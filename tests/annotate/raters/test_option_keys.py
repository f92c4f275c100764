"""Which keys choose which option of a question: what stands on it."""

import pytest

from annotate.models import Question
from annotate.raters.forms import Asked, Spot
from annotate.values.scales import parse_scale


def keys(spec, first_side=""):
    """{words: keys} of the options of a question with this scale."""
    question = Question(pk=1, scale_spec=parse_scale(spec).as_dict())
    options = Asked(Spot(question, 1), number=1, first_side=first_side).options
    return {str(option["label"]): option["keys"] for option in options}


@pytest.mark.parametrize("first_side", ["A", "B"])
def test_of_two_lists_one_and_two_are_the_lists_and_zero_is_neither(first_side):
    expected = {"List 1": "1", "Both fit equally well": "0 =", "List 2": "2"}
    assert keys({"choice": ["A", "tie", "B"]}, first_side) == expected
    assert keys({"choice": ["tie", "A", "B"]}, first_side) == expected


def test_other_answers_about_two_lists_come_after_the_lists():
    expected = {"Cannot say": "3", "List 1": "1", "List 2": "2", "Both bad": "4"}
    assert keys({"choice": ["cannot say", "A", "B", "both bad"]}, "A") == expected


def test_yes_and_no_have_their_letters_and_their_stored_numbers():
    assert keys("binary") == {"No": "n 0", "Yes": "y 1"}
    assert keys({"binary": ["Not entailed", "Entailed"]}) == {"Not entailed": "0", "Entailed": "1"}
    assert keys({"binary": ["否", "是"]}) == {"否": "0", "是": "1"}


@pytest.mark.parametrize(
    "spec, expected",
    [
        ({"binary": [1, 2]}, {"1": "1", "2": "2"}),
        ({"binary": [1, 0]}, {"1": "1", "0": "0"}),
        ({"binary": ["No", "1"]}, {"No": "n 0", "1": "1"}),
        ({"binary": ["1", "No"]}, {"1": "1", "No": "n"}),
        ({"choice": ["01", "1"]}, {"01": "", "1": "1"}),
        ({"min": 1, "max": 3, "labels": ["low", "high"]}, {"1": "1", "2": "2", "3": "3"}),
        ({"min": 0, "max": 2}, {"0": "0", "1": "1", "2": "2"}),
        ({"min": -1, "max": 1}, {"-1": "", "0": "0", "1": "1"}),
        ({"min": 8, "max": 10}, {"8": "8", "9": "9", "10": ""}),
        ({"choice": ["2", "4", "more"]}, {"2": "2", "4": "4", "more": "3"}),
        ({"choice": ["2", "none"]}, {"2": "2", "none": ""}),
        (
            {"min": -1, "max": 1, "labels": ["bad", "so-so", "good"]},
            {"bad": "1", "so-so": "2", "good": "3"},
        ),
        (
            {"choice": list("abcdefghijk")},
            {letter: str(n) if n < 10 else "" for n, letter in enumerate("abcdefghijk", 1)},
        ),
    ],
)
def test_a_key_means_the_number_on_its_option(spec, expected):
    assert keys(spec) == expected


def test_a_scale_from_nought_to_ten_chooses_the_number_that_was_pressed():
    assert keys({"min": 0, "max": 10}) == {str(n): str(n) if n < 10 else "" for n in range(11)}


def test_no_key_chooses_two_options():
    for spec in ("likert7", "binary", {"choice": ["3", "A", "B", "1"]}, {"min": -3, "max": 3}):
        pressed = " ".join(keys(spec).values()).split()
        assert len(pressed) == len(set(pressed)) > 0
