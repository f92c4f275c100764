"""A reply becomes values by the scales, or a reason; no reply raises, none is guessed at."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.values.scales import parse_scale
from judges.methods.profile.method import KEYS, profile_in
from judges.methods.questions import Questions
from judges.methods.recommend import parse_prose, structured
from judges.perturbations import perturb
from judges.replies import verdicts
from judges.replies.parse import (
    LONGEST_REPLY,
    MOST_OBJECTS,
    Reason,
    parse,
    reply_schema,
    value_spans,
    why_not_whole,
)
from judges.runs.lease import Unit

LIKERT = parse_scale("likert5")
TWO = {"accuracy": LIKERT, "satisfaction": LIKERT}
ONE = {"accuracy": LIKERT}

READ = {
    "plain": '{"accuracy": 4, "satisfaction": 2}',
    "in a code fence": 'Sure!\n```json\n{"accuracy": 4,\n "satisfaction": 2}\n```\nHope it helps.',
    "with prose around": 'I think {so}: {"accuracy": 4, "satisfaction": 2} is right.',
    "the last of two": '{"accuracy": 1, "satisfaction": 1} {"accuracy": 4, "satisfaction": 2}',
    "an empty object after it": '{"accuracy": 4, "satisfaction": 2} {}',
    "an example of something else before it": '{"x": 1} {"accuracy": 4, "satisfaction": 2}',
    "with a rationale": '{"rationale": "{\\"accuracy\\": 1}", "accuracy": 4, "satisfaction": 2}',
    "whole numbers written as floats": '{"accuracy": 4.0, "satisfaction": 2e0}',
    "other order": '{"satisfaction": 2, "accuracy": 4}',
}


@pytest.mark.parametrize("case", READ)
def test_a_verdict_that_is_exactly_determinable_is_read(case):
    verdict = parse(READ[case], TWO)
    assert verdict.values == {"accuracy": 4.0, "satisfaction": 2.0}
    assert verdict.reasons == {}


NOT_READ = {
    "": Reason.EMPTY,
    "  \n": Reason.EMPTY,
    "I would say 4.": Reason.NO_JSON,
    "4": Reason.NO_JSON,
    "[4]": Reason.NO_JSON,
    "I'm sorry, I cannot rate this.": Reason.NO_JSON,
    '{"accuracy": 4': Reason.BROKEN_JSON,
    '{"accuracy": 4,}': Reason.BROKEN_JSON,
    '{"accuracy": NaN}': Reason.BROKEN_JSON,
    '{"accuracy": 4} {"accuracy": ': Reason.BROKEN_JSON,
    '{"rationale": "he said {"accuracy": 2}': Reason.BROKEN_JSON,
    '{"a":' * 50_000: Reason.BROKEN_JSON,
    '{"accuracy": ' + "9" * 5000 + "}": Reason.BROKEN_JSON,
    "{}": Reason.MISSING,
    '{"rationale": "good"}': Reason.MISSING,
    '{"accuracy": 6}': Reason.OFF_SCALE,
    '{"accuracy": 0}': Reason.OFF_SCALE,
    '{"accuracy": -1}': Reason.OFF_SCALE,
    '{"accuracy": 1e999}': Reason.OFF_SCALE,
    '{"accuracy": 3.5}': Reason.NOT_WHOLE,
    '{"accuracy": "four"}': Reason.NOT_A_NUMBER,
    '{"accuracy": "4"}': Reason.NOT_A_NUMBER,
    '{"accuracy": true}': Reason.NOT_A_NUMBER,
    '{"accuracy": null}': Reason.NOT_A_NUMBER,
    '{"accuracy": [4]}': Reason.NOT_A_NUMBER,
    '{"accuracy": {"score": 4}}': Reason.NOT_A_NUMBER,
    '{"accuracy": 4, "accuracy": 5}': Reason.DUPLICATE,
    '{"accuracy": 4, "humour": 5}': Reason.EXTRA,
    '{"Accuracy": 4}': Reason.EXTRA,
}


@pytest.mark.parametrize("reply", NOT_READ, ids=lambda reply: reply[:40])
def test_what_is_no_valid_answer_has_its_own_reason(reply):
    verdict = parse(reply, ONE)
    assert verdict.values == {}
    assert verdict.reasons == {"accuracy": NOT_READ[reply]}


GOOD = '{"accuracy": 4}'
ENDLESS = {
    "objects after each other": ("{}" * 900_000, Reason.REPLY_TOO_LONG),
    "as many as are looked at, and one more": (GOOD + "{}" * MOST_OBJECTS, Reason.TOO_MANY_OBJECTS),
    "objects within one": ('{"accuracy": [' + "{}," * 150_000 + "{}]}", Reason.TOO_MANY_OBJECTS),
    "words": (GOOD + "x" * LONGEST_REPLY, Reason.REPLY_TOO_LONG),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_a_reply_without_end_is_not_read_whatever_stands_in_it(case):
    """2 MB of {} took four seconds to read, in a transaction."""
    reply, reason = ENDLESS[case]
    assert parse(reply, ONE).reasons == {"accuracy": reason}
    assert verdicts.parse_verdict(reply, {"fit": 1.0}) == (reason, "")
    assert profile_in(reply) is reason
    assert value_spans(reply, ONE) == {}


def test_the_longest_replies_that_are_read():
    long = "x" * (LONGEST_REPLY - len(GOOD)) + GOOD
    assert parse(long, ONE).values == {"accuracy": 4}
    assert parse("{}" * (MOST_OBJECTS - 1) + GOOD, ONE).values == {"accuracy": 4}
    whole = json.dumps(dict.fromkeys(KEYS, "text"))
    assert profile_in("{}" * (MOST_OBJECTS - 1) + whole).startswith("Listening habits: text")


def test_a_reply_cut_off_gives_no_value_even_where_a_verdict_stands():
    verdict = parse('{"accuracy": 4} On second thought', ONE, finish_reason="length")
    assert verdict.reasons == {"accuracy": Reason.CUT_OFF}


WHOLE = "stop STOP FINISH_REASON_STOP end_turn eos eos_token stop_sequence COMPLETE completed end"
WHOLE += " done success eosFound end_of_sequence"
CUT = "length LENGTH max_tokens MAX_TOKENS max_output_tokens model_length token_limit"
FILTERED = (
    "content_filter SAFETY IMAGE_SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST SPII sensitive"
)
FAILED = "error ERROR OTHER LANGUAGE abort insufficient_system_resource pause_turn not_finished 2"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([*WHOLE.split(), "", " ", "null", "tool_calls", "function_call", "tool_use"], None),
        ([*CUT.split(), "model_context_window_exceeded", "maxTokens"], Reason.CUT_OFF),
        (
            [*FILTERED.split(), "content_filter: PROHIBITED_CONTENT", "guardrail_intervened"],
            Reason.FILTERED,
        ),
        (["refusal"], Reason.REFUSED),
    ],
)
def test_one_place_says_by_the_endpoints_word_whether_a_reply_is_whole(words, reason):
    for word in words:
        assert why_not_whole(word) is reason, word
        verdict = parse('{"accuracy": 4}', ONE, word)
        assert verdict.values == ({} if reason else {"accuracy": 4})
        assert verdict.reasons == ({"accuracy": reason} if reason else {})


@pytest.mark.parametrize("word", FAILED.split())
def test_a_reply_that_ended_for_any_other_reason_is_none_and_tells_its_word(word):
    verdict = parse('{"accuracy": 4}', ONE, word)
    assert (verdict.values, verdict.reasons) == ({}, {"accuracy": Reason.ENDED})
    unit = Unit(1, None, [SimpleNamespace(key="accuracy", scale=LIKERT)])
    verdict = perturb.parse_reply({}, unit, Questions(), '{"accuracy": 4}', word, [])
    said = f"reply not whole, the endpoint ended it with “{word}”"
    assert verdict.reasons == {"accuracy": said}


@pytest.mark.parametrize("character", ["\n", "\r\n", "\t", "\x01"])
def test_line_ends_and_the_like_within_a_text_are_read(character):
    reply = f'{{"rationale": "One.{character}Two.", "accuracy": 4}}'
    verdict = parse(reply, ONE)
    assert verdict.values == {"accuracy": 4}
    assert verdict.rationale == "One." + character.replace("\r", "") + "Two."
    assert value_spans(reply, ONE)["accuracy"][0] == reply.index("4")
    said = f'{{"rationale": "One.{character}Two.", "verdict": "fit"}}'
    assert verdicts.parse_verdict(said, {"fit": 1.0})[0] == 1.0
    assert profile_in(json.dumps(dict.fromkeys(KEYS, "a|b")).replace("|", character))
    titles = f'["Toy{character}Story", "Up"]'
    for found in (structured.parse_list(titles), parse_prose.parse_list(titles, 2)):
        assert found == [" ".join(f"Toy{character}Story".split()), "Up"]


def test_one_bad_aspect_leaves_the_good_ones():
    verdict = parse('{"accuracy": 4, "satisfaction": 9}', TWO)
    assert verdict.values == {"accuracy": 4.0}
    assert verdict.reasons == {"satisfaction": Reason.OFF_SCALE}
    assert parse('{"accuracy": 4}', TWO).reasons == {"satisfaction": Reason.MISSING}


STARS = parse_scale({"choice": [3, 2, "none"]})


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ('"3"', 1),
        ("3", 1),
        ("2.0", 2),
        ('"none"', 3),
        ("1", Reason.OFF_SCALE),
        ('"1"', Reason.OFF_SCALE),
        ("true", Reason.NOT_A_NUMBER),
        ("[3]", Reason.NOT_A_NUMBER),
    ],
)
def test_where_labels_are_numbers_a_reply_holds_labels(said, value):
    verdict = parse(f'{{"stars": {said}}}', {"stars": STARS})
    assert verdict.values == ({} if isinstance(value, Reason) else {"stars": value})
    assert verdict.reasons == ({"stars": value} if isinstance(value, Reason) else {})
    asked = reply_schema({"stars": STARS}, rationale=False)["properties"]
    assert asked == {"stars": {"type": "string", "enum": ["3", "2", "none"]}}


def test_the_rationale_is_kept():
    assert parse('{"rationale": "clear", "accuracy": 4}', ONE).rationale == "clear"
    assert parse('{"rationale": 5, "accuracy": 4}', ONE).rationale == ""


def test_a_number_question_takes_fractions_within_its_ends():
    scales = {"length": parse_scale("number")}
    assert parse('{"length": -2.5}', scales).values == {"length": -2.5}
    assert parse('{"length": 1e300}', scales).reasons == {"length": Reason.OFF_SCALE}


def test_the_schema_asks_for_whole_numbers_of_the_scale_only():
    assert reply_schema(TWO, rationale=False) == {
        "type": "object",
        "properties": {
            "accuracy": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
            "satisfaction": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        },
        "required": ["accuracy", "satisfaction"],
        "additionalProperties": False,
    }


def test_the_schema_puts_a_bounded_rationale_first():
    properties = reply_schema(ONE, rationale=True)["properties"]
    assert list(properties) == ["rationale", "accuracy"]
    assert properties["rationale"]["maxLength"] == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["accuracy", "satisfaction", "rationale", "x"]), inner)
    ),
    max_leaves=8,
).map(json.dumps)
PIECES = st.sampled_from(
    ['{"accuracy": 5', ', "satisfaction": 3}', "```", "{", "}", '"', "\\", "4"]
)


@given(st.lists(st.text(max_size=10) | JSON | PIECES, max_size=6).map("".join))
def test_no_reply_raises_and_none_gives_a_value_off_the_scale(reply):
    verdict = parse(reply, TWO)
    assert set(verdict.values) | set(verdict.reasons) == set(TWO)
    assert set(verdict.values) & set(verdict.reasons) == set()
    assert all(value in (1, 2, 3, 4, 5) for value in verdict.values.values())


@given(st.integers(1, 5), st.integers(1, 5))
def test_every_valid_reply_is_read_whole(accuracy, satisfaction):
    given_values = {"accuracy": accuracy, "satisfaction": satisfaction}
    assert parse(json.dumps(given_values), TWO).values == given_values
