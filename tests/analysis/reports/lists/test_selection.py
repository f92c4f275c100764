"""The selection report: the printed counts out of the database, misfits, and poor data."""

from math import isnan

import numpy as np
import pytest

from annotate.models import Item, Rater, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of
from tests.analysis.stats.replacement.test_selection import PRINTED, verdicts

pytestmark = pytest.mark.django_db
LISTS = {"choice": ["A", "tie", "B"]}


def make_lists(outcomes=(30, 1, 16), scale=LISTS):
    """One recipient's verdict and one of the judge on every pair of lists."""
    human, judge = verdicts(*outcomes)
    study = factories.make_study(questions={}, kind="list_pair")
    question = factories.make_question(study, "better", scale)
    session = factories.make_session(study, "ann", Rater.Role.RECIPIENT)
    for at, value in enumerate(human):
        item = factories.make_item(
            study, f"pair-{at}", f"r{at}", None, None, kind=Item.Kind.LIST_PAIR
        )
        factories.make_rating(session, item, question, value)
    keys = list(study.items.order_by("pk"))
    add_judge(study, "laaj", lambda item: judge[keys.index(item)])
    return study


@pytest.mark.parametrize(("counts", "msa"), PRINTED)
def test_the_printed_agreements_come_out_of_the_database(counts, msa):
    row = row_of(build(make_lists(counts), "selection"), evaluator="laaj")
    assert (row["wins"], row["ties"], row["losses"]) == counts
    assert row["msa"] == pytest.approx(msa, abs=5e-5)
    assert (row["n"], row["rsm"]) == (47, None)


def test_the_label_tie_is_found_wherever_it_stands():
    study = make_lists(scale={"choice": ["Tie", "A", "B"]})
    row = row_of(build(study, "selection"), evaluator="laaj")
    assert row["wins"] + row["ties"] == 31
    assert row["wins"] != 30  # another label stands for the tie


def test_intervals_are_drawn_by_recipient():
    row = row_of(build(make_lists(), "selection", draws=200), evaluator="laaj")
    assert row["low"] < row["msa"] < row["high"]


def test_misfits_are_counted_on_likert_questions():
    study = make_rated_study()
    report = build(study, "selection")
    row = row_of(report, evaluator="close", question="accuracy")
    ratings = {
        item: np.mean(
            Rating.objects.filter(item=item, question__key="accuracy").values_list(
                "value", flat=True
            )
        )
        for item in study.items.all()
    }
    judged = Judgment.objects.filter(question__key="accuracy", run__judge__key="close")
    judge = dict(judged.values_list("item", "value"))
    strong = [item for item, mean in ratings.items() if mean == 1]
    misfits = [item for item in ratings if judge[item.pk] < 3]
    both = [item for item in strong if item in misfits]
    assert (row["rsm_n"], row["rsm_precision_n"]) == (len(strong), len(misfits))
    assert row["rsm"] == pytest.approx(len(both) / len(strong))
    assert row["rsm_precision"] == pytest.approx(len(both) / len(misfits))
    assert row["msa"] is None
    wider = row_of(build(study, "selection", threshold="4"), evaluator="close", question="accuracy")
    assert wider["rsm_precision_n"] == sum(judge[item.pk] < 4 for item in ratings)


def everything_failed(study):
    Judgment.objects.update(state="failed", value=None, reason="timed out")


def nobody_answered(study):
    Rating.objects.filter(session__study=study).delete()


@pytest.mark.parametrize("case", [everything_failed, nobody_answered])
def test_without_two_verdicts_the_agreement_is_undefined(case):
    study = make_lists()
    case(study)
    report = build(study, "selection")
    row = row_of(report, evaluator="laaj")
    assert isnan(row["msa"])
    assert any(note.startswith("No pair of lists has a verdict of both") for note in report.notes)


def test_constant_answers_that_nobody_rejects_have_no_misfit():
    study = make_rated_study()
    Rating.objects.update(value=4)
    report = build(study, "selection")
    assert isnan(row_of(report, evaluator="close", question="accuracy")["rsm"])
    assert any("o item is strongly misaligned" in note for note in report.notes)


def test_a_choice_without_a_tie_is_no_choice_of_lists():
    study = make_lists(scale={"choice": ["A", "none", "B"]})
    report = build(study, "selection")
    assert report.rows == []
    assert report.notes[-2].startswith("No question is a Likert scale")


def test_without_a_judge_there_is_no_row_of_one():
    study = make_lists()
    Judgment.objects.all().delete()
    assert build(study, "selection").rows == []
