"""Other words for the same question: translations and paraphrases of a recommender's prompt."""

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
READY = ["recommend-german.v1", "recommend-spanish.v1"]
PARAPHRASE = (
    "You recommend. Person $user rated these (from $low, the worst, to $high, the best): $rated. "
    "List $k more, each on a line of its own (a $word), nothing else."
)


def wording(*names):
    return small(l=6, relations=[["wording", {"prompt": name}] for name in names])


def own(study, text=PARAPHRASE, name="said-again", method="recommender"):
    return StudyPrompt.objects.create(study=study, name=name, method=method, text=text)


@pytest.mark.parametrize("name", READY)
def test_a_translation_has_the_places_of_the_prompt_and_its_numbers_in_order(name):
    ready, usual = (fill.load(each).text for each in (name, "recommend.v1"))
    assert re.findall(r"\$[a-z]+", ready) != []
    assert sorted(re.findall(r"\$[a-z]+", ready)) == sorted(re.findall(r"\$[a-z]+", usual))
    assert not re.search(r"\d", ready)


@pytest.mark.parametrize("name", [*READY, "own/said-again.v1"])
def test_titles_and_ratings_stay_to_the_letter(films, name):
    own(films)
    run, requests = asked(films, said(FIRST), wording(name))
    baseline = lists(run, recipient__key="u1", iteration=0)[0]
    rated = re.search(r"following items: (.*?)\. \(1 being", baseline.text)[1]
    assert "Dukes of Hazzard, The (2005) 5/5" in rated and rated.count("/5") == 6
    others = lists(run, recipient__key="u1", relation="wording")
    assert len(others) == 2 and len({one.text for one in others}) == 1
    for one in others:
        assert rated in one.text and one.text != baseline.text and "$" not in one.text
        assert one.given == baseline.given and "movie" in one.text
        assert "likes the following" not in one.text
        assert one.text in [request["messages"][0]["content"] for request in requests]


def test_a_run_keeps_the_words_and_they_are_frozen(films):
    prompt = own(films)
    run = plan(make_recommender(films), trial=wording(prompt.key, READY[0]))
    digest, ready = hashlib.sha256(PARAPHRASE.encode()).hexdigest(), fill.load(READY[0])
    assert run.frozen["wordings"] == {
        prompt.key: {"sha256": digest, "text": PARAPHRASE},
        READY[0]: {"sha256": ready.sha256, "text": ready.text},
    }
    prompt.refresh_from_db()
    assert prompt.is_frozen  # the next save is another version
    assert {one.cell for one in lists(run)} == {
        "no_change",
        f"wording:prompt={prompt.key}",
        f"wording:prompt={READY[0]}",
    }
    other = plan(make_recommender(films, key="other"), trial=small())
    assert "wordings" not in other.frozen


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own/nothing.v1", "found the wording 'own/nothing.v1'; allowed are .*recommend-german.v1"),
        ("recommend.v1", "is the recommender’s own prompt: nothing changes"),
        ("own/same.v1", "is the recommender’s own prompt: nothing changes"),
        ("own/lost.v1", r"no place for \$high, \$low, and besides one for nothing"),
        ("fit.v1", r"no place for \$high, .* and besides one for \$context"),
        ("", "the prompt must be named"),
        (7, "the prompt must be named"),
    ],
)
def test_words_that_ask_for_something_else_are_refused(films, name, words):
    own(films, name="lost", text="Person $user rated $rated. List $k.")
    own(films, name="same", text=fill.load("recommend.v1").text)
    with pytest.raises(PlanError, match=words):
        plan(make_recommender(films), trial=wording(name))
    assert not Run.objects.exists() and not StudyPrompt.objects.exclude(sha256="").exists()


def test_the_command_and_the_page_take_them(films, as_owner):
    with ScriptedServer(said(FIRST)) as server:
        judge = make_recommender(films, server.url)
        relations = f"wording:prompt={READY[0]},wording:prompt={READY[1]}"
        tell(
            "films",
            "recommender",
            "--l",
            6,
            "--iterations",
            1,
            "--relations",
            relations,
            "--wait",
            "--yes",
        )
    texts = RecommendedList.objects.filter(relation="wording").exclude(text="")
    assert sorted(one.text[:4] for one in texts) == ["Dado", "Gege"]
    changes = {"relations": ["wording"], "relation": "wording", "user": "u1", "l": 6}
    shown = as_owner.post(page(judge), entered(preview="", **changes)).text
    assert "<mark>Gegeben" in shown and "Nothing has been sent" in shown
    wrong = {option_name("wording", "prompt"): "own/nothing.v1"}
    refused = as_owner.post(page(judge), entered(start="", **changes, **wrong))
    assert refused.status_code == 422 and "found the wording" in refused.text
    with pytest.raises(CommandError, match="found the wording 'x'"):
        tell("films", "recommender", "--relations", "wording:prompt=x")


def test_a_wording_that_an_endpoint_ignores_changes_nothing(films):
    run, _ = asked(films, said(FIRST), wording(READY[1]))
    assert len({tuple(one.identities) for one in lists(run, recipient__key="u1")}) == 1
    assert drive.work_through(run.pk) is None


def test_the_texts_that_a_trial_fills(films):
    judge = make_recommender(films)
    texts = wordings.texts_of(judge, wording(READY[0]).checked())
    assert list(texts) == ["", READY[0]]
    assert texts[""] == fill.load("recommend.v1").text
    assert wordings.texts_of(judge, Trial().checked()) == {"": texts[""]}
