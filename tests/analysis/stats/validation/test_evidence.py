"""What a verdict rests on: which items count, and on which scale."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.stats.validation.criteria import SHARES, Criteria, Scale
from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import gather_evidence, gather_reference
from analysis.stats.validation.people import compare_judge, indicators
from tests.analysis.stats.validation.worked import long_study

FIVE = Scale(1, 5)


def study(seed=1, n=80, **options):
    values, items, who, judge = long_study(seed, n=n)
    return gather_reference(values, items, who, n, FIVE, **options), judge


def test_only_items_with_a_judgment_on_the_scale_count():
    reference, judge = study()
    rows = reference.people.rows
    judge[rows[:3]], judge[rows[4]] = np.nan, -1
    evidence = gather_evidence(reference, judge)
    assert evidence.n_missing == 4
    assert evidence.n == len(rows) - 4
    keep = np.ones(len(rows), bool)
    keep[[0, 1, 2, 4]] = False
    people = reference.people.restrict(keep)
    assert evidence.agreement.r == compare_judge(people, judge[people.rows, None]).r
    assert evidence.share_missing == pytest.approx(4 / len(rows))


def test_a_judge_on_its_own_scale_has_no_level():
    reference, judge = study()
    evidence = gather_evidence(reference, 100 * judge, has_own_scale=True)
    assert evidence.n_missing == 0
    assert evidence.level is None
    assert evidence.agreement.r.value == pytest.approx(
        gather_evidence(reference, judge).agreement.r.value
    )


@pytest.mark.parametrize(
    ("scale", "spread", "is_one"),
    [
        (Scale(1, 5), 0.001, True),
        (Scale(1, 5), 0.4, True),  # 2.6 .. 3.4: all of them 3
        (Scale(1, 5), 0.6, False),
        (Scale(1, 5, step=None), 0.001, False),  # no points to round to
    ],
)
def test_answers_that_are_the_same_on_the_points_of_the_scale(scale, spread, is_one):
    values, items, raters, _ = long_study(1)
    judge = 3 + spread * np.sin(np.arange(60))
    reference = gather_reference(values, items, raters, 60, scale)
    assert gather_evidence(reference, judge).has_one_point == is_one
    assert not gather_evidence(reference, judge, has_own_scale=True).has_one_point
    assert not gather_evidence(reference, np.full(60, np.nan)).has_one_point


def test_the_margin_is_the_scales_or_a_fifth_of_an_sd_or_the_option():
    reference, judge = study()
    assert gather_evidence(reference, judge).level_margin == max(
        0.25, 0.2 * reference.people.values.std()
    )
    binary = gather_reference(np.arange(60) % 2, np.arange(60) // 2, np.arange(60), 30, Scale(0, 1))
    assert binary.level_margin == pytest.approx(0.2 * 0.5)  # not 5 % of the range
    assert gather_evidence(reference, judge, Criteria(level_margin=0.4)).level_margin == 0.4


def test_numbers_of_a_binary_question_are_its_labels():
    values, items, who, judge = long_study(3, n=80)
    yes, marks = (values > 3).astype(int), (judge > 3).astype(float)
    by_number = gather_evidence(gather_reference(yes, items, who, 80, Scale(0, 1)), marks)
    by_label = gather_evidence(
        gather_reference(indicators(yes, 2), items, who, 80, SHARES),
        indicators(marks.astype(int), 2),
    )
    for name in ("rho", "r"):
        number, label = (getattr(e.agreement, name) for e in (by_number, by_label))
        assert number.value == pytest.approx(label.value)
        assert number.error == pytest.approx(label.error)
    assert by_number.rare_class == by_label.rare_class
    assert by_number.rare_class.n_majority > 0


def test_a_five_point_question_has_no_rare_class():
    reference, judge = study()
    assert gather_evidence(reference, judge).rare_class is None


def test_a_squared_correlation_with_mean_ratings():
    reference, judge = study()
    means, rows = reference.people.means[:, 0], reference.people.rows
    expected = np.corrcoef(means, judge[rows])[0, 1] ** 2
    assert gather_evidence(reference, judge).r_squared == pytest.approx(expected)
    assert np.isnan(gather_evidence(reference, 0 * judge + 3).r_squared)


def test_a_judge_without_any_judgment_cannot_be_tested():
    reference, judge = study(groupings={"system": np.arange(80) % 2}, lengths=np.arange(80))
    verdict = decide(gather_evidence(reference, np.full(80, np.nan)))
    assert (verdict.answer, verdict.reason) == ("not_testable", "not_comparable")


def test_a_copy_of_a_rater_is_told_and_a_reversed_judge_does_not_pass():
    rng = np.random.default_rng(4)
    quality = rng.normal(size=400)
    ratings = np.clip(np.round(3 + quality[:, None] + 0.6 * rng.normal(size=(400, 3))), 1, 5)
    items, raters = np.repeat(np.arange(400), 3), np.tile([0, 1, 2], 400)
    reference = gather_reference(ratings.ravel(), items, raters, 400, FIVE)
    copy = decide(gather_evidence(reference, ratings[:, 0]))
    assert (copy.answer, copy.reason) == ("not_testable", "holds_ratings")
    honest = np.clip(np.round(3 + quality + 0.6 * rng.normal(size=400)), 1, 5)
    assert decide(gather_evidence(reference, honest)).answer == "yes"
    other = gather_reference(np.roll(ratings, 7, 0).ravel(), items, raters, 400, FIVE)
    tables = {"": other.rated[""], "wit": reference.rated[""]}
    held = gather_evidence(replace(other, tables=tables), ratings[:, 0]).held
    assert (held.kind, held.question) == ("rating", "wit")
    assert decide(gather_evidence(reference, 6 - ratings[:, 0])).reason == "may_not"


@pytest.mark.parametrize("judge", [np.zeros(5), np.zeros((80, 2)), np.zeros((80, 1, 1))])
def test_judgments_of_another_shape_are_refused(judge):
    reference, _ = study()
    with pytest.raises(ValueError, match="judge: expected"):
        gather_evidence(reference, judge)


def linear_study(seed):
    """30 items rated 1 to 5 by three people, and a judge that is a line of their means."""
    ratings = np.random.default_rng(seed).integers(1, 6, (30, 3)).astype(float)
    items, raters = np.divmod(np.arange(90), 3)
    reference = gather_reference(ratings.ravel(), items, raters, 30, FIVE)
    return reference, 1 + ratings.sum(axis=1) / 3 / 2


@pytest.mark.parametrize("seed", [1, 2, 17, 34, 45])
def test_a_judge_that_is_a_line_of_the_means_correlates_fully_and_not_more(seed):
    """The squared correlation is 1 + 2e-16 to 1 + 9e-16 as a computer adds it."""
    reference, judge = linear_study(seed)
    squared = gather_evidence(reference, judge).r_squared
    assert squared <= 1 and squared == pytest.approx(1)


@pytest.mark.parametrize("seed", [4, 5])
def test_people_who_always_agree_and_a_judge_in_their_line_correlate_fully_and_not_more(seed):
    """Shares of pairs and of squares add up to 1 + 2e-16 here."""
    own = np.random.default_rng(seed).integers(1, 6, 60).astype(float)
    items, raters = np.divmod(np.arange(180), 3)
    reference = gather_reference(own[items], items, raters, 60, FIVE)
    agreement = gather_evidence(reference, 1.3 + own / 3).agreement
    for value in (agreement.rho_value, agreement.r_value):
        assert value <= 1 and value == pytest.approx(1)
