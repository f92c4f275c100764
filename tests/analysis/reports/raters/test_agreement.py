"""The agreement report: canonical values through the database, judges, odd scales."""

from math import isnan

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from annotate.models import Rater, Rating
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of

pytestmark = pytest.mark.django_db

# Krippendorff's canonical example, 4 raters x 12 units (Krippendorff 2011); 0 is missing.
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


def make_table(table, scale="likert5"):
    """A study of one question with these ratings (raters, units); 0 is missing."""
    study = factories.make_study(questions={})
    question = factories.make_question(study, "q", scale)
    items = [factories.make_item(study, f"i{number}") for number in range(table.shape[1])]
    for rater, ratings in enumerate(table):
        session = factories.make_session(study, f"rater-{rater}")
        for item, value in zip(items, ratings, strict=True):
            if value:
                factories.make_rating(session, item, question, float(value))
    return study


@pytest.mark.parametrize(
    ("measure", "value"),
    [("alpha_nominal", 0.743421), ("alpha_ordinal", 0.815388), ("alpha_interval", 0.849107)],
)
def test_the_canonical_alphas_come_out_of_the_database(measure, value):
    row = row_of(build(make_table(CANONICAL), "agreement"), raters="humans", measure=measure)
    assert row["value"] == pytest.approx(value, abs=5e-7)
    assert (row["n_units"], row["n_raters"]) == (11, 4)


# Gwet's values of the same data (R's irrCAC); scipy's Friedman statistic of the units all rated.
@pytest.mark.parametrize(
    ("measure", "value", "units"),
    [("fleiss_kappa", 0.76117, 11), ("ac1", 0.77544, 11), ("ac2_quadratic", 0.91400, 11)],
)
def test_gwets_values_come_out_of_the_database(measure, value, units):
    row = row_of(build(make_table(CANONICAL), "agreement"), raters="humans", measure=measure)
    assert row["value"] == pytest.approx(value, abs=5e-6)
    assert (row["n_units"], row["n_raters"]) == (units, 4)


def test_kendalls_w_takes_the_items_that_everybody_rated():
    whole = CANONICAL[:, (CANONICAL != 0).all(axis=0)]
    row = row_of(build(make_table(CANONICAL), "agreement"), raters="humans", measure="kendall_w")
    statistic = stats.friedmanchisquare(*whole.T).statistic
    assert row["value"] == pytest.approx(statistic / 4 / (whole.shape[1] - 1))
    assert row["n_units"] == whole.shape[1]


def test_scales_of_many_points_have_no_kappa_and_the_reason():
    scale = {"min": 0, "max": 100}
    report = build(make_table(np.array([[10, 50, 90], [20, 50, 80]]), scale), "agreement")
    kappas = [row["value"] for row in report.rows if row["measure"].startswith("kappa")]
    assert len(kappas) == 3
    assert all(isnan(value) for value in kappas)
    assert any(
        "The scale has 101 points, tables of two raters take at most 11" in note
        for note in report.notes
    )
    assert not isnan(row_of(report, raters="humans", measure="alpha_interval")["value"])


def test_a_judge_joins_the_people_as_one_more_rater():
    study = make_table(CANONICAL)
    answers = [1, 2, 3, 3, 2, 1, 4, 1, 2, 5, 1, 3]
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: answers[keys.index(item)])
    report = build(study, "agreement")
    table = np.where(CANONICAL == 0, np.nan, CANONICAL)
    expected = krippendorff.alpha(np.vstack([table, answers]), level_of_measurement="ordinal")
    row = row_of(report, raters="humans + gpt", measure="alpha_ordinal")
    assert row["value"] == pytest.approx(expected)
    assert (row["n_units"], row["n_raters"]) == (12, 5)


def test_kappa_against_a_role_is_the_mean_over_its_raters():
    table = np.array([[1, 2, 3, 4, 5, 1, 2, 3], [1, 2, 2, 4, 4, 2, 2, 3]])
    study = make_table(table)
    answers = [1, 3, 3, 4, 5, 2, 2, 1]
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: answers[keys.index(item)])
    labels = [1, 2, 3, 4, 5]
    for measure, weights in [("kappa", None), ("kappa_quadratic", "quadratic")]:
        expected = np.mean(
            [cohen_kappa_score(row, answers, labels=labels, weights=weights) for row in table]
        )
        row = row_of(build(study, "agreement"), raters="gpt vs third_party", measure=measure)
        assert row["value"] == pytest.approx(expected)


def test_means_of_samples_are_rounded_halves_down_for_labels_only():
    study = make_table(np.array([[3, 4, 2]]))
    values = [3.5, 4.2, 1.5]
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: values[keys.index(item)])
    report = build(study, "agreement")
    percent = row_of(report, raters="gpt vs third_party", measure="percent")
    assert percent["value"] == pytest.approx(2 / 3)  # 3, 4, 1 against 3, 4, 2


def test_a_judge_on_another_scale_is_left_out_and_named():
    study = make_table(np.array([[3, 4, 2], [3, 5, 1]]))
    add_judge(study, "BLEU", lambda item: 0.1)
    report = build(study, "agreement")
    assert {row["raters"] for row in report.rows} == {"humans"}
    assert any("cannot be compared: BLEU" in note for note in report.notes)


def test_values_off_the_scale_are_dropped_and_counted():
    study = make_table(np.array([[3, 4, 2], [3, 5, 1]]))
    values = [3, 4, 0]
    keys = list(study.items.order_by("pk"))
    add_judge(study, "gpt", lambda item: values[keys.index(item)])
    report = build(study, "agreement")
    row = row_of(report, raters="gpt vs third_party", measure="percent")
    assert row["n_units"] == 2
    assert "Values off the scale after rounding are dropped: 1 (gpt, q: 1)." in report.notes


def test_each_role_has_rows_of_its_own_where_there_are_several():
    study = make_rated_study()
    expert = factories.make_session(study, "eve", Rater.Role.EXPERT)
    for question in study.questions.all():
        factories.make_rating(expert, study.items.first(), question, 3)
    raters = {row["raters"] for row in build(study, "agreement").rows}
    assert {"humans", "humans (third_party)", "humans (expert)"} <= raters


def test_one_rater_alone_is_undefined_with_the_reason():
    report = build(make_table(np.array([[1, 2, 3]])), "agreement")
    assert all(isnan(row["value"]) for row in report.rows)
    assert any(note.startswith("No unit has two ratings") for note in report.notes)


def test_equal_ratings_are_undefined_but_where_no_chance_is_taken_off():
    report = build(make_table(np.full((3, 4), 4)), "agreement")
    for measure in ("alpha_ordinal", "kappa", "scott_pi", "fleiss_kappa", "icc_1_1"):
        assert isnan(row_of(report, raters="humans", measure=measure)["value"]), measure
    for measure in ("percent", "ac1", "ac2_quadratic"):
        assert row_of(report, raters="humans", measure=measure)["value"] == 1, measure
    assert any(note.startswith("All ratings are equal") for note in report.notes)


@pytest.mark.parametrize(
    ("scale", "measures"),
    [
        (
            {"choice": ["A", "tie", "B"]},
            {"percent", "alpha_nominal", "kappa", "scott_pi", "fleiss_kappa", "ac1"},
        ),
        (
            "number",
            {
                "alpha_interval",
                "icc_1_1",
                "icc_a_1",
                "icc_c_1",
                "icc_1_k",
                "icc_a_k",
                "icc_c_k",
                "kendall_w",
            },
        ),
    ],
)
def test_a_scale_gets_the_measures_that_mean_something_on_it(scale, measures):
    report = build(make_table(np.array([[1, 2, 3], [1, 3, 3]]), scale), "agreement")
    assert {row["measure"] for row in report.rows} == measures


def test_intervals_are_drawn_by_recipient():
    report = build(make_rated_study(), "agreement", draws=100)
    row = row_of(report, raters="humans", measure="alpha_ordinal", question="accuracy")
    assert row["low"] <= row["value"] <= row["high"]
    assert any("100 bootstrap draws of 4 clusters" in note for note in report.notes)


def test_questions_that_share_a_scale_are_pooled():
    study = make_table(CANONICAL)
    second = factories.make_question(study, "again", "likert5")
    for rating in Rating.objects.all():
        factories.make_rating(rating.session, rating.item, second, rating.value)
    twice = np.hstack([CANONICAL, CANONICAL]).astype(float)
    twice[twice == 0] = np.nan
    pooled = krippendorff.alpha(twice, level_of_measurement="ordinal")
    report = build(study, "agreement")
    row = row_of(report, raters="humans", measure="alpha_ordinal", question="pooled")
    assert row["value"] == pytest.approx(pooled) and row["n_units"] == 22
