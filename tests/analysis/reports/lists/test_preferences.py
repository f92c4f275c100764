"""Pairs of lists: preferences of systems, verdicts of parts, and strong misfits up to two."""

from math import isnan

import pytest

from analysis.reports.registry import REPORTS
from annotate.models import Item, Rater, Rating
from judges.models import Judgment
from tests import factories
from tests.analysis.small import add_judge, build, make_rated_study, row_of
from tests.analysis.test_analyse_command import KEYS

pytestmark = pytest.mark.django_db
A, TIE, B = 1, 2, 3
STERN = ("stern", "accuracy")
# who made list A and list B, people's verdict, the judge's
PAIRS = [
    ("tower", "popular", A, A),
    ("popular", "tower", A, TIE),
    ("tower", "popular", TIE, TIE),
    ("popular", "tower", B, B),
    ("tower", "tower", A, B),
]


@pytest.fixture
def study():
    """Five pairs of lists of two episodes a side, each with a verdict of a person and a judge."""
    study = factories.make_study("podcasts", questions={}, kind="list_pair")
    better = factories.make_question(
        study, "better", {"choice": ["A", "tie", "B"]}, applies_to=["list_pair"]
    )
    factories.make_question(study, "fits", "likert5", applies_to=["recommendation"])
    session = factories.make_session(study, "ann", Rater.Role.RECIPIENT)
    verdicts = {}
    for at, (first, second, human, judge) in enumerate(PAIRS):
        pair = factories.make_item(
            study, f"pair-{at}", f"r{at}", None, None, kind=Item.Kind.LIST_PAIR
        )
        for side, system in (("A", first), ("B", second)):
            for position in (1, 2):
                factories.make_item(
                    study,
                    f"pair-{at}-{side}-{position}",
                    f"r{at}",
                    f"c-{at}-{side}-{position}",
                    system,
                    kind=Item.Kind.RECOMMENDATION,
                    parent=pair,
                    side=side,
                    position=position,
                )
        factories.make_rating(session, pair, better, human)
        verdicts[pair, better] = judge
    factories.make_judgments(factories.make_judge(study, "laaj"), verdicts)
    return study


def test_preferences_of_systems_by_hand(study):
    report = build(study, "preferences")
    assert list(report.rows[0]) == KEYS["preferences"].split()
    tower = row_of(report, evaluator="laaj", system="tower", measure="preferred")
    # of four pairs people: won, lost, tied, won; the judge: won, tied, tied, won
    assert (tower["people"], tower["value"], tower["n"]) == (0.625, 0.75, 4)
    popular = row_of(report, evaluator="laaj", system="popular", measure="preferred")
    assert (popular["people"], popular["value"]) == (0.375, 0.25)
    won = row_of(report, evaluator="laaj", system="popular", measure="won")
    assert (won["people"], won["value"]) == (0.25, 0)


def test_the_title_says_which_system_people_prefer_and_how_often_the_judge_does(study):
    report = build(study, "preferences")
    assert REPORTS["preferences"].find(report, "better") == (
        "People prefer tower in 62 % of 4 pairs on better, laaj in 75 %; half of the ties counts "
        "for each."
    )
    Rating.objects.update(value=TIE)
    said = REPORTS["preferences"].find(build(study, "preferences"), "better")
    assert said == "On better people prefer no system's lists, over 4 pairs."


def test_undecided_pairs_are_counted_over_all_pairs(study):
    report = build(study, "preferences", draws=50)
    tied = row_of(report, evaluator="laaj", system="all", measure="tied")
    assert (tied["people"], tied["value"], tied["n"]) == (0.2, 0.4, 5)
    both = row_of(report, evaluator="laaj", system="all", measure="both_tie")
    assert both["value"] == 0.2
    assert isnan(both["people"])
    assert tied["low"] <= 0.4 <= tied["high"]


def test_parts_that_are_left_out_still_say_who_made_their_list(study):
    report = build(study, "preferences", exclude=["kind=recommendation"])
    assert row_of(report, evaluator="laaj", system="tower", measure="won")["n"] == 4


def test_without_systems_there_are_ties_only(study):
    study.items.update(system=None)
    assert {row["system"] for row in build(study, "preferences").rows} == {"all"}


def test_the_page_of_preferences_shows_people_and_the_judge(study, owner, as_owner):
    study.memberships.create(user=owner, role="owner")
    page = as_owner.get("/studies/podcasts/analysis/preferences/", {"draws": 20})
    table, ties = page.context["layout"].tables
    assert [name for name, _ in table.lines] == ["laaj", "laaj"]
    assert ties.lines[0][0] == "laaj"
    names = [trace.get("name") for trace in page.context["layout"].figures[0].plot["data"]]
    assert "people" in names


def rate_parts(study, name, fits):
    """A judge that gives 5 to so many parts of (side A, side B) of each pair, and 1 to others."""
    question = study.questions.get(key="fits")
    values = {}
    for part in study.items.exclude(parent=None).order_by("pk"):
        number = fits[int(part.parent.key.split("-")[1])]["AB".index(part.side)]
        values[part, question] = 5 if part.position <= number else 1
    factories.make_judgments(factories.make_judge(study, name), values)


def test_a_judge_of_parts_prefers_the_list_with_more_that_fit(study):
    rate_parts(study, "points", [(2, 0), (1, 1), (0, 0), (0, 2), (1, 2)])  # A tie tie B B
    report = build(study, "confusion")
    row = row_of(report, evaluator="points by fits of the parts")
    assert row["labels"] == ["A", "tie", "B"]
    # people: A A tie B A
    assert row["matrix"] == [[1, 1, 1], [0, 1, 0], [0, 0, 1]]
    assert any("more parts that it calls positive" in note for note in report.notes)
    plain = row_of(report, evaluator="laaj", question="better")
    assert plain["matrix"] == [[1, 1, 1], [0, 1, 0], [0, 0, 1]]


def test_a_pair_with_an_unknown_part_has_no_verdict(study):
    rate_parts(study, "points", [(2, 0), (1, 1), (0, 0), (0, 2), (1, 2)])
    part = study.items.get(key="pair-0-A-1")
    Judgment.objects.filter(item=part).update(state="failed", value=None, reason="timed out")
    row = row_of(build(study, "confusion"), evaluator="points by fits of the parts")
    assert sum(map(sum, row["matrix"])) == 4


def test_strong_misfits_may_be_the_two_lowest_ratings():
    study = make_rated_study()
    add_judge(study, "stern", lambda item: 1)
    one, two = (
        row_of(build(study, "selection", strong=strong), evaluator="stern", question="accuracy")
        for strong in (1, 2)
    )
    report = build(study, "misjudged", threshold="2.0000001")
    missed = [
        row
        for row in report.rows
        if (row["evaluator"], row["question"]) == STERN and row["kind"] != "share"
    ]
    low = 24 - len(missed)  # "stern" calls none of the 24 positive
    assert one["rsm_n"] < two["rsm_n"] == low
    assert one["rsm"] == two["rsm"] == 1
    notes = build(study, "selection", strong=2).notes
    assert any("a mean rating of 2 or less" in note for note in notes)
