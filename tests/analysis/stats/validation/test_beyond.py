"""Beyond what is known of items: example D, least squares by numpy, and what is too small."""

import numpy as np
import pytest

from analysis.stats.validation.checks import (
    JOINT,
    compare_beyond,
    describe_items,
    raters_other_ratings,
    take_out,
)
from analysis.stats.validation.people import compare_judge, gather_people, within_groups
from tests.analysis.stats.validation.simulated import simulate
from tests.analysis.stats.validation.worked import CONTENTS_JUDGE, SYSTEMS, contents, long_study


def near(value):
    return pytest.approx(value, abs=5e-7)


def test_the_worked_contents():
    """As printed: without what a fit of three columns takes of the chance in twelve means."""
    people, known = contents(), describe_items(12, None, {"system": SYSTEMS})
    own = people.values - known.fit(people.means)[people.item]
    judge = CONTENTS_JUDGE - known.fit(CONTENTS_JUDGE)
    beyond = compare_judge(people.replace_values(own), judge)
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
    left = take_out(people, describe_items(12, None, {"system": SYSTEMS}))
    ((_, beyond),) = compare_beyond(left, judge)
    assert np.isnan(beyond.r.value)
    ((_, almost),) = compare_beyond(left, judge + 1e-4 * np.arange(12)[:, None] % 5)
    assert np.isnan(almost.r.value)


def columns_of(lengths, groupings, raters):
    """All columns written out: length and deciles, groups, cells of five items, other ratings."""
    log = np.log(1 + lengths)
    cuts = [np.quantile(log, share / 10) for share in range(1, 10)]
    columns = [np.ones(len(log)), log, *(log > cut for cut in cuts), *raters.T]
    groupings = list(groupings)
    crossed = [100 * a + b for k, a in enumerate(groupings) for b in groupings[k + 1 :]]
    for codes in groupings:
        columns += [codes == code for code in np.unique(codes)]
    for codes in crossed:
        columns += [codes == code for code in np.unique(codes) if (codes == code).sum() >= 5]
    return np.column_stack(columns).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_all_is_taken_out_at_once_by_least_squares(seed):
    values, items, who, judge = long_study(seed, n=130, raters=40)
    people = gather_people(values, items, who, 130)
    rng, n = np.random.default_rng(seed), people.n
    lengths = rng.integers(20, 400, n)
    groupings = {"system": rng.integers(0, 4, n), "topic": rng.integers(0, 5, n)}
    others = raters_other_ratings(people)
    left = take_out(people, describe_items(n, lengths, groupings, {"raters": others}))
    table, scores = columns_of(lengths, groupings.values(), others), judge[people.rows, None]
    rank = np.linalg.matrix_rank(table)

    def residuals(values):
        return values - table @ np.linalg.lstsq(table, values, rcond=None)[0]

    # what the columns take of the chance in the items' means is given back
    means = residuals(people.means) * np.sqrt(n / (n - rank))
    plain = compare_judge(
        people.replace_values(people.values + (means - people.means)[people.item]),
        residuals(scores),
    )
    ((name, beyond),) = compare_beyond(left, scores)
    assert (name, left.features.rank) == (JOINT, rank)
    assert left.features.names == ("raters", "length", "system", "topic")
    assert (beyond.r.value, beyond.rho.value) == pytest.approx((plain.r.value, plain.rho.value))
    assert (beyond.r.error, beyond.rho.error) == pytest.approx((plain.r.error, plain.rho.error))
    ((_, known),) = compare_beyond(left, table @ rng.normal(size=(table.shape[1], 1)))
    assert np.isnan(known.r.value), "a judge of any mixture of them has nothing left"


def pairs_of_items(seed):
    """Two texts about each of 60 contents, a few of which are not judged: (left, the items)."""
    study = simulate(seed, 0.3, 0.0, 0.4, contents=60, systems=2)
    reference, judged = study.reference, np.random.default_rng(seed).random(120) > 0.05
    return reference.with_people(reference.people.restrict(judged)).left, study, judged


def test_a_judge_that_knows_only_a_small_group_has_nothing_left_within_it():
    """Not even a mixture with what is taken out, in which people's own chance has a share."""
    left, study, judged = pairs_of_items(3)
    means = np.bincount(study.content, study.reference.people.means[:, 0]) / 2
    judge = means[study.content] + 0.1 * np.log1p(study.length)
    (_, joint), (name, within) = compare_beyond(left, judge[judged, None])
    assert (name, joint.r.value > 0) == ("content", True)
    assert np.isnan(within.r.value)


@pytest.mark.parametrize("seed", range(2))
def test_within_small_groups_all_else_is_taken_out_by_least_squares(seed):
    left, study, judged = pairs_of_items(seed)
    people = study.reference.people.restrict(judged)
    judge, codes = study.follow(0.8)[judged, None], study.content[judged]
    others = raters_other_ratings(people)
    table = columns_of(study.length[judged], [study.system[judged]], others)
    within, keep = within_groups(people, codes)
    table = np.hstack([table, codes[:, None] == np.unique(codes[keep])])[keep]
    rank, n_groups = np.linalg.matrix_rank(table), within.group.max() + 1

    def residuals(values):
        return values - table @ np.linalg.lstsq(table, values, rcond=None)[0]

    scale = np.sqrt((within.n - n_groups) / (within.n - rank))
    change = scale * residuals(within.means) - within.means
    rest = within.replace_values(within.values + change[within.item])
    plain = compare_judge(rest, residuals(judge[keep]))
    beyond = dict(compare_beyond(left, judge))["content"]
    assert (beyond.r.value, beyond.rho.value) == pytest.approx((plain.r.value, plain.rho.value))
    assert (beyond.r.error, beyond.rho.error) == pytest.approx((plain.r.error, plain.rho.error))


def test_agreement_beyond_what_explains_nothing_is_that_of_raters():
    """Of 40 items; without the correction the mean would be .18, for 11/40 (.3 + .7/3) is lost."""
    rng, values = np.random.default_rng(8), []
    items = np.tile(np.arange(40), 3)
    for _ in range(200):
        ratings = np.sqrt(0.3) * rng.normal(size=40)[items] + np.sqrt(0.7) * rng.normal(size=120)
        people = gather_people(ratings, items, np.arange(120) // 10, 40)
        known = describe_items(40, rng.integers(20, 400, 40), {})
        values.append(take_out(people, known).people.rho)
    assert np.mean(values) == pytest.approx(0.3, abs=0.03)


def test_other_ratings_are_by_loops_those_of_raters_who_are_no_panel():
    values, items, who, _ = long_study(3, n=80, raters=9)
    values, items, who = (
        np.r_[old, new]
        for old, new in zip(
            (values, items, who), (np.full(80, 5), np.arange(80), np.full(80, 20)), strict=True
        )
    )
    people = gather_people(values, items, who, 80)
    ratings, of_rater = people.values[:, 0], people.rater
    expected = []
    for item in range(people.n):
        own = []
        for place in np.flatnonzero(people.item == item):
            same = (of_rater == of_rater[place]) & (np.arange(len(ratings)) != place)
            is_panel = same.sum() + 1 >= 30
            own.append(0.0 if is_panel else ratings[same].mean() - ratings.mean())
        expected.append(np.mean(own))
    assert raters_other_ratings(people)[:, 0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lengths", "groups", "skipped"),
    [
        (None, 1, {"content": "there are not two groups"}),
        (None, 100, {"content": "there are too few rated items a group"}),
        (9, 6, {"length": "all texts are equally long"}),
    ],
)
def test_what_cannot_be_taken_out_is_said(lengths, groups, skipped):
    values, items, who, _ = long_study(7)
    people = gather_people(values, items, who, 60)
    lengths = None if lengths is None else np.full(people.n, lengths)
    known = describe_items(people.n, lengths, {"content": np.arange(people.n) % groups})
    assert take_out(people, known).skipped == skipped
