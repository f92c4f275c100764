"""Statements are extracted by runs: which texts are asked about, and what becomes of replies."""

import pytest

from annotate.models import Item
from judges.methods.extract import topics, triplets
from judges.methods.extract.extract import NO_TEXT
from judges.models import Judgment, Run, Statement
from judges.runs import drive, resume
from judges.runs.plan import PlanError, hash_of, plan, settings_of
from tests import factories
from tests.extracting import (
    REVIEW,
    SEAMS,
    SMALL,
    SOFT,
    extract,
    found,
    make_extractor,
    make_item,
    reply,
    saying,
    settled,
    sides_read,
    text_of,
)
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return factories.make_study("clothes", owner)


# From texts to statements


def test_both_sides_become_statements_with_their_places(study):
    item = make_item(study)
    run, requests = extract(study)
    assert run.state == Run.State.FINISHED
    assert found(run, "generated") == [SOFT]
    assert found(run, "reference") == [SMALL, SEAMS]
    first, second = Statement.objects.filter(side="reference")
    assert (first.number, second.number) == (1, 2)
    assert REVIEW[first.start : first.end] == "runs small"
    assert REVIEW[second.start : second.end] == "The seams ripped after one wash."
    assert settled(run) == [("done", 1, ""), ("done", 2, "")]
    assert run.frozen["topics"] == topics.ready()["clothes"]
    assert run.settings_hash == hash_of(settings_of(run.judge))
    assert len(requests) == 2
    assert "- fit: Size against what was expected" in requests[0]["messages"][0]["content"]
    assert sides_read(study) == {
        (item.pk, "generated"): run.pk,
        (item.pk, "reference"): run.pk,
    }


def test_the_schema_offers_the_topics_and_the_sentiments(study):
    make_item(study)
    _, (request, _) = extract(study, valid_list)
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["statements"]["maxItems"] == 100
    items = schema["properties"]["statements"]["items"]["properties"]
    assert items["topic"]["enum"] == [name for name, _ in topics.ready()["clothes"]]
    assert items["sentiment"]["enum"] == ["positive", "negative", "neutral"]


def valid_list(*_):
    return reply()


@pytest.mark.parametrize(
    ("sides", "read"),
    [
        ("both", {"generated", "reference"}),
        ("generated", {"generated"}),
        ("reference", {"reference"}),
    ],
)
def test_the_sides_are_a_setting(study, sides, read):
    make_item(study)
    run, _ = extract(study, sides=sides)
    assert set(run.extractions.values_list("side", flat=True)) == read
    assert run.frozen["sides"] == sides


def test_the_reference_stands_in_where_there_is_no_review(study):
    make_item(study, review=" ", reference="It runs small.")
    make_item(study, "b", reference="The fabric pills.")
    run, requests = extract(study, sides="reference")
    assert [text_of(request) for request in requests] == ["It runs small.", REVIEW]
    assert found(run, "reference") == [SMALL, SEAMS]


def test_a_text_of_several_items_is_asked_about_once_and_each_has_its_statements(study):
    for key in "abc":
        make_item(study, key, text=f"Because the fabric of {key} is soft.", system=key)
    make_item(study, "d", text=REVIEW, system="d")
    run, requests = extract(study)
    assert sorted(map(text_of, requests)) == sorted(
        [*(f"Because the fabric of {key} is soft." for key in "abc"), REVIEW]
    )
    assert [found(run, "reference", key) for key in "abcd"] == [[SMALL, SEAMS]] * 4
    assert found(run, "generated", "d") == [SMALL, SEAMS], "also as a generated text"
    places = set(Statement.objects.filter(statement="runs small").values_list("start", "end"))
    assert places == {(3, 13)}


def test_an_empty_text_is_not_asked_about_and_says_why(study):
    item = make_item(study, text=" ", review="")
    other = make_item(study, "b", review="\n")
    run, requests = extract(study)
    assert len(requests) == 1
    no_text, no_review = NO_TEXT["generated"], NO_TEXT["reference"]
    assert settled(run) == [
        ("not_asked", None, no_text),
        ("not_asked", None, no_review),
        ("done", 1, ""),
        ("not_asked", None, no_review),
    ]
    assert sides_read(study) == {(other.pk, "generated"): run.pk}
    assert not Statement.objects.filter(item=item).exists()


def test_a_text_that_explains_nothing_is_done_with_no_statement(study):
    item = make_item(study, text="Great!", review="I love it!")
    run, _ = extract(study)
    assert settled(run) == [("done", 0, ""), ("done", 0, "")]
    assert set(run.extractions.values_list("kept", flat=True)) == {0}
    assert set(sides_read(study)) == {(item.pk, "generated"), (item.pk, "reference")}


def test_what_is_dropped_stays_visible_with_why(study):
    make_item(study)
    wrong = [["smells", "scent", "neutral"], ["is ok", "fit", "mixed"], SMALL, "runs small", {}]
    entries = [
        SMALL,
        *wrong[:3],
        *({"statement": w} if isinstance(w, str) else w for w in wrong[3:]),
    ]
    run, _ = extract(study, lambda *_: reply(*entries), sides="reference")
    assert found(run, "reference") == [SMALL]
    extraction = run.extractions.get()
    assert extraction.kept == 1
    assert [(each["statement"], each["why"]) for each in extraction.dropped] == [
        ("smells", triplets.OTHER_TOPIC),
        ("is ok", triplets.OTHER_SENTIMENT),
        ("runs small", triplets.TWICE),
        ("runs small", triplets.NO_TRIPLET),
        ("", triplets.NO_TRIPLET),
    ]


def test_own_topics_are_asked_for_and_no_other_kept(study):
    make_item(study, review="The plot drags.")
    said = lambda *_: reply(["plot drags", "plot", "negative"], SMALL)  # noqa: E731
    run, (request,) = extract(study, said, sides="reference", topics=[["plot", "What happens"]])
    assert found(run, "reference") == [["plot drags", "plot", "negative"]]
    assert "- plot: What happens\n" in request["messages"][0]["content"]


def test_a_long_text_is_asked_about_in_parts_that_are_put_together(study):
    review = "It runs small. " * 40 + "The seams ripped. " + "It still runs small. " * 20
    item = make_item(study, review=review)
    run, requests = extract(
        study,
        saying({"runs small": [SMALL], "seams": [["seams rip", "construction", "negative"]]}),
        sides="reference",
        part_length=500,
    )
    assert len(requests) == 3
    assert all(len(text_of(request)) <= 500 for request in requests)
    parts = run.extractions.order_by("part")
    assert "".join(part.text for part in parts) == review
    assert [part.start for part in parts] == [0, 494, 974], (
        "14 + 32 × 15; 18 + 7 × 15 + 17 × 21 more"
    )
    assert found(run, "reference") == [SMALL, ["seams rip", "construction", "negative"]]
    assert list(Statement.objects.values_list("number", flat=True)) == [1, 2]
    seams = Statement.objects.get(number=2)
    assert review[seams.start : seams.end] == "The seams ripped."
    assert [len(part.dropped) for part in parts] == [0, 1, 1]
    assert [part.kept for part in parts] == [1, 1, 0]
    assert sides_read(study) == {(item.pk, "reference"): run.pk}


def test_statements_of_a_text_are_written_with_its_last_part_in_the_order_of_the_text(study):
    make_item(study, review="The first part. " * 31 + "The second part.")
    replies = iter([reply(["first", "fit", "neutral"]), reply(["second", "fit", "neutral"])])
    with ScriptedServer(lambda *_: next(replies)) as server:
        judge = make_extractor(study, server.url, sides="reference", part_length=500)
        run = plan(judge)
        Judgment.objects.filter(run=run, unit=0).update(state="leased")  # the second comes first
        drive.work_through(run.pk)
        assert Statement.objects.count() == 0
        Judgment.objects.filter(run=run, unit=0).update(state="pending")
        drive.work_through(run.pk)
    rows = Statement.objects.order_by("number").values_list("number", "statement")
    assert list(rows) == [(1, "second"), (2, "first")], "the first part had the second reply"


def test_a_text_of_which_a_part_failed_does_not_speak_until_it_is_asked_again(study):
    item = make_item(study, review="It runs small. " * 40)
    replies = iter([reply(SMALL), chat("no"), reply(SEAMS)])
    with ScriptedServer(lambda *_: next(replies)) as server:
        endpoint = dict(sides="reference", part_length=500)
        run = plan(make_extractor(study, server.url, **endpoint))
        run.judge.endpoint.__class__.objects.update(concurrency=1)
        drive.work_through(run.pk)
        assert found(run, "reference") == [SMALL], "kept, and shown"
        assert sides_read(study) == {}
        assert not Statement.objects.speaking(study).exists()
        assert resume.reset_failed(run) == 1
        drive.work_through(run.pk)
    assert found(run, "reference") == [SMALL, SEAMS]
    assert sides_read(study) == {(item.pk, "reference"): run.pk}
    assert Statement.objects.speaking(study).count() == 2


def test_statements_keep_characters_beyond_the_basic_plane_and_other_scripts(study):
    review = "👗🧵 很舒服,但是偏小。Größe fällt klein aus."
    make_item(study, review=review)
    said = [["偏小", "fit", "negative"], ["Größe fällt klein aus", "fit", "negative"]]
    extract(study, lambda *_: reply(*said), sides="reference")
    places = [(one.start, one.end) for one in Statement.objects.all()]
    assert [review[start:end] for start, end in places] == [each[0] for each in said]


def test_only_explanations_and_texts_that_nobody_practises_on_are_read(study):
    make_item(study)
    for kind in (Item.Kind.STATEMENT, Item.Kind.PROFILE, Item.Kind.RECOMMENDATION):
        make_item(study, str(kind), kind=kind)
    make_item(study, "practice", is_practice=True)
    run, _ = extract(study)
    assert set(run.extractions.values_list("item__key", flat=True)) == {"a"}


def test_without_such_an_item_there_is_no_run(study):
    make_item(study, kind=Item.Kind.PROFILE)
    with pytest.raises(PlanError, match="no explanation or text"):
        plan(make_extractor(study))


def test_a_limit_is_of_items(study):
    for key in "abc":
        make_item(study, key, text=key)
    run = plan(make_extractor(study), limit=2)
    assert set(run.extractions.values_list("item__key", flat=True)) == {"a", "b"}
