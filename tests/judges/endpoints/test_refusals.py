"""Accounts that cannot pay, limits that pass, and calls that are too long, as endpoints say so."""

import json

import pytest

from judges.endpoints.client import Failure, _failure, parse_response

PAY, RATE, LONG = Failure.BILLING, Failure.RATE, Failure.TOO_LONG
BAD, KEY = Failure.BAD_REQUEST, Failure.AUTHENTICATION


def said(message="", **fields):
    return {"error": {"message": message} | fields}


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
    "401": (401, said("No active billing plan"), PAY),
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
    # Neither.
    "a wrong parameter": (400, said("max_tokens is too large", code="invalid_value"), BAD),
    "a budget of thoughts": (400, said("A thinking budget is not supported"), BAD),
    "a page": (403, "<html>No credit card? Insufficient balance</html>", KEY),
    "a quoted prompt": (400, {"error": {"input": "no credit balance", "message": "bad"}}, BAD),
    "a balancer": (400, said(type="load_balancer_error"), BAD),
    "a filter": (400, said("content policy: no credit"), Failure.CONTENT_FILTER),
    "a key": (403, said("The key was revoked"), KEY),
    # Too long
    "OpenAI's context": (400, said(code="context_length_exceeded"), LONG),
    "Anthropic's context": (400, said("prompt is too long: 209,000 tokens"), LONG),
    "vLLM's context": (400, said("This model's maximum context length is 4096 tokens."), LONG),
    "413": (413, "", LONG),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_named_by_its_code_its_type_and_its_words(case):
    status, data, failure = REFUSED[case]
    assert _failure(status, data) is failure


ODD = [None, 5, True, "", [], [[]], {"error": None}, {"error": {"code": {}, "message": ["credit"]}}]


@pytest.mark.parametrize("status", [400, 403, 429])
@pytest.mark.parametrize("data", ODD)
def test_what_has_no_words_is_named_by_its_status(status, data):
    assert _failure(status, data) is {400: BAD, 403: KEY, 429: RATE}[status]


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ({"message": "Insufficient credits", "code": 402}, PAY),
        ({"message": SPENT, "type": "insufficient_quota"}, PAY),
        ({"message": SPENT, "type": "insufficient_quota", "code": 429}, PAY),
        ({"message": "per minute", "code": "insufficient_quota"}, RATE),
        ({"message": "Insufficient balance", "code": 403}, PAY),
        ({"message": "no such model"}, Failure.NO_CHAT),
    ],
)
def test_a_refusal_in_a_reply_with_status_200_is_read_alike(error, failure):
    assert parse_response(json.dumps({"error": error}).encode(), 50).failure is failure
