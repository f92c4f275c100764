"""The correlation report: published numbers, policies, and what cannot be computed."""

import csv
import json
from io import StringIO
from math import isnan

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from annotate.models import Rater, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import add_judge, build, load_hanna, make_rated_study, row_of

pytestmark = pytest.mark.django_db

# Names in the published files -> names of the judges in the reference data.
PUBLISHED = {
    "BLEU Ξ§": "BLEU",
    "ROUGE-1 F-Score Ξ§": "ROUGE-1-F",
    "ROUGE-L F-Score Ξ§": "ROUGE-L-F",
    "chrF Ξ§": "chrF",
    "BERTScore F1 Ξε": "BERTScore-F1",
}


def published(folder):
    """{(judge, question, coefficient): absolute value} as the authors of HANNA printed them."""
    values = {}
    for coefficient in ("pearson", "spearman", "kendall"):
        path = folder / f"published_story_{coefficient}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                judge = PUBLISHED[row.pop("Model")]
                for column, value in row.items():
                    values[judge, column.split("_")[0].lower(), coefficient] = float(value)
    return values


@pytest.mark.shared_data
def test_hanna_gives_the_published_correlations(shared_data):
    load_hanna(shared_data / "hanna")
    out = StringIO()
    call_command(
        "analyse",
        "hanna",
        "correlation",
        exclude=["system=Human"],
        format="json",
        draws=0,
        stdout=out,
    )
    found = {
        (row["evaluator"], row["question"], row["coefficient"]): abs(row["value"])
        for row in json.loads(out.getvalue())["rows"]
        if row["level"] == "pair" and row["value"] is not None
    }
    expected = published(shared_data / "hanna")
    assert len(expected) == 5 * 6 * 3
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=5e-6)


@pytest.fixture
def rated():
    return make_rated_study()


def pairs(study, judge, question="accuracy"):
    """(judge's values, means of the raters) of all items, read row by row."""
    values, means = [], []
    for item in study.items.order_by("pk"):
        ratings = Rating.objects.filter(item=item, question__key=question)
        means.append(np.mean([rating.value for rating in ratings]))
        given = Judgment.objects.get(item=item, question__key=question, run__judge__key=judge)
        values.append(given.value)
    return np.array(values), np.array(means)


@pytest.mark.parametrize(
    ("coefficient", "function"),
    [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)],
)
def test_each_level_equals_scipy_on_its_groups(rated, coefficient, function):
    x, y = pairs(rated, "close")
    keys = {
        "user": list(rated.items.order_by("pk").values_list("recipient")),
        "pair": list(rated.items.order_by("pk").values_list("recipient", "content")),
    }
    report = build(rated, "correlation")
    where = {"evaluator": "close", "question": "accuracy", "coefficient": coefficient}
    assert row_of(report, level="dataset", **where)["value"] == pytest.approx(function(x, y)[0])
    for level, groups in keys.items():
        chosen = [np.array([other == group for other in groups]) for group in sorted(set(groups))]
        r = [
            function(x[rows], y[rows])[0]
            for rows in chosen
            if len(set(x[rows])) > 1 and len(set(y[rows])) > 1
        ]
        row = row_of(report, level=level, **where)
        assert row["value"] == pytest.approx(np.mean(r))
        assert (row["groups"], row["skipped"]) == (len(chosen), len(chosen) - len(r))


def test_the_average_is_the_mean_of_the_questions_unrounded_values(rated):
    report = build(rated, "correlation")
    rows = [
        row
        for row in report.rows
        if (row["evaluator"], row["level"], row["coefficient"]) == ("close", "user", "pearson")
    ]
    *questions, average = rows
    assert average["question"] == "average"
    assert average["value"] == pytest.approx(np.mean([row["value"] for row in questions]))


def test_a_rater_of_the_reference_is_compared_with_the_mean_of_the_others(rated):
    ratings = {}
    for rating in Rating.objects.filter(question__key="accuracy").select_related("session__rater"):
        ratings.setdefault(rating.session.rater.key, {})[rating.item_id] = rating.value
    items = sorted(ratings["ann"])
    own = [ratings["ann"][item] for item in items]
    others = [(ratings["bob"][item] + ratings["cem"][item]) / 2 for item in items]
    report = build(rated, "correlation")
    row = row_of(
        report, evaluator="ann", question="accuracy", level="dataset", coefficient="pearson"
    )
    assert row["value"] == pytest.approx(stats.pearsonr(own, others)[0])
    assert any("compared with the mean of the others" in note for note in report.notes)


def test_recipients_are_the_usual_reference_and_third_parties_then_stand_beside_the_judges(rated):
    session = factories.make_session(rated, "r0", Rater.Role.RECIPIENT)
    for place, item in enumerate(rated.items.all()):
        for question in rated.questions.all():
            factories.make_rating(session, item, question, 1 + place % 5)
    report = build(rated, "correlation")
    assert report.options["reference"] == "recipient"
    names = dict.fromkeys(row["evaluator"] for row in report.rows)
    assert list(names) == ["close", "random", "ann", "bob", "cem", "mean of third_party"]


def test_more_than_twelve_raters_are_not_shown_one_by_one(rated):
    for number in range(10):
        session = factories.make_session(rated, f"more-{number}")
        for question in rated.questions.all():
            factories.make_rating(session, rated.items.first(), question, 3)
    report = build(rated, "correlation")
    assert {row["evaluator"] for row in report.rows} == {"close", "random"}
    assert "The 13 raters of third_party are not shown one by one." in report.notes


def test_excluded_items_leave_all_numbers(rated):
    report = build(rated, "correlation", exclude=["genre=drama", "system=system-2"])
    row = row_of(
        report, evaluator="close", question="accuracy", level="dataset", coefficient="pearson"
    )
    assert row["n"] == 8
    assert "Left out: 16 items with genre=drama, system=system-2." in report.notes


def test_missing_judgments_are_dropped_or_counted_as_a_number(rated):
    first = Judgment.objects.filter(run__judge__key="close", question__key="accuracy").first()
    Judgment.objects.filter(pk=first.pk).update(state="unparsable", value=None, reason="no JSON")
    where = {
        "evaluator": "close",
        "question": "accuracy",
        "level": "dataset",
        "coefficient": "pearson",
    }
    dropped = build(rated, "correlation")
    assert row_of(dropped, **where)["n"] == 23
    assert "Missing judgments are dropped (close: 1 of 96)." in dropped.notes
    filled = build(rated, "correlation", missing_judgment="0")
    assert row_of(filled, **where)["n"] == 24
    assert "Missing judgments count as 0 (close: 1 of 96)." in filled.notes


def test_what_a_partial_run_never_asked_is_dropped_whatever_the_policy(rated):
    first, second, *_ = rated.items.order_by("pk")
    Judgment.objects.filter(run__judge__key="close", item=first).delete()
    Judgment.objects.filter(run__judge__key="close", item=second).update(
        state="failed", value=None, reason="timed out"
    )
    where = {
        "evaluator": "close",
        "question": "accuracy",
        "level": "dataset",
        "coefficient": "pearson",
    }
    filled = build(rated, "correlation", missing_judgment="0")
    note = (
        "Missing judgments count as 0; what a judge was never asked is dropped "
        "(close: 8 of 96, of these 4 never asked)."
    )
    assert note in filled.notes
    row = row_of(filled, **where)
    assert row["n"] == 23
    x, y = [], []
    for item in rated.items.exclude(pk=first.pk):
        ratings = Rating.objects.filter(item=item, question__key="accuracy")
        y.append(np.mean([rating.value for rating in ratings]))
        given = Judgment.objects.filter(
            item=item, question__key="accuracy", run__judge__key="close", state="done"
        ).first()
        x.append(given.value if given else 0)
    assert row["value"] == pytest.approx(stats.pearsonr(x, y)[0])


def test_a_filled_in_reference_never_stands_for_the_others_of_a_rater(rated):
    """Only ann rated the first item: without her own rating nobody is left to compare with."""
    first = rated.items.order_by("pk").first()
    Rating.objects.filter(item=first).exclude(session__rater__key="ann").delete()
    where = {"question": "accuracy", "level": "dataset", "coefficient": "pearson"}
    filled = build(rated, "correlation", missing_reference="3")
    assert row_of(filled, evaluator="ann", **where)["n"] == 23
    assert row_of(filled, evaluator="bob", **where)["n"] == 23


def test_notes_name_the_roles_in_their_order(rated):
    for role in ("recipient", "expert"):
        for number in range(13):
            session = factories.make_session(rated, f"{role}-{number}", Rater.Role(role))
            for question in rated.questions.all():
                factories.make_rating(session, rated.items.first(), question, 3)
    for number in range(13):
        session = factories.make_session(rated, f"third-{number}")
        factories.make_rating(session, rated.items.first(), rated.questions.first(), 3)
    notes = [note for note in build(rated, "correlation").notes if "one by one" in note]
    assert [note.split(" of ")[1].split()[0] for note in notes] == [
        "recipient",
        "third_party",
        "expert",
    ]


def test_missing_references_are_dropped_or_counted_as_a_number(rated):
    item = rated.items.first()
    Rating.objects.filter(item=item).delete()
    where = {
        "evaluator": "close",
        "question": "accuracy",
        "level": "dataset",
        "coefficient": "pearson",
    }
    assert row_of(build(rated, "correlation"), **where)["n"] == 23
    filled = build(rated, "correlation", missing_reference="3")
    assert row_of(filled, **where)["n"] == 24
    assert "Missing references count as 3 (4 filled)." in filled.notes


def test_undefined_groups_are_skipped_or_count_as_zero(rated):
    """A judge that is constant within one recipient of four: mean of three, or of four with a 0."""
    first = rated.recipients.order_by("pk").first()
    Judgment.objects.filter(run__judge__key="close", item__recipient=first).update(value=3)
    where = {
        "evaluator": "close",
        "question": "accuracy",
        "level": "user",
        "coefficient": "pearson",
    }
    skipped = row_of(build(rated, "correlation"), **where)
    zero = row_of(build(rated, "correlation", undefined="zero"), **where)
    assert (skipped["groups"], skipped["skipped"]) == (4, 1)
    assert zero["value"] == pytest.approx(skipped["value"] * 3 / 4)


def test_intervals_hold_the_value_and_come_again_with_their_seed(rated):
    first = build(rated, "correlation", draws=200, seed=3)
    again = build(rated, "correlation", draws=200, seed=3)
    other = build(rated, "correlation", draws=200, seed=4)
    rows = [row for row in first.rows if row["level"] in ("dataset", "user") and row["n"]]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert first.as_dict() == again.as_dict()
    assert first.as_dict()["rows"] != other.as_dict()["rows"]


def test_without_recipients_the_user_level_is_undefined_and_says_so(rated):
    rated.items.update(recipient=None)
    report = build(rated, "correlation")
    values = [row["value"] for row in report.rows if row["level"] == "user"]
    assert all(isnan(value) for value in values)
    assert any(note.startswith("No item has a recipient: ") for note in report.notes)


def test_constant_judges_are_undefined_with_the_reason_and_null_in_json(rated):
    add_judge(rated, "always three", lambda item: 3)
    report = build(rated, "correlation")
    rows = [row for row in report.as_dict()["rows"] if row["evaluator"] == "always three"]
    assert {row["value"] for row in rows} == {None}
    assert any(note.startswith("All values of the judge are equal") for note in report.notes)


def test_constant_answers_of_people_leave_no_rows_and_say_why(rated):
    Rating.objects.update(value=4)
    report = build(rated, "correlation")
    assert report.rows == []
    assert any("all reference values are equal" in note for note in report.notes)


def test_a_rater_and_a_judge_of_one_name_are_told_apart(rated):
    add_judge(rated, "ann", lambda item: 1 + item.pk % 5)
    names = {row["evaluator"] for row in build(rated, "correlation").rows}
    assert {"ann", "ann (rater)"} <= names


def test_values_that_differ_by_rounding_alone_tie():
    """An F of .05 is 2pr / (p + r) in several ways, whose last bits would tell items apart."""
    study = make_rated_study()
    exact = {item: (1 + item % 3) / 10 for item in study.items.values_list("pk", flat=True)}
    add_judge(study, "exact", lambda item: exact[item.pk])
    add_judge(study, "rounded", lambda item: np.nextafter(exact[item.pk], item.pk % 2))
    for report in ("correlation", "roc", "calibration"):
        rows = build(study, report).rows
        one, other = (
            [{**row, "evaluator": ""} for row in rows if row["evaluator"] == name]
            for name in ("exact", "rounded")
        )
        assert len(one) > 10
        for row, again in zip(one, other, strict=True):
            assert again == pytest.approx(row, nan_ok=True), report
