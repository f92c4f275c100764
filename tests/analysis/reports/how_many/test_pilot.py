"""A study plans larger ones like it: the rows, the refusals, page, command and API."""

import json
from io import StringIO
from math import inf, nan, sqrt

import numpy as np
import pytest
from django.core.management import call_command

from analysis.reports.how_many.pilot import FORMULA, SIZE
from annotate.design.access import make_owner
from judges.models import Judge
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, make_crowd, make_truth
from tests.analysis.reports.verdict.test_report import rows_of as rows_of_verdict
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
PATH = "/studies/films/analysis/plan/"


@pytest.fixture
def crowd():
    """180 items of three raters each; a judge with insight, and a worse one."""
    study, truth = make_crowd()
    rng = np.random.default_rng(2)
    add_judge(study, "good", np.clip(3 + 0.65 * truth + 0.3 * rng.normal(size=180), 1, 5))
    add_judge(study, "noise", rng.integers(1, 6, 180))
    return study


def rows_of(report, method):
    return [row for row in report.rows if row["method"] == method]


def test_the_best_judge_is_planned_for_where_none_is_chosen(crowd):
    report = build(crowd, "plan")
    assert {row["evaluator"] for row in report.rows} == {"good"}
    chosen = build(crowd, "plan", judges=["noise"])
    assert {row["evaluator"] for row in chosen.rows} == {"noise"}
    assert max(row["yes"] for row in rows_of(chosen, SIZE)) < 0.01


def test_an_undecided_judge_comes_before_a_refused_one_and_one_with_a_yes(crowd):
    """The refused judge follows raters best: its level is off, and no number of items mends it."""
    truth = make_truth()
    add_judge(crowd, "high", np.clip(4.2 + 0.3 * truth, 1, 5))
    (sentence,) = build(crowd, "plan").verdict
    assert sentence.endswith(
        " No judge was chosen: this one passes every check by itself, and none is undecided."
    )
    rng = np.random.default_rng(4)
    add_judge(crowd, "fair", [*(3 + 0.4 * truth[:60] + rng.normal(size=60)), *[nan] * 120])
    (sentence,) = build(crowd, "plan").verdict
    assert sentence.endswith(" No judge was chosen: this is the undecided one nearest to a yes.")
    Judge.objects.exclude(key="high").delete()
    (sentence,) = build(crowd, "plan").verdict
    assert sentence.startswith(
        "More items would not give “high” a yes on “q”: its level is 1.24 points off people’s. No "
        "judge was chosen: none is undecided or passes every check by itself."
    )


def test_where_no_number_of_items_decides_none_is_tabulated(crowd, owner, as_owner):
    add_judge(crowd, "high", np.clip(4.2 + 0.3 * make_truth(), 1, 5))
    make_owner(crowd, owner)
    page = as_owner.get(PATH, {"judges": "high"})
    rows = rows_of(page.context["report"], FORMULA)
    assert {row["items"] for row in rows} == {inf} and all(np.isnan(r["power"]) for r in rows)
    assert "chances of a yes, by items" in page.content.decode()
    assert "what to collect" not in page.content.decode()


def test_a_judge_on_a_scale_of_its_own_is_not_called_too_few(crowd):
    """Only some of its judgments lie on people's scale: they are not the items of its verdict."""
    add_judge(crowd, "percent", np.linspace(0, 100, 180))
    assert build(crowd, "plan", judges=["percent"]).verdict == [
        "“percent” on “q”: it has a scale of its own, so that no number of items gives it a level. "
        "It can be shown to order items like a rater, no more."
    ]


def test_studies_of_half_to_four_times_the_pilot_have_their_chance_and_its_band(crowd):
    rows = rows_of(build(crowd, "plan"), SIZE)
    assert [row["items"] for row in rows] == [90, 180, 360, 540, 720]
    assert {row["raters_per_item"] for row in rows} == {3}
    assert {row["pilot_items"] for row in rows} == {180}
    chances = [row["yes"] for row in rows]
    assert chances == sorted(chances) == [row["power"] for row in rows] and chances[-1] > 0.8
    bands = [[round(row[name], 9) for name in ("low", "assurance", "high")] for row in rows]
    assert all(band == sorted(band) for band in bands)
    assert rows[0]["states"].startswith("agreement ") and "level " in rows[0]["states"]


def test_sessions_and_cost_are_the_study_s(crowd):
    """180 items of 3 ratings in sessions of four items are 135 sessions; at 2 each 270."""
    assert crowd.items_per_session == 4
    crowd.extra = {"pays_per_session": 2}
    crowd.save()
    row = rows_of(build(crowd, "plan"), SIZE)[1]
    assert (row["ratings"], row["sessions"], row["cost"]) == (540, 135, pytest.approx(270))


def test_other_ratings_an_item_need_other_items(crowd):
    rows = rows_of(build(crowd, "plan"), FORMULA)
    assert [row["raters_per_item"] for row in rows] == [2, 3, 4, 5]
    items = [row["items"] for row in rows]
    assert items == sorted(items, reverse=True) and items[-1] >= 30
    assert all(row["power"] >= 0.8 for row in rows)


def test_the_answer_is_one_sentence_with_its_band(crowd):
    """The judge that passes needs no more items; what these tell of that is in the band."""
    add_judge(crowd, "fair", np.clip(3.1 + 0.5 * make_truth(), 1, 5))
    report = build(crowd, "plan", judges=["fair"])
    (sentence,) = report.verdict
    needed = rows_of(report, FORMULA)[1]  # three ratings, as the study has
    more = needed["items"] - 180
    enough = "“fair” needs no more items on “q”: with these 180 its chance of a yes is at least .8"
    start = f"About {more:,.0f} more items like these give fair a chance of .8"
    assert sentence.startswith(start if more > 0 else enough)
    assert "the chance may as well be ." in sentence


def test_every_row_says_what_it_supposes(crowd):
    """The verdict's ρ and r are of the same items."""
    verdict, report = rows_of_verdict(build(crowd, "verdict"))["good", "q"], build(crowd, "plan")
    supposed = verdict["rho"], verdict["agreement"] / sqrt(verdict["rho"])
    assert {(row["rho"], row["judge"]) for row in report.rows} == {supposed}


def test_fewer_than_fifty_items_are_refused_in_words(crowd):
    judge = Judge.objects.get(key="good")
    run = judge.runs.get()
    keep = run.judgments.order_by("pk").values_list("pk", flat=True)[:49]
    run.judgments.exclude(pk__in=list(keep)).delete()
    report = build(crowd, "plan", judges=["good"])
    assert report.rows == []
    assert report.verdict == [
        "“good” on “q”: a plan takes at least 50 items with two ratings and a judgment; this study "
        "has 49. The page “How many ratings do I need?” plans without any data."
    ]


def test_fewer_than_a_hundred_items_are_called_rough(crowd):
    few = crowd.items.order_by("pk").values_list("pk", flat=True)[90:]
    crowd.items.filter(pk__in=list(few)).delete()
    (sentence,) = build(crowd, "plan").verdict
    assert "This is rough, as it rests on fewer than 100 items. No judge was" in sentence


def test_judges_that_no_study_can_decide_are_refused(crowd):
    add_judge(crowd, "percent", np.linspace(0, 100, 180))
    add_judge(crowd, "always 3", np.full(180, 3.0))
    panel = factories.make_judge(crowd, "panel", kind=Judge.Kind.ENSEMBLE, rule="learned")
    panel.members.set(Judge.objects.filter(key__in=["good", "noise"]))
    report = build(crowd, "plan", judges=["percent", "always 3", "panel"])
    assert report.rows == []
    sentences = " ".join(report.verdict)
    assert "learned from these ratings" in sentences and "are equal" in sentences
    assert "“percent” on “q”: " in sentences


def test_a_study_without_judgments_has_nothing_to_plan_from(crowd):
    Judge.objects.all().delete()
    assert build(crowd, "plan").verdict == [
        "No judge has judged items that people rated, so nothing can be planned from them."
    ]


def test_page_rows_command_and_api_say_the_same(crowd, owner, as_owner):
    make_owner(crowd, owner)
    page = as_owner.get(PATH)
    assert page.status_code == 200
    assert "what to collect" in page.content.decode()
    rows = as_owner.get(f"{PATH}rows.json").json()["rows"]
    output = StringIO()
    call_command("analyse", "films", "plan", "--format", "json", stdout=output)
    assert json.loads(output.getvalue())["rows"] == rows
    assert as_owner.get("/api/v1/studies/films/reports/plan/").json()["rows"] == rows


def test_not_yet_leads_here_with_its_judge(crowd, owner, as_owner):
    make_owner(crowd, owner)
    rng = np.random.default_rng(4)
    truth = make_truth()
    add_judge(crowd, "fair", [*(3 + 0.4 * truth[:60] + 0.4 * rng.normal(size=60)), *[nan] * 120])
    ways = as_owner.get("/studies/films/analysis/verdict/").context["ways_on"]
    (way,) = [way for way in ways.planners if way.words == "fair, to rate items"]
    assert way.own.startswith(f"{PATH}?question=q&judges=fair")
    page = as_owner.get(way.own)
    assert {row["evaluator"] for row in page.context["report"].rows} <= {"fair"}
