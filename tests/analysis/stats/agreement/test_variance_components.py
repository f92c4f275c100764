"""Variance components: published mean squares, dense matrices, known truths, poor designs."""

import numpy as np
import pytest

from analysis.stats.agreement.variance_components import (
    generalisability,
    shares,
    usable_factors,
    variance_components,
)
from tests.analysis.stats.published import ANXIETY, SHROUT_FLEISS


def crossed(table):
    units, raters = table.shape
    return table.ravel(), [np.repeat(np.arange(units), raters), np.tile(np.arange(raters), units)]


@pytest.mark.parametrize(
    ("table", "absolute", "relative", "k", "absolute_k", "relative_k", "digits"),
    [
        # R's irr::icc of anxiety: A,1 C,1 A,k C,k.
        (ANXIETY, 0.1980, 0.2160, 3, 0.4255, 0.4526, 5e-5),
        # Shrout & Fleiss (1979), table 4: ICC(2,1) .29, (3,1) .71, (2,4) .62, (3,4) .91.
        (SHROUT_FLEISS, 0.29, 0.71, 4, 0.62, 0.91, 5e-3),
    ],
)
def test_published_coefficients(table, absolute, relative, k, absolute_k, relative_k, digits):
    unit, rater, residual = variance_components(*crossed(table.astype(float)))
    one, many = (generalisability(unit, rater, residual, n) for n in (1, k))
    assert one.absolute == pytest.approx(absolute, abs=digits)
    assert one.relative == pytest.approx(relative, abs=digits)
    assert many.absolute == pytest.approx(absolute_k, abs=digits)
    assert many.relative == pytest.approx(relative_k, abs=digits)


def test_a_balanced_design_by_its_mean_squares():
    # Shrout & Fleiss (1979), table 3: BMS 11.24, JMS 32.49, EMS 1.02; 6 targets, 4 judges.
    found = variance_components(*crossed(SHROUT_FLEISS))
    assert found == pytest.approx([(11.24 - 1.02) / 4, (32.49 - 1.02) / 6, 1.02], abs=0.005)


def unbalanced(generator, n=60):
    codes = [
        generator.integers(7, size=n),
        generator.integers(5, size=n),
        generator.integers(4, size=n),
    ]
    return generator.normal(size=n), codes


def test_an_unbalanced_design_by_dense_matrices():
    values, codes = unbalanced(np.random.default_rng(1))
    n = len(values)
    centre = np.eye(n) - 1 / n
    forms = [np.equal.outer(levels, levels).astype(float) for levels in codes] + [np.eye(n)]
    table = [[np.trace(centre @ a @ centre @ b) for b in forms] for a in forms]
    y = centre @ values
    expected = np.linalg.solve(table, [y @ a @ y for a in forms])
    assert variance_components(values, codes) == pytest.approx(expected)


def test_the_estimates_are_unbiased_where_raters_are_unevenly_spread():
    generator = np.random.default_rng(2)
    _, codes = unbalanced(generator, 200)
    truth = np.array([1.0, 0.5, 0.25, 2.0])
    found = []
    for _ in range(400):
        effects = [
            generator.normal(0, np.sqrt(v), 7)[c] for v, c in zip(truth, codes, strict=False)
        ]
        found.append(variance_components(sum(effects) + generator.normal(0, 2**0.5, 200), codes))
    assert np.mean(found, axis=0) == pytest.approx(truth, abs=0.12)


def test_names_order_and_level_do_not_matter():
    values, codes = unbalanced(np.random.default_rng(3))
    found = variance_components(values, codes)
    order = np.random.default_rng(4).permutation(len(values))
    renamed = [(levels * 17 + 3)[order] for levels in codes]
    assert variance_components(values[order] + 5, renamed) == pytest.approx(found)
    assert variance_components(3 * values, codes) == pytest.approx(9 * found)


def test_a_negative_estimate_stays_and_has_no_share():
    # Within each unit one 1 and one 3: no units' variance, so the estimate is negative.
    found = variance_components(np.tile([1.0, 3.0], 5), [np.repeat(np.arange(5), 2)])
    assert found[0] < 0
    assert shares(found).tolist() == [0, 1]
    assert np.isnan(shares(np.zeros(2))).all()


def test_factors_that_cannot_be_told_apart_are_named():
    codes = {
        "rater": np.array([0, 0, 1, 1]),
        "recipient": np.array([5, 5, 3, 3]),
        "system": np.array([0, 0, 0, 0]),
        "item": np.array([0, 1, 2, 3]),
        "content": np.array([0, 1, 0, 1]),
    }
    kept, reasons = usable_factors(codes, 4)
    assert kept == ["rater", "content"]
    assert reasons == {
        "recipient": "it is not told apart from the rater",
        "system": "there is only one",
        "item": "each has one rating, so it is not told apart from the residual",
    }


def test_what_cannot_be_solved_is_undefined():
    same = np.array([0, 0, 1, 1])
    assert np.isnan(variance_components(np.array([1.0, 2, 3, 5]), [same, same])).all()
    assert np.isnan(variance_components(np.array([1.0]), [np.array([0])])).all()
    assert np.isnan(generalisability(0, 0, 0, 1).absolute)
    with pytest.raises(ValueError, match="one rater or more"):
        generalisability(1, 1, 1, 0)
