"""A locked test part stays shut: no load opens it or asks it, no page of a run sums over it."""

import pytest
from django.urls import reverse

from annotate.design import splits
from annotate.models import Recipient
from judges.methods.verdicts.position import Position, position
from judges.models import Judgment, Run
from tests import factories
from tests.api.conftest import api, at, program  # noqa: F401
from tests.judges.checks.test_drift import check, run_of, says
from tests.judges.methods.verdicts.test_pairwise import run_with, said
from tests.podcasts import make_pair, make_podcasts
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
# printf 7:r2 | sha256sum begins with c8, that of 7:r1 with 39: at .5 only r1 is in the test part.
SEED = 7


@pytest.fixture
def pairs(owner):
    """Two pairs of lists of r1; only the pairs name the recipient."""
    study = make_podcasts(owner, pairs=2)
    study.items.exclude(parent=None).update(recipient=None)
    return study


def test_a_pair_with_a_judged_part_keeps_its_recipient(pairs, api):  # noqa: F811
    part = pairs.items.get(key="pair-1-A-1")
    fit = pairs.questions.get(key="episode-fit")
    factories.make_judgments(factories.make_judge(pairs, "fit"), {(part, fit): 4})
    splits.lock(pairs, SEED, 0.5, "owner")
    Recipient.objects.create(study=pairs, key="r2")
    for pair, status in (("pair-1", 409), ("pair-2", 201)):
        row = {"item": pair, "kind": "list_pair", "recipient": "r2", "text": ""}
        answer = api.post(f"/api/v1/studies/{pairs.slug}/items/", {"rows": [row]}, format="json")
        assert answer.status_code == status, answer.content
    assert pairs.items.get(key="pair-1").recipient.key == "r1"
    assert pairs.items.get(key="pair-2").recipient.key == "r2"


@pytest.fixture
def study(owner):
    """Items of r1, in the test part, and r2; an imported judge said 5 of both."""
    study = factories.make_study(owner=owner)
    factories.make_item(study, "hidden", "r1")
    factories.make_item(study, "shown", "r2")
    splits.lock(study, SEED, 0.5, "owner")
    return study


def test_a_load_of_judgments_tells_no_value_of_it(study, api, at):  # noqa: F811
    def post(item, value, weighted=4.5, rationale="So."):
        row = {"item": item, "judge": "x", "question": "satisfaction"}
        row |= {"value": value, "weighted_value": weighted, "rationale": rationale}
        answer = api.post(at("judgments/"), {"rows": [row]}, format="json")
        return answer.status_code, answer.json()

    for item in ("hidden", "shown"):
        assert post(item, 5)[0] == 201
    known = post("hidden", 5)
    counts = {"rows": 1, "new": 0, "changed": 0, "unchanged": 1}
    assert known == (201, {**counts, "note": "", "out_of_range": []})
    for row in ((1, 4.5), (5, 2), (None, None), (5, 4.5, "Not so.")):
        assert post("hidden", *row) == known, "the same whatever it was"
    assert "differs in rationale" in post("shown", 5, 4.5, "Not so.")[1]["note"]
    status, words = post("shown", 1)
    assert status == 409 and "this judgment is 5 already" in str(words)
    assert set(Judgment.objects.values_list("value", "weighted_value")) == {(5, 4.5)}


def page(client, name, *args):
    return " ".join(client.get(reverse(name, args=args)).content.decode().split())


@pytest.fixture
def verdicts(owner):
    """A run with the list shown first twice for two pairs of r1, then the second for one of r2."""
    study = make_podcasts(owner, pairs=2)
    make_pair(study, "pair-3", recipient="r2")
    likes = {"kind": "profile", "text": "Likes the sea."}
    factories.make_item(study, "profile-2", "r2", content=None, system=None, **likes)
    run, _ = run_with(study, lambda _, request: said("2" if "pair-3" in str(request) else "1"))
    return run


def test_the_order_of_the_lists_is_told_without_it(verdicts, as_owner):
    study = verdicts.judge.study
    assert position(verdicts) == Position(3, 3, 2)
    splits.lock(study, SEED, 0.5, "owner")
    assert position(Run.objects.get()) == Position(1, 1, 0, withheld=2)
    left = "2 verdicts about items of the locked test part are withheld."
    for name, pk in (("run", verdicts.pk), ("judge", verdicts.judge_id)):
        shown = page(as_owner, name, study.slug, pk)
        assert "Of 1 verdict, 1 names a list, 0 of them" in shown and left in shown


def test_nothing_is_told_where_all_verdicts_are_withheld(verdicts, as_owner):
    study = verdicts.judge.study
    splits.lock(study, SEED, 0.99, "owner")
    assert position(Run.objects.get()) == Position(withheld=3)
    for name, pk in (("run", verdicts.pk), ("judge", verdicts.judge_id)):
        shown = page(as_owner, name, study.slug, pk)
        assert "3 verdicts about items of the locked test part are withheld." in shown
        assert "names a list" not in shown and "one shown first" not in shown


@pytest.mark.parametrize(
    ("share", "words", "change"),
    [
        (0.5, ["0 of 4 answers are the same as before.", "2 items of"], 2),
        (0.99, ["No answer can be compared: all", "3 items of"], None),
    ],
)
def test_drift_is_told_without_it(study, as_owner, share, words, change):
    """It said 3 and says 4 of two items of r1, 3 and 5 of the one of r2."""
    factories.make_item(study, "third", "r1", text="THIRD")
    study.items.filter(key="hidden").update(text="HIDDEN")
    study.items.filter(key="shown").update(text="SHOWN")
    type(study).objects.update(split={})

    def now(_, request):
        return says(5 if "SHOWN" in str(request) else 4)(0, request)

    with ScriptedServer(says(3)) as server:
        past = run_of(study, server)
        splits.lock(study, SEED, share, "owner")
        past.refresh_from_db()
        server.script = now
        again, drift = check(past, server)
    shown = page(as_owner, "run", study.slug, again.pk)
    for sentence in words:
        assert sentence in shown
    assert "The model is the same as before: scripted-1." in shown
    assert {each.change.value for each in drift.moved} == ({change} if change else set())
    assert ("Change of the mean" in shown) == (change is not None)
