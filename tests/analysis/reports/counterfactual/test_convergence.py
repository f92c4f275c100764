"""How films and CF settle, against values by hand."""

import pytest

from analysis.reports.counterfactual.report import Beside
from tests.analysis.small import build
from tests.explained import Explained

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/analysis/counterfactual/"
# Two seeds, after 10 and 20 iterations, of four explanations.
WATCHED = {
    "iterations": [10, 20],
    "seeds": [1, 2],
    "items": ["a", "b", "c", "d"],
    "best": [[[1, 2, 3, 4], [1, 2, 3, 5]], [[1, 7, 8, 9], [1, 2, 3, 9]]],
    "cf": [[[0.1, 0, 0, 0], [0.2, 0, 0, 0]], [[0.5, 0.2, 0, 0], [0.3, 0.1, 0, 0]]],
    "made_at": "2026-01-01T00:00:00+00:00",
}


@pytest.fixture
def explained(owner):
    study = Explained(owner)
    study.study.extra["convergence"] = WATCHED
    study.study.save()
    return study


def values(report):
    rows = [row for row in report.rows if row["part"] == "convergence"]
    assert {row["n"] for row in rows} == {4}
    return {(row["other"], row["measure"]): row["value"] for row in rows}, rows


def test_convergence_by_hand(explained):
    """Same film after 20 as after 10: 3 of 4, then 2 of 4. CF changes by .1, .2 and .1, of 8."""
    found, rows = values(build(explained.study, "counterfactual", draws=20))
    assert found["20", "same_film"] == 5 / 8
    assert (found["10", "seeds_agree"], found["20", "seeds_agree"]) == (1 / 4, 3 / 4)
    assert found["20", "mean_change"] == pytest.approx(0.4 / 8)
    assert found["10", "largest_difference"] == pytest.approx(0.4)
    assert found["10", "mean_difference"] == pytest.approx(0.6 / 4)
    assert found["20", "largest_difference"] == pytest.approx(0.1)
    undefined = {(row["other"], row["measure"]) for row in rows if row["value"] != row["value"]}
    assert undefined == {("10", "same_film"), ("10", "mean_change")}
    assert all(row["reason"] for row in rows if row["value"] != row["value"])


def test_a_single_seed_agrees_with_nobody(explained):
    lone = {name: WATCHED[name][:1] for name in ("seeds", "best", "cf")}
    explained.study.extra["convergence"] = WATCHED | lone
    explained.study.save()
    found, _ = values(build(explained.study, "counterfactual", draws=20))
    assert found["20", "same_film"] == 3 / 4
    for measure in ("seeds_agree", "largest_difference", "mean_difference"):
        assert found["20", measure] != found["20", measure]


def test_the_page_has_table_and_figure_and_a_new_check_replaces_them(explained, as_owner):
    response = as_owner.get(PAGE, {"draws": 20})
    keys = [figure.key for *_, layout in response.context["groups"] for figure in layout.figures]
    assert "convergence" in keys and "20 iterations" in response.text
    before = str(Beside(explained.study))
    explained.study.extra["convergence"] = WATCHED | {"iterations": [10, 33], "made_at": "later"}
    explained.study.save()
    assert str(Beside(explained.study)) != before  # or a kept report would be shown
    assert "33 iterations" in as_owner.get(PAGE, {"draws": 20}).text


def test_a_study_that_was_not_checked_has_neither(owner, as_owner):
    study = Explained(owner).study
    assert not [
        r for r in build(study, "counterfactual", draws=20).rows if r["part"] == "convergence"
    ]
    assert "Convergence:" not in as_owner.get(PAGE, {"draws": 20}).text
