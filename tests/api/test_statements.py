"""Statements by the API: which are told, and how."""

import pytest
from django.core.cache import cache

from annotate.api.auth import Requests
from annotate.design import splits
from judges.models import Extraction, Statement
from judges.statements import edit
from tests.api.conftest import ROOT
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SEED = 7  # at .5 the recipient r1 is in the test part and r2 is not, see test_locked_part.py
WARM, SMALL = ("it is warm", "comfort", "positive"), ("it runs small", "fit", "negative")


@pytest.fixture
def study(owner):
    """Item a says WARM, its review WARM and SMALL; item b's review says SMALL."""
    study = make_factuality(owner, "films")
    text = "Because it is warm. It dries fast."
    make_explained(study, "a", [WARM], [WARM, SMALL], recipient="r2", text=text)
    make_explained(study, "b", [], [SMALL], recipient="r1")
    Extraction.objects.filter(item__key="a", side="generated").update(text=text)
    Statement.objects.update(start=8, end=18)
    for run in {one.run for one in Statement.objects.all()}:
        run.frozen = {"topics": [["comfort", ""], ["fit", ""], ["care", ""]]}
        run.save()
    return study


@pytest.fixture
def one(study):
    return Statement.objects.get(item__key="a", side="generated")


def said(answer):
    return [(row["item"], row["side"], row["statement"]) for row in answer.json()["results"]]


def test_all_there_is_about_a_statement(api, at, one):
    assert api.get(at(f"statements/{one.pk}/")).json() == {
        "id": one.pk,
        "item": "a",
        "side": "generated",
        "number": 1,
        "statement": "it is warm",
        "topic": "comfort",
        "sentiment": "positive",
        "original_statement": "it is warm",
        "original_topic": "comfort",
        "original_sentiment": "positive",
        "start": 8,
        "end": 18,
        "origin": "model",
        "run": one.run_id,
        "judge": one.run.judge.key,
        "removed": False,
        "changed_at": None,
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"item": "b"}, [("b", "reference", SMALL[0])]),
        ({"side": "generated"}, [("a", "generated", WARM[0])]),
        ({"topic": "fit", "item": "a"}, [("a", "reference", SMALL[0])]),
        ({"sentiment": "positive", "side": "reference"}, [("a", "reference", WARM[0])]),
        ({"origin": "person"}, []),
        ({"origin": "model", "side": "generated"}, [("a", "generated", WARM[0])]),
    ],
)
def test_a_list_is_of_what_is_asked_for(api, at, study, query, expected):
    assert said(api.get(at("statements/"), query)) == expected


def test_a_run_s_own_and_those_that_count(api, at, study, one, owner):
    older = make_explained(study, "c", [WARM], [], recipient="r2")
    first = Statement.objects.get(item=older).run_id
    from_c = [("c", "generated", WARM[0])]
    assert said(api.get(at("statements/"), {"run": first})) == from_c
    edit.remove(one.pk, owner)
    counting = said(api.get(at("statements/"), {"which": "counting"}))
    assert ("a", "generated", WARM[0]) not in counting and len(counting) == 4
    assert len(said(api.get(at("statements/"), {"which": "all"}))) == 5


def test_a_correction_stands_beside_what_was_extracted(api, at, one, owner):
    edit.correct(
        one.pk, {"statement": one.statement, "topic": "fit", "sentiment": "neutral"}, owner
    )
    row = api.get(at(f"statements/{one.pk}/")).json()
    assert (row["statement"], row["topic"], row["sentiment"]) == ("it is warm", "fit", "neutral")
    assert (row["original_topic"], row["original_sentiment"]) == ("comfort", "positive")
    assert row["changed_at"]


def test_a_removed_one_stays_in_the_list(api, at, one, owner):
    edit.remove(one.pk, owner)
    assert api.get(at("statements/"), {"side": "generated"}).json()["results"][0]["removed"]


def test_statements_are_changed_on_their_pages_alone(api, at, one):
    assert api.post(at("statements/"), {"item": "a"}).status_code == 405
    assert api.patch(at(f"statements/{one.pk}/"), {"topic": "fit"}).status_code == 405


def test_another_study_s_statement_is_not_here(api, at, study, owner):
    other = make_factuality(owner, "shoes")
    make_explained(other, "x", [WARM], [])
    pk = Statement.objects.get(item__study=other).pk
    assert api.get(at(f"statements/{pk}/")).status_code == 404


def test_of_a_locked_test_part_nothing_is_told(api, at, study):
    splits.lock(study, SEED, 0.5, "owner")
    hidden = Statement.objects.get(item__key="b").pk
    assert {item for item, *_ in said(api.get(at("statements/")))} == {"a"}
    assert {item for item, *_ in said(api.get(at("statements/"), {"which": "counting"}))} == {"a"}
    assert not said(api.get(at("statements/"), {"item": "b"}))
    assert api.get(at(f"statements/{hidden}/")).status_code == 404


def test_pages_lead_on_and_take_as_many_queries_for_many(
    api, at, study, django_assert_max_num_queries
):
    rows = [(f"it is {number} cm long", "fit", "neutral") for number in range(30)]
    make_explained(study, "long", rows, [], recipient="r2")
    with django_assert_max_num_queries(4):
        first = api.get(at("statements/"), {"page_size": 20}).json()
    second = api.get(first["next"]).json()
    numbers = [row["id"] for page in (first, second) for row in page["results"]]
    assert numbers == sorted(Statement.objects.values_list("pk", flat=True)) and not second["next"]


def test_a_list_takes_as_many_queries_however_many_items_are_locked(
    api, study, owner, django_assert_num_queries, django_assert_max_num_queries
):
    addresses = []
    for slug, hidden in (("few", 3), ("many", 30)):
        other = make_factuality(owner, slug)
        make_explained(other, "shown", [WARM], [], recipient="r2")
        for number in range(hidden):
            make_explained(other, f"h{number}", [SMALL], [], recipient="r1")
        splits.lock(other, SEED, 0.5, "owner")
        assert len(splits.withheld(other)) == hidden
        addresses.append(f"{ROOT}{slug}/statements/")
    api.get(addresses[0])  # the first call of a token is noted
    for query in ({}, {"which": "counting"}):
        with django_assert_max_num_queries(5) as few:
            first = said(api.get(addresses[0], query))
        with django_assert_num_queries(len(few)):
            assert said(api.get(addresses[1], query)) == first
        assert first == [("shown", "generated", WARM[0])]


def test_too_many_requests_wait(api, at, study, monkeypatch):
    monkeypatch.setattr(Requests, "get_rate", lambda self: "2/min")
    cache.clear()
    assert [api.get(at("statements/")).status_code for _ in range(3)] == [200, 200, 429]
