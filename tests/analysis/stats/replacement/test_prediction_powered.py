"""Prediction-powered means and corrected verdicts against worked values, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.classification.verdict_correction import adjusted, corrected_share
from analysis.stats.replacement.prediction_powered import (
    best_power,
    labels_to_halve,
    powered,
    prediction_powered_mean,
)

# The worked example: 12 labels, 40 further scores.
Y = np.array([4, 3, 5, 2, 4, 4, 3, 5, 1, 4, 2, 5], dtype=float)
F = np.array([4, 4, 5, 3, 4, 5, 3, 5, 2, 5, 3, 5], dtype=float)
MORE = np.repeat([4.0, 5, 3, 2, 1], [14, 12, 9, 4, 1])
Z = stats.norm.ppf(0.975)


@pytest.mark.parametrize(
    ("power", "value", "low", "high"),
    [
        (0, 3.5, 2.788060, 4.211940),
        (1, 3.3, 2.867992, 3.732008),
        (0.806233, 3.338753, 2.912118, 3.765388),
    ],
)
def test_the_worked_means(power, value, low, high):
    found, error = powered(Y, F, MORE, power, ddof=0)
    assert found == pytest.approx(value, abs=1e-6)
    assert (found - Z * error, found + Z * error) == pytest.approx((low, high), abs=1e-6)


def test_the_worked_power_and_what_the_labels_are_worth():
    power = best_power(Y, F, MORE)
    assert power == pytest.approx(0.806233, abs=5e-7)
    alone, together = (powered(Y, F, MORE, p, ddof=0)[1] for p in (0, power))
    assert 12 * (alone / together) ** 2 == pytest.approx(33.4, abs=0.05)


def test_fewer_than_fifteen_labels_are_refused():
    found = prediction_powered_mean(Y, F, MORE)
    assert np.isnan(found.value)
    assert found.reason == "15 human labels are needed, there are 12"
    assert (found.n, found.n_unlabelled) == (12, 40)


def test_the_interval_is_students():
    y, f = np.tile(Y, 2), np.tile(F, 2)
    found = prediction_powered_mean(y, f, MORE)
    value, error = powered(y, f, MORE, found.power)
    half = stats.t.ppf(0.975, 23) * error
    assert (found.low, found.high) == pytest.approx((value - half, value + half))
    assert found.n_effective == pytest.approx(24 * (powered(y, f, MORE, 0)[1] / error) ** 2)


def test_without_unlabelled_units_it_is_the_mean_of_the_labels():
    y, f = np.tile(Y, 2), np.tile(F, 2)
    found = prediction_powered_mean(y, f, [])
    expected = stats.ttest_1samp(y, 0).confidence_interval()
    assert (found.value, found.power) == (y.mean(), 0)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert (found.n_effective, found.to_halve) == (24, 72)


def test_a_judge_without_information_is_not_used():
    y, more = np.tile(Y, 2), np.arange(40.0)
    assert prediction_powered_mean(y, np.full(24, 3.0), np.full(40, 3.0)).power == 0
    assert prediction_powered_mean(y, -y, -more).power == 0


def test_equal_labels_have_a_mean_and_no_interval():
    found = prediction_powered_mean(np.full(20, 4.0), np.arange(20.0), np.arange(30.0))
    assert found.value == 4
    assert np.isnan(found.low)
    assert found.reason == "no interval: all human labels are equal"


def test_a_perfect_judge_is_worth_all_its_scores():
    rng = np.random.default_rng(1)
    y = rng.normal(size=200)
    found = prediction_powered_mean(y[:50], y[:50], y[50:])
    assert found.n_effective == pytest.approx(200, rel=0.2)


@pytest.mark.parametrize(("noise", "n"), [(0.5, 20), (2.0, 60)])
def test_so_many_more_labels_do_halve_the_error(noise, n):
    rng = np.random.default_rng(2)
    y = rng.normal(size=5000)
    f = y + noise * rng.normal(size=5000)
    more = int(labels_to_halve(y[:n], f[:n], f[n:600]))
    first = np.mean([error(y, f, n, rng) for _ in range(200)])
    second = np.mean([error(y, f, n + more, rng) for _ in range(200)])
    assert second / first == pytest.approx(0.5, abs=0.08)


def test_beside_a_judge_that_is_right_labels_are_counted_from_its_error():
    # lambda = 1, so that the square of the error is Var(F')/N = (200/299)/300; a quarter of it by
    # labels alone, of variance 15/7, takes 4 · 15/7 · 300 · 299/200 = 3,844.3 of them, less the 15.
    y, more = np.tile([1.0, 2, 3, 4, 5], 3), np.repeat([2.0, 3, 4], 100)
    found = prediction_powered_mean(y, y, more)
    assert found.power == 1
    assert found.error**2 == pytest.approx(200 / 299 / 300)
    assert found.to_halve == 3845 - 15


def test_without_any_doubt_there_is_no_interval_and_another_reason():
    y = np.tile([1.0, 2, 3, 4, 5], 3)
    found = prediction_powered_mean(y, y - 1, np.full(300, 3.0))
    assert (found.value, np.isnan(found.low)) == (4, True)
    assert found.reason.startswith("no interval: the judge misses all labels by the same")


def error(y, f, n, rng):
    rows = rng.permutation(5000)[:600]
    labelled, rest = rows[:n], rows[n:]
    return prediction_powered_mean(y[labelled], f[labelled], f[rest]).error


def test_the_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        truth = rng.normal(size=160)
        scores = 0.8 * truth + 0.6 * rng.normal(size=160) + 1
        found = prediction_powered_mean(truth[:20], scores[:20], scores[20:])
        covered += found.low <= 0 <= found.high
    assert 360 <= covered <= 395  # nominal 380


def test_the_order_of_the_units_changes_nothing():
    rng = np.random.default_rng(4)
    y, f = np.tile(Y, 2), np.tile(F, 2)
    order = rng.permutation(24)
    first = prediction_powered_mean(y, f, MORE)
    second = prediction_powered_mean(y[order], f[order], MORE[::-1])
    assert (first.value, first.error) == pytest.approx((second.value, second.error))


WORKED = {"said_yes": 0.62, "n": 277, "right_no": 0.83, "n_no": 60, "right_yes": 0.90, "n_yes": 90}


def test_the_worked_correction():
    found = corrected_share(**WORKED)
    assert found.value == pytest.approx(0.61644, abs=5e-6)
    assert (found.low, found.high) == pytest.approx((0.50382, 0.72390), abs=5e-6)
    p, q0, q1, theta, shift, deviation = adjusted(*WORKED.values())
    assert (p, q0, q1) == pytest.approx((0.61836, 0.81935, 0.89130), abs=5e-6)
    assert (theta, shift, deviation) == pytest.approx((0.61593, -0.00206, 0.05614), abs=5e-6)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"n": 0}, "no verdict without a human label"),
        ({"n_no": 0}, "people gave one and the same label throughout"),
        ({"right_yes": 0.2}, "the judge hardly tells yes from no"),
    ],
)
def test_a_correction_without_ground_is_undefined(changed, reason):
    found = corrected_share(**(WORKED | changed))
    assert np.isnan(found.value)
    assert found.reason.startswith(reason)


@pytest.mark.parametrize(
    "few",
    [
        (0.0, 1, 1.0, 1, 0.3, 10),  # 2/3 and 1/3 once drawn in: a division by 0
        (1.0, 100, 0.275, 40, 1.0, 1),  # .286 and .667: an interval from 1 down to 0
    ],
)
def test_a_correction_by_few_labels_has_no_interval(few):
    found = corrected_share(*few)
    assert 0 <= found.value <= 1
    assert np.isnan([found.low, found.high]).all()
    assert found.reason.startswith("no interval: too few labels of a class")


def test_a_corrected_share_stays_a_share():
    found = corrected_share(**(WORKED | {"said_yes": 0.05}))
    assert found.value == 0
    assert 0 <= found.low <= found.high <= 1


def test_yes_and_no_may_change_places():
    one = corrected_share(**WORKED)
    other = corrected_share(1 - 0.62, 277, 0.90, 90, 0.83, 60)
    assert one.value == pytest.approx(1 - other.value)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prediction_powered_mean([1.0], [1.0, 2.0], []), "differ in length: 1 and 2"),
        (lambda: prediction_powered_mean([1.0], [np.nan], []), "expected no missing values"),
        (lambda: corrected_share(**(WORKED | {"said_yes": 1.2})), "shares within 0..1, found 1.2"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
