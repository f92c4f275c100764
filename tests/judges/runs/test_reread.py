"""Stored replies read again: values change as the parser does, and nothing is asked."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.values.scales.choice import Choice
from judges.endpoints import client
from judges.models import Judgment, Run
from judges.replies import parse
from judges.runs import drive, resume
from judges.runs.plan import PlanError, plan
from judges.runs.reread import reread
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat

pytestmark = pytest.mark.django_db
OFF = json.dumps(dict.fromkeys(factories.ASPECTS, 3) | {"accuracy": 9})


def finished(study, script, **judge_fields):
    """A run of that server worked through, and the server's number of requests."""
    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url, timeout_seconds=5)
        run = plan(factories.make_judge(study, "judge", endpoint, **judge_fields))
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run


def command(*arguments):
    output = StringIO()
    call_command("run_judge", "films", "judge", *arguments, stdout=output)
    return output.getvalue()


def kept(run):
    fields = ("pk", "state", "value", "reason", "rationale", "call", "settled_at")
    return sorted(run.judgments.values_list(*fields))


def test_the_same_parser_changes_nothing(study):
    replies = [chat(OFF), chat("I would say four."), chat(None, message={"refusal": "No."})]
    script = lambda n, request: replies[n] if n < 3 else chat(by_schema(request))  # noqa: E731
    run = finished(study, script, rationale=True)
    before = kept(run)
    found = reread(run)
    assert (found.read, found.changed) == (12, 0), "a refusal is no reply to read"
    assert str(found).endswith("nothing changed.")
    assert kept(run) == before
    assert run.calls.count() == 4


def test_a_better_parser_finds_what_an_older_one_missed(study, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(parse, "_last_object", lambda *_: (None, 0))
        run = finished(study, lambda *_: chat(OFF))
    assert set(run.judgments.values_list("reason", flat=True)) == {"no JSON in the reply"}
    found = reread(run)
    assert (found.gained, found.reworded, found.lost, found.other) == (12, 4, 0, 0)
    assert run.judgments.filter(state="done", value=3, reason="").count() == 12
    off = run.judgments.filter(state="unparsable", reason="answer off the scale", value=None)
    assert set(off.values_list("question__key", flat=True)) == {"accuracy"}
    assert off.count() == 4
    assert run.calls.count() == 4, "nothing was asked"


def test_a_value_that_was_read_wrongly_is_corrected_or_taken_back(study):
    run = finished(study, lambda *_: chat(OFF))
    wrong, missing = run.judgments.filter(state="done")[:2]
    at = wrong.settled_at
    Judgment.objects.filter(pk=wrong.pk).update(value=5)
    run.judgments.filter(unit=3, question__key="accuracy").update(
        state="done", value=5.0, reason=""
    )
    found = reread(run)
    assert (found.other, found.lost, found.changed) == (1, 1, 2)
    assert "2 changed (1 have none any more, 1 have another value)" in str(found)
    wrong.refresh_from_db()
    assert wrong.value == 3
    assert wrong.settled_at > at, "reports are computed anew"
    missing.refresh_from_db()
    assert missing.value == 3


THOUGHT = f"<think>{json.dumps(dict.fromkeys(factories.ASPECTS, 2))}</think>The clarity is 4."


def test_what_older_parsers_took_from_thoughts_and_cut_replies_is_taken_back(study, monkeypatch):
    said = json.dumps(dict.fromkeys(factories.ASPECTS, 3))
    replies = [chat(THOUGHT), chat(THOUGHT + said), chat(said, "error"), chat(said, "SAFETY")]
    with monkeypatch.context() as older:
        older.setattr(parse, "without_thoughts", lambda reply: reply)
        older.setattr(parse, "why_not_whole", lambda reason: None)
        older.setattr(client, "why_not_whole", lambda reason: None)
        run = finished(study, lambda n, _: replies[n])
    replies = list(run.calls.values_list("reply", flat=True))
    assert run.judgments.filter(state="done").count() == 16
    found = reread(run)
    assert (found.read, found.lost, found.changed) == (16, 12, 12)
    assert "12 changed (12 have none any more)" in str(found)
    assert set(run.judgments.values_list("state", "value", "reason")) == {
        ("unparsable", None, "no JSON in the reply"),
        ("done", 3.0, ""),
        ("unparsable", None, "reply not whole, the endpoint ended it with “error”"),
        ("refused", None, "stopped by the content filter"),
    }
    assert list(run.calls.values_list("reply", flat=True)) == replies, "as they arrived"


def test_a_reply_is_read_with_all_the_questions_that_its_call_asked(study):
    """One question was asked again since, in vain: its first reply still answers the others."""
    run = finished(study, lambda *_: chat(OFF))
    assert resume.reset_failed(run) == 4
    with ScriptedServer(lambda *_: Reply("", 404)) as server:
        run.judge.endpoint.base_url = server.url
        run.judge.endpoint.save()
        drive.work_through(run.pk)
    before = kept(run)
    found = reread(run)
    assert (found.read, found.changed) == (12, 0)
    assert kept(run) == before


STARS = {"kind": "choice", "low": 1, "high": 3, "labels": ["3", "2", "1"]}


@pytest.mark.parametrize("is_schema_kept", [True, False])
@pytest.mark.parametrize("is_old", [True, False])
def test_a_rank_that_an_older_version_asked_for_is_not_read_as_a_label(
    study, monkeypatch, is_schema_kept, is_old
):
    """Of three stars, the last label is 1; older versions asked for its rank, 3."""
    study.questions.update(scale_spec=STARS)
    scored = json.dumps(dict.fromkeys(factories.ASPECTS, 3 if is_old else "1"))
    with monkeypatch.context() as older:
        if is_old:
            older.setattr(Choice, "has_number_labels", False)
        with ScriptedServer(lambda *_: chat(scored)) as server:
            fields = {"timeout_seconds": 5, "json_schema": is_schema_kept}
            endpoint = factories.make_endpoint(server.url, **fields)
            run = plan(factories.make_judge(study, "judge", endpoint))
            drive.work_through(run.pk)
    assert set(run.judgments.values_list("value", flat=True)) == {3.0}
    found = reread(run)
    assert set(run.judgments.values_list("value", flat=True)) == {3.0}
    assert (found.read, found.ranks, found.changed) == ((0, 16, 0) if is_old else (16, 0, 0))
    assert ("16 were left as they are" in str(found)) is is_old


def test_an_active_run_is_left_alone(study):
    run = plan(factories.make_judge(study, "judge", factories.make_endpoint()))
    with pytest.raises(PlanError, match="Let it finish or cancel it first"):
        reread(run)


def test_the_command_reads_again_and_says_what_changed(study):
    run = finished(study, lambda *_: chat(OFF))
    run.judgments.filter(state="unparsable").update(state="done", value=5.0, reason="")
    said = command("--reparse")
    assert "16 judgments were read again" in said
    assert "4 changed (4 have none any more)" in said
    assert "nothing changed" in command("--reparse")


def test_the_command_asks_only_what_failed_again(study):
    run = finished(study, lambda *_: chat(OFF))
    with ScriptedServer() as server:
        run.judge.endpoint.base_url = server.url
        run.judge.endpoint.save()
        said = command("--retry-failed", "--wait")
        assert "4 judgments without a value are asked again" in said
        assert "16 judged, 0 without a value" in said
        assert len(server.requests) == 4
        assert "0 judgments without a value are asked again" in command("--retry-failed")
    assert run.judgments.filter(value=3).count() == 12
    assert run.judgments.filter(value=5).count() == 4
    assert Run.objects.count() == 1


def test_the_command_says_why_there_is_nothing_to_repeat(study):
    judge = factories.make_judge(study, "judge", factories.make_endpoint())
    for option in ("--reparse", "--retry-failed"):
        with pytest.raises(CommandError, match="has not been run yet"):
            command(option)
    plan(judge)
    with pytest.raises(CommandError, match="not finished"):
        command("--retry-failed")
    with pytest.raises(CommandError, match="is active"):
        command("--reparse")
    with pytest.raises(CommandError, match="are for new runs"):
        command("--retry-failed", "--limit", "2")
