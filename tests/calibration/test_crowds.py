"""The truth that is computed is that of very large simulated crowds."""

import numpy as np
import pytest

from analysis.stats.validation.checks import measure_level
from analysis.stats.validation.people import compare_judge
from tests.analysis.stats.validation.simulated import simulate
from tests.calibration.crowds import RELIABILITIES, compare_without, compute_truth, follow_quality


@pytest.mark.parametrize("reliability", RELIABILITIES)
@pytest.mark.parametrize(
    "options",
    [
        {"system_share": 0.4},
        {"system_share": 0.2, "content_share": 0.3, "are_contents_drawn": True, "leniency": 0.2},
    ],
)
def test_large_crowds_agree_by_what_is_computed(reliability, options):
    study = simulate(3, reliability, contents=12_000, **options)
    truth = compute_truth(
        reliability, options["system_share"], study.by_system, options.get("content_share", 0)
    )
    people = study.reference.people
    judge = follow_quality(study, 0.8)[people.rows, None]
    agreement = compare_judge(people, judge)
    computed = {
        truth.rho: agreement.rho,
        truth.agreement(0.8): agreement.r,
        3 - truth.mean: measure_level(people, judge).largest,
        truth.rho_within: compare_without(study, "system", judge).rho,
        truth.rho_beyond_length: compare_without(study, "length", judge).rho,
    }
    for value, estimate in computed.items():
        assert abs(estimate.value - value) < 3.5 * estimate.error < 0.03
    by_system = np.bincount(study.system, people.means[:, 0]) / 12_000
    assert by_system == pytest.approx(truth.by_system, abs=0.04)


def test_a_judge_at_the_boundary_keeps_two_thirds():
    truth = compute_truth(0.3)
    assert truth.retention(truth.q_of_boundary) == pytest.approx(0, abs=1e-12)
    assert 0.18 < compute_truth(0.2).rho < 0.2  # points take a little of .2
