"""Prediction-powered means: few labels of a large study, by recipient, and poor data."""

import random
from math import isnan

import numpy as np
import pytest
from django.db.models import Avg
from scipy import stats

from analysis.stats.classification.verdict_correction import corrected_share
from analysis.stats.replacement.prediction_powered import prediction_powered_mean
from annotate.models import Item, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import add_judge, build, load_hanna, make_rated_study, row_of

pytestmark = pytest.mark.django_db
QUALITY = [3, 5, 2, 4, 1, 4, 3, 2, 5, 4]


def make_study(labelled=20, items=60, scale="likert5", judge=lambda quality, at: quality):
    """Items without recipients; one rater labels the first ones, the judge scores all."""
    study = factories.make_study(questions={})
    question = factories.make_question(study, "q", scale)
    session = factories.make_session(study, "ann")
    quality = {}
    for at in range(items):
        item = factories.make_item(study, f"i{at}", None, None, "AB"[at % 2])
        quality[item] = QUALITY[at * 7 % 10]
        if at < labelled:
            value = min(5, quality[item] + at % 3 % 2)
            factories.make_rating(session, item, question, float(value))
    order = {item: at for at, item in enumerate(quality)}
    add_judge(study, "gpt", lambda item: judge(quality[item], order[item]))
    return study


def arrays(study, judge="gpt", question="q"):
    """labels, scores, further scores, straight from the tables."""
    ratings = Rating.objects.filter(session__study=study, question__key=question)
    labels = dict(ratings.values_list("item", "value"))
    judged = Judgment.objects.filter(run__judge__key=judge, question__key=question)
    scores = dict(judged.values_list("item", "value"))
    return (
        [labels[item] for item in labels],
        [scores[item] for item in labels],
        [value for item, value in scores.items() if item not in labels],
    )


def test_the_mean_over_all_items_is_that_of_the_statistic():
    study = make_study()
    row = row_of(build(study, "prediction_powered"), evaluator="gpt", system="all")
    expected = prediction_powered_mean(*arrays(study))
    assert row["estimate"] == pytest.approx(expected.value)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert (row["n"], row["n_unlabelled"]) == (20, 40)
    assert row["n_effective"] > 20
    assert row["method"] == "mean"


def test_people_alone_stand_beside_the_judge():
    study = make_study()
    labels, _, _ = arrays(study)
    row = row_of(build(study, "prediction_powered"), evaluator="humans", system="all")
    interval = stats.ttest_1samp(labels, 0).confidence_interval()
    assert row["estimate"] == pytest.approx(np.mean(labels))
    assert (row["low"], row["high"]) == pytest.approx(tuple(interval))
    assert (row["lambda"], row["n_effective"], row["more_to_halve"]) == (0, 20, 60)


def test_the_verdict_says_what_the_labels_are_worth():
    report = build(make_study(), "prediction_powered")
    row = row_of(report, evaluator="gpt", system="all")
    does = f"your 20 labelled items do as well as {row['n_effective']:.0f} alone would"
    assert does in report.verdict[0]
    assert "With fewer than 50 labels this is rough." in report.verdict[0]
    assert f"label {row['more_to_halve']:.0f} more items" in report.verdict[0]
    assert report.verdict[-1].startswith("This holds if the labelled ones are a random part")


def test_fewer_than_fifteen_labels_are_refused():
    report = build(make_study(labelled=14), "prediction_powered")
    assert all(isnan(row["estimate"]) for row in report.rows)
    assert "nothing can be said from 14 labelled items; 15 are needed" in report.verdict[0]


def test_a_system_has_its_own_mean_and_too_few_labels_are_said():
    study = make_study(labelled=40)
    report = build(study, "prediction_powered")
    row = row_of(report, evaluator="gpt", system="A", method="mean")
    labels, scores, more = (values[::2] for values in arrays(study))
    expected = prediction_powered_mean(labels, scores, more)
    assert (row["estimate"], row["n"]) == (pytest.approx(expected.value), 20)
    few = build_again(study, labelled=20)
    assert isnan(row_of(few, evaluator="gpt", system="A", method="mean")["estimate"])
    assert any(note.startswith("15 human labels are needed, there are 10") for note in few.notes)


def build_again(study, labelled):
    kept = study.items.order_by("pk").values_list("pk", flat=True)[:labelled]
    Rating.objects.exclude(item__in=list(kept)).delete()
    return build(study, "prediction_powered")


def test_items_of_a_recipient_count_once_with_their_mean():
    study = make_rated_study(recipients=24)
    later = study.recipients.order_by("pk")[16:]
    Rating.objects.filter(item__recipient__in=list(later)).delete()
    report = build(study, "prediction_powered")
    row = row_of(report, evaluator="close", question="accuracy", system="all")
    assert (row["n"], row["n_unlabelled"]) == (16, 8)
    labels, scores, more = [], [], []
    for recipient in study.recipients.all():
        items = list(Item.objects.filter(recipient=recipient).values_list("pk", flat=True))
        rated = Rating.objects.filter(item__in=items, question__key="accuracy")
        judged = Judgment.objects.filter(
            item__in=items, question__key="accuracy", run__judge__key="close"
        )
        score = np.mean(judged.values_list("value", flat=True))
        if rated:
            labels.append(np.mean(rated.values_list("value", flat=True)))
            scores.append(score)
        else:
            more.append(score)
    expected = prediction_powered_mean(labels, scores, more)
    assert row["estimate"] == pytest.approx(expected.value)
    assert row["n_effective"] == pytest.approx(expected.n_effective)
    assert any(note.startswith("n counts recipients") for note in report.notes)


def test_a_difference_is_that_of_each_recipient():
    study = make_rated_study(recipients=20)
    row = row_of(
        build(study, "prediction_powered"),
        evaluator="humans",
        question="accuracy",
        system="system-0 − system-2",
    )
    found = []
    for recipient in study.recipients.all():
        means = [
            np.mean(
                Rating.objects.filter(
                    item__recipient=recipient, item__system__key=name, question__key="accuracy"
                ).values_list("value", flat=True)
            )
            for name in ("system-0", "system-2")
        ]
        found.append(means[0] - means[1])
    interval = stats.ttest_1samp(found, 0).confidence_interval()
    assert row["estimate"] == pytest.approx(np.mean(found))
    assert (row["low"], row["high"]) == pytest.approx(tuple(interval))
    assert row["method"] == "difference"


def test_a_recipient_labelled_in_part_counts_as_labelled_with_that_part():
    study = make_rated_study(recipients=16)
    first = study.recipients.first()
    kept = study.items.filter(recipient=first).first()
    Rating.objects.filter(item__recipient=first).exclude(item=kept).delete()
    report = build(study, "prediction_powered")
    row = row_of(report, evaluator="close", question="accuracy", system="all")
    assert (row["n"], row["n_unlabelled"]) == (16, 0)
    assert any("Of 1 recipients only a part was labelled" in note for note in report.notes)


def test_yes_and_no_are_corrected_by_sensitivity_and_specificity():
    study = make_study(
        labelled=40, items=100, scale="binary", judge=lambda quality, at: float(quality > 2)
    )
    for at, rating in enumerate(Rating.objects.filter(session__study=study).order_by("item")):
        said = Judgment.objects.get(item=rating.item).value
        Rating.objects.filter(pk=rating.pk).update(value=said if at % 5 else 1 - said)
    labels, scores, more = (np.array(values) for values in arrays(study))
    report = build(study, "prediction_powered")
    row = row_of(report, evaluator="gpt", method="corrected share")
    no, yes = labels == 0, labels == 1
    expected = corrected_share(
        more.mean(), 60, 1 - scores[no].mean(), int(no.sum()), scores[yes].mean(), int(yes.sum())
    )
    assert row["estimate"] == pytest.approx(expected.value)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert (row["n"], row["n_unlabelled"]) == (40, 60)
    assert any(note.startswith("Corrected shares of yes/no questions") for note in report.notes)


def test_a_text_metric_on_another_scale_may_help():
    study = make_study()
    add_judge(
        study,
        "BLEU",
        lambda item: Judgment.objects.get(item=item, run__judge__key="gpt").value / 10,
    )
    row = row_of(build(study, "prediction_powered"), evaluator="BLEU", system="all")
    assert row["lambda"] == 1  # its scores would deserve more weight than 1
    assert row["n_effective"] > 20


def test_labels_that_were_filled_in_are_no_labels():
    study = make_study()
    plain, filled = (
        build(study, "prediction_powered", missing_reference=value).rows for value in ("drop", "3")
    )
    assert plain == filled


def everything_failed(study):
    Judgment.objects.update(state="failed", value=None, reason="timed out")


def no_judge(study):
    Judgment.objects.all().delete()


@pytest.mark.parametrize("case", [everything_failed, no_judge])
def test_without_a_judge_people_still_have_a_mean(case):
    study = make_study()
    case(study)
    report = build(study, "prediction_powered")
    assert not isnan(row_of(report, evaluator="humans", system="all")["estimate"])
    assert report.verdict[0].endswith("on 20 items. No judge adds to this.")


def test_where_everything_is_labelled_a_judge_adds_nothing():
    report = build(make_study(labelled=60), "prediction_powered")
    words = "A judge adds nothing, as people labelled all items that it scored."
    assert report.verdict[0].endswith(f"on 60 items. {words}")


def test_constant_answers_have_a_mean_and_no_interval():
    study = make_study()
    Rating.objects.update(value=4)
    report = build(study, "prediction_powered")
    row = row_of(report, evaluator="humans", system="all")
    assert row["estimate"] == 4
    assert isnan(row["low"])
    assert "4.00 (no interval)" in report.verdict[0]
    assert any(note.startswith("No interval: all human labels are equal") for note in report.notes)


def test_nobody_answered():
    study = make_study()
    Rating.objects.all().delete()
    report = build(study, "prediction_powered")
    assert "nothing can be said from 0 labelled items" in report.verdict[0]


def test_one_recipient_is_one_label():
    study = make_study(labelled=60)
    study.items.update(recipient=factories.make_item(study, "x").recipient)
    report = build(study, "prediction_powered")
    assert "nothing can be said from 1 labelled recipients" in report.verdict[0]


def test_many_systems_get_no_differences_and_a_note():
    study = make_study(labelled=60)
    for at, item in enumerate(study.items.all()):
        system = study.systems.get_or_create(key=f"s{at % 13}")[0]
        Item.objects.filter(pk=item.pk).update(system=system)
    report = build(study, "prediction_powered")
    assert {row["method"] for row in report.rows} == {"mean"}
    assert "No differences: there are 13 systems, shown up to 12." in report.notes


@pytest.mark.shared_data
def test_hanna_with_labels_of_forty_prompts_comes_near_the_whole(shared_data):
    study = load_hanna(shared_data / "hanna")
    means = Rating.objects.values_list("question__key").annotate(mean=Avg("value"))
    truth = dict(means.order_by())  # every item has three ratings, every prompt eleven items
    keys = sorted(study.contents.values_list("key", flat=True))
    labelled = random.Random(1).sample(keys, 40)
    Rating.objects.exclude(item__content__key__in=labelled).delete()
    rows = build(study, "prediction_powered").rows
    rows = [row for row in rows if row["system"] == "all" and "prompt" in row["evaluator"]]
    assert len({row["evaluator"] for row in rows}) == 16
    assert len(rows) == 16 * 6
    assert {(row["n"], row["n_unlabelled"]) for row in rows} == {(40, 56)}
    covered = [row["low"] <= truth[row["question"]] <= row["high"] for row in rows]
    assert np.mean(covered) > 0.8
    assert np.median([row["n_effective"] for row in rows]) > 40
