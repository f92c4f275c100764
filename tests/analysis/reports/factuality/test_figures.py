"""Precision against recall of each system, and similarity with the review, against hand counts."""

import pytest
from scipy.stats import pearsonr

from judges.models import Judge
from tests import factual
from tests.analysis.reports.factuality.test_report import PAGE, VERDICTS, P, judged
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def facts(owner):
    return factual.make_study(owner)


def test_precision_is_drawn_over_recall_system_by_system(facts, as_owner):
    """good: P 1/2 and 1, R 0 and 1/2; bad: P 1, 0 and 0, R 1/2, 0 and 0."""
    judged(facts, "LLM", VERDICTS | {"a-r1": 0, "c-p1": 1}, factual.SUPPORTED)
    figures = as_owner.get(PAGE, {"draws": 0}).context["layout"].figures
    (figure,) = [figure for figure in figures if "Precision against recall" in figure.caption]
    (drawn,) = figure.plot["data"]
    points = {
        system: (recall, precision)
        for system, recall, precision in zip(drawn["text"], drawn["x"], drawn["y"], strict=True)
    }
    assert points == {
        "good": pytest.approx((1 / 4, 3 / 4)),
        "bad": pytest.approx((1 / 6, 1 / 3)),
    }
    layout = figure.plot["layout"]
    titles = [layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    assert titles == ["Recall", "Precision"]


def test_similarity_with_the_review_is_correlated_with_consistency_too(facts):
    judged(facts, "LLM", VERDICTS, factual.SUPPORTED)
    likeness = {"a": 30.0, "b": 10.0, "c": 20.0, "d": 5.0, "e": 25.0}
    judged(facts, "BLEU review", likeness, "overall", kind=Judge.Kind.BLEU_1, against="review")
    row = row_of(
        build(facts, "factuality"),
        part="correlation",
        metric="BLEU review",
        other_metric="St2Exp-P",
        coefficient="pearson",
        domain="all",
    )
    expected = pearsonr(list(likeness.values()), [P[key] for key in likeness])[0]
    assert (row["value"], row["n"]) == (pytest.approx(expected), 5)
