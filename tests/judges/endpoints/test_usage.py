"""What an endpoint counted, read from whatever it sends."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.endpoints.client import Answer, parse_response
from judges.endpoints.usage import MOST_TOKENS, counts
from judges.models import Call, Endpoint, Run
from judges.runs import settle

LONGEST = 30


def usage(prompt=300, completion=10, total=None, thought=None, cached=None):
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


# Usage; tokens (in, out) that are kept; those that were counted at least, where they are in doubt
READ = {
    "plain": (usage(), (300, 10), None),
    "with its total": (usage(total=310), (300, 10), None),
    "a total below its parts": (usage(total=5), (300, 10), None),
    "thoughts within": (usage(completion=4010, total=4310, thought=4000), (300, 4010), None),
    "thoughts beside": (usage(total=4310, thought=4000), (300, 4010), None),
    "thoughts beside, no total": (usage(thought=4000), (300, 4010), None),
    "thoughts that nobody names": (usage(total=500), (300, 200), None),
    "no completion but a total": (usage(completion=None, total=310), (300, 10), None),
    "nothing out": (usage(completion=0), (300, 0), None),
    "nothing at all": (usage(0, 0, 0), (None, 0), (0, 0)),
    "nothing in": (usage(prompt=0), (None, 10), (0, 10)),
    "ten times what was allowed": (usage(completion=300), (300, 300), None),
    "more than that": (usage(completion=301), (300, 301), (300, 301)),
    "more, by the total": (usage(total=4310), (300, 4010), (300, 4010)),
    "more, of which a part was thought": (
        usage(completion=4000, thought=9),
        (300, 4000),
        (300, 4000),
    ),
    "no prompt": (usage(prompt=None), (None, 10), (0, 10)),
    "no prompt but a total": (usage(prompt=None, total=310), (None, 10), (0, 310)),
    "no completion": (usage(completion=None), (300, None), (300, 0)),
    "a total below the prompt": (usage(completion=None, total=5), (300, None), (300, 0)),
    "only thoughts": (usage(completion=None, thought=50), (300, None), (300, 50)),
    "far too many in": (usage(prompt=2**70), (None, 10), (MOST_TOKENS, 10)),
    "far too many out": (usage(completion=2**70), (300, None), (300, MOST_TOKENS)),
    "words": (usage("many", "few", "some"), (None, None), (0, 0)),
    "below nothing": (usage(-1, -2, -3), (None, None), (0, 0)),
    "fractions": (usage(300.5, 10.5), (None, None), (0, 0)),
    "as floats and texts": (usage(300.0, "2826"), (300, 2826), (300, 2826)),
    "in Anthropic's names": ({"input_tokens": 300, "output_tokens": 10}, (300, 10), None),
    "in Gemini's names": (
        {"promptTokenCount": 300, "candidatesTokenCount": 9, "thoughtsTokenCount": 4000},
        (300, 4009),
        None,
    ),
    "in Gemini's names, few thoughts": (
        {"promptTokenCount": 300, "candidatesTokenCount": 100, "thoughtsTokenCount": 50},
        (300, 150),
        None,
    ),
    "in Anthropic's names, with a cache": (
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 2000,
            "cache_creation_input_tokens": 5000,
            "output_tokens": 50,
        },
        (7010, 50),
        None,
    ),
    "a cache that the prompt cannot hold": (
        {"prompt_tokens": 10, "cache_read_input_tokens": 2000, "completion_tokens": 50},
        (2010, 50),
        None,
    ),
    "a cache that the prompt holds": (
        {"prompt_tokens": 2010, "cache_read_input_tokens": 2000, "completion_tokens": 50},
        (2010, 50),
        None,
    ),
    "a cache without a prompt": (
        {"cache_read_input_tokens": 5, "completion_tokens": 50},
        (None, 50),
        (0, 50),
    ),
    "in OpenAI's newer names": (
        {
            "input_tokens": 300,
            "output_tokens": 4010,
            "output_tokens_details": {"reasoning_tokens": 4000},
        },
        (300, 4010),
        None,
    ),
    "thoughts beside, under no details": (usage() | {"reasoning_tokens": 4000}, (300, 4010), None),
    "under two names": (usage() | {"output_tokens": 40}, (300, 40), None),
    "details that are none": (
        {"prompt_tokens_details": [{"prompt_tokens": 9}]},
        (None, None),
        (0, 0),
    ),
    "truths": (usage(True, True), (None, None), (0, 0)),
    "no object": ([1, 2], (None, None), (0, 0)),
    "nothing": (None, (None, None), (0, 0)),
}


@pytest.mark.parametrize("case", READ)
def test_tokens_in_and_out_and_whether_they_are_in_doubt(case):
    sent, kept, least = READ[case]
    fields = counts(sent, LONGEST)
    assert (fields["tokens_in"], fields["tokens_out"], fields.get("least")) == (*kept, least)


@pytest.mark.parametrize(
    ("content", "out", "least"), [("4", None, (300, 0)), (" ", 0, None), ("", 0, None)]
)
def test_a_reply_that_says_something_took_tokens(content, out, least):
    choices = [{"message": {"content": content}, "finish_reason": "stop"}]
    sent = {"choices": choices, "usage": usage(completion=0)}
    answer = parse_response(json.dumps(sent).encode(), LONGEST)
    assert (answer.tokens_in, answer.tokens_out, answer.least) == (300, out, least)


@pytest.mark.parametrize(
    ("cached", "kept"), [(None, None), (0, 0), (300, 300), (301, None), (-1, None), ("all", None)]
)
def test_more_cached_tokens_than_there_were_are_none(cached, kept):
    assert counts(usage(cached=cached), LONGEST)["tokens_cached"] == kept
    deepseek = usage() | {"prompt_cache_hit_tokens": cached}
    assert counts(deepseek, LONGEST)["tokens_cached"] == kept


def test_a_count_of_cached_tokens_that_is_none_is_not_kept():
    assert counts(usage(prompt=2**40, cached=2**39), LONGEST)["tokens_cached"] is None


def test_of_two_counts_of_cached_tokens_the_dearer_holds():
    both = usage(cached=100) | {"prompt_cache_hit_tokens": 250}
    assert counts(both, LONGEST)["tokens_cached"] == 100


# What stands in a usage beside its tokens; the USD that the provider so says it charged
TOLD = {
    "nothing": ({}, None),
    "OpenRouter": ({"cost": 0.95}, "0.95"),
    "a free model": ({"cost": 0}, "0"),
    "a text": ({"cost": "0.00014"}, "0.00014"),
    "less than is kept": ({"cost": 1e-12}, "0.00000001"),
    "OpenRouter, provider's part": (
        {"cost": 0.5, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.5}},
        "0.5",
    ),
    "OpenRouter, own key": (
        {"cost": 0.95, "is_byok": True, "cost_details": {"upstream_inference_cost": 19}},
        "19.95",
    ),
    "OpenRouter, perhaps own key": (
        {"cost": 0, "cost_details": {"upstream_inference_cost": 0.036}},
        "0.036",
    ),
    "own key, no fee": (
        {"is_byok": True, "cost_details": {"upstream_inference_cost": 0.036}},
        "0.036",
    ),
    "Perplexity": ({"cost": {"request_cost": 0.005, "total_cost": 0.0061}}, "0.0061"),
    "DeepInfra": ({"estimated_cost": 2.68e-05}, "0.0000268"),
    "xAI": ({"cost_in_usd_ticks": 2709000}, "0.0002709"),
    "two that differ": ({"cost_in_usd_ticks": 2709000, "cost": 0.0003}, "0.0003"),
    "no price at all": ({"cost": 1e300}, "10000"),
    "below nothing": ({"cost": -1}, None),
    "no number": ({"cost": "free", "estimated_cost": [1], "cost_in_usd_ticks": True}, None),
    "far too much": ({"cost": "1e1000000"}, "10000"),
    "far too many ticks": ({"cost_in_usd_ticks": "1e9999999"}, "10000"),
    "not finite": ({"cost": float("nan"), "estimated_cost": float("inf")}, None),
    "details that are none": ({"cost_details": [3], "cost": None}, None),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_the_provider_says_it_charged(case):
    beside, usd = TOLD[case]
    assert counts(usage() | beside, LONGEST)["usd"] == (None if usd is None else Decimal(usd))


# Tokens (in, out), what is told, the prices; what the call is stored with, and counts for
CHARGED = {
    "less than the tokens cost": ((300, 10), 0.0001, True, "0.0004", "0.0004"),
    "more than the tokens cost": ((300, 10), 0.05, True, "0.05", "0.05"),
    "nothing": ((300, 10), 0, True, "0.0004", "0.0004"),
    "no tokens": ((None, None), 0.05, True, "0.05", "0.05"),
    "no tokens, less than the estimate": ((None, None), 0.0001, True, None, "0.0002"),
    "no prices": ((300, 10), 0.05, False, "0.05", "0.05"),
    "no prices, a free model": ((300, 10), 0, False, "0", "0"),
    "no prices and no word": ((300, 10), None, False, None, "0.0002"),
}


@pytest.mark.parametrize("case", CHARGED)
def test_no_call_is_charged_below_what_the_provider_says_it_charged(case):
    tokens, told, has_prices, stored, charged = CHARGED[case]
    prices = {"price_in": Decimal(1), "price_out": Decimal(10)} if has_prices else {}
    run, sent = Run(unit_usd=ESTIMATE), usage(*tokens) | {"cost": told}
    price = settle.price(run, Endpoint(**prices), Answer(**counts(sent, LONGEST)))
    assert price == (None if stored is None else Decimal(stored))
    assert settle.charge(run, Call(cost_usd=price)) == Decimal(charged)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
details = json_values | st.fixed_dictionaries(
    {}, optional={"reasoning_tokens": json_values, "cached_tokens": json_values}
)
usages = json_values | st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("cost", "cost_details", "estimated_cost"), json_values)
    | dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), json_values)
    | dict.fromkeys(("prompt_tokens_details", "completion_tokens_details"), details),
)


def whole(value):
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_text = isinstance(value, str) and value.isascii() and value.isdecimal()
    return int(value) if type(value) is int and value >= 0 or is_text else None


def least_charge(sent, estimate):
    """The least that a usage costs; in: 1 USD a million tokens, out: 10 USD."""
    sent = sent if isinstance(sent, dict) else {}
    names = "prompt_tokens", "completion_tokens", "total_tokens"
    prompt, completion, total = (whole(sent.get(name)) for name in names)
    out = max(completion or 0, (total or 0) - (prompt or 0))
    amounts = [min(amount, MOST_TOKENS) for amount in (prompt or 0, out)]
    counted = Decimal(amounts[0] + 10 * amounts[1]) / 1_000_000
    details = sent.get("completion_tokens_details")
    thought = whole(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    is_missing = prompt is None or completion is None and (total is None or total < prompt)
    in_doubt = is_missing or not prompt or out - (thought or 0) > 10 * LONGEST
    return max(counted, estimate) if in_doubt else counted


ESTIMATE = Decimal("0.0002")


@given(usages)
def test_no_usage_raises_or_is_charged_below_what_it_counts_or_in_doubt_the_estimate(sent):
    """In: 1 USD a million tokens, out: 10 USD."""
    choices = [{"message": {"content": "ok"}, "finish_reason": "stop"}]
    answer = parse_response(json.dumps({"choices": choices, "usage": sent}).encode(), LONGEST)
    assert (answer.content, answer.failure) == ("ok", None)
    run, endpoint = Run(unit_usd=ESTIMATE), Endpoint(price_in=Decimal(1), price_out=Decimal(10))
    charged = settle.charge(run, Call(cost_usd=settle.price(run, endpoint, answer)))
    assert charged >= least_charge(sent, ESTIMATE)
    assert all(
        count is None or 0 <= count <= MOST_TOKENS
        for count in (answer.tokens_in, answer.tokens_cached, answer.tokens_out)
    )
