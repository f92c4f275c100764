"""Verdicts of fit and on lists in the reports: each number is counted by hand from a script."""

import json
import re

import pytest
from django.urls import reverse

from analysis.answers import frame
from analysis.exports import tables
from annotate.models import Item
from judges.models import Judge
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.analysis.small import build, row_of
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
A, TIE, B = 1.0, 2.0, 3.0
# By people, and by the judge, about the sides: two wins, one tie, three losses (two of them ties
# of one side).
PEOPLE = [A, A, TIE, B, TIE, B]
LISTS = ["A", "B", "tie", "B", "A", "tie"]
# Of the first pair's episodes: people's ratings, verdicts of fit, and cosines with the profile.
RATINGS = {"A-1": 5, "A-2": 1, "A-3": 1, "B-1": 4, "B-2": 3, "B-3": 2}
FITS = {"A-1": "fit", "A-2": "fit", "A-3": "no fit", "B-1": "fit", "B-2": "fit", "B-3": "no fit"}
COSINES = {"A-1": 0.7, "A-2": 0.6, "A-3": 0.2, "B-1": 0.5, "B-2": 0.1, "B-3": 0.51}


@pytest.fixture
def rated(owner):
    """Six pairs, rated by their recipient: all lists, and the episodes of the first pair."""
    study = make_podcasts(owner, pairs=6)
    session = factories.make_session(study, "ann", "recipient")
    questions = {question.key: question for question in study.questions.all()}
    for number, value in enumerate(PEOPLE, start=1):
        item = Item.objects.get(key=f"pair-{number}")
        factories.make_rating(session, item, questions["better-list"], value)
    for place, value in RATINGS.items():
        item = Item.objects.get(key=f"pair-1-{place}")
        factories.make_rating(session, item, questions["episode-fit"], value)
    return study


def lists_script(_number, request):
    """The verdict on the pair, said as the place where the list stands."""
    text = request["messages"][0]["content"]
    number, first = re.search(r"Episode pair-(\d) (alpha|beta) 1", text).groups()
    side = LISTS[int(number) - 1]
    places = {"A": "1", "B": "2", "tie": "tie"}
    if first == "beta":
        places |= {"A": "2", "B": "1"}
    return chat(json.dumps({"rationale": {"topic": "t"}, "verdict": places[side]}))


def fit_script(verdicts):
    def script(_number, request):
        text = request["messages"][0]["content"]
        side, position = re.search(r"Episode pair-\d (alpha|beta) (\d)", text).groups()
        place = f"{dict(alpha='A', beta='B')[side]}-{position}"
        return chat(json.dumps({"rationale": "r", "verdict": verdicts[place]}))

    return script


def judged(study, key, script, **fields):
    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url, key=key)
        judge = factories.make_judge(study, key, endpoint, context="profile", **fields)
        run = plan(judge)
        drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    return judge


def make_fit(study, verdicts=FITS, **fields):
    return judged(study, "LaaJ", fit_script(verdicts), method="fit", prompt="fit.v1", **fields)


@pytest.mark.parametrize("order", Judge.Order.values)
def test_wins_ties_and_losses_of_a_pairwise_judge(rated, order):
    judged(rated, "lists", lists_script, method="pairwise", prompt="pairwise.v1", order=order)
    row = row_of(build(rated, "selection"), evaluator="lists", question="better-list")
    assert (row["wins"], row["ties"], row["losses"], row["n"]) == (2, 1, 3, 6)
    assert (row["msa"], row["win_share"], row["one_sided_ties"]) == (3 / 6, 2 / 6, 2 / 6)
    matrix = row_of(build(rated, "confusion"), evaluator="lists", question="better-list")
    assert matrix["labels"] == ["A", "tie", "B"]
    assert matrix["matrix"] == [[1, 0, 1], [1, 1, 0], [0, 1, 1]]


def test_a_verdict_of_fit_is_compared_above_and_below_the_threshold(rated):
    make_fit(rated)
    fit = {"evaluator": "LaaJ", "question": "episode-fit"}
    report = build(rated, "roc")
    row = next(row for row in report.rows if fit.items() <= row.items())
    assert (row["threshold"], row["positives"], row["negatives"]) == (4, 2, 4)
    assert row["auc"] == (2 / 2 + 2 / 4) / 2, "balanced accuracy"
    assert any("balanced accuracy" in note for note in report.notes)
    row = row_of(build(rated, "selection"), **fit)
    assert (row["rsm"], row["rsm_n"]) == (1 / 2, 2)
    assert (row["rsm_precision"], row["rsm_precision_n"]) == (1 / 2, 2)
    report = build(rated, "confusion")
    row = row_of(report, **fit)
    assert row["labels"] == ["no fit, < 4", "fit, ≥ 4"]
    assert row["matrix"] == [[2, 2], [0, 2]]
    assert "LaaJ has a scale of its own, on which above 0.5 says fit, exactly that is neutral." in (
        report.notes
    )
    assert row_of(build(rated, "confusion", threshold="2"), **fit)["matrix"] == [[1, 1], [1, 3]]


def test_a_neutral_verdict_is_neither_aligned_nor_a_misfit(rated):
    make_fit(rated, FITS | {"B-3": "neutral"}, neutral=True)
    fit = {"evaluator": "LaaJ", "question": "episode-fit"}
    row = row_of(build(rated, "selection"), **fit)
    assert (row["rsm"], row["rsm_precision"], row["rsm_precision_n"]) == (1 / 2, 1, 1)
    assert row_of(build(rated, "confusion"), **fit)["matrix"] == [[2, 2], [0, 2]]


def test_what_a_verdict_of_fit_gets_wrong_is_named(rated):
    make_fit(rated)
    report = build(rated, "misjudged")
    items = [(row["kind"], row["item"][-3:]) for row in report.rows if row["item"]]
    assert items == [("false positive", "A-2"), ("false positive", "B-2")], "1 lies further from 4"
    share = row_of(report, evaluator="LaaJ", kind="share", system="all", question="episode-fit")
    assert (share["value"], share["of"]) == (2 / 6, 6)


def test_a_verdict_of_fit_enters_no_label_agreement(rated):
    make_fit(rated)
    report = build(rated, "agreement")
    assert not [
        row for row in report.rows if "LaaJ" in row["raters"] and row["question"] == "episode-fit"
    ]
    assert any(note.startswith("Not on the questions' scale") for note in report.notes)


def test_to_a_yes_or_no_question_fit_is_the_answer_itself(rated):
    question = factories.make_question(rated, "fits", "binary", applies_to=["recommendation"])
    ratings = {"A-1": 1, "A-2": 0, "A-3": 0, "B-1": 1, "B-2": 1, "B-3": 1}
    session = rated.sessions.get()
    for place, value in ratings.items():
        factories.make_rating(session, Item.objects.get(key=f"pair-1-{place}"), question, value)
    make_fit(rated, question="fits")
    fits = {"evaluator": "LaaJ", "question": "fits"}
    assert row_of(build(rated, "confusion"), **fits)["matrix"] == [[1, 1], [1, 3]]
    kappa = {"raters": "LaaJ vs recipient", "question": "fits", "measure": "percent"}
    assert row_of(build(rated, "agreement"), **kappa)["value"] == pytest.approx(4 / 6)


def test_a_cosine_is_aligned_above_its_threshold_and_its_verdict_is_on_the_scale(rated):
    judge = factories.make_judge(rated, "sBERT-Sim", kind=Judge.Kind.SBERT)
    questions = {question.key: question for question in rated.questions.all()}
    values = {
        (Item.objects.get(key=f"pair-1-{place}"), questions["episode-fit"]): value
        for place, value in COSINES.items()
    }
    values |= {
        (Item.objects.get(key=f"pair-{number}"), questions["better-list"]): A
        for number in range(1, 7)
    }
    factories.make_judgments(judge, values)
    fit = {"evaluator": "sBERT-Sim", "question": "episode-fit"}
    lists = {"evaluator": "sBERT-Sim", "question": "better-list"}
    row = next(row for row in build(rated, "roc").rows if fit.items() <= row.items())
    assert row["auc"] == 6 / 8, "the raw cosine, not the verdict"
    selection, confusion = build(rated, "selection"), build(rated, "confusion")
    row = row_of(selection, **fit)
    assert (row["rsm"], row["rsm_precision"], row["rsm_precision_n"]) == (1 / 2, 1 / 3, 3)
    assert row_of(confusion, **fit)["matrix"] == [[2, 2], [1, 1]]
    row = row_of(selection, **lists)
    assert (row["wins"], row["ties"], row["losses"]) == (2, 0, 4)
    assert row_of(confusion, **lists)["matrix"] == [[2, 0, 0], [2, 0, 0], [2, 0, 0]]
    wrong = [row for row in build(rated, "misjudged").rows if row["item"]]
    assert [(row["kind"], row["item"][-3:], row["judge"]) for row in wrong] == [
        ("false positive", "A-2", 0.6),
        ("false positive", "B-3", 0.51),
        ("false negative", "B-1", 0.5),
    ]


def test_an_ensemble_of_fit_judges_is_on_their_scale(rated):
    one = make_fit(rated)
    two = judged(
        rated, "other", fit_script(FITS | {"A-2": "no fit"}), method="fit", prompt="fit.v1"
    )
    both = Judge.objects.create(study=rated, key="both", kind=Judge.Kind.ENSEMBLE)
    both.members.set([one, two])
    fit = {"evaluator": "both", "question": "episode-fit"}
    row = row_of(build(rated, "confusion"), **fit)
    assert row["matrix"] == [[3, 1], [0, 2]], "A-2 is undecided: exactly .5 is no fit"
    assert row_of(build(rated, "selection"), **fit)["rsm_precision_n"] == 2


def test_verdicts_are_in_no_mean_of_judges_and_take_nothing_from_it(rated):
    make_fit(rated)
    judged(rated, "lists", lists_script, method="pairwise", prompt="pairwise.v1")
    question = rated.questions.get(key="episode-fit")
    episode = {place: Item.objects.get(key=f"pair-1-{place}") for place in RATINGS}
    values = {(episode[place], question): value for place, value in RATINGS.items()}
    factories.make_judgments(factories.make_judge(rated, "scores"), values)
    report = build(rated, "ensembles")
    subsets = [row for row in report.rows if row["kind"] == "subset"]
    assert {row["members"] for row in subsets} == {"scores"}
    where = {"question": "episode-fit", "level": "dataset", "coefficient": "pearson"}
    row = row_of(report, kind="subset", **where)
    assert (row["value"], row["n"]) == (pytest.approx(1), 6)
    assert "On a scale of their own, so in no mean: LaaJ." in report.notes
    assert "Answers in no order, so in no mean: lists." in report.notes


def test_verdicts_in_both_orders_stand_beside_weighted_scores(rated):
    """A judge of each kind in one study: no one's rows are mixed with another's."""
    judged(rated, "lists", lists_script, method="pairwise", prompt="pairwise.v1", order="both")
    episodes = Item.objects.filter(key__in=[f"pair-1-{place}" for place in RATINGS])
    endpoint = factories.make_endpoint(key="weighing")
    judge = factories.make_judge(rated, "G", endpoint, weighted=True)
    question = rated.questions.get(key="episode-fit")
    run = factories.make_judgments(judge, {(item, question): 3 for item in episodes})
    run.judgments.update(weighted_value=3.25, weighted_mass=0.9)
    table = frame.read_answers(rated).select_source(frame.JUDGE)
    found = {name: sorted(rows["value"]) for name, rows in table.groupby("judge", observed=True)}
    assert found == {"lists": [A, A, TIE, TIE, B, B], "G": [3] * 6, "G weighted": [3.25] * 6}
    assert frame.read_answers(rated).both_orders == {"lists": (6, 0)}
    header, rows = tables.rows(rated, "scores")
    rows = [dict(zip(header, row, strict=True)) for row in rows]
    weighted = {(row["judge"], row["weighted_value"]) for row in rows if row["judge"]}
    assert weighted == {("lists", None), ("G", 3.25)}
    assert [row["judge"] for row in rows].count("lists") == 6


def test_the_pages_show_the_judges(rated, as_owner):
    make_fit(rated)
    judged(rated, "lists", lists_script, method="pairwise", prompt="pairwise.v1")
    for name, text in (("selection", ".50"), ("roc", ".75"), ("confusion", "no fit, &lt; 4")):
        wanted = {"question": "episode-fit"} if name != "selection" else {}
        page = as_owner.get(reverse("report", args=["podcasts", name]), wanted).content.decode()
        assert "LaaJ" in page
        assert text in page
