"""What a question's judges are compared with: what is known of its items, and what is not."""

import numpy as np
import pytest

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.evidence import gather_reference
from tests.analysis.stats.validation.worked import long_study

FIVE = Scale(1, 5)


def study(**options):
    values, items, who, _ = long_study(1)
    return gather_reference(values, items, who, 60, FIVE, **options)


def test_all_that_is_known_is_taken_out_at_once():
    codes = np.arange(60)
    left = study(
        lengths=codes, groupings={"system": codes % 3, "content": codes // 12, "item": codes}
    ).left
    assert left.features.names == ("raters", "length", "system", "content")
    assert left.skipped == {"item": "there are too few rated items a group"}
    assert left.small == ()


def test_what_the_raters_gave_to_other_items_counts_in_a_crowd_alone():
    crowd = gather_reference(*ratings_of(12), 60, FIVE).left
    assert crowd.features.names == ("raters",)
    assert gather_reference(*ratings_of(4), 60, FIVE).left.features.names == ()


def ratings_of(n_raters):
    """Three ratings of each of sixty items, by raters in turn."""
    slots = np.arange(180)
    return np.random.default_rng(1).integers(1, 6, 180), slots // 3, slots % n_raters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groupings": {"system": [0, 1]}}, "system: expected 60 codes"),
        ({"lengths": [1.0, 2]}, "length: expected 60"),
        ({"lengths": np.full(60, -1)}, "at least 0"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        study(**options)
