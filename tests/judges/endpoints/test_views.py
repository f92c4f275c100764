"""The operators' pages about endpoints: who sees them, what a test finds, what it is used for."""

import itertools
import json

import pytest
from django.urls import reverse

from judges.endpoints import client
from judges.endpoints.client import Failure
from judges.endpoints.probe import probe
from judges.models import Endpoint, Judge
from judges.prompting import fill
from judges.runs import drive, resume
from judges.runs.plan import PlanError, plan, settings_of
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, by_schema, chat

pytestmark = pytest.mark.django_db
FORM = {
    "key": "new",
    "base_url": "http://127.0.0.1:9/v1/",
    "model": "m",
    "api_key_env": "SOME_API_KEY",
    "concurrency": "8",
    "timeout_seconds": "60",
    "json_schema": "on",
    "rpm": "600",
    "tpm": "",
}
JSON_MODE = {"type": "json_object"}


@pytest.fixture
def as_operator(client):
    operator = factories.make_user("operator", is_staff=True, is_superuser=True)
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def endpoint():
    return factories.make_endpoint(json_schema=True)


def able(_number, request):
    """An endpoint that can do everything; the schema decides the reply."""
    if request.get("response_format", {}).get("type") == "json_schema":
        return chat(by_schema(request))
    reply = chat('{"score": 3}')
    if request.get("logprobs"):
        reply.body["choices"][0]["logprobs"] = {
            "content": [{"token": token, "logprob": -0.1} for token in ('{"score": ', "3", "}")]
        }
    return reply


def outcome_of(script, **fields):
    """What a test of such an endpoint found: {name: works}, and the endpoint."""
    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url, **fields)
        found = {one.name: one for one in probe(endpoint)}
    endpoint.refresh_from_db()
    return found, endpoint, server


PAGES = ["endpoints", "endpoint_new", "endpoint", "endpoint_test"]


def address(name, endpoint):
    return reverse(name, args=[endpoint.pk] if name in ("endpoint", "endpoint_test") else [])


@pytest.mark.parametrize("name", PAGES)
def test_only_operators_have_such_pages(as_owner, owner, study, endpoint, name):
    """Not the owner of a study, and not every member of the staff."""
    method = as_owner.post if name == "endpoint_test" else as_owner.get
    assert method(address(name, endpoint)).status_code == 404
    owner.is_staff = True
    owner.save()
    assert method(address(name, endpoint)).status_code == 404


def test_an_operator_makes_one_and_the_key_is_only_a_name(as_operator, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret-123")
    page = as_operator.post(reverse("endpoint_new"), FORM, follow=True)
    endpoint = Endpoint.objects.get(key="new")
    assert (endpoint.base_url, endpoint.rpm, endpoint.tpm) == ("http://127.0.0.1:9/v1", 600, None)
    assert "SOME_API_KEY" in page.content.decode()
    assert "secret-123" not in page.content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "http://10.0.0.1/v1"},
        {"api_key_env": "SECRET_KEY"},
        {"rpm": "0"},
        {"tpm": "-1"},
    ],
)
def test_what_may_not_be_is_refused(as_operator, wrong):
    assert as_operator.post(reverse("endpoint_new"), FORM | wrong).status_code == 422
    assert not Endpoint.objects.exists()


def test_the_list_is_one_query_however_long(as_operator, django_assert_num_queries):
    for number in range(5):
        factories.make_endpoint(key=f"e{number}")
    with django_assert_num_queries(3):  # session, user, endpoints
        assert b"not tested" in as_operator.get(reverse("endpoints")).content


def test_another_address_forgets_what_was_found_out(as_operator, endpoint):
    known = {"known_limit": 3, "findings": {"model": [True, "It replies."]}}
    Endpoint.objects.update(**known)
    as_operator.post(
        address("endpoint", endpoint),
        FORM
        | {
            "key": "local",
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "api_key_env": "",
        },
    )
    endpoint.refresh_from_db()
    assert (endpoint.known_limit, endpoint.findings) == (3, known["findings"])
    as_operator.post(address("endpoint", endpoint), FORM | {"key": "local", "model": "another"})
    endpoint.refresh_from_db()
    assert (endpoint.known_limit, endpoint.findings) == (None, {})


def test_an_able_endpoint_is_found_to_be_one():
    found, endpoint, server = outcome_of(able, api_key_env="")
    assert {name for name, one in found.items() if one.works} == {
        "key",
        "reachable",
        "model",
        "seconds",
        "json_schema",
        "json_mode",
        "logprobs",
        "system_role",
    }
    assert len(server.requests) == 5
    assert max(request["max_tokens"] for request in server.requests) <= 60
    assert endpoint.tested_at is not None
    assert endpoint.json_schema
    assert endpoint.can("logprobs") is True


@pytest.mark.parametrize(
    "error", [{"code": {"http": 429}}, {"code": []}, {"type": {}}, [], "no", 5]
)
@pytest.mark.parametrize("status", [200, 400, 429, 500])
def test_a_test_shows_what_was_found_whatever_the_error_is_made_of(as_operator, error, status):
    with ScriptedServer(lambda *_: Reply({"error": error}, status)) as server:
        endpoint = factories.make_endpoint(server.url)
        page = as_operator.post(address("endpoint_test", endpoint), follow=True)
    assert (page.status_code, len(server.requests)) == (200, 1)
    assert "The call failed" in page.content.decode()


def test_a_test_says_so_where_a_call_raised(as_operator, endpoint, monkeypatch, caplog):
    words = "a rated text"

    def broken(*_, **__):
        raise RuntimeError(words)

    monkeypatch.setattr(client, "_failed", broken)
    page = as_operator.post(address("endpoint_test", endpoint), follow=True)
    assert f"{Failure.FAULT}: RuntimeError" in page.content.decode()
    assert f"endpoint {endpoint.pk}: a call raised RuntimeError" in caplog.text
    assert words not in caplog.text + page.content.decode()


def test_without_schemas_the_setting_is_off_and_the_judge_asks_in_words(study):
    def plain(number, request):
        if "response_format" in request:
            return Reply({"error": {"code": "unsupported"}}, 400)
        return chat('{"score": 3}')

    found, endpoint, _ = outcome_of(plain)
    assert (found["json_schema"].works, endpoint.json_schema) == (False, False)
    assert endpoint.can("json_mode") is False
    run = plan(factories.make_judge(study, "judge", endpoint))
    assert run.frozen["json_schema"] is False


def test_a_schema_that_is_taken_and_ignored_is_none():
    found, endpoint, _ = outcome_of(lambda *_: chat('{"score": 3}'))
    assert "without effect" in found["json_schema"].words
    assert not endpoint.json_schema


def without_schemas(_number, request):
    """An endpoint that refuses schemas and has a JSON mode."""
    if request.get("response_format", {}).get("type") == "json_schema":
        return Reply({"error": {"code": "unsupported"}}, 400)
    return chat(json.dumps(dict.fromkeys(factories.ASPECTS, 4) | {"score": 3}))


def test_a_hurried_endpoint_says_nothing_against_schemas():
    """A limit of the calls at once, or a time-out, is no answer to the question."""
    once = itertools.count()
    found, endpoint, _ = outcome_of(lambda *a: able(*a) if next(once) == 0 else Reply("", 429))
    assert (found["json_schema"].works, found["json_mode"].works) == (None, None)
    assert "not found out" in found["json_schema"].words
    assert endpoint.json_schema


# What came before a model had thought enough: (content, why it ended).
UNFINISHED = [
    ("", "length"),
    ("", "stop"),
    ("<think>Let me see", "stop"),
    ('{"sco', "max_tokens"),
    ('{"score": 3}', "error"),
]
TRIED = ["json_schema", "json_mode", "logprobs", "system_role"]


@pytest.mark.parametrize(("content", "ended"), UNFINISHED)
def test_a_model_that_thinks_first_is_given_room_to(content, ended):
    """Of a reply that is not whole nothing is learned; it is asked for once more, and longer."""

    def thinking(number, request):
        return able(number, request) if request["max_tokens"] >= 300 else chat(content, ended)

    found, endpoint, server = outcome_of(thinking)
    assert [found[name].works for name in TRIED] == [True] * 4
    assert endpoint.json_schema
    assert [request["max_tokens"] for request in server.requests] == [60] + [2000] * 5


@pytest.mark.parametrize(("content", "ended"), UNFINISHED)
def test_what_a_model_never_says_speaks_against_nothing(content, ended):
    found, endpoint, server = outcome_of(lambda *_: chat(content, ended))
    assert {found[name].works for name in TRIED} == {None}
    assert "said nothing whole" in found["model"].words and endpoint.json_schema
    assert len(server.requests) == 2 + 4


@pytest.mark.parametrize(
    "reply",
    [
        chat("", message={"refusal": "I cannot."}),
        chat("", "content_filter"),
        Reply({"error": {"code": "content_filter"}}, 400),
        Reply({"error": {"code": "invalid_api_key"}}, 401),
        Reply({"error": {"code": "insufficient_quota"}}, 429),
        Reply("", 503),
    ],
    ids=lambda reply: str(reply.status),
)
def test_what_fails_for_another_reason_speaks_against_nothing(reply):
    found, endpoint, _ = outcome_of(lambda *a: able(*a) if a[0] == 0 else reply)
    assert {found[name].works for name in TRIED} == {None} and endpoint.json_schema
    assert endpoint.refused == [] and not any(map(endpoint.refuses, TRIED))


@pytest.mark.parametrize("prompt", ["explanation.v1", "explanation.v2"])
def test_where_only_json_mode_works_it_is_used(study, prompt):
    with ScriptedServer(lambda n, r: chat(json.dumps(dict.fromkeys(factories.ASPECTS, 4)))) as it:
        endpoint = factories.make_endpoint(it.url, json_schema=False)
        plain = plan(factories.make_judge(study, "early", endpoint, prompt=prompt))
        drive.work_through(plain.pk)
        assert not [request for request in it.requests if "response_format" in request]
        probe(endpoint)
        it.requests.clear()
        run = plan(factories.make_judge(study, "judge", endpoint, prompt=prompt))
        drive.work_through(run.pk)
        assert [request["response_format"] for request in it.requests] == [JSON_MODE] * 4
        assert run.judgments.filter(state="done", value=4).count() == 16
        it.requests.clear()
        again = plan(Judge.objects.get(key="early"))
        drive.work_through(again.pk)
        assert not [request for request in it.requests if "response_format" in request]
    assert again.settings_hash == plain.settings_hash, "it asks as it did before the test"


def test_a_prompt_that_does_not_speak_of_json_never_uses_its_mode():
    assert not fill.Prompt("poem.v1", "Reply with a number from 1 to 5.").asks_for_json
    assert fill.load("explanation.v2").asks_for_json


def test_a_judge_that_ran_with_a_schema_runs_on_after_a_test_without_effect(study):
    """Taken and ignored as it always was: the same call, so the same judge."""
    judge = factories.make_judge(study, "judge", factories.make_endpoint(key="made"))
    resume.cancel(plan(judge))
    endpoint = judge.endpoint
    Endpoint.objects.update(json_schema=False, findings={"json_schema": [False, "Ignored.", False]})
    endpoint.refresh_from_db()
    run = plan(judge)
    assert run.frozen["json_schema"] is True
    fresh = plan(factories.make_judge(study, "fresh", endpoint))
    assert fresh.frozen["json_schema"] is False


def test_a_judge_whose_schema_is_refused_now_has_to_be_made_anew(study):
    with ScriptedServer(able) as server:
        endpoint = factories.make_endpoint(server.url)
        judge = factories.make_judge(study, "judge", endpoint)
        run = plan(judge)
        resume.cancel(run)
        server.script = without_schemas
        probe(endpoint)
    for go_on in (resume.start, plan):
        with pytest.raises(PlanError, match="has been run with a JSON schema, which its"):
            go_on(judge)
    fresh = plan(factories.make_judge(study, "fresh", endpoint))
    assert fresh.frozen["json_mode"] is True
    Endpoint.objects.update(json_schema=True)  # an operator knows better
    endpoint.refresh_from_db()
    assert plan(judge).frozen["json_schema"] is True


# As OpenAI's models of 2025 and later that reason first put it.
NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead."
)
NO_TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) "
    "value is supported."
)


def reasoning(number, request):
    """Names one thing at a time that it does not take; else it can do everything."""
    for name, words in (("max_tokens", NO_MAX_TOKENS), ("temperature", NO_TEMPERATURE)):
        if name in request:
            error = {"message": words, "type": "invalid_request_error", "param": name}
            return Reply({"error": error}, 400)
    return able(number, request)


def test_a_model_that_refuses_a_parameter_is_asked_without_it(study, as_owner):
    found, endpoint, server = outcome_of(reasoning)
    assert len(server.requests) == 2 + 5
    assert endpoint.refused == ["max_tokens", "temperature"]
    assert "judges send none" in found["temperature"].words
    assert found["model"].works and found["json_schema"].works and found["logprobs"].works
    with ScriptedServer(reasoning) as server:
        Endpoint.objects.update(base_url=server.url)
        endpoint.refresh_from_db()
        run = plan(factories.make_judge(study, "judge", endpoint))
        drive.work_through(run.pk)
        sent = {"model", "messages", "response_format", "max_completion_tokens"}
        assert [request.keys() for request in server.requests] == [sent] * 4
        assert {request["max_completion_tokens"] for request in server.requests} == {400}
    assert set(run.judgments.values_list("state", flat=True)) == {"done"}
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "none is sent: the model takes none" in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("temperature", "`temperature` is deprecated for this model."),
        ("temperature", "invalid temperature: only 1 is allowed for this model"),
        ("temperature", "m does not support parameters: {'temperature': 0.0}"),
        ("temperature", "Temperature must be 1"),
        ("max_tokens", "Argument not supported on this model: maxTokens"),
        ("max_tokens", "unknown field max-tokens"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_parameter_is_known_in_whatever_words(name, words, status):
    def picky(number, request):
        return Reply({"detail": words}, status) if name in request else able(number, request)

    found, endpoint, server = outcome_of(picky)
    assert endpoint.refused == [name] and found["model"].works and found["logprobs"].works
    assert len(server.requests) == 1 + 5


def test_a_judge_that_was_asked_with_it_has_to_be_made_anew(study):
    judge = factories.make_judge(study, "judge", factories.make_endpoint(key="made"))
    resume.cancel(plan(judge))
    refused = {"temperature": [False, "It takes none.", True]}
    Endpoint.objects.update(findings=refused)
    judge.endpoint.refresh_from_db()
    with pytest.raises(PlanError, match="with temperature, which its endpoint made"):
        plan(judge)
    fresh = plan(factories.make_judge(study, "fresh", judge.endpoint))
    assert fresh.frozen["refused"] == ["temperature"]
    Endpoint.objects.update(findings={})
    assert settings_of(Judge.objects.get(key="fresh"))["refused"] == ["temperature"]


FAILURES = {
    "key refused": (
        Reply({"error": {"code": "bad", "message": "No."}}, 401),
        "accepted",
        "The key is refused. The endpoint said (401, bad): No.",
    ),
    "no model": (
        Reply({"error": {"code": "model_not_found"}}, 404),
        "model",
        "No model test-model",
    ),
    "a web page": (Reply("<html>login</html>"), "model", "web page instead"),
    "a redirect": (Reply("", 307, {"location": "http://127.0.0.1:1/"}), "model", "redirect"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_what_fails_is_said_in_words_by_one_call(case):
    reply, name, words = FAILURES[case]
    found, endpoint, server = outcome_of(lambda *_: reply)
    assert not found[name].works
    assert words in found[name].words
    assert len(server.requests) == 1
    assert endpoint.json_schema, "nothing was learned about schemas"


def test_nothing_is_sent_to_a_host_off_the_list_or_without_its_key(settings, monkeypatch):
    monkeypatch.delenv("NO_API_KEY", raising=False)
    found, _, server = outcome_of(able, api_key_env="NO_API_KEY")
    assert "NO_API_KEY is not set" in found["key"].words
    settings.ENDPOINT_HOSTS = ["api.openai.com"]
    found, _, other = outcome_of(able, key="other")
    assert "not in ENDPOINT_HOSTS" in found["reachable"].words
    assert server.requests == other.requests == []


def test_the_button_tests_and_the_page_says_what_was_found(as_operator):
    with ScriptedServer(lambda *_: chat("<b>3</b>", finish_reason="stop")) as server:
        endpoint = factories.make_endpoint(server.url)
        page = as_operator.post(address("endpoint_test", endpoint), follow=True).content.decode()
    assert "The model test-model replies" in page
    assert "that setting is off now" in page
    assert as_operator.get(address("endpoint_test", endpoint)).status_code == 405
