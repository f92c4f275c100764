"""The clusters that a look uses."""

import numpy as np
import pytest

from analysis.stats.planning.complete_clusters import complete_clusters

ORDER = [2, 0, 1, 3]
CLUSTERS = [0, 0, 1, 2, 2, 3]


def test_the_run_ends_at_the_first_unfinished_cluster():
    assert complete_clusters(ORDER, CLUSTERS, [3, 3, 2, 3, 3, 3], 3) == 2
    assert complete_clusters(ORDER, CLUSTERS, [3, 2, 3, 3, 3, 3], 3) == 1
    assert complete_clusters(ORDER, CLUSTERS, [3, 3, 3, 2, 3, 3], 3) == 0


def test_all_may_be_complete_and_have_more_than_enough():
    assert complete_clusters(ORDER, CLUSTERS, [3, 4, 3, 3, 5, 3], 3) == 4


def test_a_rating_more_never_shortens_the_run():
    rng = np.random.default_rng(5)
    ratings = rng.integers(0, 3, 6)
    for _ in range(20):
        before = complete_clusters(ORDER, CLUSTERS, ratings, 2)
        ratings[rng.integers(6)] += 1
        assert complete_clusters(ORDER, CLUSTERS, ratings, 2) >= before


def test_the_order_of_items_changes_nothing():
    rng = np.random.default_rng(6)
    clusters, ratings = np.repeat(np.arange(10), 3), rng.integers(2, 9, 30)
    order = rng.permutation(10)
    expected = complete_clusters(order, clusters, ratings, 3)
    shuffled = rng.permutation(30)
    assert complete_clusters(order, clusters[shuffled], ratings[shuffled], 3) == expected


def test_items_outside_the_order_do_not_count():
    assert complete_clusters([2, 1], CLUSTERS, [0, 0, 3, 3, 3, 0], 3) == 2


def test_missing_counts_are_not_complete():
    assert complete_clusters([0], [0, 0], [3, np.nan], 3) == 0


def test_nothing_is_complete_without_an_order():
    assert complete_clusters([], [], [], 3) == 0


def test_impossible_orders_are_refused():
    with pytest.raises(ValueError, match="order: expected every cluster once"):
        complete_clusters([0, 0], [0], [1], 1)
    with pytest.raises(ValueError, match="order: cluster 4 has no items"):
        complete_clusters([0, 4], [0], [1], 1)
    with pytest.raises(ValueError, match="m: expected"):
        complete_clusters([0], [0], [1], 0)
    with pytest.raises(ValueError, match="clusters: expected 1 codes"):
        complete_clusters([0], [0, 1], [1], 1)
