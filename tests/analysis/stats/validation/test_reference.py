"""The checks of a question: in which order, and which are skipped."""

import numpy as np
import pytest

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.reference import gather_reference
from tests.analysis.stats.validation.worked import long_study

FIVE = Scale(1, 5)


def study(**options):
    values, items, who, _ = long_study(1)
    return gather_reference(values, items, who, 60, FIVE, **options)


def test_length_comes_first_and_groupings_in_their_order():
    codes = np.arange(60)
    reference = study(
        lengths=codes, groupings={"system": codes % 3, "content": codes // 12, "item": codes}
    )
    assert [w.name for w in reference.within] == ["length", "system", "content", "item"]
    assert [bool(w.skipped) for w in reference.within] == [False, False, False, True]


def test_groups_that_are_those_of_another_grouping_are_checked_once():
    codes = np.arange(60) % 3
    reference = study(groupings={"system": codes, "content": 7 - codes, "kind": codes // 2})
    skipped = [within.skipped for within in reference.within]
    assert skipped == ["", "its groups are those of another check", ""]


def test_without_groupings_and_text_nothing_is_checked():
    assert study().within == ()


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
