"""A printed number beside ours: equal at the printed digits, inside the interval, or neither."""

from math import nan

import pytest

from analysis.recipes.base import Published, compare
from analysis.recipes.printed import digits_of
from analysis.stats.estimate import Estimate


@pytest.mark.parametrize(
    ("text", "ours", "low", "high", "verdict"),
    [
        ("0.64", 0.6449, nan, nan, "equal"),
        ("0.64", 0.6451, nan, nan, "differs"),
        ("0.6400", 0.6449, nan, nan, "differs"),
        ("0.64", 0.7, 0.64, 0.8, "inside the interval"),
        ("0.80", 0.7, 0.64, 0.8, "inside the interval"),
        ("0.81", 0.7, 0.64, 0.8, "differs"),
        ("0.63", 0.7, 0.64, 0.8, "differs"),
        ("0.63", 0.7, nan, 0.8, "differs"),
        ("0.64", nan, 0.6, 0.7, "not computed"),
        ("-0.10", -0.1049, nan, nan, "equal"),
        ("0.00", -0.001, nan, nan, "equal"),
        ("30", 30, nan, nan, "equal"),
        ("30", 29, nan, nan, "differs"),
        ("30", 29, 25, 31, "inside the interval"),
    ],
)
def test_the_verdict(text, ours, low, high, verdict):
    printed = Published("1", "judge", "AUC", float(text), digits_of(text))
    assert compare(printed, Estimate(ours, low, high)) == verdict
