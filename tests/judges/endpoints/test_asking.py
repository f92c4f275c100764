"""A run leaves out what its endpoint refuses by name, and never mixes with and without."""

import json

import pytest
from django.conf import settings as django_settings

from judges.endpoints.parameters import named_in
from judges.models import Endpoint, Judge, Window
from judges.pages.run_views import REFUSED_TEMPERATURE
from judges.runs import drive, plan
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, chat

pytestmark = pytest.mark.django_db
GOOD = json.dumps(dict.fromkeys(factories.ASPECTS, 4))
PLACES = 16  # calls at once at the beginning


def refusing(*names, words="{} is no good.", status=400):
    """An endpoint that names the first of these that it is sent; without them it answers."""

    def script(_number, request):
        for name in names:
            if name in request:
                error = {"message": words.format(name), "type": "invalid_request_error"}
                return Reply({"error": error}, status)
        return chat(GOOD)

    return script


def worked(study, server, key="judge", endpoint=None, endpoint_fields=None, **judge_fields):
    """The run of a new judge, worked through."""
    fields = {"timeout_seconds": 5, "json_schema": False} | (endpoint_fields or {})
    endpoint = endpoint or factories.make_endpoint(server.url, **fields)
    run = plan.plan(factories.make_judge(study, key, endpoint, **judge_fields))
    drive.work_through(run.pk)
    run.refresh_from_db()
    return run


def states(run):
    return set(run.judgments.values_list("state", flat=True))


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=40)


def test_a_run_finds_out_once_and_says_so(study, as_owner):
    with ScriptedServer(refusing("temperature")) as server:
        run = worked(study, server)
        asked = [request for request in server.requests if "temperature" in request]
        assert states(run) == {"done"} and 1 <= len(asked) <= PLACES
        assert len(server.requests) == len(asked) + 40
        assert set(run.calls.values_list("failure", flat=True)) == {""}
        assert not [c for c in run.calls.all() if "temperature" in c.parameters]
        judge, endpoint = Judge.objects.get(), Endpoint.objects.get()
        assert run.frozen["not_taken"].keys() == {"temperature"}
        assert "temperature is no good" in run.frozen["not_taken"]["temperature"]
        assert judge.settings_hash == run.settings_hash == plan.hash_of(plan.settings_of(judge))
        page = as_owner.get(run.get_absolute_url()).text
        assert "temperature is no good" in page and REFUSED_TEMPERATURE in page
        server.requests.clear()
        again = plan.plan(judge)
        drive.work_through(again.pk)
        later = worked(study, server, "later", endpoint)
        assert not [request for request in server.requests if "temperature" in request]
    assert again.settings_hash == run.settings_hash and "refused" not in again.frozen
    assert later.frozen["refused"] == ["temperature"] and "not_taken" not in later.frozen


@pytest.mark.parametrize(
    ("names", "fields", "sent"),
    [
        (["max_tokens"], {}, {"temperature", "max_completion_tokens"}),
        (["temperature", "max_tokens"], {}, {"max_completion_tokens"}),
        (["logprobs"], {"weighted": True}, {"temperature", "max_tokens"}),
        (["top_logprobs"], {"weighted": True}, {"temperature", "max_tokens"}),
        (["response_format"], {}, {"temperature", "max_tokens"}),
        (["response_format", "temperature", "logprobs"], {"weighted": True}, {"max_tokens"}),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_so_with_every_parameter_and_with_several(study, names, fields, sent, status):
    with ScriptedServer(refusing(*names, status=status)) as server:
        schema = {"json_schema": "response_format" in names}
        run = worked(study, server, endpoint_fields=schema, **fields)
    assert states(run) == {"done"}
    assert server.requests[-1].keys() == {"model", "messages"} | sent
    assert len(server.requests) <= 40 + len(names) * PLACES


def test_what_was_answered_with_a_parameter_is_never_answered_without_it(study):
    """A judge whose endpoint changes its mind does not become another one."""
    late = refusing("temperature")
    with ScriptedServer(lambda n, r: chat(GOOD) if n < 20 else late(n, r)) as server:
        run = worked(study, server)
        assert states(run) == {"done", "pending"}  # five refusals in a row stop a run
        assert all("temperature" in request for request in server.requests)
        again = plan.plan(Judge.objects.get())
        drive.work_through(again.pk)
        assert all("temperature" in request for request in server.requests)
    assert "not_taken" not in again.frozen | run.frozen
    assert Endpoint.objects.get().refused == []


def test_a_refusal_that_stays_is_kept_as_it_was_said(study):
    """The error names a parameter, but is about something else: one trial, and no more."""
    words = "temperature and max_tokens are fine, but call {} is not"
    script = lambda n, r: Reply({"error": {"message": words.format(n)}}, 400)  # noqa: E731
    with ScriptedServer(script) as server:
        run = worked(study, server)
    assert states(run) == {"pending"} and "not_taken" not in run.frozen
    assert sum("temperature" not in request for request in server.requests) == 2
    for call in run.calls.all():
        assert "temperature" in call.parameters and "max_tokens" in call.parameters


@pytest.mark.skipif(bool(django_settings.REDIS_URL), reason="counts in the database")
def test_calls_made_again_count_against_the_minute(study):
    with ScriptedServer(refusing("temperature")) as server:
        run = worked(study, server, endpoint_fields={"rpm": 6000, "json_schema": False})
    counted = sum(n for slot, n in Window.objects.get().slots.items() if slot[0] == "r")
    assert states(run) == {"done"} and counted == len(server.requests)


def test_nothing_is_left_out_where_a_judge_sends_none(study):
    with ScriptedServer(refusing("temperature")) as server:
        run = worked(study, server, temperature=None, samples=2)
    assert states(run) == {"done"} and "not_taken" not in run.frozen
    assert len(server.requests) == 80


SENT = {"temperature": 0.0, "logprobs": True, "max_tokens": 50, "response_format": {}}
ECHO = {"input": SENT}
# {name: (what an endpoint says, the parameters that it so names)}
NAMING = {
    "words": ("max_tokens and temperature", ["max_tokens", "temperature"]),
    "a page": ("<p>temperature</p>", ["temperature"]),
    "a message": ({"error": {"message": "No temperature."}}, ["temperature"]),
    "a field of its own": ({"error": {"message": "No.", "param": "logprobs"}}, ["logprobs"]),
    "a field before the words": (
        {"error": {"message": "With temperature no logprobs.", "param": "logprobs"}},
        ["logprobs", "temperature"],
    ),
    "an empty field": ({"error": {"message": "No temperature.", "param": None}}, ["temperature"]),
    "a place": ({"detail": [{"loc": ["body", "logprobs"], "msg": "No."}]}, ["logprobs"]),
    "an echo before a place": ({"detail": [ECHO | {"loc": ["body", "logprobs"]}]}, ["logprobs"]),
    "an echo within a message": (
        {"message": {"detail": [ECHO | {"loc": ["body", "logprobs"]}]}},
        ["logprobs"],
    ),
    "an echo before words": ({"detail": [ECHO | {"msg": "No logprobs."}]}, ["logprobs"]),
    "an echo beside another place": ({"detail": [ECHO | {"loc": ["body", "messages"]}]}, []),
    "an echo of a body": ({"detail": [{"loc": ["body", "logprobs"]}], "body": SENT}, ["logprobs"]),
    "an echo in a list before words": ([ECHO | {"errors": "No logprobs."}], ["logprobs"]),
    "words in brackets beside another place": (
        {"message": "[invalid_request] temperature is not supported", "param": "model"},
        ["temperature"],
    ),
    "words under another name": ({"param": "body", "details": "No logprobs."}, ["logprobs"]),
    "an echo alone": ({"detail": [ECHO]}, []),
    "a name in other fields": ({"errors": {"temperature": ["No."]}} | ECHO, ["temperature"]),
}


@pytest.mark.parametrize("case", NAMING)
def test_a_parameter_is_named_where_the_error_stands_not_where_it_repeats_what_was_sent(case):
    said, names = NAMING[case]
    text = said if isinstance(said, str) else json.dumps(said)
    assert named_in(f"422: {text}", SENT) == names
    assert named_in(f"422 in a reply with status 200: {text}", SENT) == names
    cut = json.dumps({"error": said, "input": "x" * 3000})[:2000]  # as a long error is stored
    assert named_in(f"422: {cut}", SENT) == names
