"""Agreement against published values and two other implementations."""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.gwet_ac import WEIGHTS as GWET_WEIGHTS
from analysis.stats.agreement.gwet_ac import gwet_ac
from analysis.stats.agreement.icc import FORMS, icc
from analysis.stats.agreement.kendall_w import kendall_w
from analysis.stats.agreement.krippendorff_alpha import METRICS, krippendorff_alpha
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.inputs import used_codes
from tests.analysis.stats.published import CANONICAL, SHROUT_FLEISS

LIKERT = [1, 2, 3, 4, 5]
SKLEARN_WEIGHTS = {"plain": None, "linear": "linear", "quadratic": "quadratic"}
MEASURES = {
    "percent": percent_agreement,
    **{m: lambda r, m=m, **k: krippendorff_alpha(r, m, **k) for m in METRICS},
    **{w: lambda r, w=w, **k: cohen_kappa(r, LIKERT, weights=w, **k) for w in SKLEARN_WEIGHTS},
    **{f: lambda r, f=f, **k: icc(r, f, **k) for f in FORMS},
    "fleiss": lambda r, **k: fleiss_kappa(r, LIKERT, **k),
    **{f"ac {w}": lambda r, w=w, **k: gwet_ac(r, LIKERT, weights=w, **k) for w in GWET_WEIGHTS},
    "kendall_w": kendall_w,
}


def incomplete(seed, units=60, raters=4, missing=0.3):
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, (units, 1))
    ratings = np.clip(np.round(quality + rng.normal(0, 0.8, (units, raters))), 1, 5)
    return np.where(rng.random((units, raters)) < missing, np.nan, ratings)


# Krippendorff (2011), sections C to E, to the printed digits: .743, .815, .849.
@pytest.mark.parametrize(
    ("metric", "published"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107)]
)
def test_alpha_of_the_canonical_data(metric, published):
    found = krippendorff_alpha(CANONICAL, metric)
    assert found.value == pytest.approx(published, abs=5e-7)
    assert found.n == 11


@pytest.mark.parametrize("metric", sorted(METRICS))
@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_the_krippendorff_package(metric, seed):
    ratings = incomplete(seed)
    # that package wants raters in rows
    expected = krippendorff.alpha(ratings.T, level_of_measurement=metric)
    assert krippendorff_alpha(ratings, metric).value == pytest.approx(expected, abs=1e-12)


def test_alpha_on_a_fractional_scale_equals_the_package():
    ratings = incomplete(7) + np.array([0, 1 / 3, 0, 2 / 3])
    expected = krippendorff.alpha(ratings.T, level_of_measurement="ordinal")
    assert krippendorff_alpha(ratings, "ordinal").value == pytest.approx(expected, abs=1e-12)


# Shrout & Fleiss (1979), table 4, where (2, .) is our A and (3, .) our C; the two printed decimals
# and, for the same data, the four of the manual of R's psych package (ICC).
@pytest.mark.parametrize(
    ("form", "published"),
    [
        ("1,1", 0.1657),
        ("A,1", 0.2898),
        ("C,1", 0.7148),
        ("1,k", 0.4428),
        ("A,k", 0.6201),
        ("C,k", 0.9093),
    ],
)
def test_icc_of_shrout_and_fleiss(form, published):
    found = icc(SHROUT_FLEISS, form)
    assert found.value == pytest.approx(published, abs=6e-5)
    assert found.n == 6


def test_icc_uses_complete_units_only():
    with_gap = np.vstack([SHROUT_FLEISS, [4, np.nan, 1, 2]])
    assert icc(with_gap, "A,1") == icc(SHROUT_FLEISS, "A,1")


def one_way_anova(units):
    """(MS between, MS within, k0) of lists of unequal length, from the definitions."""
    sizes = [len(unit) for unit in units]
    total, n = sum(sizes), len(units)
    grand = sum(map(sum, units)) / total
    means = [sum(unit) / len(unit) for unit in units]
    between = sum(k * (mean - grand) ** 2 for k, mean in zip(sizes, means, strict=True)) / (n - 1)
    within = sum(
        (value - mean) ** 2 for unit, mean in zip(units, means, strict=True) for value in unit
    ) / (total - n)
    return between, within, (total - sum(k**2 for k in sizes) / total) / (n - 1)


def test_one_way_icc_of_an_unbalanced_design_equals_the_analysis_of_variance():
    units = [[1, 2], [4, 5, 4], [3, 3, 2, 4], [5, 4], [2, 1, 1]]
    between, within, k0 = one_way_anova(units)
    ratings = np.full((6, 9), np.nan)
    for row, unit in enumerate(units):
        ratings[row, row : row + len(unit)] = unit  # no rater rated every unit
    ratings[5, 0] = 5  # alone in its unit: tells nothing of agreement
    one, mean = icc(ratings, "1,1"), icc(ratings, "1,k")
    assert one.value == pytest.approx((between - within) / (between + (k0 - 1) * within))
    assert mean.value == pytest.approx((between - within) / between)
    assert (one.n, mean.n) == (5, 5)


def test_icc_without_two_complete_units_is_undefined():
    found = icc([[1, np.nan], [np.nan, 2], [3, 4]], "C,1")
    assert np.isnan(found.value)
    assert found.reason == "fewer than two units are rated by all 2 raters (1)"


def test_icc_of_means_without_differences_is_undefined():
    found = icc([[1, 2], [2, 1]], "C,k")
    assert np.isnan(found.value)
    assert found.reason == "the units' means do not differ"


def test_percent_agreement_counts_pairs_by_hand():
    # units: 1 of 1 pair, 1 of 3, 0 of 1, one rating alone -> 2 of 5
    ratings = [[1, 1, np.nan], [2, 2, 3], [4, np.nan, 5], [np.nan, 3, np.nan]]
    found = percent_agreement(ratings)
    assert (found.value, found.n) == (0.4, 3)


def test_percent_agreement_of_a_judge_counts_its_pairs_only():
    ratings = np.array([[1, 1], [2, 3], [np.nan, 4]])
    found = percent_agreement(ratings, judge=[1, 3, np.nan])  # two, then one of two
    assert (found.value, found.n) == (0.75, 2)


@pytest.mark.parametrize("weights", sorted(SKLEARN_WEIGHTS))
@pytest.mark.parametrize("seed", range(4))
def test_kappa_of_two_raters_equals_scikit_learn(weights, seed):
    ratings = incomplete(seed, raters=2, missing=0)
    expected = cohen_kappa_score(*ratings.T, labels=LIKERT, weights=SKLEARN_WEIGHTS[weights])
    found = cohen_kappa(ratings, LIKERT, weights=weights)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert (found.n, found.groups, found.skipped) == (60, 1, 0)


def pairwise_kappas(ratings, weights):
    n_raters = ratings.shape[1]
    for a in range(n_raters):
        for b in range(a + 1, n_raters):
            both = ratings[~np.isnan(ratings[:, [a, b]]).any(axis=1)][:, [a, b]]
            if len(both) >= 2:
                yield cohen_kappa_score(*both.T, labels=LIKERT, weights=SKLEARN_WEIGHTS[weights])


@pytest.mark.parametrize("weights", sorted(SKLEARN_WEIGHTS))
def test_kappa_of_an_incomplete_design_is_the_mean_over_pairs(weights):
    ratings = incomplete(3)
    found = cohen_kappa(ratings, LIKERT, weights=weights)
    assert found.value == pytest.approx(np.mean(list(pairwise_kappas(ratings, weights))), abs=1e-12)
    assert found.groups == 6


def test_pairs_of_raters_with_one_common_unit_do_not_count():
    ratings = np.array([[1, 1, np.nan], [2, 3, np.nan], [3, 3, 2]])
    found = cohen_kappa(ratings, LIKERT)
    assert found.value == pytest.approx(cohen_kappa_score([1, 2, 3], [1, 3, 3], labels=LIKERT))
    assert found.groups == 1


def test_kappa_of_a_judge_is_the_mean_over_the_raters():
    ratings = incomplete(8, raters=3, missing=0)
    judge = incomplete(9, raters=1, missing=0)[:, 0]
    expected = np.mean([cohen_kappa_score(judge, column, labels=LIKERT) for column in ratings.T])
    found = cohen_kappa(ratings, LIKERT, judge=judge)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.groups == 3


def test_weighted_kappa_uses_the_whole_scale():
    # Nobody says 2 to 4: 1 and 5 are four places apart, not one.
    ratings = np.array([[1, 1], [1, 5], [5, 5], [6, 6], [5, 6], [6, 5]], dtype=float)
    whole = cohen_kappa(ratings, [1, 2, 3, 4, 5, 6], weights="linear").value
    assert whole == pytest.approx(
        cohen_kappa_score(*ratings.T, labels=[1, 2, 3, 4, 5, 6], weights="linear"), abs=1e-12
    )
    assert whole != pytest.approx(cohen_kappa_score(*ratings.T, weights="linear"), abs=0.01)


def test_kappa_is_low_where_a_skewed_scale_makes_agreement_easy():
    # Feinstein & Cicchetti's paradox: 95 % agreement, kappa about -.02
    ratings = np.array([[1, 1]] * 95 + [[1, 2]] * 3 + [[2, 1]] * 2, dtype=float)
    assert percent_agreement(ratings).value == 0.95
    assert cohen_kappa(ratings, [1, 2]).value == pytest.approx(
        cohen_kappa_score(*ratings.T), abs=1e-12
    )
    assert cohen_kappa(ratings, [1, 2]).value < 0


# What corrects for no chance, or for one that is 0 where all raters give one label.
WITHOUT_CHANCE = ["percent", *(f"ac {weights}" for weights in GWET_WEIGHTS)]


@pytest.mark.parametrize("measure", [name for name in MEASURES if name not in WITHOUT_CHANCE])
def test_equal_ratings_are_undefined_with_a_reason(measure):
    found = MEASURES[measure](np.full((10, 3), 4.0))
    assert np.isnan(found.value)
    assert "equal" in found.reason or "one and the same label" in found.reason


@pytest.mark.parametrize("measure", WITHOUT_CHANCE)
def test_equal_ratings_agree_where_no_chance_is_taken_off(measure):
    """For AC1 and AC2 irrCAC says 1.0 too."""
    assert MEASURES[measure](np.full((10, 3), 4.0)).value == 1


@pytest.mark.parametrize("measure", sorted(MEASURES))
@pytest.mark.parametrize("ratings", [np.empty((0, 3)), np.empty((5, 0)), np.full((4, 2), np.nan)])
def test_no_ratings_are_undefined_with_a_reason(measure, ratings):
    found = MEASURES[measure](ratings)
    assert np.isnan(found.value)
    assert found.n == 0
    assert found.reason


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_the_order_of_raters_and_units_changes_nothing(measure):
    rng = np.random.default_rng(1)
    ratings = incomplete(2)
    reordered = ratings[rng.permutation(60)][:, rng.permutation(4)]
    first, second = MEASURES[measure](ratings), MEASURES[measure](reordered)
    assert first.value == pytest.approx(second.value, abs=1e-12)
    assert (first.n, first.groups, first.skipped) == (second.n, second.groups, second.skipped)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: percent_agreement([1, 2]), "ratings: expected 2 dimension"),
        (lambda: percent_agreement([[1, 2]], judge=[1, 2]), "judge: expected 1 values, found 2"),
        (lambda: cohen_kappa([[1, 6]], LIKERT), "6.0 is not one of the labels"),
        (lambda: cohen_kappa([[1, 1]], [1, 1]), "at least two different"),
        (lambda: cohen_kappa([[1, 1]], LIKERT, weights="cubic"), "'cubic' is not one of plain"),
        (lambda: krippendorff_alpha([[1, 1]], "ratio"), "'ratio' is not one of nominal"),
        (lambda: icc([[1, 1]], "2,1"), "'2,1' is not one of 1,1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("size", [12, 10**9])
def test_codes_are_counted_alike_in_a_table_and_by_sorting(size):
    used, place, counts = used_codes(np.array([7, 2, 7, 11]), size)
    assert (used.tolist(), place.tolist(), counts.tolist()) == ([2, 7, 11], [1, 0, 1, 2], [1, 2, 1])
