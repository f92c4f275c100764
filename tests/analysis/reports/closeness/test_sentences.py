"""Each finding as a sentence, by hand: more, less, not worse, not told apart, not tested."""

from math import nan

import pytest

from analysis.reports.closeness.compare import say
from analysis.reports.words import money

ROW = {
    "evaluator": "gpt-small",
    "other": "rouge-1",
    "measure": "pearson-dataset",
    "question": "quality",
    "difference": 0.21,
    "low": 0.14,
    "high": 0.29,
    "p_adjusted": 0.0005,
    "margin": None,
    "not_worse": None,
}
SMALL = {"difference": 0.02, "low": -0.03, "high": 0.07, "p_adjusted": 0.41}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "gpt-small follows people more closely than rouge-1 on quality "
            "(difference in r .21 [.14, .29], p = .001).",
        ),
        (
            {"p_adjusted": 0.0004},
            "gpt-small follows people more closely than rouge-1 on quality "
            "(difference in r .21 [.14, .29], p < .001).",
        ),
        (
            {"difference": -0.21, "low": -0.29, "high": -0.14, "other": "a rater"},
            "gpt-small follows people less closely than a rater on quality "
            "(difference in r -.21 [-.29, -.14], p = .001).",
        ),
        (
            SMALL,
            "gpt-small and rouge-1 cannot be told apart on quality "
            "(difference in r .02 [-.03, .07], p = .410).",
        ),
        (
            SMALL | {"margin": 0.05, "not_worse": True},
            "gpt-small is not worse than rouge-1 by more than .05 on quality "
            "(difference in r .02 [-.03, .07], p = .410).",
        ),
        (
            SMALL | {"margin": 0.01, "not_worse": False, "evaluator": "a rater"},
            "A rater and rouge-1 cannot be told apart on quality (difference in r .02 [-.03, .07], "
            "p = .410); that it is worse by .01 is not ruled out.",
        ),
        (
            {"difference": -0.03, "low": -0.04, "high": -0.02, "margin": 0.05, "not_worse": True},
            "gpt-small follows people less closely than rouge-1 on quality, but not by more than "
            ".05 (difference in r -.03 [-.04, -.02], p = .001).",
        ),
        (
            {"low": -0.01, "p_adjusted": 0.04},  # p and the interval disagree
            "gpt-small and rouge-1 cannot be told apart on quality "
            "(difference in r .21 [-.01, .29], p = .040).",
        ),
        (
            {"measure": "mae", "evaluator": "mean of expert"},
            "The mean of experts is further from people’s ratings than rouge-1 on quality "
            "(difference in mean absolute error .21 [.14, .29], p = .001).",
        ),
        (
            {"measure": "mae", "margin": 0.3, "not_worse": True},
            "gpt-small is further from people’s ratings than rouge-1 on quality, but not by more "
            "than .30 (difference in mean absolute error .21 [.14, .29], p = .001).",
        ),
        (
            {"measure": "ties", "difference": -0.2, "low": -0.3, "high": -0.1},
            "gpt-small says tie less often than rouge-1 on quality "
            "(difference in the share of ties -.20 [-.30, -.10], p = .001).",
        ),
        (
            {"measure": "kendall-system"},
            "gpt-small follows people more closely than rouge-1 on quality "
            "(difference in τ over systems .21 [.14, .29], p = .001).",
        ),
        (
            {"low": nan, "high": nan, "p_adjusted": nan},
            "gpt-small and rouge-1 cannot be tested on quality "
            "(difference in r .21; there is no interval).",
        ),
    ],
)
def test_a_finding_in_words(changes, sentence):
    assert say(ROW | changes, " on quality") == sentence


def test_an_undefined_difference_says_why():
    row = ROW | {"difference": nan}
    expected = "gpt-small and rouge-1 cannot be compared on x: no item has both."
    assert say(row, " on x", "no item has both") == expected


def test_costs_are_dollars():
    row = ROW | {"measure": "cost", "difference": -1.5, "low": -2.25, "high": -0.75}
    assert say(row, "") == (
        "gpt-small costs less than rouge-1 "
        "(difference in the cost of 1,000 items −$1.50 [−$2.25, −$0.75], p = .001)."
    )
    assert money(0.0012) == "$0.0012"
