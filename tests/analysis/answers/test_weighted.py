"""Probability-weighted values in reports and exports: an evaluator of its own, never mixed."""

import csv
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import pearsonr

from analysis.answers import frame
from analysis.reports.shared.scores import Scores
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.analysis.small import add_judge, build, options_of, row_of

pytestmark = pytest.mark.django_db
HUMAN, SAMPLED, WEIGHTED = [1, 4, 2, 5], [2, 4, 2, 4], [1.75, 4.25, 2.25, 4.5]
NONE = "spread over several tokens"


@pytest.fixture
def study(owner):
    """Four items and a question; ann rated them, the judge G has weighted values beside its own."""
    study = factories.make_study(owner=owner, items=4, questions={"fits": "It fits."})
    session, question = factories.make_session(study, "ann"), study.questions.get()
    judge = factories.make_judge(study, "G", factories.make_endpoint(), weighted=True)
    items = list(study.items.all())
    for item, value in zip(items, HUMAN, strict=True):
        factories.make_rating(session, item, question, value)
    pairs = zip(items, SAMPLED, strict=True)
    run = factories.make_judgments(judge, {(item, question): value for item, value in pairs})
    for item, value in zip(items, WEIGHTED, strict=True):
        run.judgments.filter(item=item).update(weighted_value=value, weighted_mass=0.9)
    add_judge(study, "other", lambda item: 3)
    return study


def scores_of(study, **options):
    answers = frame.read_answers(study)
    chosen = options_of(answers, "correlation", **{"draws": 0} | options)
    return Scores(answers, chosen)


def exported(study, table):
    out = StringIO()
    call_command("export", study.slug, table, stdout=out)
    return [row for row in csv.DictReader(StringIO(out.getvalue())) if row["judge"] == "G"]


def test_both_stand_side_by_side_in_a_report(study):
    report = build(study, "correlation")
    where = {"question": "fits", "level": "dataset", "coefficient": "pearson"}
    sampled, weighted = (row_of(report, evaluator=e, **where) for e in ("G", "G weighted"))
    assert sampled["value"] == pytest.approx(pearsonr(SAMPLED, HUMAN).statistic)
    assert weighted["value"] == pytest.approx(pearsonr(WEIGHTED, HUMAN).statistic)
    assert any("G weighted: the mean of the scale's points" in note for note in report.notes)


def test_they_can_be_left_out(study):
    assert "G weighted" in scores_of(study).judges
    assert scores_of(study, weighted="hide").judges == ["G", "other"]
    names = {row["evaluator"] for row in build(study, "correlation", weighted="hide").rows}
    assert "G weighted" not in names and "G" in names


def test_the_page_asks_only_where_a_judge_has_them(study, as_owner):
    at = reverse("report", args=[study.slug, "correlation"])
    page = as_owner.get(at).content.decode()
    assert "Weighted scores" in page and "G weighted" in page
    for judge in Judge.objects.exclude(settings={}):
        factories.change_settings(judge, weighted=False)
    assert "Weighted scores" not in as_owner.get(at).content.decode()


def test_what_has_none_is_missing_with_its_reason_and_the_score_stays(study):
    first = study.items.first()
    Judgment.objects.filter(run__judge__key="G", item=first).update(
        weighted_value=None, weighted_mass=None, weighted_reason=NONE
    )
    scores = scores_of(study)
    assert scores.judge("G")[:, 0].tolist() == SAMPLED
    assert scores.judge("G weighted")[:, 0].tolist() == pytest.approx(
        [float("nan"), *WEIGHTED[1:]], nan_ok=True
    )
    table = frame.read_answers(study).table
    row = table[(table["judge"] == "G weighted") & (table["item"] == first.key)].iloc[0]
    assert row["missing_reason"] == NONE


def test_samples_are_averaged_apart(study):
    run, question = Run.objects.get(judge__key="G"), study.questions.get()
    item = study.items.first()
    Judgment.objects.create(
        run=run,
        item=item,
        question=question,
        sample=1,
        value=5,
        state="done",
        unit=9,
        weighted_value=4.75,
        weighted_mass=0.9,
    )
    scores = scores_of(study)
    assert scores.judge("G")[0, 0] == 3.5  # (2 + 5) / 2
    assert scores.judge("G weighted")[0, 0] == 3.25  # (1.75 + 4.75) / 2
    first = next(row for row in exported(study, "scores") if row["item"] == item.key)
    assert (first["value"], first["weighted_value"]) == ("3.5", "3.25")


def test_exports_have_them_in_a_column_of_their_own(study):
    assert [row["weighted_value"] for row in exported(study, "scores")] == [
        "1.75",
        "4.25",
        "2.25",
        "4.5",
    ]
    samples = exported(study, "samples")
    assert [(row["value"], row["weighted_value"]) for row in samples] == [
        ("2", "1.75"),
        ("4", "4.25"),
        ("2", "2.25"),
        ("4", "4.5"),
    ]
    assert {row["weighted_mass"] for row in samples} == {"0.9"}
    assert {row["judge"] for row in exported(study, "judgments")} == {"G"}


def test_a_judge_that_has_that_name_already_keeps_it(study):
    add_judge(study, "G weighted", lambda item: 1)
    scores = scores_of(study)
    assert scores.judge("G weighted")[:, 0].tolist() == [1] * 4
    assert scores.judge("G (weighted)")[:, 0].tolist() == WEIGHTED


def test_reading_takes_one_query_more(study, django_assert_num_queries):
    with django_assert_num_queries(7):
        frame.read_answers(study)


def test_the_item_s_page_shows_both_and_where_a_reply_came_from(study, as_owner):
    first = study.items.order_by("pk").first()
    judgment = Judgment.objects.get(item=first, run__judge__key="G")
    source = factories.make_call(judgment.run, reply="{}", prompt_name="explanation.v1")
    taken = factories.make_call(judgment.run, reply='{"fits": 2}', reused_from=source, cost_usd=0)
    Judgment.objects.filter(pk=judgment.pk).update(call=taken, rationale="So it seems.")
    page = as_owner.get(first.get_absolute_url()).content.decode()
    assert "Weighted by log-probabilities: 1.75" in page and "So it seems." in page
    assert f"call {source.pk}, taken over at no cost" in page
    assert "{&quot;fits&quot;: 2}" in page
