"""Reports by the API are those of the command and of the pages."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.reports.registry import KINDS, REPORTS
from annotate.models import Rater
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(study):
    questions, items = list(study.questions.all()), list(study.items.all())
    for number, (name, role) in enumerate(
        [
            ("ann", Rater.Role.RECIPIENT),
            ("bob", Rater.Role.THIRD_PARTY),
            ("cem", Rater.Role.EXPERT),
            ("dot", Rater.Role.THIRD_PARTY),
        ]
    ):
        session = factories.make_session(study, name, role)
        for place, item in enumerate(items):
            for question in questions:
                value = 1 + ((number + 1) * place + question.position) % 5
                factories.make_rating(session, item, question, value)
    for name, step in (("warm", 0.5), ("cold", -0.7)):
        values = {
            (item, q): 3 + step * place for place, item in enumerate(items) for q in questions
        }
        factories.make_judgments(factories.make_judge(study, name), values)
    return study


def command(report, *options):
    out = io.StringIO()
    call_command("analyse", "films", report, *options, format="json", stdout=out)
    return json.loads(out.getvalue())


# The small study has no pairs of lists, no two prompts, no texts, no explanations by contents, no
# recommender under test.
WITHOUT_ROWS = {
    "counterfactual",
    "examples",
    "factuality",
    "metamorphic",
    "plan",
    "preferences",
    "reasons",
    "robustness",
    "stop",
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_that_of_the_command(api, at, rated, report):
    found = api.get(at(f"reports/{report}/"), {"draws": 50})
    assert found.json() == command(report, "--draws", "50")
    assert found.json()["rows"] or report in WITHOUT_ROWS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_its_part_is_that_of_the_page(api, as_owner, at, rated, kind):
    told = next(
        row for row in api.get(at("reports/")).json()["results"] if row["report"] == kind.name
    )
    if kind.name in WITHOUT_ROWS and not told["part"]["choices"]:
        return
    part = {told["part"]["name"]: told["part"]["choices"][0], "draws": "50"}
    page = as_owner.get(reverse("report_rows", args=["films", kind.name, "json"]), part)
    assert api.get(at(f"reports/{kind.name}/"), part).json() == page.json()


def test_all_options_reach_the_report(api, at, rated):
    query = {
        "reference": "third_party",
        "judges": ["warm"],
        "exclude": ["item=item-0"],
        "missing_reference": "3",
        "missing_judgment": "2.5",
        "undefined": "zero",
        "draws": "20",
        "seed": "7",
    }
    found = api.get(at("reports/correlation/"), query).json()
    assert found == command(
        "correlation",
        "--reference",
        "third_party",
        "--judge",
        "warm",
        "--exclude",
        "item=item-0",
        "--missing-reference",
        "3",
        "--missing-judgment",
        "2.5",
        "--undefined",
        "zero",
        "--draws",
        "20",
        "--seed",
        "7",
    )
    assert found["options"]["exclude"] == ["item=item-0"]


@pytest.mark.parametrize("report", REPORTS)
def test_a_study_without_answers_has_reports_without_numbers(api, at, study, report):
    answer = api.get(at(f"reports/{report}/"))
    assert answer.status_code == 200
    measured = {"value", "estimate", "low", "high", "auc"}
    rows = answer.json()["rows"]
    assert {row[name] for row in rows for name in measured & set(row)} <= {None}


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("draws=-1", 400, "draws"),
        ("draws=x", 400, "draws"),
        ("draws=", 400, "draws"),
        ("epsilon=0.9", 400, "epsilon"),
        ("reference=boss", 400, "reference"),
        ("reference=%00", 400, "reference"),
        ("missing_judgment=nan", 400, "missing_judgment"),
        ("drawz=5", 400, "drawz"),
        ("judges=nobody", 409, "judges"),
        ("exclude=item=nothing", 409, "exclude"),
        ("cluster=nothing", 409, "cluster"),
        ("coefficient=magic", 409, "coefficient"),
        ("question=accuracy", 409, "question"),
    ],
)
def test_a_wrong_option_is_refused_and_named(api, at, rated, query, status, field):
    answer = api.get(at(f"reports/correlation/?{query}"))
    assert answer.status_code == status
    assert list(answer.json()["error"]["fields"]) == [field]


def test_the_list_says_what_each_report_takes(api, at, study):
    found = {row["report"]: row for row in api.get(at("reports/")).json()["results"]}
    assert list(found) == list(REPORTS)
    names = {name: {option["name"] for option in row["options"]} for name, row in found.items()}
    assert "epsilon" in names["substitution"] and "epsilon" not in names["correlation"]
    assert found["roc"]["part"] == {"name": "question", "choices": list(factories.ASPECTS)}
