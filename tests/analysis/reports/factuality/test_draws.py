"""Chances and intervals of the report on factual consistency, drawn anew and corrected by hand."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from analysis.stats.intervals.bootstrap import draw_counts
from judges.models import Judge
from tests import factual
from tests.analysis.reports.factuality.test_report import BLEU, VERDICTS, P, judged
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db
# To each of six recipients one statement by each system, supported (1) or not; and its likeness.
SUPPORTED = {"best": [1, 1, 1, 1, 1, 1], "some": [1, 1, 0, 1, 1, 0], "none": [0, 0, 1, 0, 0, 0]}
LIKENESS = {"best": [9, 2, 8, 3, 9, 1], "some": [7, 8, 1, 6, 2, 9], "none": [1, 9, 2, 4, 1, 1]}


@pytest.fixture
def three(owner):
    """Six recipients, to each of whom three systems explain one content."""
    items, verdicts, likeness = {}, {}, {}
    for system, values in SUPPORTED.items():
        for at, value in enumerate(values):
            key = f"{system}{at}"
            items[key] = (f"r{at}", system, "toys", f"Text {key}.", ["build"], ["build"])
            verdicts |= {f"{key}-p1": value, f"{key}-r1": 1}
            likeness[key] = LIKENESS[system][at]
    study = factual.make_study(owner, items)
    judged(study, "LLM", verdicts, factual.SUPPORTED)
    judged(study, "BLEU", likeness, "overall", kind=Judge.Kind.BLEU_1)
    return study


def test_holm_is_over_the_pairs_of_systems_of_a_metric(three):
    report = build(three, "factuality", draws=200, seed=5)
    rows = {
        (row["system"], row["other"]): (row["p"], row["p_holm"])
        for row in report.rows
        if (row["part"], row["metric"], row["domain"]) == ("difference", "St2Exp-P", "all")
    }
    assert set(rows) == set(combinations(sorted(SUPPORTED), 2))
    (p1, holm1), (p2, holm2), (p3, holm3) = sorted(rows.values())
    assert p1 < p2 < p3
    first = min(1, 3 * p1)
    second = max(first, min(1, 2 * p2))
    assert (holm1, holm2, holm3) == pytest.approx((first, second, max(second, p3)))


def test_intervals_of_how_alike_metrics_order_systems_draw_whole_recipients(three):
    report = build(three, "factuality", draws=60, seed=5)
    row = row_of(
        report, part="rank_agreement", metric="St2Exp-P", other_metric="BLEU", domain="all"
    )
    shares, likeness = (np.array([of[name] for name in SUPPORTED]) for of in (SUPPORTED, LIKENESS))
    drawn = [
        kendalltau((shares @ draw).round(9), (likeness @ draw).round(9)).statistic
        for draw in draw_counts(6, 60, np.random.default_rng(5))
    ]
    assert row["value"] == pytest.approx(kendalltau(shares.mean(1), likeness.mean(1)).statistic)
    limits = np.quantile(np.array(drawn)[~np.isnan(drawn)], [0.025, 0.975])
    assert (row["low"], row["high"]) == pytest.approx(tuple(limits))
    assert row["low"] < row["high"]


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_intervals_of_correlations_draw_whole_recipients(owner, coefficient):
    """Of ranks too, which stay those of all explanations."""
    study = factual.make_study(owner)
    judged(study, "LLM", VERDICTS, factual.SUPPORTED)
    known = {key: BLEU[key] for key in P}
    judged(study, "BLEU", known, "overall", kind=Judge.Kind.BLEU_1)
    row = row_of(
        build(study, "factuality", draws=60, seed=4),
        part="correlation",
        domain="all",
        metric="BLEU",
        other_metric="St2Exp-P",
        coefficient=coefficient,
    )
    x, y = known, P
    if coefficient == "spearman":  # P: d and e share 1.5, a and c 3.5
        x = {"d": 1, "e": 2, "b": 3, "c": 4, "a": 5}
        y = {"d": 1.5, "e": 1.5, "a": 3.5, "c": 3.5, "b": 5}
    drawn = []
    for draw in draw_counts(3, 60, np.random.default_rng(4)):
        recipients = zip(draw, (["a", "c"], ["b", "d"], ["e"]), strict=True)
        keys = [key for times, some in recipients for key in some * times]
        values = np.array([[each[key] for key in keys] for each in (x, y)])
        if (values.std(axis=1) > 0).all():
            drawn.append(np.corrcoef(values)[0, 1])
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
