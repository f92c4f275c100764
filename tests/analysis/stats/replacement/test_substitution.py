"""The alternative annotator test and the human ceiling: the worked example, and the definitions."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.intervals.bootstrap import draw_counts
from analysis.stats.replacement.human_ceiling import human_ceiling
from analysis.stats.replacement.substitution import alternative_annotator_test, rejections

# A worked example: three raters and a judge of 60 items, 1 to 5.
HUMANS = [
    "533433512125523514145212415343333453433432514522311452555432",
    "454535421135514514135313335234234553341542515421321354554434",
    "554535521115513514145221325432444553332422414411412352545542",
]
JUDGE = "543534521234513414245233315334333544343532515411311342445434"


def random_case(seed, labels=5, raters=5, missing=0.4):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, labels + 1, (80, raters)).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    judge = rng.integers(1, labels + 1, 80).astype(float)
    judge[rng.random(80) < 0.1] = np.nan
    return ratings, judge, rng.integers(0, 12, 80)


def by_definition(ratings, judge, rater, closeness):
    """d of one rater's items, item by item, and which items these are."""
    found = {}
    for item, row in enumerate(ratings):
        others = np.delete(row, rater)
        others = others[~np.isnan(others)]
        if len(others) and not np.isnan(row[rater]) and not np.isnan(judge[item]):
            own, far = closeness(row[rater], others), closeness(judge[item], others)
            found[item] = float(own >= far) - float(far >= own)
    return found


CLOSENESS = {
    "likert": lambda a, others: round(-np.sqrt(np.mean((a - others) ** 2)), 9),
    "nominal": lambda a, others: np.mean(others == a),
}


def test_the_worked_example():
    ratings = np.array([[float(digit) for digit in text] for text in HUMANS]).T
    found = alternative_annotator_test(ratings, [float(digit) for digit in JUDGE], "likert")
    assert found.n.tolist() == [60, 60, 60]
    np.testing.assert_allclose(found.t_values([0.1])[0], [-1.38875, -2.45994, -1.79032], atol=5e-6)
    p = found.p_values([0.1, 0.15])
    np.testing.assert_allclose(p[0], [0.08507, 0.00842, 0.03927], atol=5e-6)
    np.testing.assert_allclose(p[1], [0.02596, 0.00159, 0.01010], atol=5e-6)
    assert rejections(p).mean(axis=1) == pytest.approx([1 / 3, 1])


def test_thresholds_of_the_worked_example():
    # m = 3: .00909 .01818 .02727
    for smallest, threshold in enumerate([0.00909, 0.01818, 0.02727], start=1):
        p = np.full((2, 3), 0.9)
        p[:, :smallest] = [[threshold - 1e-5], [threshold + 1e-5]]
        assert rejections(p).sum(axis=1).tolist() == [smallest, 0]


def test_an_undefined_p_value_is_no_test():
    # m = 2, H = 1.5: the smallest may be .01667; m = 1: it may be .05
    p = [[np.nan, 0.0166, 0.9], [np.nan, 0.0167, 0.9], [0.05, np.nan, np.nan], [np.nan] * 3]
    expected = [[False, True, False], [False] * 3, [True, False, False], [False] * 3]
    assert rejections(np.array(p)).tolist() == expected
    assert rejections(np.empty((3, 0))).shape == (3, 0)


def test_a_p_of_one_and_of_zero_are_p_values():
    assert rejections(np.array([[1.0, 0.0]])).tolist() == [[False, True]]


@pytest.mark.parametrize("scale", sorted(CLOSENESS))
@pytest.mark.parametrize("seed", range(4))
def test_wins_and_errors_are_those_of_the_definition(scale, seed):
    ratings, judge, clusters = random_case(seed)
    found = alternative_annotator_test(ratings, judge, scale, fewest=20)
    robust = alternative_annotator_test(ratings, judge, scale, fewest=20, robust=clusters)
    assert len(found.rater) == 5
    for at, rater in enumerate(found.rater):
        items = by_definition(ratings, judge, rater, CLOSENESS[scale])
        d = np.array(list(items.values()))
        assert found.n[at] == len(d)
        expected = stats.ttest_1samp(d, 0.1, alternative="less")
        assert found.t_values([0.1])[0, at] == pytest.approx(expected.statistic)
        assert found.p_values([0.1])[0, at] == pytest.approx(expected.pvalue)
        codes = clusters[list(items)]
        sums = np.array([(d - d.mean())[codes == code].sum() for code in np.unique(codes)])
        error = np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()) / len(d)
        assert robust.error[at] == pytest.approx(error)
        t = (d.mean() - 0.1) / error
        assert robust.p_values([0.1])[0, at] == pytest.approx(stats.t.cdf(t, len(sums) - 1))


def test_means_of_samples_are_compared_as_they_are():
    ratings = np.tile([[3.0, 4.0, 4.0]], (30, 1))
    found = alternative_annotator_test(ratings, np.full(30, 11 / 3), "likert")
    # against (4, 4) the judge is closer than 3; against (3, 4) a rater's 4 is farther: .71 to .53
    assert found.judge_wins.tolist() == [1, 1, 1]
    assert found.rater_wins.tolist() == [0, 0, 0]


def test_equal_answers_are_ties_that_both_win():
    ratings = np.tile([[1.1, 2.3, 2.3]], (40, 1))
    found = alternative_annotator_test(ratings, ratings[:, 1], "likert")
    assert (found.judge_wins[1], found.rater_wins[1]) == (1, 1)


def test_without_variance_the_sign_decides():
    ratings = np.tile([[2.0, 2.0]], (30, 1))
    found = alternative_annotator_test(ratings, np.full(30, 2.0), "nominal")
    assert found.difference.tolist() == [0, 0]
    p = found.p_values([0, 0.1])
    assert np.isnan(p[0]).all()  # difference and epsilon are equal
    assert p[1].tolist() == [0, 0]
    worse = alternative_annotator_test(ratings, np.full(30, 5.0), "nominal")
    assert worse.p_values([0.1]).tolist() == [[1, 1]]


def test_a_rater_with_fewer_than_thirty_items_is_not_tested():
    ratings = np.full((40, 3), 3.0)
    ratings[29:, 2] = np.nan
    found = alternative_annotator_test(ratings, np.full(40, 3.0), "likert")
    assert found.rater.tolist() == [0, 1]
    ratings[:, 1:] = np.nan
    alone = alternative_annotator_test(ratings, np.full(40, 3.0), "likert")
    assert alone.p_values([0.1]).shape == (1, 0)
    assert alone.reason == "no rater has 30 items that another rater rated too"
    assert np.isnan(alone.advantage.value)


def test_a_judge_without_judgments_is_not_tested():
    found = alternative_annotator_test(np.full((40, 2), 3.0), np.full(40, np.nan), "nominal")
    assert found.reason
    ceiling = human_ceiling(np.full((40, 2), 3.0), np.full(40, np.nan))
    assert ceiling.difference.reason == "no item has two ratings and a judgment"


def test_one_cluster_has_no_robust_test():
    ratings, judge, _ = random_case(1)
    found = alternative_annotator_test(
        ratings, judge, "likert", fewest=20, robust=np.zeros(80, int)
    )
    assert np.isnan(found.p_values([0.1])).all()


def test_the_robust_test_of_dependent_items_rejects_less_often_than_the_plain_one():
    """20 recipients of 8 items, the truth at the edge: plain rejects far more than 5 %."""
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(20), 8)
    rejected = {"plain": 0, "robust": 0}
    for _ in range(200):
        wins = np.repeat(rng.random(20) < 0.5, 8)  # the judge wins with half of the recipients
        ratings = np.column_stack([np.where(wins, 1.0, 3.0), np.full(160, 3.0)])
        judge = np.where(wins, 3.0, 1.0)
        for name, codes in [("plain", None), ("robust", clusters)]:
            found = alternative_annotator_test(ratings, judge, "likert", robust=codes)
            rejected[name] += found.p_values([0.0])[0, 0] <= 0.05
    assert rejected["plain"] > 40
    assert 2 <= rejected["robust"] <= 20  # nominal 10


def test_the_order_of_raters_and_items_changes_nothing():
    ratings, judge, clusters = random_case(2)
    rng = np.random.default_rng(1)
    rows, places = rng.permutation(80), rng.permutation(5)
    first = alternative_annotator_test(ratings, judge, "likert", fewest=20, robust=clusters)
    second = alternative_annotator_test(
        ratings[rows][:, places], judge[rows], "likert", fewest=20, robust=clusters[rows]
    )
    p, q = first.p_values([0.1])[0], second.p_values([0.1])[0]
    np.testing.assert_allclose(p[places], q)
    one, two = human_ceiling(ratings, judge), human_ceiling(ratings[rows][:, places], judge[rows])
    assert one.difference.value == pytest.approx(two.difference.value)


@pytest.mark.parametrize("what", ["advantage", "ceiling"])
def test_each_draw_equals_the_statistic_of_the_repeated_items(what):
    ratings, judge, clusters = random_case(3)
    counts = draw_counts(12, 20, np.random.default_rng(5))
    resampling = {"clusters": clusters, "counts": counts}

    def value(ratings, judge, **options):
        if what == "ceiling":
            return human_ceiling(ratings, judge, **options).difference
        return alternative_annotator_test(ratings, judge, "likert", fewest=1, **options).advantage

    found = value(ratings, judge, **resampling)
    for draw, count in zip(found.draws, counts, strict=True):
        rows = np.repeat(np.arange(80), count[clusters])
        assert draw == pytest.approx(value(ratings[rows], judge[rows]).value, abs=1e-10)
    assert found.low <= found.value <= found.high


def test_the_ceiling_is_the_mean_of_correlations_on_the_same_references():
    ratings, judge, _ = random_case(6)
    people, machine = [], []
    for rater in range(5):
        others = np.delete(ratings, rater, axis=1)
        rows = ~np.isnan(ratings[:, rater]) & ~np.isnan(judge) & ~np.isnan(others).all(axis=1)
        reference = np.nanmean(others[rows], axis=1)
        people.append(stats.pearsonr(ratings[rows, rater], reference).statistic)
        machine.append(stats.pearsonr(judge[rows], reference).statistic)
    found = human_ceiling(ratings, judge)
    assert found.ceiling.value == pytest.approx(np.mean(people))
    assert found.judge.value == pytest.approx(np.mean(machine))
    assert found.difference.value == pytest.approx(np.mean(machine) - np.mean(people))
    assert (found.judge.groups, found.judge.skipped) == (5, 0)


def test_a_constant_rater_is_skipped_and_a_constant_judge_undefined():
    ratings, judge, _ = random_case(7)
    ratings[:, 0] = np.where(np.isnan(ratings[:, 0]), np.nan, 4)
    assert human_ceiling(ratings, judge).judge.skipped == 1
    constant = human_ceiling(ratings, np.full(80, 3.0))
    assert np.isnan(constant.difference.value)
    assert constant.difference.reason.startswith("every rater")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alternative_annotator_test([[1, 2]], [1, 2], "likert"), "expected 1 values"),
        (lambda: alternative_annotator_test([[1, 2]], [1], "ordinal"), "'ordinal' is not one of"),
        (lambda: human_ceiling([[1, 2]], [1, 2]), "judge: expected 1 values, found 2"),
        (lambda: rejections(np.array([[0.1, 1.5]])), "between 0 and 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_nominal_question_that_nobody_answered_has_no_rater_to_test():
    nobody = np.full((5, 3), np.nan)
    for judge in (np.full(5, np.nan), np.ones(5)):
        found = alternative_annotator_test(nobody, judge, "nominal")
        assert len(found.n) == 0
