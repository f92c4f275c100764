"""What the intervals of counterfactual scores draw: surveys, recipients or another column."""

from csv import DictReader

import pytest

from analysis.reports.counterfactual.report import Beside
from annotate.models import Item, Rating, Recipient
from judges.models import Judgment
from tests.analysis.reports.counterfactual.test_report import PAGE, interval_by_hand
from tests.analysis.small import build, row_of
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


def few(explained, surveys):
    """Only the items of so many surveys are left, and with them their judgments and ratings."""
    kept = [
        row.pk
        for row, (_, survey, _) in zip(explained.rows, explained.items, strict=True)
        if survey < surveys
    ]
    Judgment.objects.exclude(item__in=kept).delete()
    Rating.objects.exclude(item__in=kept).delete()
    Item.objects.exclude(pk__in=kept).delete()
    return explained.study


@pytest.mark.parametrize(("surveys", "has"), [(1, False), (2, False), (4, False), (5, True)])
def test_fewer_than_five_surveys_give_no_interval_and_say_why(each_made_up, surveys, has):
    report = build(few(each_made_up, surveys), "counterfactual", draws=40, seed=3)
    drawn = [
        entry
        for entry in report.entries
        if entry.row["part"] in ("correlation", "exactness")
        and entry.row["measure"] not in ("largest_difference", "seconds")
    ]
    assert {e.row["part"] for e in drawn} == {"correlation", "exactness"}
    clusters = "1 cluster" if surveys == 1 else f"{surveys} clusters"
    why = "" if has else f"no interval: {clusters} to draw, fewer than 5"
    for entry in drawn:
        row = entry.row
        assert row["value"] == row["value"], "the number itself stands"
        assert (row["low"] == row["low"], row["high"] == row["high"]) == (has, has), row
        assert (entry.reason, row["reason"]) == (why, why)
    said = [note for note in report.notes if "to draw, fewer than" in note]
    assert len(said) == (0 if has else 1)
    assert has or said[0].startswith(f"No interval: {clusters} to draw, fewer than 5: {len(drawn)}")
    how = [note for note in report.notes if "bootstrap draws of" in note]
    assert len(how) == has, "no note speaks of intervals that nobody sees"
    many = f"{surveys} cluster{'s' if surveys > 1 else ''}"
    assert any(f"{many} (survey, else recipient," in note for note in report.notes)
    assert not any("narrower than they should be" in note for note in report.notes)


def test_clusters_are_counted_where_both_numbers_stand(each_made_up):
    """Six surveys, and one score has values in four of them alone."""
    late = [
        row.pk
        for row, (_, survey, _) in zip(each_made_up.rows, each_made_up.items, strict=True)
        if survey > 3
    ]
    Judgment.objects.filter(run__judge__key="Item-Sim", item__in=late).delete()
    report = build(each_made_up.study, "counterfactual", draws=40)
    reasons = {row["score"]: row["reason"] for row in report.rows if row["part"] == "correlation"}
    assert reasons.pop("Item-Sim") == "no interval: 4 clusters to draw, fewer than 5"
    assert {*reasons.values()} == {""}


def test_an_undefined_number_keeps_its_reason_and_no_draws_need_none(each_made_up):
    study = few(each_made_up, 2)
    Judgment.objects.filter(run__judge__key="Item-Sim").update(value=0.5)
    report = build(study, "counterfactual", draws=40)
    row = row_of(report, part="correlation", score="Item-Sim", question="satisfaction")
    assert row["reason"] == "all values of the judge are equal"
    none = build(study, "counterfactual", draws=0)
    assert {
        r["reason"] for r in none.rows if r["score"] == "CF" and r["part"] == "correlation"
    } == {""}


def test_page_csv_and_json_say_that_two_surveys_have_no_interval(each_made_up, as_owner):
    few(each_made_up, 2)
    query = {"draws": 20, "question": "satisfaction"}
    why = "no interval: 2 clusters to draw, fewer than 5"
    response = as_owner.get(PAGE, query)
    tables = response.context["groups"][0][2].tables
    (table,) = [table for table in tables if table.caption.startswith("Table 1.")]
    for _, (cell,) in table.lines:
        assert (cell.interval, cell.reason, cell.size) == ("", why, "n = 24, no interval")
    (table,) = [table for table in tables if table.caption.startswith("Exactness")]
    assert table.lines[0][1][1].size == "n = 24, no interval"
    assert "No interval: 2 clusters to draw, fewer than 5: " in response.text
    assert "Lines: 95 % intervals" not in response.text
    lines = [*DictReader(as_owner.get(f"{PAGE}rows.csv", query).text.splitlines())]
    own = [line for line in lines if line["part"] == "correlation"]
    assert own and {(line["low"], line["high"], line["reason"]) for line in own} == {("", "", why)}
    rows = as_owner.get(f"{PAGE}rows.json", query).json()["rows"]
    own = [row for row in rows if row["part"] == "correlation"]
    assert own and {(row["low"], row["reason"]) for row in own} == {(None, why)}
