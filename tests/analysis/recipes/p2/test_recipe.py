"""P2 with lists of which every number of table 4 follows by hand."""

import pytest

from analysis.answers.frame import read_answers
from analysis.recipes.base import choose
from analysis.recipes.p2.recipe import P2
from tests import factories
from tests.recommended import known_table, make_lists, make_recommender

pytestmark = pytest.mark.django_db
ROW = "MR1: Multiply"


def test_table_4_by_hand(owner):
    """Multiplied prompts change the last of five entries: four of five stay."""
    study = factories.make_study("films", owner)
    make_lists(make_recommender(study), known_table())
    recipe = P2()
    compared = recipe.compared(read_answers(study), choose(recipe, study, {}))
    cells = {both.place: both for both in compared}
    ours = {place: both.measured.value for place, both in cells.items()}
    assert ours["4", ROW, "Overlap ratio"] == pytest.approx(0.8)
    assert ours["4", ROW, "Overlap ratio SD"] == pytest.approx(0)
    assert ours["4", ROW, "Kendall τ"] == pytest.approx(33 / 35)
    assert ours["4", "MR3: Spaces", "RBO"] == pytest.approx(0)
    assert cells["4", ROW, "Kendall τ"].verdict == "differs"
    assert cells["2", "k = 5", "RBO"].verdict == "not computed"
    assert cells["4", ROW, "Overlap ratio p"].printed is None
    assert cells["4", ROW, "Overlap ratio p"].verdict == ""
