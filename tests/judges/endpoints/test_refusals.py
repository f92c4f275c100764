"""Accounts that cannot pay, limits that pass, and calls that are too long, as endpoints say so."""

import json

import pytest

from judges.endpoints.client import Failure, _failure, parse_response
from judges.endpoints.refusals import Error, why

PAY, RATE, LONG = Failure.BILLING, Failure.RATE, Failure.TOO_LONG
BAD, KEY = Failure.BAD_REQUEST, Failure.AUTHENTICATION


def said(message="", **fields):
    return {"error": {"message": message} | fields}


BROKE = "RateLimitError: MoonshotException - suspended due to insufficient balance"
TPM = "in organization o on tokens per min (TPM): Limit"
TOO_LARGE = f"Request too large for m {TPM} 30000, Requested 45000. The input must be reduced."
SPENT = "You exceeded your current quota, please check your plan and billing details."
# {name: (status, what came with it, the failure)}
REFUSED = {
    "OpenAI": (429, said(SPENT, type="insufficient_quota", code="insufficient_quota"), PAY),
    "a number beside the type": (429, said(type="insufficient_quota", code=429), PAY),
    "OpenAI's hard limit": (429, said(code="billing_hard_limit_reached"), PAY),
    "Moonshot": (429, said("Account suspended", type="exceeded_current_quota_error"), PAY),
    "Moonshot in words": (429, said("suspended due to insufficient balance"), PAY),
    "Anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the API.",
            },
        },
        PAY,
    ),
    "xAI": (
        403,
        {"code": "permission denied", "error": "Your team doesn't have any credits yet."},
        PAY,
    ),
    "xAI's month": (403, {"error": "You used all available credits or your spending limit"}, PAY),
    "new-api": (403, said(code="insufficient_user_quota"), PAY),
    "a quota at 403": (403, said("The quota of this key is exhausted"), PAY),
    "LiteLLM's proxy": (400, said("Budget has been exceeded!", type="budget_exceeded"), PAY),
    "Alibaba": (400, said(code="Arrearage"), PAY),
    "a code without an envelope": (403, {"code": "AccountOverdueError", "message": "no"}, PAY),
    "within a list": (403, [said(code="INSUFFICIENT_BALANCE")], PAY),
    "words alone": (403, "Insufficient balance", PAY),
    "401": (401, said("Incorrect API key. Check your billing page"), Failure.AUTHENTICATION),
    "a text that is quoted": (
        400,
        said("Invalid prompt: 'I have no credit left on my phone' is none"),
        Failure.BAD_REQUEST,
    ),
    "Anthropic's own limit": (400, said("You have reached your specified API usage limits."), PAY),
    "a filter's word for it": (
        400,
        said("It may hold sensitive information"),
        Failure.CONTENT_FILTER,
    ),
    "Zhipu's filter": (400, said("包含不安全或敏感内容"), Failure.CONTENT_FILTER),
    "a flagged text": (
        403,
        said("input was flagged: 'they used my credits and did not refund'"),
        Failure.CONTENT_FILTER,
    ),
    "a parameter": (400, said("Do not use the parameter quota"), Failure.BAD_REQUEST),
    "402": (402, said("rate limit"), PAY),
    "a number for a code": (400, said(code=402), PAY),
    # Limits that pass, whatever they are called.
    "Scaleway": (
        429,
        {
            "status": 429,
            "error": "INSUFFICIENT QUOTA",
            "message": "You exceeded your current limit of concurrent requests.",
        },
        RATE,
    ),
    "a code of money for a minute": (
        429,
        said("Limit of requests per minute reached", code="INSUFFICIENT_QUOTA"),
        RATE,
    ),
    "the same at 403": (403, said("Quota exceeded: 60 requests per minute"), RATE),
    "no more than these words": (429, {"error": "INSUFFICIENT QUOTA"}, RATE),
    "Gemini": (
        429,
        [said(f"{SPENT} Quota exceeded for generate_requests. Please retry in 37s.", code=429)],
        RATE,
    ),
    "Gemini without the wait": (429, said(SPENT, status="RESOURCE_EXHAUSTED"), RATE),
    "OpenAI's minute": (429, said("Limit 3 RPM", code="rate_limit_exceeded"), RATE),
    "LiteLLM's name for it": (
        429,
        said("litellm.RateLimitError: MoonshotException - {}", type="throttling_error", code="429"),
        RATE,
    ),
    "a month's money under LiteLLM's name for a limit": (
        429,
        said(f"litellm.RateLimitError: {BROKE}", type="throttling_error", code="429"),
        PAY,
    ),
    "the same without LiteLLM's own": (429, said(BROKE), PAY),
    "a code of money under such a name": (
        429,
        said("RateLimitError: XException - no", type="insufficient_quota"),
        PAY,
    ),
    "a limit in words under such a name": (
        429,
        said("RateLimitError: no credit. Rate limit: 3 RPM", type="insufficient_quota"),
        RATE,
    ),
    # One request that is larger than the limit, and others that have to wait
    "OpenAI's minute, larger than it": (429, said(TOO_LARGE, code="rate_limit_exceeded"), LONG),
    "the same through LiteLLM": (429, said(f"litellm.RateLimitError: {TOO_LARGE}"), LONG),
    "the same with another status": (500, said(TOO_LARGE, code="rate_limit_exceeded"), LONG),
    "the same at 400": (400, said(TOO_LARGE, code="rate_limit_exceeded"), LONG),
    "the same beside a code of money": (429, said(TOO_LARGE, code="insufficient_quota"), LONG),
    "in numbers alone": (429, said(f"Rate limit {TPM} 30,000, Used 9, Requested 45,000."), LONG),
    "in words alone": (429, said("Request too large for the tokens of a minute."), LONG),
    "OpenAI's minute, used up": (
        429,
        said(f"Rate limit {TPM} 30000, Used 28000, Requested 5000."),
        RATE,
    ),
    "too large for what is left": (
        429,
        said(f"Request too large {TPM} 30000, Used 28000, Requested 5000."),
        RATE,
    ),
    "no limit at all": (429, said(f"Request too large {TPM} 0, Requested 45000."), RATE),
    **{
        words: (429, said(words), RATE)
        for words in (
            "Tokens per minute: Limit 30k, Requested 5000. Try again in 1s.",
            "Tokens per minute: Limit 10K, Requested 5000",
            "Tokens per minute: Limit 1.000.000, Requested 5000",
            "Remaining limit: 200, requested: 700 tokens",
            "Limit 60 requests per minute, requested 61",
            "Concurrency limit 10, requested 11",
            "Request too large or too many requests, try again later",
            "Too many tokens: Request too large, try again in 3s",
            "Too many requests. You sent: “request too large”",
            "RateLimitError: hourly usage limit reached; retry-after: 12",
        )
    },
    "a filter beside a code of time": (
        400,
        said("Blocked.", type="timeout", code="content_filter"),
        Failure.CONTENT_FILTER,
    ),
    "Bedrock's": (429, {"message": "Too many tokens, please wait before trying again."}, RATE),
    # Neither.
    "a wrong parameter": (400, said("max_tokens is too large", code="invalid_value"), BAD),
    "a budget of thoughts": (400, said("A thinking budget is not supported"), BAD),
    "a page": (403, "<html>No credit card? Insufficient balance</html>", KEY),
    "a quoted prompt": (400, {"error": {"input": "no credit balance", "message": "bad"}}, BAD),
    "a balancer": (400, said(type="load_balancer_error"), BAD),
    "xAI's filter, with the code of its missing credit": (
        403,
        {"code": "no permission", "error": "Content violates usage guidelines. SAFETY_CHECK_BIO"},
        Failure.CONTENT_FILTER,
    ),
    "xAI's month at 429": (429, "The team used all available credits or its spending limit", PAY),
    "a limit at 400": (400, said("Slower", code="rate_limit_exceeded"), RATE),
    "a full server at 500": (500, said(type="overloaded_error"), Failure.BUSY),
    "a time-out at 500": (500, said(type="timeout", code=504), Failure.GATEWAY),
    "a time-out at 400": (400, said(type="timeout"), Failure.GATEWAY),
    "Gemini's at 500": (500, said(status="DEADLINE_EXCEEDED", code=500), Failure.GATEWAY),
    "LiteLLM's at 500": (500, said("litellm.Timeout", code="408"), Failure.TIMEOUT),
    "Cloudflare's at 422": (422, said(code=524), Failure.GATEWAY),
    "within another error": (500, said(raw={"code": 504}, code=500), Failure.GATEWAY),
    "a time-out of a server without money": (
        500,
        said(type="timeout", code="insufficient_quota"),
        PAY,
    ),
    "a lost provider at 500": (500, said(code="bad_gateway"), Failure.GATEWAY),
    "a time-out at 401": (401, said(type="timeout"), KEY),
    "no money at 500": (500, said(code="insufficient_user_quota"), PAY),
    "a broken server": (500, said("insufficient balance of nodes"), Failure.SERVER),
    "LiteLLM's provider": (
        400,
        said('litellm.BadRequestError: XException - {"message":"maximum context length"}'),
        LONG,
    ),
    "a filter": (400, said("content policy: no credit"), Failure.CONTENT_FILTER),
    "a key": (403, said("The key was revoked"), KEY),
    # Too long
    "OpenAI's context": (400, said(code="context_length_exceeded"), LONG),
    "Anthropic's context": (400, said("prompt is too long: 209,000 tokens"), LONG),
    "Moonshot's context": (400, said("Your request exceeded model token limit: 8192"), LONG),
    "OpenRouter's limit of a key": (403, said("Key limit exceeded (total limit)."), PAY),
    "vLLM's context": (400, said("This model's maximum context length is 4096 tokens."), LONG),
    "Gemini's": (400, said("The input token count (20) exceeds the maximum (10)."), LONG),
    "Anthropic's sum": (400, said("input length and `max_tokens` exceed context limit"), LONG),
    "SambaNova's": (400, said("Requested maximum input length 9 exceeds 4"), LONG),
    "TGI's": (422, said("`inputs` tokens + `max_new_tokens` must be <= 4097."), LONG),
    "a setting of the input": (
        400,
        said("Input validation error: `temperature` must be strictly positive"),
        BAD,
    ),
    "a prompt of another type": (400, said("prompt must be a string"), BAD),
    "a reply that is too long": (400, said("max_tokens (99) exceeds the maximum of 9"), BAD),
    "413": (413, "", LONG),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_named_by_its_code_its_type_and_its_words(case):
    status, data, failure = REFUSED[case]
    assert _failure(status, Error(data)) is failure


# {form of a body: that body, for some words}
FORMS = {
    "OpenAI's": lambda words: {"error": {"message": words, "code": None}},
    "without an envelope": lambda words: {"object": "error", "message": words, "code": 400},
    "a text": lambda words: {"error": words},
    "no JSON": lambda words: words,
    "a list": lambda words: [{"error": {"message": words}}],
    "several": lambda words: {"errors": [{"message": "One."}, {"message": words}]},
    "several texts": lambda words: {"errors": ["One.", words]},
    "one in another": lambda words: {"error": {"error": {"message": words}}},
    "FastAPI's": lambda words: {"detail": [{"type": "x", "loc": ["body"], "msg": words}]},
    "FastAPI's text": lambda words: {"detail": words},
    "a message that is an object": lambda words: {"message": {"detail": [{"msg": words}]}},
    "JSON in a text": lambda words: {"error": {"message": json.dumps({"error": words})}},
    "OpenRouter's": lambda words: said("Provider error", metadata={"raw": json.dumps(said(words))}),
}
MEANT = {
    "Your credit balance is too low.": PAY,
    "This violates the usage policy.": Failure.CONTENT_FILTER,
    "The prompt is too long.": LONG,
    "Invalid API key.": KEY,
}


@pytest.mark.parametrize("words", MEANT)
@pytest.mark.parametrize("form", FORMS)
def test_an_error_says_the_same_in_any_form(form, words):
    body = FORMS[form](words)
    text = body if isinstance(body, str) else json.dumps(body)
    assert _failure(400, Error(text)) is MEANT[words]
    assert words in Error(text).sentence
    if not isinstance(body, str):  # which is no reply at all
        assert parse_response(text.encode(), 50).failure is MEANT[words]
        filled = json.dumps({"input": "x" * 3000})
        cut = text[:-1].replace("{", '{"a": ' + filled + ", ", 1)  # as a long error is stored
        assert form == "JSON in a text" or words in Error(cut).sentence


def test_an_error_as_deep_as_a_body_may_be_is_read_in_part():
    assert Error("[" * 900 + "]" * 900).words == []
    assert Error('{"error":' * 900 + "1" + "}" * 900).words == []


ODD = [None, 5, True, "", [], [[]], {"error": None}, {"error": {"code": {}, "message": ["credit"]}}]


@pytest.mark.parametrize("status", [400, 403, 429])
@pytest.mark.parametrize("data", ODD)
def test_what_has_no_words_is_named_by_its_status(status, data):
    assert _failure(status, Error(data)) is {400: BAD, 403: KEY, 429: RATE}[status]


WITH_200 = [
    ({"message": "Insufficient credits", "code": 402}, PAY),
    ({"message": SPENT, "type": "insufficient_quota"}, PAY),
    ({"message": SPENT, "type": "insufficient_quota", "code": 429}, PAY),
    ({"message": "per minute", "code": "insufficient_quota"}, RATE),
    ({"message": "Insufficient balance", "code": 403}, PAY),
    ({"message": "no such model"}, Failure.NO_CHAT),
    ({"code": "rate_limit_exceeded"}, RATE),
    ({"type": "rate_limit_error", "message": "Slower."}, RATE),
    ({"code": "content_filter"}, Failure.CONTENT_FILTER),
    ({"code": "insufficient_quota"}, PAY),
    ({"status": "RESOURCE_EXHAUSTED"}, RATE),
    ({"type": "overloaded_error"}, Failure.BUSY),
    ({"code": "invalid_api_key"}, KEY),
    ({"code": "model_not_found", "type": "invalid_request_error"}, Failure.NOT_FOUND),
    ({"code": "context_length_exceeded", "type": "invalid_request_error"}, LONG),
    ({"type": "invalid_request_error"}, BAD),
    ({"type": "timeout"}, Failure.GATEWAY),
    ({"status": "DEADLINE_EXCEEDED", "code": 500}, Failure.GATEWAY),
    ({"type": "timeout", "code": 400}, Failure.GATEWAY),
    ({"message": TOO_LARGE, "code": "rate_limit_exceeded"}, LONG),
    ({"type": "server_error"}, Failure.SERVER),
    ({"type": "extra_forbidden"}, BAD),
]


@pytest.mark.parametrize(("error", "failure"), WITH_200)
def test_a_refusal_in_a_reply_with_status_200_is_read_alike(error, failure):
    assert parse_response(json.dumps({"error": error}).encode(), 50).failure is failure
    assert parse_response(json.dumps([{"error": error}]).encode(), 50).failure is failure


# What stands beside a choice: (its content, why it ended, the error, where that is, the failure)
BESIDE = {
    "a status beside a whole reply": ("{}", "stop", {"code": 402}, "reply", None),
    "a status of a limit": ("{}", "end_turn", {"code": 429}, "choice", None),
    "a status, no word for its end": ("{}", None, {"code": 402}, "reply", PAY),
    "a warning of money": ("{}", "stop", {"code": "insufficient_quota"}, "reply", None),
    "the same in words": ("{}", "stop", "Your credit balance is too low.", "reply", None),
    "no word for its end": ("{}", None, {"type": "insufficient_quota"}, "reply", None),
    "in the choice": ("{}", "stop", {"code": "rate_limit_exceeded"}, "choice", None),
    "no content": ("", "stop", {"code": "insufficient_quota"}, "reply", PAY),
    "a part": ("{", "error", {"code": "insufficient_quota"}, "reply", PAY),
    "a part, in the choice": ("{", None, {"code": "rate_limit_exceeded"}, "choice", RATE),
}


@pytest.mark.parametrize("case", BESIDE)
def test_words_beside_a_whole_reply_take_nothing_from_it(case):
    content, ended, error, where, failure = BESIDE[case]
    choice = {"message": {"content": content}, "finish_reason": ended}
    reply = {"choices": [choice]}
    (reply if where == "reply" else choice)["error"] = error
    answer = parse_response(json.dumps(reply).encode(), 50)
    assert (answer.failure, answer.content) == (failure, "" if failure else content)


SAID = [
    (
        RATE,
        '429: {"error": {"code": 429, "message": "Slower!"}}',
        "The endpoint said (429): Slower!",
    ),
    (KEY, "401: <html>", "The endpoint gave status 401 and no reason."),
    (PAY, '402 in a reply with status 200: {"error": "Pay"}', "The endpoint said (402): Pay."),
]


@pytest.mark.parametrize(("failure", "detail", "said"), SAID)
def test_a_stop_has_a_reason_that_says_nothing_twice(failure, detail, said):
    assert why(failure, detail) == f"{failure.partition(' (')[0]}. {said}"
    assert why(Failure.HOST, "gpu.lab is not listed") == "host not allowed: gpu.lab is not listed."
    assert why(Failure.BAD_KEY, "the key cannot be sent (x)") == "the key cannot be sent (x)."
    assert why(Failure.HTML, "<html>") == "web page instead of a reply."
