"""An LLM's check, an NLI model and people on the same statements, through the other reports.

statement   1    2    3    4    5    6    7    8
people      1    1    1    0    0    0    0    0
LLM         1    1    0    1    0    0    0    0
NLI        .9   .6   .3   .7   .2   .1   .4   .5      above .5 it supports
"""

import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from judges.models import Judge
from tests import factories, factual
from tests.analysis.reports.factuality.test_report import consistency, judged
from tests.analysis.small import build, row_of
from tests.stated import make_factuality

pytestmark = pytest.mark.django_db
PEOPLE = [1, 1, 1, 0, 0, 0, 0, 0]
LLM = [1, 1, 0, 1, 0, 0, 0, 0]
NLI = [0.9, 0.6, 0.3, 0.7, 0.2, 0.1, 0.4, 0.5]


@pytest.fixture
def checked(owner):
    study = make_factuality(owner)
    asked, session = study.questions.get(), factories.make_session(study)
    items = [
        factories.make_item(
            study,
            f"s{n}",
            f"r{n}",
            kind="statement",
            text=f"Statement {n}.",
            reference="A document.",
            data={"direction": "precision"},
        )
        for n in range(8)
    ]
    for item, value in zip(items, PEOPLE, strict=True):
        factories.make_rating(session, item, asked, value)
    for name, values, kind in (
        ("LLM", LLM, Judge.Kind.IMPORTED),
        ("NLI", NLI, Judge.Kind.NLI),
    ):
        judge = factories.make_judge(study, name, kind=kind)
        said = {(item, asked): value for item, value in zip(items, values, strict=True)}
        factories.make_judgments(judge, said)
    return study


def test_areas_under_the_curve_are_scikit_learns(checked):
    report = build(checked, "roc")
    for name, values in (("LLM", LLM), ("NLI", NLI)):
        row = row_of(report, evaluator=name, question="supported")
        assert row["auc"] == pytest.approx(roc_auc_score(PEOPLE, values))
        assert (row["positives"], row["negatives"]) == (3, 5)


def test_confusion_matrices_of_both(checked):
    report = build(checked, "confusion")
    assert row_of(report, evaluator="LLM", question="supported")["matrix"] == [[4, 1], [1, 2]]
    assert row_of(report, evaluator="NLI", question="supported")["matrix"] == [[4, 1], [1, 2]]


def test_agreement_of_the_check_with_people(checked):
    rows = build(checked, "agreement")
    row = row_of(rows, raters="LLM vs third_party", question="supported", measure="kappa")
    assert row["value"] == pytest.approx(cohen_kappa_score(PEOPLE, LLM))


def test_a_probability_supports_a_statement_above_a_half(owner):
    """Of two generated statements .9 supports the first, .5 not the second; .51 the reference's."""
    study = factual.make_study(owner, {"a": factual.ITEMS["a"]})
    values = {"a-p1": 0.9, "a-p2": 0.5, "a-r1": 0.51}
    judged(study, "NLI", values, factual.SUPPORTED, kind=Judge.Kind.NLI)
    report = build(study, "factuality")
    found = [consistency(report, f"St2Exp-{part}", evaluator="NLI") for part in ("P", "R", "F1")]
    assert [row["value"] for row in found] == pytest.approx([1 / 2, 1, 2 / 3])
