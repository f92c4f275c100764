"""P1 with five explanations whose shares of supported statements are known by hand."""

from statistics import stdev

import pytest

from analysis.answers.frame import read_answers
from analysis.recipes.base import choose
from analysis.recipes.p1.recipe import P1
from tests import factual
from tests.analysis.reports.factuality.test_report import VERDICTS, judged

pytestmark = pytest.mark.django_db


def test_table_iii_by_hand(owner):
    """Of two texts of NRT on toys 1/2 and all statements are supported."""
    items = {
        key: (who, "nrt" if system == "good" else system, *rest)
        for key, (who, system, *rest) in factual.ITEMS.items()
    }
    study = factual.make_study(owner, items)
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    judged(study, "AlignScore", {"a": 0.25, "b": 0.5, "c": 1.0}, "overall")
    recipe = P1()
    chosen = choose(recipe, study, {"support": "LLM"})
    cells = {both.place: both for both in recipe.compared(read_answers(study), chosen)}
    ours = {place: both.measured.value for place, both in cells.items()}
    assert ours["III", "Toys: St2Exp-P", "NRT"] == pytest.approx((0.5 + 1) / 2)
    assert ours["III", "Toys: St2Exp-P", "NRT SD"] == pytest.approx(stdev([0.5, 1]))
    assert ours["III", "Toys: St2Exp-F1", "NRT"] == pytest.approx(2 / 3)
    assert ours["V", "Toys: AlignScore", "NRT"] == pytest.approx((0.25 + 0.5) / 2)
    assert cells["III", "Toys: St2Exp-F1", "NRT"].verdict == "differs"
    why = {place: both.measured.reason for place, both in cells.items() if both.printed}
    assert why["III", "Beauty: St2Exp-P", "NRT"].startswith("the study has no such dataset")
    assert why["IV", "Toys: StEnt-P", "NRT"] == "no judge of the study is an NLI model"
    assert why["VII", "Toys: STS", "NRT"].endswith("of the kind STS against the review")
    assert why["II", "Train", "Toys"].startswith("the parts are split")
    assert ("RQ3", "AlignScore", "Toys") in ours  # how alike it orders the systems
