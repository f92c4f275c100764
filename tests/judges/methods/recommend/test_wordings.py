"""Other words for the same question: another prompt of the study around the same titles."""

import hashlib
import re

import pytest
from django.core.management import CommandError

from judges.methods.recommend import wordings
from judges.methods.recommend.plans import Trial
from judges.models import RecommendedList, Run, StudyPrompt
from judges.prompting import fill
from judges.runs import drive
from judges.runs.plan import PlanError, plan
from tests.judges.methods.recommend.test_method import (
    FIRST,
    asked,
    films,
    lists,
    make_recommender,
    said,
    small,
)
from tests.judges.methods.recommend.test_recommender_pages import entered, option_name, page, tell
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
__all__ = ["films"]
AGAIN = (
    "You recommend. Person $user rated these (from $low, the worst, to $high, the best): $rated. "
    "List $k more, each on a line of its own (a $word), nothing else."
)
GERMAN = (
    "Gegeben ist ein Nutzer. $user gefallen: $rated. ($low ist die niedrigste und $high die "
    "höchste Bewertung). Nenne mir $k Filme, einen pro Zeile."
)


def wording(*names):
    return small(l=6, relations=[["wording", {"prompt": name}] for name in names])


def own(study, text=AGAIN, name="again", method="recommender"):
    return StudyPrompt.objects.create(study=study, name=name, method=method, text=text)


@pytest.mark.parametrize("text", [AGAIN, GERMAN])
def test_titles_and_ratings_stay_to_the_letter(films, text):
    prompt = own(films, text)
    run, requests = asked(films, said(FIRST), wording(prompt.key))
    baseline = lists(run, recipient__key="u1", iteration=0)[0]
    rated = re.search(r"following items: (.*?)\. \(1 being", baseline.text)[1]
    assert "Dukes of Hazzard, The (2005) 5/5" in rated and rated.count("/5") == 6
    others = lists(run, recipient__key="u1", relation="wording")
    assert len(others) == 2 and len({other.text for other in others}) == 1
    for other in others:
        assert rated in other.text and other.text != baseline.text and "$" not in other.text
        assert other.given == baseline.given
        assert "likes the following" not in other.text
        assert other.text in [request["messages"][0]["content"] for request in requests]


def test_a_run_keeps_the_words_and_they_are_frozen(films):
    prompts = own(films), own(films, GERMAN, "german")
    run = plan(make_recommender(films), trial=wording(*(p.key for p in prompts)))
    assert run.frozen["wordings"] == {
        "own/again.v1": {"sha256": hashlib.sha256(AGAIN.encode()).hexdigest(), "text": AGAIN},
        "own/german.v1": {"sha256": hashlib.sha256(GERMAN.encode()).hexdigest(), "text": GERMAN},
    }
    for prompt in prompts:
        prompt.refresh_from_db()
        assert prompt.is_frozen  # the next save is another version
    assert {row.cell for row in lists(run)} == {
        "no_change",
        "wording:prompt=own/again.v1",
        "wording:prompt=own/german.v1",
    }
    other = plan(make_recommender(films, key="other"), trial=small())
    assert "wordings" not in other.frozen


def test_the_project_s_prompt_is_another_wording_of_a_study_s_own(films):
    judge = make_recommender(films, prompt=own(films).key)
    run = plan(judge, trial=wording("recommend.v1"))
    assert list(run.frozen["wordings"]) == ["recommend.v1"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own/nothing.v1", "found the wording 'own/nothing.v1'; allowed are .*: own/lost.v1, own/"),
        ("recommend-german.v1", "found the wording 'recommend-german.v1'; allowed are other"),
        ("recommend.v1", "is the recommender’s own prompt: nothing changes"),
        ("own/same.v1", "is the recommender’s own prompt: nothing changes"),
        ("own/lost.v1", r"no place for \$high, \$low, and besides one for nothing"),
        ("fit.v1", r"no place for \$high, .* and besides one for \$context"),
        ("", "name another prompt of the study"),
        (7, "name another prompt of the study"),
    ],
)
def test_words_that_ask_for_something_else_are_refused(films, name, words):
    own(films, name="lost", text="Person $user rated $rated. List $k.")
    own(films, name="same", text=fill.load("recommend.v1").text)
    with pytest.raises(PlanError, match=words):
        plan(make_recommender(films), trial=wording(name))
    assert not Run.objects.exists() and not StudyPrompt.objects.exclude(sha256="").exists()


def test_where_the_study_has_no_other_prompt_the_message_says_what_to_do(films):
    with pytest.raises(PlanError, match="none yet; write one under Prompts"):
        plan(make_recommender(films), trial=wording("recommend-german.v1"))


def test_the_command_and_the_page_take_them(films, as_owner):
    names = own(films).key, own(films, GERMAN, "german").key
    options = ["--l", 6, "--iterations", 1, "--wait", "--yes"]
    with ScriptedServer(said(FIRST)) as server:
        judge = make_recommender(films, server.url)
        relations = ",".join(f"wording:prompt={name}" for name in names)
        tell("films", "recommender", *options, "--relations", relations)
    texts = RecommendedList.objects.filter(relation="wording").exclude(text="")
    assert sorted(row.text[:4] for row in texts) == ["Gege", "You "]
    changes = {"relations": ["wording"], "relation": "wording", "user": "u1", "l": 6}
    chosen = {option_name("wording", "prompt"): "own/german.v1"}
    shown = as_owner.post(page(judge), entered(preview="", **changes | chosen)).text
    assert "<mark>Gegeben" in shown and "Nothing has been sent" in shown
    for name, words in (("own/nothing.v1", "found the wording"), ("", "name another prompt")):
        wrong = {option_name("wording", "prompt"): name}
        refused = as_owner.post(page(judge), entered(start="", **changes, **wrong))
        assert refused.status_code == 422 and words in refused.text
    with pytest.raises(CommandError, match="found the wording 'x'"):
        tell("films", "recommender", "--relations", "wording:prompt=x")


def test_a_wording_that_an_endpoint_ignores_changes_nothing(films):
    run, _ = asked(films, said(FIRST), wording(own(films).key))
    assert len({tuple(row.identities) for row in lists(run, recipient__key="u1")}) == 1
    assert drive.work_through(run.pk) is None


def test_the_texts_that_a_trial_fills(films):
    own(films)
    judge = make_recommender(films)
    texts = wordings.texts_of(judge, wording("own/again.v1").checked())
    assert list(texts) == ["", "own/again.v1"]
    assert texts[""] == fill.load("recommend.v1").text
    assert wordings.texts_of(judge, Trial().checked()) == {"": texts[""]}
