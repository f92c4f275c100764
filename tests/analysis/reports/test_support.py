"""People and a check of support on the same statements: every number is counted by hand.

statement        1  2  3  4  5  6  7  8
ann, bob         1  1  1  0  0  0  0  0
cyd              0  1  1  0  0  0  0  0
the judge        1  1  0  1  0  0  0  0

Each of them four times over.
"""

import re

import pytest

from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.analysis.small import build, row_of
from tests.scripted_server import ScriptedServer, chat
from tests.stated import make_factuality

pytestmark = pytest.mark.django_db
PEOPLE = {"ann": "11100000", "bob": "11100000", "cyd": "01100000"}
JUDGE = "11010000"
TIMES = 4  # a rater counts in the alternative annotator test from 30 items on
ABOUT = {"evaluator": "St2Exp", "question": "supported"}


def script(_number, request):
    text = request["messages"][0]["content"]
    return chat(JUDGE[int(re.search(r"Statement (\d)", text)[1])])


@pytest.fixture
def checked(owner):
    study = make_factuality(owner)
    question = study.questions.get()
    items = [
        factories.make_item(
            study,
            f"s{number}",
            f"r{number}",
            kind="statement",
            text=f"Statement {number % 8}.",
            reference="A document.",
            data={"direction": "recall"},
        )
        for number in range(8 * TIMES)
    ]
    for name, values in PEOPLE.items():
        session = factories.make_session(study, name)
        for item, value in zip(items, values * TIMES, strict=True):
            factories.make_rating(session, item, question, int(value))
    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url)
        judge = factories.make_judge(
            study, "St2Exp", endpoint, method="support", prompt="support.v1"
        )
        run = plan(judge)
        drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    return study


def test_the_confusion_matrix_of_the_check(checked):
    row = row_of(build(checked, "confusion"), **ABOUT)
    assert row["labels"] == [0, 1]
    assert row["matrix"] == [[16, 4], [4, 8]], "rows are people, by their majority"


def test_the_auc_of_a_check_with_two_values_is_balanced_accuracy(checked):
    report = build(checked, "roc")
    row = row_of(report, **ABOUT)
    assert (row["positives"], row["negatives"]) == (12, 20)
    assert row["auc"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert any("balanced accuracy" in note for note in report.notes)


def test_the_agreement_of_people_and_of_the_check_with_them(checked):
    report = build(checked, "agreement")
    humans = {"raters": "humans", "question": "supported"}
    # Pairs of raters on all eight statements: 24, of which cyd breaks two.
    assert row_of(report, measure="percent", **humans)["value"] == pytest.approx(22 / 24)
    # Fleiss: ones in 8 of 24 answers; expected agreement (1/3)² + (2/3)² = 5/9.
    kappa = (22 / 24 - 5 / 9) / (1 - 5 / 9)
    assert row_of(report, measure="fleiss_kappa", **humans)["value"] == pytest.approx(kappa)


def test_whether_the_check_may_replace_a_rater(checked):
    """Alternative annotator test, rater by rater: the judge does at least as well on 6 of 8."""
    row = row_of(build(checked, "substitution"), **ABOUT)
    assert row["advantage_probability"] == pytest.approx(6 / 8)
