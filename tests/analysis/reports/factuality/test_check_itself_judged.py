"""The check of statements is itself judged: an LLM, NLI and a person on the same statements.

By hand, of six statements (1: entailed). NLI gives probabilities, above .5 is a yes, exactly that
is none.
"""

import pytest

from judges.models import Judge
from tests import factories
from tests.analysis.small import build, row_of
from tests.stated import make_factuality

pytestmark = pytest.mark.django_db
PEOPLE = [1, 1, 0, 0, 1, 0]
LLM = [1, 1, 0, 1, 1, 0]
NLI = [0.9, 0.4, 0.2, 0.6, 0.8, 0.5]  # says 1 0 0 1 1 0


@pytest.fixture
def study(owner):
    study = make_factuality(owner)
    asked, session = study.questions.get(), factories.make_session(study, "ann")
    items = [
        factories.make_item(study, f"s{at}", f"r{at}", kind="statement", text=f"Statement {at}.")
        for at in range(6)
    ]
    for item, value in zip(items, PEOPLE, strict=True):
        factories.make_rating(session, item, asked, value)
    for name, kind, values in (("LLM", Judge.Kind.IMPORTED, LLM), ("NLI", Judge.Kind.NLI, NLI)):
        judge = factories.make_judge(study, name, kind=kind)
        said = {(item, asked): value for item, value in zip(items, values, strict=True)}
        factories.make_judgments(judge, said)
    return study


@pytest.mark.parametrize(
    ("name", "share", "kappa"),
    [
        # 5 of 6 alike; yes by 3 and 4 of 6, so by chance 1/2 x 2/3 + 1/2 x 1/3 = 1/2.
        ("LLM", 5 / 6, (5 / 6 - 1 / 2) / (1 / 2)),
        # 4 of 6 alike; yes by 3 and 3 of 6, so by chance 1/2.
        ("NLI", 4 / 6, (4 / 6 - 1 / 2) / (1 / 2)),
    ],
)
def test_agreement_counts_both(study, name, share, kappa):
    report = build(study, "agreement", reference="third_party")
    wanted = {"raters": f"{name} vs third_party", "question": "supported"}
    assert row_of(report, **wanted, measure="percent")["value"] == pytest.approx(share)
    assert row_of(report, **wanted, measure="kappa")["value"] == pytest.approx(kappa)
    beside = row_of(report, raters=f"humans + {name}", question="supported", measure="percent")
    assert beside["value"] == pytest.approx(share) and beside["n_raters"] == 2


def test_agreement_says_what_the_model_s_yes_is(study):
    notes = build(study, "agreement", reference="third_party").notes
    assert "NLI has a scale of its own, on which above 0.5 says fit." in notes
    assert not [note for note in notes if note.startswith("Not on the questions' scale")]


def test_on_a_question_with_more_points_it_stays_left_out(study):
    item = factories.make_item(study, "e", "r9", kind="explanation")
    asked = factories.make_question(study, "overall", applies_to=["explanation"])
    factories.make_rating(factories.make_session(study, "bob"), item, asked, 4)
    judge = Judge.objects.get(key="NLI")
    factories.make_judgments(judge, {(item, asked): 0.7})
    report = build(study, "agreement", reference="third_party")
    assert not [
        row for row in report.rows if row["question"] == "overall" and "NLI" in row["raters"]
    ]
    assert [note for note in report.notes if note.startswith("Not on the questions' scale")]


@pytest.mark.parametrize(
    ("name", "area"),
    [
        # Balanced accuracy: of 3 entailed all, of 3 others 2.
        ("LLM", (1 + 2 / 3) / 2),
        # Of the 9 pairs of .9 .4 .8 with .2 .6 .5 seven are in order.
        ("NLI", 7 / 9),
    ],
)
def test_the_area_under_the_curve_is_of_the_probabilities(study, name, area):
    row = row_of(build(study, "roc", reference="third_party"), evaluator=name)
    assert row["auc"] == pytest.approx(area)
    assert (row["positives"], row["negatives"]) == (3, 3)


@pytest.mark.parametrize(
    ("name", "matrix"),
    [("LLM", [[2, 1], [0, 3]]), ("NLI", [[2, 1], [1, 2]])],  # rows people, 0 first
)
def test_the_matrix_counts_verdicts(study, name, matrix):
    row = row_of(build(study, "confusion", reference="third_party"), evaluator=name)
    assert row["matrix"] == matrix
    assert row["agreement"] == pytest.approx((matrix[0][0] + matrix[1][1]) / 6)
