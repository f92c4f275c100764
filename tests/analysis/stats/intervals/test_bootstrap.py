"""Each draw equals the plain statistic on the rows, physically repeated."""

import warnings

import numpy as np
import pytest

from analysis.stats.agreement.cohen_kappa import WEIGHTS, cohen_kappa
from analysis.stats.agreement.fleiss_kappa import fleiss_kappa
from analysis.stats.agreement.gwet_ac import gwet_ac
from analysis.stats.agreement.icc import FORMS, icc
from analysis.stats.agreement.kendall_w import kendall_w
from analysis.stats.agreement.krippendorff_alpha import METRICS, krippendorff_alpha
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.classification.classification import auc, ordinal_auc
from analysis.stats.correlation import correlation_draws
from analysis.stats.correlation.correlation import (
    dataset_correlation,
    grouped_correlation,
    system_correlation,
)
from analysis.stats.estimate import Estimate
from analysis.stats.intervals import bootstrap
from analysis.stats.intervals.bootstrap import draw_counts, percentile_interval, with_interval

COEFFICIENTS = ["pearson", "spearman", "kendall"]
CLUSTERS, DRAWS = 9, 25
COUNTS = draw_counts(CLUSTERS, DRAWS, np.random.default_rng(3))


def repeated(count, clusters):
    """Row numbers of one draw, and for each which copy of its cluster it belongs to."""
    rows, copies = [], []
    for copy in range(int(count.max())):
        chosen = np.flatnonzero(count[clusters] > copy)
        rows.append(chosen)
        copies.append(np.full(len(chosen), copy))
    return np.concatenate(rows), np.concatenate(copies)


def check_draws(statistic, arrays, clusters, groups=None, counts=COUNTS):
    """Compare every draw of statistic(*arrays, clusters=, counts=) with the repeated rows."""
    seen = {}

    def spy(values, level=0.95):
        seen["values"] = values
        return percentile_interval(values, level)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "percentile_interval", spy)
        given = arrays if groups is None else [*arrays, groups]
        found = statistic(*given, clusters=clusters, counts=counts)
    expected = []
    for count in counts:
        rows, copies = repeated(count, clusters)
        again = [array[rows] for array in arrays]
        if groups is not None:
            again.append(np.unique(groups[rows] * 100 + copies, return_inverse=True)[1])
        expected.append(statistic(*again).value)
    np.testing.assert_allclose(seen["values"], expected, atol=1e-11, rtol=0)
    assert found.undefined_draws == np.isnan(expected).sum()
    low, high = np.nanpercentile(expected, [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-11)


def likert_pairs(seed, n=120):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, CLUSTERS, n)
    x, y = rng.integers(1, 6, (2, n)).astype(float)
    x[clusters == 2] = 3
    return x, y, clusters


def fine_pairs(seed, n=120):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 2)
    return x, x + np.round(rng.normal(size=n), 1), rng.integers(0, CLUSTERS, n)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("pairs", [likert_pairs, fine_pairs])
def test_dataset_correlation(coefficient, pairs):
    x, y, clusters = pairs(1)
    check_draws(lambda a, b, **k: dataset_correlation(a, b, coefficient, **k), [x, y], clusters)


def test_kendall_of_many_rows_is_counted_by_merging(monkeypatch):
    monkeypatch.setattr(correlation_draws, "MOST_PAIRWISE_ROWS", 10)
    monkeypatch.setattr(correlation_draws, "MERGE_LEVELS", 1)
    x, y, clusters = fine_pairs(1)
    check_draws(lambda a, b, **k: dataset_correlation(a, b, "kendall", **k), [x, y], clusters)
    check_draws(ordinal_auc, [x, y], clusters)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_draws_that_are_constant_are_undefined_on_fine_scales(coefficient):
    # Two clusters of one value each beside a varied one: some draws lack the varied one.
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.normal(size=80), np.full(40, 0.1)])
    y = rng.normal(size=120)
    clusters = np.repeat([0, 1, 2], [80, 20, 20])
    counts = np.array([[0, 1, 2], [0, 3, 0], [1, 1, 1], [3, 0, 0], [2, 0, 1]])
    check_draws(
        lambda a, b, **k: dataset_correlation(a, b, coefficient, **k),
        [x, y],
        clusters,
        None,
        counts,
    )
    found = dataset_correlation(x, y, coefficient, clusters=clusters, counts=counts)
    assert found.undefined_draws == 2


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("undefined", ["skip", "zero"])
def test_grouped_correlation(coefficient, undefined):
    x, y, clusters = likert_pairs(2)
    groups = clusters * 3 + np.random.default_rng(4).integers(0, 3, len(x))
    check_draws(
        lambda a, b, g, **k: grouped_correlation(a, b, g, coefficient, undefined=undefined, **k),
        [x, y],
        clusters,
        groups,
    )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_system_correlation(coefficient):
    x, y, clusters = likert_pairs(3, n=40)
    systems = np.random.default_rng(5).integers(0, 6, 40)
    check_draws(
        lambda a, b, s, **k: system_correlation(a, b, s, coefficient, **k),
        [x, y, systems],
        clusters,
    )


@pytest.mark.parametrize("pairs", [likert_pairs, fine_pairs])
def test_auc(pairs):
    x, y, clusters = pairs(6)
    check_draws(auc, [x, (y > np.median(y)).astype(float)], clusters)
    check_draws(ordinal_auc, [x, y], clusters)


def test_auc_with_one_positive_cluster_counts_undefined_draws():
    x, _, clusters = likert_pairs(7)
    positive = (clusters == 0).astype(float)
    found = auc(x, positive, clusters=clusters, counts=COUNTS)
    assert found.undefined_draws == (COUNTS[:, 0] == 0).sum() > 0
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "no interval: all items of one class are in one cluster"


def rated_units(seed, missing):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (70, 4)).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings, rng.integers(0, CLUSTERS, 70)


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_krippendorff_alpha(metric):
    ratings, clusters = rated_units(1, missing=0.5)
    check_draws(lambda r, **k: krippendorff_alpha(r, metric, **k), [ratings], clusters)


@pytest.mark.parametrize("weights", sorted(WEIGHTS))
def test_cohen_kappa(weights):
    ratings, clusters = rated_units(2, missing=0.1)
    check_draws(
        lambda r, **k: cohen_kappa(r, [1, 2, 3, 4, 5], weights=weights, **k), [ratings], clusters
    )


def test_cohen_kappa_of_a_judge():
    ratings, clusters = rated_units(3, missing=0.1)
    check_draws(
        lambda r, j, **k: cohen_kappa(r, [1, 2, 3, 4, 5], judge=j, **k),
        [ratings[:, 1:], ratings[:, 0]],
        clusters,
    )


def test_percent_agreement():
    ratings, clusters = rated_units(4, missing=0.5)
    check_draws(percent_agreement, [ratings], clusters)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_icc(form):
    ratings, clusters = rated_units(5, missing=0.1)
    check_draws(lambda r, **k: icc(r, form, **k), [ratings + 0.1], clusters)


def test_fleiss_kappa_and_gwet_ac():
    ratings, clusters = rated_units(6, missing=0.5)
    scale = [1, 2, 3, 4, 5]
    check_draws(lambda r, **k: fleiss_kappa(r, scale, **k), [ratings], clusters)
    check_draws(lambda r, **k: gwet_ac(r, scale, weights="ordinal", **k), [ratings], clusters)


@pytest.mark.parametrize("shift", [0, 0.1])
def test_kendall_w(shift):
    ratings, clusters = rated_units(7, missing=0.1)
    ratings[:, 0] += shift * np.arange(len(ratings))  # a long scale beside short ones
    check_draws(kendall_w, [ratings], clusters)


@pytest.mark.parametrize("cells", [1, 200])
def test_small_blocks_change_nothing(cells, monkeypatch):
    x, y, clusters = fine_pairs(8)
    options = {"clusters": clusters, "counts": COUNTS}
    whole = [dataset_correlation(x, y, c, **options) for c in COEFFICIENTS]
    whole += [auc(x, y > 0, **options)]
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", cells)
    blocked = [dataset_correlation(x, y, c, **options) for c in COEFFICIENTS]
    blocked += [auc(x, y > 0, **options)]
    for first, second in zip(whole, blocked, strict=True):
        assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)


def test_the_same_seed_gives_the_same_draws_and_each_draws_as_many_clusters():
    first = draw_counts(50, 20, np.random.default_rng(1))
    assert np.array_equal(first, draw_counts(50, 20, np.random.default_rng(1)))
    assert (first.sum(axis=1) == 50).all()
    assert first.shape == (20, 50)


def test_clusters_are_drawn_evenly():
    counts = draw_counts(40, 4000, np.random.default_rng(2))
    # binomial(40, 1/40): mean 1, variance .975
    assert counts.mean(axis=0) == pytest.approx(np.ones(40), abs=0.1)
    assert counts.var() == pytest.approx(0.975, abs=0.03)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(200):
        x = rng.normal(size=80)
        y = 0.6 * x + 0.8 * rng.normal(size=80)  # rho = .6
        counts = draw_counts(80, 300, rng)
        found = dataset_correlation(x, y, "pearson", clusters=np.arange(80), counts=counts)
        covered += found.low <= 0.6 <= found.high
    assert 175 <= covered <= 199  # nominal 190


def test_without_counts_there_is_no_interval():
    found = dataset_correlation([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], "pearson")
    assert np.isnan(found.low)
    assert found.reason == ""


def test_one_cluster_gives_no_interval_and_says_so():
    x, y, _ = likert_pairs(1)
    found = dataset_correlation(x, y, "pearson", clusters=np.zeros(120, int), counts=COUNTS)
    assert not np.isnan(found.value)
    assert np.isnan(found.low)
    assert found.reason == "no interval: all observations are in one cluster"


def test_groups_across_clusters_get_no_interval_and_say_so():
    x, y, clusters = likert_pairs(1)
    found = grouped_correlation(
        x, y, np.zeros(120, int), "pearson", clusters=clusters, counts=COUNTS
    )
    assert not np.isnan(found.value)
    assert found.reason == "no interval: groups span several clusters"


def test_draws_that_are_all_undefined_give_no_interval():
    found = with_interval(
        Estimate(0.5, n=4), np.array([0, 1]), COUNTS, lambda g, c: np.full(len(c), np.nan)
    )
    assert np.isnan(found.low)
    assert found.undefined_draws == DRAWS
    assert found.reason == "no interval: undefined in every draw"


def test_missing_pairs_and_absent_clusters_do_not_disturb_the_draws():
    x, y, clusters = likert_pairs(9)
    x[clusters == 4] = np.nan
    check_draws(lambda a, b, **k: dataset_correlation(a, b, "kendall", **k), [x, y], clusters)


def test_no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x, y in [([], []), ([1.0], [1.0]), ([1.0, 1.0], [2.0, 2.0]), ([1.0, 2.0], [2.0, 1.0])]:
            a, b, codes = np.array(x), np.array(y), np.arange(len(x))
            for c in COEFFICIENTS:
                dataset_correlation(a, b, c, clusters=codes, counts=COUNTS)
                grouped_correlation(a, b, codes * 0, c, clusters=codes * 0, counts=COUNTS)
                system_correlation(a, b, codes, c, clusters=codes, counts=COUNTS)
            ordinal_auc(a, b, clusters=codes, counts=COUNTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counts": COUNTS}, "counts need the cluster codes"),
        ({"counts": COUNTS, "clusters": [0, 1, 99]}, "cluster 99 is not among the 9"),
        ({"counts": COUNTS / 2, "clusters": [0, 1, 2]}, "expected whole numbers"),
    ],
)
def test_counts_that_do_not_fit_are_refused(options, message):
    for call in (dataset_correlation, grouped_in_one):
        with pytest.raises(ValueError, match=message):
            call([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], "pearson", **options)


def grouped_in_one(x, y, coefficient, **options):
    return grouped_correlation(x, y, [0, 0, 0], coefficient, **options)


def test_no_clusters_cannot_be_drawn():
    with pytest.raises(ValueError, match="need clusters and draws, found 0 and 10"):
        draw_counts(0, 10, np.random.default_rng(1))
