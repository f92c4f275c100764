"""Row shares of confusion matrices: by hand, by repeated rows, and where nothing can be said."""

import numpy as np
import pytest

from analysis.stats.classification.row_shares import row_shares
from analysis.stats.intervals.bootstrap import draw_counts

LABELS = [1, 2, 3]


def test_counts_and_shares_by_hand():
    found = row_shares([1, 1, 1, 1, 2, np.nan, 2], [1, 1, 2, 3, 2, 1, np.nan], LABELS)
    assert found.matrix.tolist() == [[2, 1, 1], [0, 1, 0], [0, 0, 0]]
    assert found.shares[:2].tolist() == [[0.5, 0.25, 0.25], [0, 1, 0]]
    assert np.isnan(found.shares[2]).all(), "nobody gave the third label"
    assert np.isnan(found.low).all() and np.isnan(found.high).all(), "there are no draws"


@pytest.fixture
def drawn():
    rng = np.random.default_rng(3)
    human, judge = rng.integers(1, 4, (2, 60)).astype(float)
    return human, judge, rng.integers(0, 8, 60), draw_counts(8, 200, rng)


def test_each_end_is_a_quantile_over_the_repeated_rows(drawn):
    human, judge, clusters, counts = drawn
    found = row_shares(human, judge, LABELS, clusters=clusters, counts=counts)
    shares = []
    for draw in counts:
        rows = np.repeat(np.arange(60), draw[clusters])
        of_two = judge[rows][human[rows] == 2]
        shares.append(np.mean(of_two == 3))
    assert found.low[1, 2] == pytest.approx(np.quantile(shares, 0.025))
    assert found.high[1, 2] == pytest.approx(np.quantile(shares, 0.975))
    assert (found.low <= found.shares).all() and (found.shares <= found.high).all()
    assert found.undefined_draws.tolist() == [0, 0, 0]


def test_none_of_a_row_has_the_interval_of_as_many_observations_as_clusters():
    """Wilson: 0 of n reaches to z² / (n + z²), .658 of 2 clusters; all of them from .342."""
    human, judge, clusters = [1, 1, 1, 2], [2, 2, 2, 2], [0, 0, 1, 2]
    counts = np.array([[1, 1, 1], [3, 0, 0], [0, 0, 3]])
    found = row_shares(human, judge, LABELS, clusters=np.array(clusters), counts=counts)
    assert (found.low[0, 0], found.high[0, 0]) == (0, pytest.approx(0.658, abs=5e-4))
    assert (found.low[0, 1], found.high[0, 1]) == (pytest.approx(0.342, abs=5e-4), 1)
    assert np.isnan(found.high[1]).all(), "all items of the second row are of one cluster"
    assert found.undefined_draws.tolist() == [1, 0, 0], "one draw has no item of the first row"


def test_the_order_of_the_items_and_of_the_scale_changes_nothing(drawn):
    human, judge, clusters, counts = drawn
    one = row_shares(human, judge, LABELS, clusters=clusters, counts=counts)
    order = np.random.default_rng(4).permutation(60)
    moved = row_shares(
        human[order], judge[order], LABELS[::-1], clusters=clusters[order], counts=counts
    )
    for name in ("matrix", "shares", "low", "high"):
        assert getattr(moved, name)[::-1, ::-1] == pytest.approx(getattr(one, name))


def test_without_a_pair_all_is_undefined():
    found = row_shares([np.nan], [1], LABELS, clusters=np.array([0]), counts=np.array([[1]]))
    assert found.matrix.sum() == 0
    assert np.isnan(found.shares).all() and np.isnan(found.high).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 2], [1, 4], LABELS), "judge: 4.0 is not one of"),
        (([1, 2], [1], LABELS), "length"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        row_shares(*arguments)
