"""Profiles are written: from which episodes, of which replies, and what becomes of them."""

import gc
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from annotate.models import Content, Interaction, Item, Place, Recipient
from annotate.raters import profiles
from judges.methods.profile.method import KEYS, profile_in
from judges.models import Judge, Run, StudyPrompt
from judges.replies.parse import Reason
from judges.runs import drive, pilots, resume
from judges.runs.plan import hash_of, plan, settings_of
from judges.runs.reread import reread
from tests import factories
from tests.podcasts import make_podcasts
from tests.scripted_server import ScriptedServer, chat, valid

pytestmark = pytest.mark.django_db
NEWEST = datetime(2025, 6, 1, tzinfo=UTC)
WHOLE = {key: f"about {key}" for key in KEYS}


@pytest.fixture
def podcasts(owner):
    """The profile "profile-1" of r1 is there already; nobody has a history yet."""
    return make_podcasts(owner, pairs=1)


def listen(study, who, *shares, days_apart=1, **data):
    """Episodes that somebody heard, the newest first: titles e0, e1, …"""
    recipient = Recipient.objects.get_or_create(study=study, key=who)[0]
    for number, share in enumerate(shares):
        key = f"{who}-e{number}"
        content = Content.objects.create(study=study, key=key, title=key, show="Talk", data=data)
        Interaction.objects.create(
            study=study,
            recipient=recipient,
            content=content,
            share_listened=share,
            at=NEWEST - timedelta(days=number * days_apart),
        )
    return recipient


def make_writer(study, url="http://127.0.0.1:9/v1", key="writer", **fields):
    fields = {"method": Judge.Method.PROFILE, "prompt": "write-profile.v1"} | fields
    endpoint = factories.make_endpoint(url, key=f"local-{Judge.objects.count()}")
    return factories.make_judge(study, key, endpoint, **fields)


def write(study, script=valid, **fields):
    """(run, requests) of such a judge over the study's recipients."""
    with ScriptedServer(script) as server:
        run = plan(make_writer(study, server.url, **fields))
        drive.work_through(run.pk)
        run.refresh_from_db()
        return run, server.requests


def said(content, **fields):
    return lambda *_: chat(content if isinstance(content, str) else json.dumps(content), **fields)


def contents_of(run, **conditions):
    return [entry["content"] for entry in run.writings.get(**conditions).source]


def settled(run):
    return list(run.judgments.order_by("unit").values_list("state", "reason"))


# What a reply says


def nested(depth):
    """A text within so many lists."""
    return [nested(depth - 1)] if depth else "a"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({key: WHOLE[key] for key in KEYS[1:]}, Reason.LACKS_KEYS),
        (WHOLE | {"age": "old"}, Reason.OTHER_KEYS),
        (WHOLE | {"rationale": "because"}, Reason.OTHER_KEYS),
        (WHOLE | {"interests": " "}, Reason.NO_TEXT),
        (WHOLE | {"interests": []}, Reason.NO_TEXT),
        (WHOLE | {"interests": ["a", 5]}, Reason.NO_TEXT),
        (WHOLE | {"interests": 5}, Reason.NO_TEXT),
        (WHOLE | {"interests": nested(200)}, Reason.NO_TEXT),
        (WHOLE | {"interests": None}, Reason.NO_TEXT),
        (WHOLE | {"interests": {"e1": ""}}, Reason.NO_TEXT),
        (WHOLE | {"interests": "x" * 10_000}, Reason.TOO_LONG),
        (json.dumps(WHOLE)[:-1] + ', "interests": "b"}', Reason.KEY_TWICE),
        (json.dumps(WHOLE)[:-1], Reason.BROKEN_JSON),
        ("I am sorry, I cannot describe people.", Reason.NO_JSON),
        (" ", Reason.EMPTY),
    ],
)
def test_only_a_whole_profile_is_one(reply, reason):
    assert profile_in(reply if isinstance(reply, str) else json.dumps(reply)) is reason


def test_a_reply_that_was_cut_is_no_profile():
    assert profile_in(json.dumps(WHOLE), "length") is Reason.CUT_OFF


def test_a_whole_profile_is_a_paragraph_a_key_in_their_order():
    tags = {"interests": ["Linux", "bread"], "per_episode_interests": {"e1": ["a", "b"], "e2": "c"}}
    lines = profile_in("Here:\n```json\n" + json.dumps(WHOLE | tags) + "\n```").split("\n\n")
    assert [line.split(": ")[0] for line in lines] == [
        "Listening habits",
        "Engagement depth",
        "Format preference",
        "Exploration vs specialisation",
        "Cross disciplinary curiosity",
        "Per episode interests",
        "Interests",
    ]
    assert lines[0] == "Listening habits: about listening_habits"
    assert lines[5] == "Per episode interests: e1: a, b; e2: c"
    assert lines[6] == "Interests: Linux, bread"


# From which episodes


def test_the_most_listened_ones_are_taken_the_newer_of_equals_and_shown_the_newest_first(podcasts):
    listen(podcasts, "r1", 0.2, 0.9, 0.5, 0.9, None, 0.5)
    run, requests = write(podcasts, episodes=[3])
    assert contents_of(run) == ["r1-e1", "r1-e2", "r1-e3"]
    (message,) = requests[0]["messages"]
    text = message["content"]
    assert text.index("r1-e1") < text.index("r1-e2") < text.index("r1-e3")
    assert "r1-e0" not in text
    assert "90% listened to" in text
    assert "Shows:\n- Talk" in text


def test_or_the_newest_ones(podcasts):
    listen(podcasts, "r1", 0.2, 0.9, 0.5, 0.9)
    run, _ = write(podcasts, episodes=[2], pick="newest")
    assert contents_of(run) == ["r1-e0", "r1-e1"]


def test_the_days_are_counted_from_what_each_heard_last(podcasts):
    listen(podcasts, "r1", 1, 1, 1, 1, days_apart=45)
    assert contents_of(write(podcasts)[0]) == ["r1-e0", "r1-e1", "r1-e2"], "0, 45 and 90 days ago"
    assert len(contents_of(write(podcasts, key="all", days=0)[0])) == 4


def test_an_episode_heard_twice_counts_once_by_the_time_it_was_heard_most_of(podcasts):
    recipient = listen(podcasts, "r1", 0.1, 0.4)
    content = Content.objects.get(key="r1-e0")
    Interaction.objects.create(
        study=podcasts,
        recipient=recipient,
        content=content,
        share_listened=0.8,
        at=NEWEST - timedelta(days=9),
    )
    run, _ = write(podcasts)
    assert [(entry["content"], entry["share_listened"]) for entry in run.writings.get().source] == [
        ("r1-e1", 0.4),
        ("r1-e0", 0.8),
    ]


def test_who_has_too_little_is_not_asked_about_and_the_reason_says_why(podcasts):
    listen(podcasts, "few", 1, 1)
    timeless = listen(podcasts, "timeless", 1, 1, 1)
    timeless.interactions.update(at=None)
    run, requests = write(podcasts, episodes=[2, 3])
    assert len(requests) == 1
    assert [(one.recipient.key, one.wanted) for one in run.writings.order_by("unit")] == [
        ("r1", 2),
        ("r1", 3),
        ("few", 2),
        ("few", 3),
        ("timeless", 2),
        ("timeless", 3),
    ]
    nothing = "no profile: the recipient has no interactions with a known content"
    no_time = "no profile: no interaction of the recipient has a time, so there are no last 90 days"
    assert settled(run) == [
        ("not_asked", nothing),
        ("not_asked", nothing),
        ("done", ""),
        ("not_asked", "no profile: 3 episodes wanted, the recipient has 2 within 90 days"),
        ("not_asked", no_time),
        ("not_asked", no_time),
    ]
    assert Item.objects.filter(kind="profile").exclude(key="profile-1").count() == 1


def test_transcripts_are_shown_up_to_a_number_of_characters(podcasts):
    listen(podcasts, "r1", 1, transcript="Good <<<morning>>> everybody, " * 9)
    _, (request,) = write(podcasts, transcript_length=20)
    assert "Transcript: Good < < <morning> > […]" not in request["messages"][0]["content"]

    assert "  Transcript: Good < < <morning> > > e […]" in request["messages"][0]["content"]
    _, (request,) = write(podcasts, key="without")
    assert "Transcript:" not in request["messages"][0]["content"]


# What becomes of it


def test_a_sweep_writes_a_profile_of_each_number_and_each_can_be_rated(podcasts):
    listen(podcasts, "r1", 1, 1, 1)
    run, requests = write(podcasts, episodes=[3, 1, 2])
    assert run.state == Run.State.FINISHED
    assert len(requests) == 3
    items = [one.item for one in run.writings.order_by("unit")]
    assert [item.key for item in items] == [f"profile-r1-{n}-run{run.pk}" for n in (1, 2, 3)]
    for item, n in zip(items, (1, 2, 3), strict=True):
        assert (item.kind, item.recipient.key, item.parent) == ("profile", "r1", None)
        assert item.data == {"episodes": str(n), "written_by": "writer", "profile_run": str(run.pk)}
        assert item.text.startswith("Listening habits: because\n\nEngagement depth: because")
        places = Place.objects.filter(item=item, state="open")
        assert places.count() == podcasts.raters_per_item
    assert run.frozen["method"] == "profile"
    assert run.frozen["prompt"] == "write-profile.v1"
    assert run.settings_hash == hash_of(settings_of(run.judge))
    schema = requests[0]["response_format"]["json_schema"]["schema"]
    assert tuple(schema["properties"]) == tuple(schema["required"]) == KEYS


@pytest.mark.parametrize(
    ("script", "state", "reason"),
    [
        (said({"interests": "Linux"}), "unparsable", "profile without all seven keys"),
        (said(WHOLE | {"age": "9"}), "unparsable", "profile with keys that were not asked for"),
        (said("no JSON"), "unparsable", "no JSON in the reply"),
        (
            said(json.dumps(WHOLE), finish_reason="length"),
            "unparsable",
            "reply cut off at the token limit",
        ),
        (said("", message={"refusal": "I will not"}), "refused", "refused by the model"),
        (said("", status=404), "failed", "no such model or address (404)"),
    ],
)
def test_anything_less_leaves_a_state_and_a_reason_and_no_item(podcasts, script, state, reason):
    listen(podcasts, "r1", 1)
    run, _ = write(podcasts, script)
    assert settled(run) == [(state, reason)]
    assert run.state == Run.State.FINISHED
    assert run.calls.count() == 1
    assert list(Item.objects.filter(kind="profile").values_list("key", flat=True)) == ["profile-1"]


def test_what_failed_is_asked_again_and_no_other(podcasts):
    listen(podcasts, "r1", 1, 1)
    replies = iter([chat(json.dumps(WHOLE)), chat("nothing"), chat(json.dumps(WHOLE))])
    with ScriptedServer(lambda *_: next(replies)) as server:
        run = plan(make_writer(podcasts, server.url, episodes=[1, 2]))
        drive.work_through(run.pk)
        before = set(Item.objects.values_list("pk", "text"))
        assert resume.reset_failed(run) == 1
        drive.work_through(run.pk)
        assert len(server.requests) == 3
    assert settled(run) == [("done", ""), ("done", "")]
    assert before < set(Item.objects.values_list("pk", "text"))
    assert run.writings.filter(item=None).count() == 0


def test_another_run_writes_new_profiles_and_leaves_the_old_and_their_ratings(podcasts):
    listen(podcasts, "r1", 1)
    with ScriptedServer(valid) as server:
        judge = make_writer(podcasts, server.url)
        first, _ = resume.start(judge)
        drive.work_through(first.pk)
        item = first.writings.get().item
        question = next(q for q in podcasts.questions.all() if q.applies_to_kind("profile"))
        factories.make_rating(factories.make_session(podcasts), item, question, 4)
        second, _ = resume.start(judge)
        assert second.pk != first.pk
        drive.work_through(second.pk)
    assert second.writings.get().item != item
    assert second.calls.get().reused_from == first.calls.get(), "nothing was heard meanwhile"
    assert len(server.requests) == 1
    assert [r.value for r in item.ratings.all()] == [4]
    assert Item.objects.get(pk=item.pk).text == item.text


def test_an_item_of_that_id_is_left_alone(podcasts):
    listen(podcasts, "r1", 1)
    with ScriptedServer(valid) as server:
        run = plan(make_writer(podcasts, server.url))
        taken = factories.make_item(podcasts, f"profile-r1-1-run{run.pk}", text="mine")
        drive.work_through(run.pk)
    assert run.writings.get().item.key == f"profile-r1-1-run{run.pk}-2"
    assert Item.objects.get(pk=taken.pk).text == "mine"


def test_stored_replies_that_are_understood_later_become_items_once(podcasts, monkeypatch):
    listen(podcasts, "r1", 1)
    run, _ = write(podcasts, said({key: WHOLE[key] for key in KEYS[1:]}))
    # As if a later parser took six.
    monkeypatch.setattr("judges.methods.profile.method.KEYS", KEYS[1:])
    assert reread(run).gained == 1
    assert run.writings.get().item.text.startswith("Engagement depth")
    monkeypatch.undo()
    assert reread(run).read == 0, "what is written stays, whatever a parser would say"
    assert Item.objects.filter(data__profile_run=str(run.pk)).count() == 1


def test_the_run_keeps_to_its_budget(podcasts):
    listen(podcasts, "r1", 1, 1, 1)
    with ScriptedServer(valid) as server:
        judge = make_writer(podcasts, server.url, episodes=[1, 2, 3])
        judge.endpoint.price_in = judge.endpoint.price_out = 1
        judge.endpoint.save()
        run = plan(judge, budget="0.0065")
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.spent_usd <= run.budget_usd
    assert len(server.requests) == run.writings.exclude(item=None).count() >= 1


def test_a_sweep_of_many_waits_after_a_pilot_with_a_forecast(podcasts):
    listen(podcasts, "r1", *[1] * 25)
    with ScriptedServer(valid) as server:
        run, said = resume.start(make_writer(podcasts, server.url, episodes=list(range(1, 26))))
        assert "20 calls come first" in said
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert run.state == Run.State.WAITING
        assert run.writings.exclude(item=None).count() == 20
        found = pilots.forecast(run)
        assert (found.units, found.rest, found.bad, found.lines[0].whole[0]) == (20, 5, 0, 25)
        assert resume.confirm(run)
        drive.work_through(run.pk)
        run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert run.writings.exclude(item=None).count() == len(server.requests) == 25


def test_it_may_write_by_a_prompt_of_the_study_s_own(podcasts):
    listen(podcasts, "r1", 1)
    text = "In JSON, briefly.\n<<<HISTORY\n$listening\nHISTORY>>>"
    prompt = StudyPrompt.objects.create(
        study=podcasts, name="brief", method=Judge.Method.PROFILE, text=text
    )
    run, (request,) = write(podcasts, prompt=prompt.key)
    assert request["messages"][0]["content"].startswith(
        "In JSON, briefly.\n<<<HISTORY\nEpisodes:\n- r1-e0"
    )
    prompt.refresh_from_db()
    assert prompt.is_frozen
    assert settled(run) == [("done", "")]


@pytest.mark.parametrize(
    "fields", [{}, {"method": "fit", "prompt": "fit.v1", "context": "profile"}], ids=["it", "fit"]
)
def test_a_limit_leaves_no_cursor_for_the_collector_of_garbage(podcasts, fields):
    listen(podcasts, "r1", 1)
    listen(podcasts, "r2", 1)
    judge = make_writer(podcasts, **fields)
    gc.collect()
    gc.disable()  # it would close the cursor by chance, in the midst of any query
    try:
        assert plan(judge, limit=1).judgments.count() == 1
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT statement FROM pg_cursors")
                assert cursor.fetchall() == []
    finally:
        gc.enable()


# Which one counts


def test_of_several_the_newest_counts_and_of_one_run_that_of_the_most_episodes():
    loaded = [({}, "a"), ({"episodes": "40"}, "b")]
    swept = [({"profile_run": "1", "episodes": str(n)}, n) for n in (5, 20, 10)]
    assert profiles.newest(loaded)[1] == "b"
    assert profiles.newest(loaded + swept)[1] == 20
    assert profiles.newest([*swept, *loaded])[1] == "b"
    assert profiles.newest(loaded + swept, 10)[1] == 10
    assert profiles.newest(loaded + swept, 7) is None
    assert profiles.newest([]) is None
    assert profiles.newest([({"profile_run": "1", "episodes": "x"}, "c")])[1] == "c"


def test_a_judge_is_shown_the_profile_of_the_number_that_it_names(podcasts):
    listen(podcasts, "r1", 1, 1, 1)
    write(
        podcasts,
        lambda number, _: chat(json.dumps(WHOLE | {"interests": f"text {number}"})),
        episodes=[1, 2],
    )
    two = Item.objects.get(kind="profile", data__episodes="2")
    shown = {}
    for wanted in (0, 1, 7):
        with ScriptedServer(valid) as server:
            judge = make_writer(
                podcasts,
                server.url,
                f"fit {wanted}",
                method="fit",
                prompt="fit.v1",
                context="profile",
                profile_episodes=wanted,
            )
            run = plan(judge, limit=1)
            drive.work_through(run.pk)
            shown[wanted] = [request["messages"][0]["content"] for request in server.requests]
    assert two.text in shown[0][0]
    assert Item.objects.get(data__episodes="1").text in shown[1][0]
    assert shown[7] == []
    assert settled(run) == [
        ("not_asked", "no context: the recipient has no profile made of 7 episodes")
    ]


def test_the_history_judge_is_shown_transcripts_of_a_stated_length(podcasts):
    listen(podcasts, "r1", 1, transcript="One two three four")
    for length, words in ((7, "Transcript: One two […]"), (100, "Transcript: One two three four")):
        with ScriptedServer(valid) as server:
            judge = make_writer(
                podcasts,
                server.url,
                f"history {length}",
                method="fit",
                prompt="fit.v1",
                context="history",
                transcript_length=length,
            )
            run = plan(judge, limit=1)
            drive.work_through(run.pk)
            assert run.frozen["transcript_length"] == length
            assert words in server.requests[0]["messages"][0]["content"]
