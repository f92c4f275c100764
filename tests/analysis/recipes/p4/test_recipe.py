"""P4 in a study whose answers a test knows in plain lists, its numbers by scipy and sklearn."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error

from analysis.answers.frame import read_answers
from analysis.recipes.base import choose
from analysis.recipes.p4.recipe import P4
from analysis.stats.regression.linear_prediction import random_splits
from annotate.models import Item
from tests import factories
from tests.explained import QUESTIONS, Explained

pytestmark = pytest.mark.django_db
KINDS = {"CF": "cf", "CF-A": "cf-a", "Item-Sim": "item-sim", "Genre-Jacc": "genre-jacc"}
SECOND = {
    "3": ("Low-CF", ("cf", "lowest")),
    "4a": ("High-Item-Sim", ("item-sim", "highest")),
    "4b": ("High-Genre-Jacc", ("genre-jacc", "highest")),
}


@pytest.fixture
def explained(owner):
    return Explained(owner)


def cells_of(study, **named):
    recipe = P4()
    chosen = choose(recipe, study, named)
    return {both.place: both for both in recipe.compared(read_answers(study), chosen)}


def test_table_1_is_pearson_of_scores_and_mean_ratings(explained):
    cells = cells_of(explained.study)
    for row, kind in KINDS.items():
        for question in QUESTIONS:
            own = cells["1", row, question.capitalize()].measured
            r = stats.pearsonr(explained.scores[kind], explained.means(question))[0]
            assert own.value == pytest.approx(r)
    assert cells["1", "CF", "Informativeness"].verdict == "not computed"


def test_table_2_is_the_error_of_lines_on_explanations_left_out(explained):
    cells = cells_of(explained.study)
    for row, kind in KINDS.items():
        x, y = np.array(explained.scores[kind]), np.array(explained.means("satisfaction"))
        errors = []
        for train in random_splits(len(x), 200, np.random.default_rng(1)):
            line = LinearRegression().fit(x[train, None], y[train])
            errors.append(mean_squared_error(y[~train], line.predict(x[~train, None])))
        own = cells["2", row, "Satisfaction"].measured
        assert own.value == pytest.approx(np.mean(errors))
        assert (own.low, own.high) == pytest.approx(tuple(np.percentile(errors, [2.5, 97.5])))


def test_tables_3_and_4_are_paired_t_tests(explained):
    cells = cells_of(explained.study)
    for table, (name, cell) in SECOND.items():
        for question in QUESTIONS:
            high, other = (explained.in_cell(question, c) for c in (("cf", "highest"), cell))
            who = sorted(high.keys() & other.keys())
            a, b = ([side[person] for person in who] for side in (high, other))
            own = {row: cells[table, row, question.capitalize()].measured for row in ("t", "p")}
            tested = stats.ttest_rel(a, b, alternative="greater")
            assert own["t"].value == pytest.approx(tested.statistic)
            assert own["p"].value == pytest.approx(tested.pvalue)
            assert cells[table, "p", question.capitalize()].printed is None
            for row, values in (("High-CF", a), (name, b)):
                side = cells[table, row, question.capitalize()].measured
                sd = cells[table, row, f"{question.capitalize()} SD"].measured
                ends = stats.t.interval(0.95, len(who) - 1, np.mean(values), stats.sem(values))
                assert side.value == pytest.approx(np.mean(values))
                assert (side.low, side.high) == pytest.approx(ends)
                assert sd.value == pytest.approx(np.std(values, ddof=1))


def test_participants_are_counted(explained):
    cells = cells_of(explained.study)
    assert cells["Data", "Participants", "Number"].measured.value == 14
    assert cells["Data", "Participants excluded", "Number"].measured.value == 2
    assert cells["Data", "Participants", "Number"].verdict == "differs"


def test_without_cells_and_scores_each_number_has_its_reason(explained):
    Item.objects.update(data={})
    other = factories.make_judge(explained.study, "again", kind="cf")
    cells = cells_of(explained.study, **{"CF-A": "CF warm", "Item-Sim": other.key})
    why = {place: both.measured.reason for place, both in cells.items()}
    assert "CF, again; choose one for the role CF" in why["1", "CF", "Satisfaction"]
    assert why["2", "Item-Sim", "Satisfaction"].startswith("the judge has no score")
    assert cells["1", "CF-A", "Satisfaction"].measured.value == pytest.approx(
        stats.pearsonr(explained.scores["cf-warm"], explained.means("satisfaction"))[0]
    )
    assert why["3", "High-CF", "Satisfaction"].startswith("no item that two people or more")
    assert why["4b", "t", "Satisfaction"].startswith("no item that two people or more")


def test_what_the_study_lacks_is_said(explained, owner):
    gaps = "informativeness, effectiveness, persuasiveness, transparency"
    assert P4().lacks(explained.study) == [
        "The study has no histories, of which a recommender could be trained.",
        f"The study has no question called {gaps}.",
    ]
    bare = factories.make_study("bare", owner)
    assert P4().lacks(bare)[0] == "The study has no explanations."
