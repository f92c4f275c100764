"""From "not yet" the page leads to the planner with today's estimates, and to more ratings."""

from math import nan
from types import SimpleNamespace

import pytest

from analysis.reports.verdict.ways_on import list_ways_on
from annotate.models import Membership
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/analysis/verdict/"
ROW = {
    "evaluator": "J",
    "question": "good",
    "role": "third_party",
    "use": "rate_items",
    "systems": "",
    "answer": "not_yet",
    "verdict": "undecided",
    "why": "",
    "rho": 0.36,
    "agreement": 0.3,
    "items": 200,
    "clusters": 50,
}


def make_report(*rows, kind="judge"):
    entries = [SimpleNamespace(row=ROW | row, kind=kind) for row in rows]
    return SimpleNamespace(entries=entries, options={"retention": "4/5"})


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, questions={"good": "Is it?"}, items_per_session=12)


def plan(client, way):
    answer = client.get(way.address)
    assert answer.context["form"].is_valid(), answer.context["form"].errors
    return answer.context["plan"].assumed.options


def test_the_planner_has_the_estimates_of_today(study, as_owner):
    """q = r / sqrt(rho) = .3 / .6 = .5; four items a cluster."""
    (way,) = list_ways_on(study, make_report({}), study.questions.get()).planners
    assert way.words == "J, to rate items"
    options = plan(as_owner, way)
    assert (options.use, options.rho, options.judge) == ("rate_items", 0.36, 0.5)
    assert (options.retention, options.cluster_items) == ("4/5", 4)
    assert (options.scale, options.session_items) == ("5", 12)


def test_comparing_systems_takes_the_estimates_of_rating_items(study, as_owner):
    report = make_report(
        {"answer": "yes"}, {"use": "compare_systems", "rho": nan, "agreement": nan}
    )
    (way,) = list_ways_on(study, report, study.questions.get()).planners
    assert way.words == "J, to compare systems"
    options = plan(as_owner, way)
    assert (options.use, options.rho, options.judge) == ("compare_systems", 0.36, 0.5)


@pytest.mark.parametrize(
    ("row", "judge"),
    [
        ({"rho": 0.04, "agreement": 0.9}, 1.0),
        ({"rho": -0.2, "agreement": 0.9}, 0.0),
        ({"items": 29}, None),
        ({"rho": nan}, None),
    ],
)
def test_estimates_that_cannot_be_planned_with_are_cut_or_left_out(study, as_owner, row, judge):
    (way,) = list_ways_on(study, make_report(row), study.questions.get()).planners
    assert plan(as_owner, way).judge == judge


@pytest.mark.parametrize(
    "row",
    [
        {"answer": "yes"},
        {"answer": "no"},
        {"answer": "people_disagree"},
        {"why": "scale", "verdict": "order_only"},
        {"answer": "not_testable", "items": 40},
        {"answer": "not_testable", "use": "compare_systems"},
        {"systems": "a − b"},
        {"question": "other"},
    ],
)
def test_what_more_ratings_cannot_decide_has_no_way_on(study, row):
    assert list_ways_on(study, make_report(row), study.questions.get()) is None


def test_baselines_have_none(study):
    assert list_ways_on(study, make_report({}, kind="baseline"), study.questions.get()) is None


@pytest.mark.parametrize(
    ("raters", "verdict", "ratings"),
    [(3, "undecided", 4), (3, "too_few", 2), (1, "undecided", 2)],
)
def test_places_are_opened_for_a_second_rating_or_one_more(study, raters, verdict, ratings):
    study.raters_per_item = raters
    ways = list_ways_on(study, make_report({"verdict": verdict}), study.questions.get())
    assert ways.places == f"/studies/films/more/ratings/?ratings={ratings}&question=good"


def test_the_page_shows_them_and_the_button_to_editors_alone(owner, as_owner):
    study, truth = make_crowd()
    add_judge(study, "J", [3 + value / 2 if n < 20 else nan for n, value in enumerate(truth)])
    Membership.objects.create(study=study, user=owner, role="owner")
    answer = as_owner.get(PAGE)
    ways = answer.context["ways_on"]
    assert "J, to rate items" in [way.words for way in ways.planners]
    page = answer.content.decode()
    assert "How many more?" in page and "Open places for more ratings" in page
    assert as_owner.get(ways.places).status_code == 200
    Membership.objects.update(role="viewer")
    page = as_owner.get(PAGE).content.decode()
    assert "How many more?" in page and "Open places for more ratings" not in page
    assert as_owner.get(ways.places).status_code == 404


def test_a_question_that_is_decided_has_no_such_card(owner, as_owner):
    study, truth = make_crowd()
    add_judge(study, "always 3", [3.0] * len(truth))
    Membership.objects.create(study=study, user=owner, role="owner")
    page = as_owner.get(PAGE)
    words = [way.words for way in getattr(page.context["ways_on"], "planners", [])]
    assert "always 3, to rate items" not in words
