"""What each known provider sends, in the shapes of its documentation and of reports about it.

The texts are made up. Each shape goes over a real connection.
"""

import asyncio
import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from django.conf import settings

from judges.endpoints import providers
from judges.endpoints.client import Client, Failure
from judges.endpoints.connect_forms import ConnectForm
from judges.endpoints.forms import guessed
from judges.endpoints.probe import probe
from judges.models import Endpoint
from tests import factories
from tests.scripted_server import Reply, ScriptedServer, chat

GOOD = '{"clarity": 4}'


def usage(prompt, completion, total=None, **details):
    """A Reply of a good answer with these counts."""
    reply = chat(GOOD)
    total = prompt + completion if total is None else total
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    reply.body["usage"] = counts | details
    return reply


def beside(reply, choice=None, **fields):
    """The Reply with more in its body, and in its choice."""
    reply.body |= fields
    reply.body["choices"][0] |= choice or {}
    return reply


def error(status, message="No.", headers=None, **fields):
    """A Reply with an error in the shape of OpenAI."""
    return Reply({"error": {"message": message} | fields}, status, headers or {})


def plain(status, body, headers=None):
    """A Reply with an error in a shape of its own."""
    return Reply(body, status, headers or {})


def listed(status, message, state):
    """A Reply with an error as Google's gateway sends it: in a list."""
    of_google = {"code": status, "message": message, "status": state}
    return Reply(json.dumps([{"error": of_google}]), status)


# {provider: {what: (Reply, fields of the Answer)}}
SHAPES = {
    "openai": {
        "reply": (
            usage(
                100,
                10,
                prompt_tokens_details={"cached_tokens": 64, "audio_tokens": 0},
                completion_tokens_details={"reasoning_tokens": 0},
            ),
            {"content": GOOD, "tokens_in": 100, "tokens_cached": 64, "tokens_out": 10},
        ),
        "thought to the limit": (
            chat("", "length", (40, 60), {"refusal": None, "annotations": []}),
            {"content": "", "finish_reason": "length", "tokens_out": 60},
        ),
        "refusal": (
            chat(None, message={"refusal": "That I do not rate."}),
            {"failure": Failure.REFUSAL, "detail": "That I do not rate."},
        ),
        "limit": (
            error(429, type="requests", code="rate_limit_exceeded", headers={"retry-after": "7"}),
            {"failure": Failure.RATE, "retry_after": 7.0},
        ),
        "quota": (
            error(429, type="insufficient_quota", code="insufficient_quota", param=None),
            {"failure": Failure.BILLING},
        ),
        "key": (error(401, code="invalid_api_key"), {"failure": Failure.AUTHENTICATION}),
        "model": (error(404, code="model_not_found"), {"failure": Failure.NOT_FOUND}),
        "overload": (error(503, type="service_unavailable"), {"failure": Failure.BUSY}),
    },
    "azure": {
        "reply": (
            beside(
                chat(GOOD),
                {"content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}},
                prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}],
            ),
            {"content": GOOD, "failure": None},
        ),
        "prompt filtered": (
            error(
                400,
                "The prompt met a filter.",
                type=None,
                param="prompt",
                code="content_filter",
                innererror={"code": "ResponsibleAIPolicyViolation"},
            ),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "reply filtered": (
            beside(chat(None, "content_filter"), {"content_filter_results": {}}),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "limit": (
            error(429, "Wait for 21 seconds.", code="429", headers={"Retry-After": "21"}),
            {"failure": Failure.RATE, "retry_after": 21.0},
        ),
        "deployment": (error(404, code="DeploymentNotFound"), {"failure": Failure.NOT_FOUND}),
        "key": (error(401, code="401"), {"failure": Failure.AUTHENTICATION}),
    },
    "anthropic": {
        "reply": (usage(120, 9), {"content": GOOD, "tokens_in": 120, "tokens_out": 9}),
        "limit": (
            plain(
                429,
                {"type": "error", "error": {"type": "rate_limit_error", "message": "Slower."}},
                {"retry-after": "12"},
            ),
            {"failure": Failure.RATE, "retry_after": 12.0},
        ),
        "overload": (
            plain(529, {"type": "error", "error": {"type": "overloaded_error", "message": "-"}}),
            {"failure": Failure.BUSY},
        ),
        "money": (
            plain(
                400,
                {
                    "type": "error",
                    "error": {
                        "type": "invalid_request_error",
                        "message": "Your credit balance is too low.",
                    },
                },
            ),
            {"failure": Failure.BILLING},
        ),
        "key": (
            plain(401, {"type": "error", "error": {"type": "authentication_error"}}),
            {"failure": Failure.AUTHENTICATION},
        ),
    },
    "gemini": {
        "reply": (usage(20, 5), {"content": GOOD, "tokens_out": 5}),
        "thoughts in the total alone": (
            usage(20, 5, 125),
            {"content": GOOD, "tokens_in": 20, "tokens_out": 105},
        ),
        "unsafe": (
            beside(chat(None, "SAFETY"), {"message": {"role": "assistant"}}),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "cut": (chat('{"cla', "MAX_TOKENS"), {"finish_reason": "MAX_TOKENS", "failure": None}),
        "limit": (
            listed(429, "Exhausted.", "RESOURCE_EXHAUSTED"),
            {"failure": Failure.RATE},
        ),
        "limit with a wait": (
            Reply(
                json.dumps(
                    [
                        {
                            "error": {
                                "code": 429,
                                "status": "RESOURCE_EXHAUSTED",
                                "details": [
                                    {
                                        "@type": "type.googleapis.com/google.rpc.RetryInfo",
                                        "retryDelay": "34s",
                                    }
                                ],
                            }
                        }
                    ]
                ),
                429,
            ),
            {"failure": Failure.RATE, "retry_after": 34.0},
        ),
        "key": (
            listed(400, "API key not valid.", "INVALID_ARGUMENT"),
            {"failure": Failure.AUTHENTICATION},
        ),
        "overload": (
            listed(503, "Full.", "UNAVAILABLE"),
            {"failure": Failure.BUSY},
        ),
    },
    "mistral": {
        "reply": (usage(30, 8), {"content": GOOD, "tokens_out": 8}),
        "thoughts as parts": (
            chat(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                    {"type": "text", "text": GOOD},
                ]
            ),
            {"content": GOOD, "failure": None},
        ),
        "cut": (chat('{"cla', "model_length"), {"finish_reason": "model_length"}),
        "limit": (
            plain(429, {"object": "error", "message": "Slower.", "code": "1300", "param": None}),
            {"failure": Failure.RATE},
        ),
        "no money": (plain(402, {"detail": "Pay first."}), {"failure": Failure.BILLING}),
        "key": (plain(401, {"detail": "Unauthorized"}), {"failure": Failure.AUTHENTICATION}),
    },
    "xai": {
        "money": (
            plain(
                403,
                {
                    "code": "The caller does not have permission",
                    "error": "The team has no credits left.",
                },
            ),
            {"failure": Failure.BILLING},
        ),
        "a text that a filter stopped": (
            plain(
                403,
                {
                    "code": "The caller does not have permission",
                    "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_BIO",
                },
            ),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "money at 429": (
            plain(429, "The team used all available credits or reached its spending limit."),
            {"failure": Failure.BILLING},
        ),
        "key": (
            plain(
                400,
                {
                    "code": "Client specified an invalid argument",
                    "error": "Incorrect API key provided.",
                },
            ),
            {"failure": Failure.AUTHENTICATION},
        ),
        "thoughts beside the reply": (
            usage(300, 10, 4310, completion_tokens_details={"reasoning_tokens": 4000}),
            {"content": GOOD, "tokens_in": 300, "tokens_out": 4010},
        ),
        "price": (
            usage(198, 90, cost_in_usd_ticks=2709000),
            {"content": GOOD, "usd": Decimal("0.0002709")},
        ),
        "limit": (
            plain(429, {"code": "Some resource has been exhausted", "error": "Slower."}),
            {"failure": Failure.RATE},
        ),
        "model": (
            plain(404, {"code": "Some requested entity was not found", "error": "None such."}),
            {"failure": Failure.NOT_FOUND},
        ),
    },
    "deepseek": {
        "thoughts of their own": (
            chat(GOOD, message={"reasoning_content": "Hm, perhaps."}),
            {"content": GOOD, "failure": None},
        ),
        "counts of its cache": (
            usage(
                100,
                10,
                prompt_cache_hit_tokens=64,
                prompt_cache_miss_tokens=36,
                prompt_tokens_details={"cached_tokens": 64},
            ),
            {"tokens_in": 100, "tokens_cached": 64},
        ),
        "given up": (
            chat('{"cla', "insufficient_system_resource"),
            {"finish_reason": "insufficient_system_resource"},
        ),
        "no money": (
            error(402, "Empty.", type="unknown_error", code="invalid_request_error"),
            {"failure": Failure.BILLING},
        ),
        "overload": (error(503), {"failure": Failure.BUSY}),
    },
    "moonshot": {
        "money": (
            error(429, "Over quota.", type="exceeded_current_quota_error"),
            {"failure": Failure.BILLING},
        ),
        "reply": (
            beside(usage(50, 6), None, cached_tokens=0),
            {"content": GOOD, "tokens_in": 50, "tokens_out": 6},
        ),
        "limit": (error(429, type="rate_limit_reached_error"), {"failure": Failure.RATE}),
        "overload": (error(429, type="engine_overloaded_error"), {"failure": Failure.RATE}),
        "filter": (error(400, type="content_filter"), {"failure": Failure.CONTENT_FILTER}),
    },
    "groq": {
        "wait": (
            error(
                429,
                "Please try again in 7.66s.",
                type="tokens",
                code="rate_limit_exceeded",
            ),
            {"failure": Failure.RATE, "retry_after": 7.66},
        ),
        "reply": (
            beside(usage(60, 7, queue_time=0.1, total_time=0.2), None, x_groq={"id": "r"}),
            {"content": GOOD, "tokens_in": 60, "tokens_out": 7},
        ),
        "limit": (
            error(
                429,
                "Again in 2.4s.",
                type="tokens",
                code="rate_limit_exceeded",
                headers={"retry-after": "2", "x-ratelimit-remaining-tokens": "0"},
            ),
            {"failure": Failure.RATE, "retry_after": 2.4},
        ),
        "no JSON made": (
            error(400, code="json_validate_failed", failed_generation="{"),
            {"failure": Failure.BAD_REQUEST},
        ),
    },
    "openrouter": {
        "flagged": (
            error(
                403,
                "The input was flagged.",
                code=403,
                metadata={"reasons": ["violence"], "flagged_input": "x"},
            ),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "reply": (
            beside(usage(70, 5, cost=0.0001), {"native_finish_reason": "STOP"}, provider="P"),
            {"content": GOOD, "tokens_in": 70, "tokens_out": 5, "usd": Decimal("0.0001")},
        ),
        "with a key of one's own": (
            usage(70, 5, cost=0, is_byok=True, cost_details={"upstream_inference_cost": 0.03}),
            {"content": GOOD, "usd": Decimal("0.03")},
        ),
        "paid in vain, with its status": (
            plain(
                502,
                {
                    "error": {"code": 502, "message": "-"},
                    "usage": {"prompt_tokens": 70, "completion_tokens": 5, "cost": 0.01},
                },
            ),
            {"failure": Failure.GATEWAY, "tokens_in": 70, "least": (70, 5), "usd": Decimal("0.01")},
        ),
        "paid in vain": (
            Reply({"error": {"code": 502, "message": "-"}, "usage": {"cost": 0.01}}),
            {"failure": Failure.GATEWAY, "usd": Decimal("0.01")},
        ),
        "limit in a success": (
            Reply({"error": {"code": 429, "message": "-", "metadata": {"raw": "-"}}}),
            {"failure": Failure.RATE},
        ),
        "a broken provider": (
            beside(chat("", "error"), {"error": {"code": 502, "message": "Gone."}}),
            {"failure": Failure.GATEWAY},
        ),
        "no money": (error(402, code=402), {"failure": Failure.BILLING}),
        "nobody": (error(503, code=503), {"failure": Failure.BUSY}),
    },
    "vllm": {
        "thoughts of their own": (
            beside(
                chat(GOOD, message={"reasoning_content": "Hm.", "tool_calls": []}),
                {"stop_reason": None},
                prompt_logprobs=None,
                kv_transfer_params=None,
            ),
            {"content": GOOD, "failure": None},
        ),
        "too long": (
            plain(
                400,
                {
                    "object": "error",
                    "message": "9000 tokens are more than 8192, max_tokens included.",
                    "type": "BadRequestError",
                    "param": None,
                    "code": 400,
                },
            ),
            {"failure": Failure.BAD_REQUEST},
        ),
        "too long, since 0.10.1": (
            error(
                400,
                "The model's maximum context length is 8192 tokens, and 9000 were asked for.",
                type="BadRequestError",
                param=None,
                code=400,
            ),
            {"failure": Failure.TOO_LONG},
        ),
        "key": (plain(401, {"error": "Unauthorized"}), {"failure": Failure.AUTHENTICATION}),
        "model": (
            error(404, type="NotFoundError", param="model", code=404),
            {"failure": Failure.NOT_FOUND},
        ),
    },
    "ollama": {
        "thoughts in the text": (
            beside(chat(f"<think>Hm.</think>{GOOD}"), None, system_fingerprint="fp_ollama"),
            {"content": f"<think>Hm.</think>{GOOD}", "fingerprint": "fp_ollama"},
        ),
        "model": (
            error(404, "Pull it first.", type="not_found_error", param=None, code=None),
            {"failure": Failure.NOT_FOUND},
        ),
        "busy": (error(503, type="api_error"), {"failure": Failure.BUSY}),
    },
    "litellm": {
        "money": (
            error(
                400,
                "Budget has been exceeded! Current cost: 1, max budget: 0.5",
                type="budget_exceeded",
                code="400",
            ),
            {"failure": Failure.BILLING},
        ),
        "reply": (
            usage(80, 4, cache_read_input_tokens=0, cache_creation_input_tokens=0),
            {"content": GOOD, "tokens_in": 80, "tokens_out": 4},
        ),
        "price": (
            replace(usage(80, 4), headers={"x-litellm-response-cost": "0.0960384"}),
            {"content": GOOD, "usd": Decimal("0.0960384")},
        ),
        "limit": (
            error(429, "litellm.RateLimitError: -", type="throttling_error", code="429"),
            {"failure": Failure.RATE},
        ),
        "filter": (
            error(400, "litellm.ContentPolicyViolationError: -", type=None, code="400"),
            {"failure": Failure.CONTENT_FILTER},
        ),
        "key": (error(401, type="auth_error", code="401"), {"failure": Failure.AUTHENTICATION}),
        "too long for the provider": (
            error(
                400,
                "litellm.ContextWindowExceededError: XException - "
                '{"error": {"message": "Fewer tokens, please."}}',
                type=None,
                param=None,
                code="400",
            ),
            {"failure": Failure.TOO_LONG},
        ),
        "a provider without credit": (
            error(
                400,
                'litellm.BadRequestError: XException - {"message": "Your credit balance is low"}',
                type="invalid_request_error",
                param=None,
                code="400",
            ),
            {"failure": Failure.BILLING},
        ),
    },
}


def forbidden(name):
    """An error of pydantic's, as servers in Python pass it on."""
    return {"type": "extra_forbidden", "loc": ["body", name], "input": 0}


# {provider: (a parameter, the Reply where it is sent)}
REFUSED = {
    "openai": (
        "max_tokens",
        error(400, "'max_tokens' is not supported here.", param="max_tokens"),
    ),
    "azure": ("temperature", error(400, "'temperature' does not support 0.0.", code=None)),
    "anthropic": (
        "temperature",
        plain(400, {"type": "error", "error": {"message": "`temperature` is deprecated."}}),
    ),
    "gemini": ("temperature", listed(400, "Bad Temperature.", "INVALID_ARGUMENT")),
    "mistral": (
        "temperature",
        plain(422, {"object": "error", "message": {"detail": [forbidden("temperature")]}}),
    ),
    "xai": ("max_tokens", plain(400, {"code": "-", "error": "Not supported: maxTokens."})),
    "deepseek": ("temperature", error(422, "temperature: not for this model")),
    "moonshot": ("temperature", error(400, "invalid temperature: only 1 is allowed")),
    "groq": ("max_tokens", error(400, "property 'max_tokens' is unsupported")),
    "openrouter": (
        "temperature",
        error(400, "-", code=400, metadata={"raw": '{"message": "`temperature` is gone."}'}),
    ),
    "vllm": (
        "max_tokens",
        plain(400, {"object": "error", "message": str([forbidden("max_tokens")]), "code": 400}),
    ),
    "ollama": ("temperature", error(400, "invalid temperature")),
    "litellm": (
        "temperature",
        error(400, "litellm.UnsupportedParamsError: m has no parameters: ['temperature']"),
    ),
}


def ask(reply):
    with ScriptedServer(lambda *_: reply) as server:
        endpoint = Endpoint(key="e", model="m", base_url=server.url, timeout_seconds=5)

        async def once():
            async with Client(endpoint) as client:
                return await client.ask([], {"max_tokens": 500})

        return asyncio.run(once())


def test_each_provider_that_is_described_is_replayed_and_stands_in_the_table():
    assert SHAPES.keys() == REFUSED.keys() == providers.PROVIDERS.keys()
    text = (settings.BASE_DIR / "docs" / "JUDGES.md").read_text()
    rows = re.findall(r"^\| (\S[^|]*) \| `(\S+)`", text, flags=re.MULTILINE)
    assert [(name, host.replace("HOST", "localhost")) for name, host in rows] == [
        (provider.label, provider.base_url) for provider in providers.PROVIDERS.values()
    ]


@pytest.mark.parametrize(
    ("provider", "shape"), [(name, shape) for name in SHAPES for shape in SHAPES[name]]
)
def test_what_a_provider_sends_is_read_as_it_means_it(provider, shape):
    reply, fields = SHAPES[provider][shape]
    answer = ask(reply)
    assert {name: getattr(answer, name) for name in fields} == fields, answer.detail
    if "failure" not in fields:
        assert answer.failure is None, answer.detail


@pytest.mark.parametrize("provider", REFUSED)
@pytest.mark.django_db
def test_what_a_provider_refuses_its_judges_do_not_send(provider):
    name, refusal = REFUSED[provider]
    with ScriptedServer(lambda _, sent: refusal if name in sent else chat(GOOD)) as server:
        endpoint = factories.make_endpoint(server.url)
        probe(endpoint)
    assert endpoint.refused == [name] and endpoint.can("model")


@pytest.mark.parametrize(
    ("base_url", "model", "name", "refused"),
    [
        ("https://api.openai.com/v1", "gpt-4.1-mini", "openai", []),
        ("https://api.openai.com/v1", "gpt-5-mini", "openai", ["max_tokens", "temperature"]),
        ("https://api.openai.com/v1", "gpt-5-chat-latest", "openai", []),
        ("https://api.openai.com/v1", "o4-mini", "openai", ["max_tokens", "temperature"]),
        ("https://api.anthropic.com/v1", "claude-sonnet-5", "anthropic", ["temperature"]),
        ("https://api.anthropic.com/v1", "claude-haiku-4-5", "anthropic", []),
        ("https://api.moonshot.ai/v1", "kimi-k2.6", "moonshot", ["temperature"]),
        ("https://api.moonshot.ai/v1", "kimi-k2-turbo", "moonshot", []),
        ("https://lab.openai.azure.com/openai/v1", "o3", "azure", ["max_tokens", "temperature"]),
        ("https://lab.openai.azure.com/openai/deployments/d?api-version=1", "d", "azure", []),
        ("https://openai.azure.com.evil.example/v1", "o3", None, []),
        ("http://gpu.lab:11434/v1", "qwen", "ollama", []),
        ("http://gpu.lab:8000/v1", "qwen", "vllm", []),
        ("http://gpu.lab:9/v1", "o3", None, []),
        ("http://gpu.lab:x/v1", "o3", None, []),
    ],
)
def test_a_description_is_a_guess_by_address_and_model(base_url, model, name, refused):
    provider = providers.provider_at(base_url)
    assert (provider and provider.name) == name
    endpoint = Endpoint(base_url=base_url, model=model)
    endpoint.findings = guessed(endpoint)
    assert endpoint.refused == refused and endpoint.tested_at is None


@pytest.mark.django_db
def test_an_endpoints_own_test_overrules_the_description(monkeypatch):
    with ScriptedServer(lambda *_: chat(GOOD)) as server:
        described = {**vars(providers.PROVIDERS["openai"]), "base_url": server.url}
        monkeypatch.setitem(providers.PROVIDERS, "openai", providers.Provider(**described))
        endpoint = factories.make_endpoint(server.url, model="o3")
        endpoint.findings = guessed(endpoint)
        assert endpoint.refused == ["max_tokens", "temperature"]
        probe(endpoint)
    assert endpoint.refused == [] and "temperature" in server.requests[0]


@pytest.mark.django_db
def test_azure_gets_its_key_in_its_own_header(monkeypatch):
    monkeypatch.setenv("AZURE_API_KEY", "secret-of-azure")
    described = {**vars(providers.PROVIDERS["azure"]), "hosts": r"127\.0\.0\.1"}
    monkeypatch.setitem(providers.PROVIDERS, "azure", providers.Provider(**described))
    with ScriptedServer(lambda *_: chat(GOOD)) as server:
        endpoint = factories.make_endpoint(server.url, api_key_env="AZURE_API_KEY")
        probe(endpoint)
    assert {sent["api-key"] for sent in server.headers} == {"secret-of-azure"}
    assert not [sent for sent in server.headers if "authorization" in sent]


def test_a_listed_address_says_whose_usual_port_it_has(monkeypatch, study):
    monkeypatch.setattr(settings, "ENDPOINT_HOSTS", ["gpu.lab:11434", "gpu.lab:9", "other.lab"])
    addresses = ConnectForm(study, None).listed_addresses
    assert [(address, found and found.label) for address, found in addresses] == [
        ("http://gpu.lab:11434/v1", "Ollama"),
        ("http://gpu.lab:9/v1", None),
    ]
