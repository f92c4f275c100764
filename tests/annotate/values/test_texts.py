"""Texts: how many of something there are, in words."""

import pytest

from annotate.values.texts import count_of


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 places"), (1, "1 place"), (2, "2 places"), (1200, "1,200 places")]
)
def test_one_thing_is_no_plural_and_thousands_are_parted(number, words):
    assert count_of(number, "place") == words
