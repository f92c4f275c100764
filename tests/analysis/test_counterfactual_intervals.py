"""What the intervals of counterfactual scores draw: surveys, recipients or another column."""

import pytest

from analysis.reports.counterfactual import Beside
from annotate.models import Item, Recipient
from tests.analysis.small import build, row_of
from tests.analysis.test_counterfactual_report import PAGE, interval_by_hand
from tests.explained import Explained

pytestmark = pytest.mark.django_db


@pytest.fixture
def each_made_up(owner):
    """As studies are made: each explanation has a recipient of its own, a session is a survey."""
    explained = Explained(owner)
    made = Recipient.objects.bulk_create(
        Recipient(study=explained.study, key=f"own-{item.key}") for item in explained.rows
    )
    for item, recipient in zip(explained.rows, made, strict=True):
        item.recipient = recipient
    Item.objects.bulk_update(explained.rows, ["recipient"])
    explained.study.extra["sessions_by"] = "survey"
    explained.study.save()
    return explained


@pytest.mark.parametrize("asked", ["together", "survey", "recipient", "item"])
def test_intervals_draw_surveys_whose_explanations_share_their_raters(each_made_up, asked):
    report = build(each_made_up.study, "counterfactual", draws=40, seed=3, cluster=asked)
    by_survey = asked in ("together", "survey")
    surveys = [survey for _, survey, _ in each_made_up.items]
    clusters = surveys if by_survey else [*range(len(surveys))]
    row = row_of(report, part="correlation", score="CF-A", question="satisfaction")
    ends = interval_by_hand(each_made_up, "cf-a", "satisfaction", clusters)
    assert (row["low"], row["high"]) == pytest.approx(ends)
    said = {"recipient": "72 clusters (recipient,", "item": "72 clusters (item, else recipient,"}
    words = said.get(asked, "6 clusters (survey, else recipient,")
    assert any(words in note for note in report.notes)
    warned = any("--cluster survey draws surveys" in note for note in report.notes)
    assert warned == (asked == "recipient")


def test_what_sessions_take_is_part_of_what_a_kept_report_follows_from(each_made_up):
    study = each_made_up.study
    before = str(Beside(study))
    study.extra["sessions_by"] = ""
    assert str(Beside(study)) != before


def test_only_the_page_of_counterfactual_scores_asks_what_intervals_draw(each_made_up, as_owner):
    page = as_owner.get(PAGE, {"draws": 20}).text
    assert 'name="cluster"' in page and "what a session takes together" in page
    assert 'name="cluster"' not in as_owner.get(PAGE.replace("counterfactual", "roc")).text
