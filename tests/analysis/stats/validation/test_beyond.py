"""Beyond a grouping: example D, least squares by numpy, and groups that are too small."""

import numpy as np
import pytest

from analysis.stats.validation.agreement import compare_judge
from analysis.stats.validation.beyond import (
    compare_beyond,
    take_out_groups,
    take_out_length,
)
from analysis.stats.validation.gather import gather_people
from tests.analysis.stats.validation.worked import CONTENTS_JUDGE, SYSTEMS, contents, long_study


def near(value):
    return pytest.approx(value, abs=5e-7)


def test_the_worked_contents():
    within = take_out_groups(contents(), "system", SYSTEMS, fewest=4)
    beyond = compare_beyond(within, CONTENTS_JUDGE)
    assert (beyond.rho.value, beyond.rho.error, beyond.rho.p_above()) == near(
        (0.225806, 0.222286, 0.192252)
    )
    # printed .051161; the digits before rounding are .05116054
    assert (beyond.r.value, beyond.r.error) == near((0.528145, 0.051161))
    half = beyond.retention(0.5)
    assert (half.value, half.error, half.p_above()) == near((0.415242, 0.090050, 0.009593))


def test_a_judge_that_knows_only_the_system_has_nothing_left():
    people, judge = contents(), np.tile([4, 3, 2.0], 4)[:, None]
    assert compare_judge(people, judge).r.value == near(0.826192)
    within = take_out_groups(people, "system", SYSTEMS, fewest=4)
    beyond = compare_beyond(within, judge)
    assert np.isnan(beyond.r.value)
    assert beyond.rho.value == near(0.225806)
    almost = judge + 1e-4 * np.arange(12)[:, None] % 5
    assert np.isnan(compare_beyond(within, almost).r.value)


def test_length_is_taken_out_by_least_squares():
    values, items, who, judge = long_study(2, n=90)
    people = gather_people(values, items, who, 90)
    lengths = np.random.default_rng(3).integers(20, 400, 90)[people.rows]
    log = np.log(1 + lengths)
    cuts = [np.quantile(log, share / 10) for share in range(1, 10)]
    table = np.column_stack([np.ones(len(log)), log, *(log > cut for cut in cuts)])
    scores = judge[people.rows]

    def residuals(values):
        return values - table @ np.linalg.lstsq(table, values, rcond=None)[0]

    within = take_out_length(people, lengths)
    # 11 columns take 11/n of the chance in the items' means with them, which is given back
    left = residuals(people.means[:, 0]) * np.sqrt(people.n / (people.n - 11))
    deviations = people.values - people.means[people.item]
    plain = compare_judge(
        people.replace_values(deviations + left[people.item, None]), residuals(scores)[:, None]
    )
    beyond = compare_beyond(within, scores[:, None])
    assert beyond.r.value == pytest.approx(plain.r.value)
    assert beyond.rho.value == pytest.approx(plain.rho.value)
    assert np.isnan(compare_beyond(within, 2 * log[:, None]).r.value)


def test_agreement_beyond_a_length_that_explains_nothing_is_that_of_raters():
    """Of 40 items; without the correction the mean would be .18, for 11/40 (.3 + .7/3) is lost."""
    rng, values = np.random.default_rng(8), []
    items = np.tile(np.arange(40), 3)
    for _ in range(200):
        ratings = np.sqrt(0.3) * rng.normal(size=40)[items] + np.sqrt(0.7) * rng.normal(size=120)
        people = gather_people(ratings, items, np.arange(120) // 10, 40)
        within = take_out_length(people, rng.integers(20, 400, 40))
        values.append(within.people.rho)
    assert np.mean(values) == pytest.approx(0.3, abs=0.03)


def test_weights_are_weights_of_the_groups_means_too():
    probabilities = np.tile([0.5, 0.25, 1.0, 0.5], 3)
    people = contents(probabilities=probabilities)
    within = take_out_groups(people, "system", SYSTEMS, fewest=4)
    for system in range(3):
        inside = system == SYSTEMS
        mean = np.average(people.means[inside, 0], weights=1 / probabilities[inside])
        assert within.fit(people.means)[inside, 0] == pytest.approx([mean] * 4)


def test_small_groups_are_joined():
    values, items, who, _ = long_study(7)
    people = gather_people(values, items, who, 60)
    codes = np.zeros(people.n, int)
    codes[:6], codes[6:10], codes[10:13] = 3, 5, 7
    within = take_out_groups(people, "system", codes)
    fitted = within.fit(people.means)[:, 0]
    assert len(np.unique(fitted.round(9))) == 3
    assert fitted[6] == pytest.approx(people.means[6:13, 0].mean())


@pytest.mark.parametrize(
    ("groups", "reason"),
    [(1, "there are not two groups"), (100, "there are too few rated items a group")],
)
def test_groups_that_cannot_be_checked_are_skipped(groups, reason):
    values, items, who, judge = long_study(7)
    people = gather_people(values, items, who, 60)
    within = take_out_groups(people, "content", np.arange(people.n) % groups)
    assert within.skipped == reason
    with pytest.raises(ValueError, match="content: there are"):
        compare_beyond(within, judge[people.rows, None])


def test_texts_of_one_length_are_no_check():
    assert take_out_length(contents(), np.full(12, 9)).skipped == "all texts are equally long"
