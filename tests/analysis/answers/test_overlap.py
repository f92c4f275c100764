"""The words that items' texts share with their references."""

import numpy as np
import pytest

from analysis.answers.overlap import overlaps, text_sizes, texts_of
from tests import factories

pytestmark = pytest.mark.django_db


def add(study, key, text, reference):
    factories.make_item(study, key, content=key, text=text, reference=reference)


def test_rouge_1_by_hand():
    study = factories.make_study()
    add(study, "near", "A quiet film about rain", "a film about rain, and snow")
    add(study, "same", "Été à Paris", "été à paris")
    add(study, "none", "A text", "")
    add(study, "blank", "…", "a film")
    # Four of the 5 and 6 words are shared: 2 · 4 / (5 + 6).
    keys = np.array(["same", "near", "none", "blank", "unknown"])
    values = overlaps(texts_of(study), keys, "en")
    assert values == pytest.approx([1, 8 / 11, np.nan, np.nan, np.nan], nan_ok=True)
    sizes = text_sizes(texts_of(study), keys)
    assert sizes == pytest.approx([11, 23, 6, 1, np.nan], nan_ok=True)


def test_chinese_is_read_by_characters_and_a_study_without_references_has_none():
    study = factories.make_study(language="zh-hans")
    factories.make_item(study, "one", text="好看的电影")
    assert overlaps(texts_of(study), np.array(["one"]), "zh-hans") is None
    add(study, "two", "好看的电影", "好电影")
    # Three of the 5 and 3 characters are shared.
    assert overlaps(texts_of(study), np.array(["two"]), "zh-hans") == pytest.approx([6 / 8])
