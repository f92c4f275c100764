"""From "not yet" the page leads to the planner with today's estimates, and to more ratings."""

from math import nan
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from analysis.reports.base import Report
from analysis.reports.verdict.page import Step, WaysOn, list_ways_on
from analysis.results.summary import ways_on
from annotate.models import Membership, Place
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd
from tests.analysis.small import build

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
    "next": "",
    "warnings": "",
    "rho": 0.36,
    "rho_within": nan,
    "agreement": 0.3,
    "items": 200,
    "clusters": 50,
}


NOT_COMPARABLE = {"verdict": "not_comparable", "answer": "not_testable", "items": 0}


def make_report(*rows, kind="judge", own_scales=()):
    entries = [SimpleNamespace(row=ROW | row, kind=kind) for row in rows]
    curves = {"own scale": {(name, "good") for name in own_scales}}
    return SimpleNamespace(entries=entries, options={"retention": "4/5"}, curves=curves)


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, questions={"good": "Is it?"}, items_per_session=12)


def plan(client, way):
    answer = client.get(way.address)
    assert answer.context["form"].is_valid(), answer.context["form"].errors
    return answer.context["plan"].options


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
    ("next_step", "is_led_on"),
    [("Collect 9.", True), ("More items would not change this: calibrate it.", False)],
)
def test_results_leads_on_from_what_the_best_judge_leaves_open(study, next_step, is_led_on):
    rows = {"evaluator": "best", "next": next_step}, {"evaluator": "other"}
    report = Report("verdict", "films", {"retention": "4/5"}, entries=make_report(*rows).entries)
    results = SimpleNamespace(ranked=["best", "other"], verdict=report)
    ways = ways_on(study, results, list(study.questions.all()))
    assert (ways is not None) == is_led_on
    assert not ways or [way.words for way in ways.planners] == ["best, to rate items"]


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
        {"verdict": "extremes_only"},
        {"verdict": "order_only", "why": "points"},
        {"answer": "not_testable", "items": 40},
        {"answer": "not_testable", "use": "compare_systems"},
        {"systems": "a − b"},
        {"question": "other"},
    ],
)
def test_what_more_ratings_cannot_decide_has_no_way_on(study, row):
    assert list_ways_on(study, make_report(row), study.questions.get()) is None


@pytest.mark.parametrize("verdict", ["undecided", "people_unsure", "order_only", "known_features"])
def test_where_no_number_of_items_would_be_enough_there_is_no_way_on(study, verdict):
    never = "More items would not change this: try another prompt or model."
    report = make_report({"verdict": verdict, "next": never})
    assert list_ways_on(study, report, study.questions.get()) is None


def test_a_judge_on_a_scale_of_its_own_has_none(study):
    report = make_report({"verdict": "undecided"}, {"evaluator": "K"}, own_scales=["J"])
    (way,) = list_ways_on(study, report, study.questions.get()).planners
    assert way.words == "K, to rate items"
    assert list_ways_on(study, make_report({}, own_scales=["J"]), study.questions.get()) is None


def test_the_report_names_the_judges_on_a_scale_of_their_own():
    study, truth = make_crowd()
    add_judge(study, "percent", [50 + 10 * value for value in truth])
    add_judge(study, "J", [3 + value / 2 for value in truth])
    assert build(study, "verdict").curves["own scale"] == {("percent", "q")}


def test_baselines_have_none(study):
    assert list_ways_on(study, make_report({}, kind="baseline"), study.questions.get()) is None


LOAD = ("Load more items", "/studies/films/load/")


def steps(study, *rows):
    ways = list_ways_on(study, make_report(*rows), study.questions.get())
    return [(step.words, step.address) for step in ways.steps]


def add_places(study, many):
    for number in range(4):
        item = factories.make_item(study, f"i{number}")
        item.places.all().delete()
        for place in range(1, many + 1):
            Place.objects.create(study=study, item=item, number=place, shuffle=0)


@pytest.mark.parametrize("verdict", ["undecided", "order_only", "known_features"])
def test_more_items_are_loaded_not_rated_once_more(study, verdict):
    assert steps(study, {"verdict": verdict}) == [LOAD]


@pytest.mark.parametrize("verdict", ["too_few", "no_difference"])
def test_more_items_of_systems_are_loaded(study, verdict):
    assert steps(study, {"verdict": verdict, "use": "compare_systems"}) == [LOAD]


@pytest.mark.parametrize("row", [{"verdict": "too_few"}, NOT_COMPARABLE])
def test_items_with_one_place_get_a_second_one(study, row):
    add_places(study, 1)
    address = "/studies/films/more/ratings/?ratings=2&question=good"
    assert steps(study, row) == [("Open places for second ratings …", address)]


@pytest.mark.parametrize("row", [{"verdict": "too_few"}, NOT_COMPARABLE])
def test_open_places_of_items_that_have_two_wait_for_raters(study, row):
    add_places(study, 2)
    assert steps(study, row) == [
        ("Invite raters to the open places", "/studies/films/raters/"),
        LOAD,
    ]
    Place.objects.update(state=Place.State.FILLED)
    assert steps(study, row) == [LOAD]


def test_one_more_rating_is_advised_where_it_decides_that_people_agree(study):
    """rho .2, 4 ratings: 50 items by the planner, with clusters of one; 30 are too few of them."""
    study.raters_per_item = 3
    unsure = {"verdict": "people_unsure", "rho": 0.2, "items": 200, "clusters": 200}
    address = "/studies/films/more/ratings/?ratings=4&question=good"
    words = "Open places for one more rating of each item …"
    assert steps(study, unsure) == [(words, address)]
    assert steps(study, unsure | {"items": 30, "clusters": 30}) == [LOAD]
    assert steps(study, unsure | {"rho": 0.05}) == [LOAD]


def test_own_second_answers_are_asked_for_in_the_settings(study):
    row = {"verdict": "undecided", "warnings": "own_answers"}
    words = "Ask recipients more of their items again"
    assert steps(study, row) == [(words, "/studies/films/settings/sessions/")]


def test_each_step_stands_once(study):
    assert steps(study, {}, {"evaluator": "K"}) == [LOAD]


def test_what_no_plan_covers_has_no_planner(study):
    row = {"verdict": "no_difference", "use": "compare_systems"}
    assert list_ways_on(study, make_report(row), study.questions.get()).planners == []


@pytest.mark.parametrize(("within", "known"), [(0.2553191, 0.2), (0.4, 0.0), (-0.1, 0.95)])
def test_the_planner_knows_what_the_joint_check_took_out(study, as_owner, within, known):
    """Of ρ = .3 a share g that is known leaves .3 (1 - g) / (1 - .3 g)."""
    row = {"verdict": "known_features", "rho": 0.3, "rho_within": within}
    (way,) = list_ways_on(study, make_report(row), study.questions.get()).planners
    assert plan(as_owner, way).known == pytest.approx(known)


def test_the_page_shows_them_and_the_button_to_editors_alone(owner, as_owner):
    study, truth = make_crowd()
    add_judge(study, "J", [3 + value / 2 if n < 20 else nan for n, value in enumerate(truth)])
    Membership.objects.create(study=study, user=owner, role="owner")
    answer = as_owner.get(PAGE)
    ways = answer.context["ways_on"]
    assert "J, to rate items" in [way.words for way in ways.planners]
    page = answer.content.decode()
    assert "How many more?" in page and "Load more items" in page
    assert as_owner.get(ways.steps[-1].address).status_code == 200
    Membership.objects.update(role="viewer")
    page = as_owner.get(PAGE).content.decode()
    assert "How many more?" in page and "Load more items" not in page
    assert as_owner.get(ways.steps[-1].address).status_code == 404


def test_a_question_that_is_decided_has_no_such_card(owner, as_owner):
    study, truth = make_crowd()
    add_judge(study, "always 3", [3.0] * len(truth))
    Membership.objects.create(study=study, user=owner, role="owner")
    page = as_owner.get(PAGE)
    words = [way.words for way in getattr(page.context["ways_on"], "planners", [])]
    assert "always 3, to rate items" not in words


@pytest.mark.parametrize("page", ["_ways_on", "_answer_words"])
def test_a_button_that_opens_places_says_what_its_page_says(study, page):
    study.may_edit = True
    steps = [Step("Open places …", "/more/", True), Step("Load more items", "/load/", False)]
    spoken = SimpleNamespace(lead="", lines={}, steps=["Collect a second rating."])
    about = {"results": SimpleNamespace(answer=spoken, people=""), "study": study}
    text = render_to_string(f"analysis/{page}.html", about | {"ways_on": WaysOn("q", [], steps)})
    assert text.count("The next page says how many places and about what they cost.") == 1
    assert text.index("/more/") < text.index("how many places") < text.index("/load/")
