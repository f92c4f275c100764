"""sBERT-Sim: cosines of a profile and of episodes, and which of two lists has more above."""

from importlib.util import find_spec

import pytest

from annotate.models import Content, Item
from judges.models import Judge, Run
from judges.runs import drive
from judges.runs.plan import plan
from judges.scorers import SCORERS
from tests import factories
from tests.conftest import missing
from tests.judges.scorers.test_embedding import PACKAGES, ROUNDED_WEIGHTS, WEATHER
from tests.podcasts import make_podcasts

pytestmark = [pytest.mark.model, pytest.mark.django_db]
SUNNY, FOOTBALL = WEATHER[1:]  # cosines .666 and .105 with the profile, as published
A, TIE, B = 1.0, 2.0, 3.0


@pytest.fixture(autouse=True)
def _installed():
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        missing(f"not installed (requirements-models.txt): {', '.join(absent)}")


@pytest.fixture
def podcasts(owner):
    """One pair; the profile is about lovely weather, and no episode says anything yet."""
    study = make_podcasts(owner, pairs=1)
    study.items.filter(kind="profile").update(text=WEATHER[0])
    Content.objects.update(show="", description="")
    return study


def fill(study, a, b):
    """The titles of the two lists; the other places are taken out."""
    for side, titles in (("A", a), ("B", b)):
        study.items.filter(side=side, position__gt=len(titles)).delete()
        for position, title in enumerate(titles, start=1):
            item = Item.objects.get(side=side, position=position)
            Content.objects.filter(pk=item.content_id).update(title=title)


def run_of(study, **fields):
    name = f"sBERT-Sim {Judge.objects.count()}"
    run = plan(factories.make_judge(study, name, kind=Judge.Kind.SBERT, **fields))
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run


def verdict(run):
    return run.judgments.get(question__key="better-list")


def test_an_episode_gets_the_raw_cosine_with_the_profile(podcasts):
    fill(podcasts, [SUNNY], [FOOTBALL])
    found = run_of(podcasts).judgments.filter(question__key="episode-fit")
    values = dict(found.values_list("item__side", "value"))
    assert values == {
        "A": pytest.approx(0.6660, abs=ROUNDED_WEIGHTS),
        "B": pytest.approx(0.1046, abs=ROUNDED_WEIGHTS),
    }


@pytest.mark.parametrize(
    ("a", "b", "threshold", "value"),
    [
        ([SUNNY, FOOTBALL], [FOOTBALL, FOOTBALL], 0.5, A),
        ([FOOTBALL], [SUNNY], 0.5, B),
        ([SUNNY, FOOTBALL], [FOOTBALL, SUNNY], 0.5, TIE),
        ([FOOTBALL], [FOOTBALL], 0.5, TIE),
        ([SUNNY], [SUNNY, SUNNY, FOOTBALL], 0.5, B),  # one against three: by the counts
        ([SUNNY, SUNNY], [SUNNY, FOOTBALL, FOOTBALL], 0.05, B),
        ([SUNNY, SUNNY], [FOOTBALL], 0.9, TIE),
    ],
)
def test_the_list_with_more_aligned_episodes_wins(podcasts, a, b, threshold, value):
    fill(podcasts, a, b)
    judgment = verdict(run_of(podcasts, threshold=threshold))
    assert judgment.value == value
    above = [sum(title == SUNNY for title in titles) for titles in (a, b)]
    if threshold == 0.5:
        assert judgment.rationale.startswith(f"A: {above[0]} of {len(a)} above 0.5 (")
        assert f"\nB: {above[1]} of {len(b)} above 0.5 (" in judgment.rationale


def test_every_field_of_the_episode_counts(podcasts):
    fill(podcasts, [SUNNY], [SUNNY])
    item = Item.objects.get(side="B")
    Content.objects.filter(pk=item.content_id).update(
        title=FOOTBALL, description=FOOTBALL, show=FOOTBALL, data={"topics": "stadium|car"}
    )
    run = run_of(podcasts)
    subject = run.materials.get(item=item).subject["item"][0]
    assert subject == {
        "show": FOOTBALL,
        "title": FOOTBALL,
        "topics": "stadium, car",
        "description": FOOTBALL,
    }
    assert run.judgments.get(item=item).value < 0.3
    assert run.frozen["fields"] == "show, title, topics, description"


@pytest.mark.parametrize(
    ("change", "state", "reason"),
    [
        (lambda s: s.items.filter(kind="profile").delete(), "not_asked", "has no profile"),
        (lambda s: s.items.filter(kind="profile").update(text="天气"), "failed", "profile is"),
        (lambda s: s.items.filter(side="B").delete(), "not_asked", "list B is empty"),
        (lambda s: fill(s, [SUNNY], ["我喜欢"]), "failed", "an episode is not in Latin"),
    ],
)
def test_what_cannot_be_compared_is_missing_with_its_reason(podcasts, change, state, reason):
    fill(podcasts, [SUNNY], [FOOTBALL])
    change(podcasts)
    judgment = verdict(run_of(podcasts))
    assert (judgment.state, judgment.value) == (state, None)
    assert reason in judgment.reason


def test_without_a_tie_among_the_answers_equal_lists_have_no_verdict(podcasts):
    fill(podcasts, [SUNNY], [SUNNY])
    podcasts.questions.filter(key="better-list").delete()
    factories.make_question(podcasts, "better-list", {"choice": ["A", "B"]}, applies_to=[])
    judgment = verdict(run_of(podcasts))
    assert judgment.reason.endswith("the question offers no tie")


def test_the_threshold_is_frozen_and_shown(podcasts, as_owner):
    fill(podcasts, [SUNNY], [FOOTBALL])
    run = run_of(podcasts, threshold=0.25)
    assert run.frozen["threshold"] == 0.25
    scorer = SCORERS[Judge.Kind.SBERT]
    assert scorer.frozen(Judge(kind=Judge.Kind.SBERT)) != run.frozen
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "<dt>Aligned above</dt><dd>0.25</dd>" in page
    assert "<dt>Verdict on two lists</dt><dd>more aligned episodes; equal: tie</dd>" in page
    page = as_owner.get(f"/studies/podcasts/judges/{run.judge_id}/").content.decode()
    assert "Of two lists the one with more aligned episodes wins" in page
    judgment = verdict(run)
    page = as_owner.get(judgment.item.get_absolute_url()).content.decode()
    assert "A: 1 of 1 above 0.25 (0.6" in page
