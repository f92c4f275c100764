"""The true values behind the coverage of intervals are those of a large sample."""

import numpy as np
import pytest
from scipy import stats

from tests.calibration import intervals


@pytest.fixture(scope="module")
def sample():
    return intervals.draw_points(np.random.default_rng(1), 50_000)


def test_true_values_are_those_of_a_large_sample_by_other_functions(sample):
    people, judge, true = sample.ratings.mean(axis=1), sample.judge, intervals.true_values()
    good, marked = people >= 3.5, judge > 3.5
    majority = (sample.ratings > 3.5).sum(axis=1) >= 2
    wins = stats.mannwhitneyu(judge[good], judge[~good]).statistic
    ranks = stats.rankdata(sample.ratings).reshape(sample.ratings.shape)
    apart = np.mean([(ranks[:, a] - ranks[:, b]) ** 2 for a, b in ((0, 1), (0, 2), (1, 2))])
    by_system = np.bincount(sample.system, people) / np.bincount(sample.system)
    found = {
        "Pearson": np.corrcoef(judge, people)[0, 1],
        "Spearman": stats.spearmanr(judge, people).statistic,
        "AUC": wins / good.sum() / (~good).sum(),
        "ordinal alpha": 1 - apart / 2 / ranks.var(),
        "mean": people.mean(),
        "share": good.mean(),
        "slope": np.cov(judge, people)[0, 1] / people.var(),
        "prediction-powered mean": people.mean(),
        "prediction-powered mean of a system": by_system[0],
        "prediction-powered difference": by_system[-1] - by_system[0],
        "recall": (majority & marked).sum() / majority.sum(),
        "precision": (majority & marked).sum() / marked.sum(),
        "median of seconds": intervals.SECONDS,  # of a log-normal variable of this centre
    }
    assert found == pytest.approx(true, abs=0.01)


def test_items_of_a_cluster_are_alike(sample):
    people = sample.ratings.mean(axis=1).reshape(-1, intervals.SIZE)
    between = np.corrcoef(people, rowvar=False)[np.triu_indices(intervals.SIZE, 1)]
    assert (between > 0.2).all()


def test_variances_are_three_parts_a_share_and_a_worth():
    facts = intervals._facts(0.3, 0.3, 0.4)
    assert facts == pytest.approx([0.3, 0.3, 0.4, 0.3, 0.6 / (0.6 + 0.4 / 3)])
