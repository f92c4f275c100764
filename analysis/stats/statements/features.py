"""Measure features in generated texts (FMR, FCR, DIV), and how many texts are distinct (USR).

mentioned(texts, features)      which features each text mentions, word by word
feature_matching_ratio(mentioned, wanted)      feature_coverage_ratio(mentioned, n_features)
feature_diversity(mentioned)                   unique_sentence_ratio(texts)

Source of all four: Li, Zhang & Chen (2020), Generate Neural Template Explanations for
Recommendation, section 4.2, and the code of their paper on PETER (2021).
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from analysis.stats.inputs import Floats

WORDS = re.compile(r"\w+")
# Letters of scripts that put no space between words: Thai and Lao, kana, Chinese.
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, without regard to case."""
    return tuple(WORDS.findall(text.casefold()))


def mentioned(texts: Sequence[str], features: Sequence[str]) -> list[frozenset[str]]:
    """Find which of the features each text mentions: its words, one after the other.

    Without regard to case, punctuation and the number of spaces; only whole words match, but for
    scripts without spaces. The features come back as `words_of` joins them. An empty one is none.
    """
    word_runs = {words_of(feature) for feature in features} - {()}
    unspaced = {feature for feature in word_runs if UNSPACED.search("".join(feature))}
    spaced = word_runs - unspaced
    lengths = sorted({len(feature) for feature in spaced})
    return [_mentioned(words_of(text), spaced, unspaced, lengths) for text in texts]


def _mentioned(
    words: tuple[str, ...],
    spaced: set[tuple[str, ...]],
    unspaced: set[tuple[str, ...]],
    lengths: list[int],
) -> frozenset[str]:
    runs = {words[start : start + n] for n in lengths for start in range(len(words) - n + 1)}
    names = {" ".join(feature) for feature in runs & spaced}
    joined = " ".join(words)
    names |= {" ".join(phrase) for phrase in unspaced if " ".join(phrase) in joined}
    return frozenset(names)


def feature_matching_ratio(
    features_by_text: Sequence[frozenset[str]], wanted: Sequence[str]
) -> Floats:
    """Return 1 where a text mentions its own feature, 0 where not (I,); NaN without a feature.

    features_by_text: of `mentioned`; wanted: the feature of each text. The ratio, FMR, is the mean,
    in 0..1. Raises ValueError for unequal lengths.
    """
    own = [" ".join(words_of(feature)) for feature in wanted]
    pairs = zip(features_by_text, own, strict=True)
    return np.array(
        [
            float(wanted_feature in features) if wanted_feature else np.nan
            for features, wanted_feature in pairs
        ],
        dtype=np.float64,
    )


def feature_coverage_ratio(features_by_text: Sequence[frozenset[str]], n_features: int) -> float:
    """Return FCR: distinct features mentioned / all features, in 0..1; NaN without any."""
    covered = frozenset().union(*features_by_text)
    return len(covered) / n_features if n_features else float("nan")


def feature_diversity(features_by_text: Sequence[frozenset[str]]) -> float:
    """Return DIV: features that two texts share, averaged over all pairs of texts; lower is better.

    A number of features, from 0. NaN below two texts. Counted feature by feature: one that c texts
    mention is shared by c(c − 1)/2 pairs.
    """
    n = len(features_by_text)
    if n < 2:
        return float("nan")
    counts = Counter(feature for features in features_by_text for feature in features)
    return sum(c * (c - 1) for c in counts.values()) / (n * (n - 1))


def unique_sentence_ratio(texts: Sequence[str]) -> float:
    """Return USR: distinct texts / texts, in 0..1, by exact words and marks; NaN without texts."""
    if not texts:
        return float("nan")
    return len({" ".join(text.split()) for text in texts}) / len(texts)
