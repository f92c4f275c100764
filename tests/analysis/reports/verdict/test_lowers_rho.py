"""What a verdict says of people: raters without whom they agree more, and few clusters."""

import numpy as np
import pytest

from annotate.models import Rating
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, rows_of
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
NAMES = ["ann", "ben", "carl", "dora", "eve"]


def make_panel(guessing, contents=60, n=120):
    """Five raters who each rate all items; those named answer at random."""
    rng = np.random.default_rng(3)
    study = factories.make_study(f"panel-{contents}", questions={"q": "How good is it?"})
    items = [factories.make_item(study, f"i{k}", None, f"c{k % contents}", "s") for k in range(n)]
    truth = rng.normal(size=n)
    rows = []
    for name in NAMES:
        session = factories.make_session(study, name)
        noise = rng.normal(size=n)
        values = noise if name in guessing else np.sqrt(0.6) * truth + np.sqrt(0.4) * noise
        values = np.clip(np.round(3 + values), 1, 5)
        rows += [
            Rating(session=session, item=item, question=study.questions.get(), value=value)
            for item, value in zip(items, values, strict=True)
        ]
    Rating.objects.bulk_create(rows)
    return study, truth


def add_good_judge(study, truth):
    rng = np.random.default_rng(4)
    add_judge(study, "good", np.clip(3 + 0.7 * truth + 0.4 * rng.normal(size=len(truth)), 1, 5))


def mean_correlation(study, without=()):
    """ρ of complete ratings by a panel: mean covariance of two raters over their mean variance."""
    ratings = study.sessions.exclude(rater__key__in=without)
    table = np.array(
        [session.ratings.order_by("item").values_list("value", flat=True) for session in ratings],
        dtype=float,
    )
    covariances = np.cov(table, bias=True)
    return covariances[~np.eye(len(table), dtype=bool)].mean() / np.diag(covariances).mean()


def test_raters_who_guess_are_named_with_what_people_agree_without_them():
    study, truth = make_panel(["carl"])
    add_good_judge(study, truth)
    report = build(study, "verdict")
    row = rows_of(report)["good", "q"]
    assert row["warnings"].split() == ["lowers_rho"]
    assert row["raters"] == 5
    (sentence,) = [words for words in report.verdict if "Nobody is excluded" in words]
    all_five, others = (f"{mean_correlation(study, names):.2f}"[1:] for names in ([], ["carl"]))
    assert sentence.startswith(
        f"“q”: two raters agree by {all_five}, and the others significantly more without “carl” "
        f"({others}). "
    )
    assert sentence in report.as_dict()["notes"]


def test_honest_raters_are_not_named():
    study, truth = make_panel([])
    add_good_judge(study, truth)
    report = build(study, "verdict")
    assert rows_of(report)["good", "q"]["warnings"] == ""
    assert not [words for words in report.verdict if "without" in words]


def test_fewer_than_ten_clusters_are_told():
    study, truth = make_panel([], contents=9)
    add_good_judge(study, truth)
    report = build(study, "verdict")
    row = rows_of(report)["good", "q"]
    assert (row["warnings"], row["clusters"]) == ("few_clusters", 9)
    assert any("come from 9 clusters, fewer than 10" in words for words in report.verdict)
    ten, truth = make_panel([], contents=10)
    add_good_judge(ten, truth)
    assert rows_of(build(ten, "verdict"))["good", "q"]["warnings"] == ""
