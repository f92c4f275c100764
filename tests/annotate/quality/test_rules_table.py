"""The exclusion rules as researchers cite them: their numbers, and what happens just at a limit."""

import pytest

from annotate.quality.rules import RULES

# Rule: {parameter: (default, lowest, highest, whole numbers only)}
NUMBERS = {
    "too_fast": {"seconds": (5, 0.1, 3600, False), "items": (3, 1, 500, True)},
    "fast_answers": {
        "seconds": (2, 0.1, 3600, False),
        "share": (50, 0, 99.9, False),
        "answers": (10, 2, 10_000, True),
    },
    "straight_lining": {"answers": (12, 2, 10_000, True)},
    "low_agreement": {"correlation": (0, -1, 1, False), "items": (8, 1, 500, True)},
    "attention_checks": {"failures": (1, 1, 100, True)},
    "gold_agreement": {"percent": (60, 0.1, 100, False), "answers": (2, 1, 10_000, True)},
    "repeat_disagreement": {
        "points": (1, 0, 100, False),
        "share": (50, 0, 99.9, False),
        "answers": (4, 1, 10_000, True),
    },
    "minimum_time": {"share": (50, 0, 99.9, False), "items": (3, 1, 500, True)},
    "unheard": {
        "seconds": (10, 0.1, 3600, False),
        "share": (50, 0, 99.9, False),
        "recordings": (2, 1, 500, True),
    },
    "duplicate": {},
    "approval_rate": {"percent": (80, 0, 100, False)},
    "task_count": {"tasks": (50, 1, 1_000_000, True)},
    "few_movies": {"movies": (1, 0, 1000, False)},
    "unfamiliar": {"percent": (60, 0, 100, False)},
    "exit_answer": {},
}
# Rule, parameters, what was measured -> whether the rater is excluded
LIMITS = [
    ("too_fast", {"seconds": 5}, {4.99: True, 5: False, 6: False}),
    ("fast_answers", {"share": 50}, {50: False, 50.1: True}),
    ("straight_lining", {}, {1: True, 2: False}),
    ("low_agreement", {"correlation": 0.2}, {0.19: True, 0.2: False, 0.3: False}),
    ("attention_checks", {"failures": 2}, {1: False, 2: True, 3: True}),
    ("gold_agreement", {"percent": 60}, {59.9: True, 60: False}),
    ("repeat_disagreement", {"share": 50}, {50: False, 50.1: True}),
    ("minimum_time", {"share": 50}, {50: False, 50.1: True}),
    ("unheard", {"share": 50}, {50: False, 50.1: True}),
    ("duplicate", {}, {1: False, 2: True, 3: True}),
    ("approval_rate", {"percent": 80}, {79: True, 80: False}),
    ("task_count", {"tasks": 50}, {49: True, 50: False}),
    ("few_movies", {"movies": 1}, {0: True, 1: False}),
    ("unfamiliar", {"percent": 60}, {59: True, 60: False}),
    ("exit_answer", {}, {0: False, 1: True}),
]


def test_the_numbers_of_every_rule():
    numbers = {
        key: {
            one.name: (one.default, one.low, one.high, one.is_whole)
            for one in rule.parameters
            if not one.is_text and not one.choices
        }
        for key, rule in RULES.items()
    }
    assert numbers == NUMBERS


def test_a_parameter_that_is_a_text_or_a_choice_has_no_ends():
    for parameter in RULES["exit_answer"].parameters:
        assert (parameter.low, parameter.high, parameter.is_whole) == (0, 0, False)


@pytest.mark.parametrize(("rule", "parameters", "excluded"), LIMITS, ids=[one[0] for one in LIMITS])
def test_who_stands_just_at_a_limit_stays_but_for_failed_checks(rule, parameters, excluded):
    assert {value: RULES[rule].excludes(value, parameters) for value in excluded} == excluded


def test_every_rule_has_its_limit_tested():
    assert {key for key, *_ in LIMITS} == {*RULES}
