"""USR, FMR, FCR and DIV by hand, as the code of their authors counts them."""

from itertools import combinations

import numpy as np
import pytest

from analysis.stats.statements.features import (
    feature_coverage_ratio,
    feature_diversity,
    feature_matching_ratio,
    mentioned,
    unique_sentence_ratio,
)

FEATURES = ["battery life", "Battery", "screen", "price"]
TEXTS = [
    "The BATTERY life is long, and the screen is bright.",
    "Good price; the batterylife is short.",
    "The screens are dull.",
    "A battery that lasts, and a fair price",
]


def test_only_whole_words_in_their_order_are_mentioned():
    found = mentioned(TEXTS, FEATURES)
    assert found[0] == {"battery life", "battery", "screen"}
    assert found[1] == {"price"}
    assert found[2] == set()  # screens is another word
    assert found[3] == {"battery", "price"}


def test_words_may_be_parted_by_any_mark_or_space():
    assert mentioned(["battery-life\n ok", "life battery"], ["battery  life"]) == [
        {"battery life"},
        set(),
    ]


def test_scripts_without_spaces_are_searched_letter_by_letter():
    assert mentioned(["我喜欢这个屏幕的颜色"], ["屏幕", "电池"]) == [{"屏幕"}]


def test_the_ratios_by_hand():
    """FMR: 1 1 – 0; FCR: battery life, battery, screen, price of 4; DIV: of the six pairs 1-4 and
    2-4 share one feature each, 2/6."""
    found = mentioned(TEXTS, FEATURES)
    matching = feature_matching_ratio(found, ["battery life", "PRICE", "", "screen"])
    assert matching == pytest.approx([1, 1, np.nan, 0], nan_ok=True)
    assert feature_coverage_ratio(found, 4) == 1.0
    assert feature_coverage_ratio(found[1:3], 4) == 0.25
    assert feature_diversity(found) == pytest.approx(2 / 6)


def test_diversity_is_the_mean_over_all_pairs_of_their_common_features():
    dice = np.random.default_rng(5)
    found = [frozenset(dice.choice(list("abcdef"), n).tolist()) for n in dice.integers(0, 6, 25)]
    plain = np.mean([len(one & other) for one, other in combinations(found, 2)])
    assert feature_diversity(found) == pytest.approx(plain)
    assert feature_diversity(found[::-1]) == pytest.approx(plain)


def test_distinct_texts_by_exact_words():
    """Spaces do not tell texts apart, marks and capitals do: three of four."""
    texts = ["a good film", "a  good film\n", "A good film", "a good film."]
    assert unique_sentence_ratio(texts) == 0.75


def test_nothing_to_count_is_undefined():
    assert np.isnan(unique_sentence_ratio([]))
    assert np.isnan(feature_coverage_ratio([frozenset()], 0))
    assert np.isnan(feature_diversity([frozenset({"a"})]))
    assert mentioned(["a text"], ["", "…"]) == [set()]
