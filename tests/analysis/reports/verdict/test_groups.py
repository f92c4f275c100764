"""A yes is limited in words to the groups of items in which it was shown."""

import numpy as np
import pytest

from analysis.answers import frame
from analysis.figures.looks import Looks
from analysis.options.choices import Choices
from analysis.options.form import OptionsForm, query
from analysis.reports.registry import EVERY_OPTION, REPORTS
from analysis.reports.verdict.sentences import GROUP, list_limits
from analysis.serving.grouping import computed
from annotate.models import Rating
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd, rows_of
from tests.analysis.small import build, options_of

pytestmark = pytest.mark.django_db
TOPICS = np.repeat(["news", "mail", "poems"], [90, 69, 21])


@pytest.fixture
def crowd():
    """A judge of insight everywhere, and one that answers backwards on mail; 21 items are poems."""
    study, truth = make_crowd()
    rng = np.random.default_rng(2)
    good = np.clip(3 + 0.65 * truth + 0.3 * rng.normal(size=len(truth)), 1, 5)
    add_judge(study, "good", good)
    add_judge(study, "blind", np.where(TOPICS == "mail", 6 - good, good))
    items = list(study.items.order_by("pk"))
    for item, topic in zip(items, TOPICS, strict=True):
        item.data = {"topic": str(topic), "number": str(item.pk)}
    study.items.bulk_update(items, ["data"])
    return study


def groups_of(report, judge):
    return {
        entry.row["group"]: entry.row
        for entry in report.entries
        if entry.kind == GROUP and entry.row["evaluator"] == judge
    }


def reason_of(report, judge):
    return next(
        entry.reason
        for entry in report.entries
        if entry.kind == "judge"
        and entry.row["evaluator"] == judge
        and entry.row["use"] == "rate_items"
    )


def retention_by_hand(study, judge, topic):
    """r − 2/3 ρ of one group by loops over pairs of ratings, all centred on the items' mean."""
    table = frame.read_answers(study).table
    table = table[table["topic"] == topic]
    people = table[table["source"] == "human"].groupby("item", observed=True)["value"].apply(list)
    scores = table[table["judge"] == judge].set_index("item")["value"]
    n, mu = len(people), np.mean([np.mean(ratings) for ratings in people])
    mean = np.mean([scores[item] for item in people.index])
    v_h = c_hh = v_f = c_fh = 0.0
    for item, ratings in people.items():
        z = [rating - mu for rating in ratings]
        v_h += sum(a * a for a in z) / len(z) / n
        pairs = [a * b for i, a in enumerate(z) for j, b in enumerate(z) if i != j]
        c_hh += sum(pairs) / len(pairs) / n
        v_f += (scores[item] - mean) ** 2 / n
        c_fh += (scores[item] - mean) * sum(z) / len(z) / n
    return c_fh / np.sqrt(v_f * v_h) - 2 / 3 * c_hh / v_h


def test_each_judge_has_a_row_for_each_group(crowd):
    report = build(crowd, "verdict", groups="topic")
    blind = groups_of(report, "blind")
    assert {name: row["items"] for name, row in blind.items()} == {
        "news": 90,
        "mail": 69,
        "poems": 21,
    }
    assert {name: row["answer"] for name, row in blind.items()} == {
        "news": "yes",
        "mail": "no",
        "poems": "not_yet",
    }
    assert blind["poems"]["verdict"] == "too_few"
    assert blind["mail"]["retention"] < 0 and blind["mail"]["p_adjusted"] < 0.001
    assert groups_of(report, "good")["mail"]["answer"] == "yes"


def test_retention_of_a_group_is_what_loops_over_its_pairs_give(crowd):
    """No rater has 30 ratings of mail or poems, so that all are centred on one mean."""
    report = build(crowd, "verdict", groups="topic")
    for topic in ("mail", "poems"):
        row = groups_of(report, "good")[topic]
        assert row["retention"] == pytest.approx(retention_by_hand(crowd, "good", topic), abs=1e-9)


def test_a_yes_is_limited_to_the_groups_that_were_shown(crowd):
    report = build(crowd, "verdict", groups="topic")
    assert rows_of(report)["good", "q"]["answer"] == "yes"
    assert reason_of(report, "good").endswith(" Shown for: news, mail; not tested: poems.")
    assert any(note.startswith("Groups of items: topic.") for note in report.notes)


def test_the_sentence_of_the_question_has_the_limits_too(crowd):
    (first, *_) = build(crowd, "verdict", groups="topic", judges=["good"]).verdict
    assert ": “good”, worth at least " in first
    limits = " raters (shown for: news, mail; not tested: poems), for items and raters like these."
    assert first.endswith(limits)
    words = list_limits([("de", "yes", "may"), ("en", "no", "may_not"), ("fr", "yes", "may")])
    assert words == "shown for: de, fr; it fails in: en"
    assert "(" not in build(crowd, "verdict", judges=["good"]).verdict[0]


def test_a_verdict_for_each_value_says_that_nothing_corrects_for_their_number(crowd):
    answers = frame.read_answers(crowd)
    for by, has_note in (("topic", True), ("", False)):
        report = computed(REPORTS["verdict"], answers, options_of(answers, "verdict", by=by))
        note = "Each group has a verdict of its own, which is not corrected for the number of"
        assert any(own.startswith(note) for own in report.notes) == has_note


def test_a_judge_that_knows_only_the_group_gets_no_yes_where_groups_are_declared():
    """Over all items it follows people well; within either kind it follows nobody."""
    study, _ = make_crowd()
    items = list(study.items.order_by("pk"))
    is_news = np.random.default_rng(4).random(len(items)) < 0.5
    for item, news in zip(items, is_news, strict=True):
        item.data = {"topic": "news" if news else "mail"}
        for rating in Rating.objects.filter(item=item):
            rating.value = float(np.clip(rating.value + (1.5 if news else -1.5), 1, 5))
            rating.save()
    study.items.bulk_update(items, ["data"])
    means = {
        news: np.mean(
            Rating.objects.filter(item__in=np.array(items)[is_news == news]).values_list(
                "value", flat=True
            )
        )
        for news in (True, False)
    }
    noise = np.random.default_rng(3).normal(0, 0.02, len(items))
    add_judge(study, "topic", np.array([means[bool(news)] for news in is_news]) + noise)
    row = rows_of(build(study, "verdict"))["topic", "q"]
    assert (row["answer"], row["verdict"], row["why"]) == ("yes", "may", "")
    report = build(study, "verdict", groups="topic")
    row = rows_of(report)["topic", "q"]
    assert (row["answer"], row["why"]) == ("not_yet", "groups")
    reason = reason_of(report, "topic")
    start = "“topic” passes every check over all items together, but in no single group of items."
    assert reason.startswith(start)
    assert {e.row["answer"] for e in report.entries if e.kind == GROUP} <= {"no", "not_yet"}


def test_without_declared_groups_a_yes_says_that_they_were_not_tested(crowd):
    report = build(crowd, "verdict")
    assert reason_of(report, "good").endswith(" Groups of items were not tested.")
    assert "group" not in report.rows[0]
    crowd.items.update(data={})
    assert "Groups of items" not in reason_of(build(crowd, "verdict"), "good")


def test_items_without_a_value_belong_to_no_group(crowd):
    news = crowd.items.order_by("pk").values_list("pk", flat=True)[:90]
    crowd.items.filter(pk__in=list(news)).update(data={})
    groups = groups_of(build(crowd, "verdict", groups="topic"), "good")
    assert {name: row["items"] for name, row in groups.items()} == {"mail": 69, "poems": 21}


def test_a_column_with_more_than_five_values_is_refused_in_words(crowd):
    choices = Choices.from_answers(frame.read_answers(crowd))
    form = OptionsForm(query({"groups": "number"}), choices, EVERY_OPTION)
    (error,) = form.errors["groups"]
    assert "columns with 2 to 5 values are" in error and "topic" in error


def test_the_page_shows_groups_in_a_folded_table(crowd):
    report = build(crowd, "verdict", groups="topic")
    layout = REPORTS["verdict"].layout(report, "q", Looks(["good", "blind"]))
    (table,) = [table for table in layout.tables if "group" in table.caption]
    assert table.is_folded and [name for name, _ in table.lines][:2] == ["good: news", "good: mail"]
