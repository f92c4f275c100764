"""The probability-weighted value, from log-probabilities written by hand."""

import json
import math

import pytest
from django.urls import reverse

from annotate.values.scales import parse_scale
from judges.models import Judgment
from judges.replies.logprobs import Reason, kept, weighted
from judges.replies.parse import value_spans
from judges.runs import drive
from judges.runs.plan import Judge, plan
from judges.runs.reread import reread
from tests import factories
from tests.scripted_server import ScriptedServer, chat

LIKERT, TEN = parse_scale("likert5"), parse_scale({"min": 1, "max": 10})
TWO = {"accuracy": LIKERT, "satisfaction": LIKERT}
ONE = {"accuracy": LIKERT}


def token(text, p=1.0, likely=None, **more):
    """A token as an endpoint sends it: {text: probability} of the likeliest in its place."""
    top = [
        {"token": t, "logprob": math.log(q), "bytes": list(t.encode())}
        for t, q in (likely or {text: p}).items()
    ]
    logprob = math.log((likely or {}).get(text, p))
    found = {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": top}
    return found | more


def weigh(tokens, scales=ONE):
    reply = "".join(each["token"] for each in tokens)
    return weighted(reply, kept({"content": tokens}, reply), scales)


def around(*score, key="accuracy"):
    """The tokens of a reply about one question, of which the score has these."""
    return [token('{"'), token(key), token('":'), token(" "), *score, token("}")]


BY_HAND = {
    # .6·4 + .3·5 + .1·3
    "all on the scale": ({"4": 0.6, "5": 0.3, "3": 0.1}, 4.2, 1.0),
    # (.5·4 + .25·2) / .75; "four" and 9 are on no point of the scale
    "some of it elsewhere": ({"4": 0.5, "2": 0.25, "four": 0.2, "9": 0.05}, 2.5 / 0.75, 0.75),
    # spaces and what follows a number belong to it: .5·4 + .25·4 + .25·1
    "other tokens of one point": ({"4": 0.5, " 4": 0.25, "1}": 0.25}, 3.25, 1.0),
    "certain": ({"4": 1.0}, 4.0, 1.0),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_the_mean_of_the_points_by_their_probabilities(case):
    likely, value, mass = BY_HAND[case]
    found = weigh(around(token("4", likely=likely)))["accuracy"]
    assert (found.value, found.mass) == (pytest.approx(value), pytest.approx(mass))
    assert found.reason == ""


def test_each_question_has_the_token_of_its_own():
    """Digits in the rationale, in other letters too, are before both; the order is the reply's."""
    tokens = [
        token('{"rationale": "4 von 5, 我给'),
        token("3"),
        token(' Sterne: \\"accuracy\\": 1"'),
        token(', "satisfaction":'),
        token(" 2", likely={" 2": 0.5, " 4": 0.5}),
        token(',\n"accuracy": '),
        token("5", likely={"5": 0.9, "1": 0.1}),
        token("}"),
    ]
    found = weigh(tokens, TWO)
    assert found["satisfaction"].value == pytest.approx(3.0)
    assert found["accuracy"].value == pytest.approx(4.6)


def test_the_last_verdict_is_the_one_that_is_weighted():
    one = around(token("1", likely={"1": 0.5, "2": 0.5}))
    two = around(token("4", likely={"4": 0.5, "5": 0.5}))
    assert weigh([*one, token(" No: "), *two])["accuracy"].value == pytest.approx(4.5)


def test_a_token_that_brings_more_than_the_score():
    """ ": 4" in one token: the alternatives are read after the same beginning."""
    tokens = [token('{"accuracy"'), token(": 4", likely={": 4": 0.5, ":2": 0.3, " 3": 0.2})]
    found = weigh([*tokens, token("}")])["accuracy"]
    assert (found.value, found.mass) == (pytest.approx((2 + 0.6) / 0.8), pytest.approx(0.8))


NONE = {
    "10 of two tokens": ([token("1"), token("0")], TEN, Reason.SEVERAL_TOKENS),
    "4.0 of three": ([token("4"), token("."), token("0")], LIKERT, Reason.SEVERAL_TOKENS),
    "a 1 that may become a 10": (
        [token("7", likely={"7": 0.6, "1": 0.4})],
        TEN,
        Reason.AMBIGUOUS,
    ),
    "no point among them": (
        [token("4", likely={"four": 0.6})],
        parse_scale({"min": 7, "max": 9}),
        Reason.NO_POINT,
    ),
    "more than all": ([token("4", likely={"4": 0.9, "5": 0.9})], LIKERT, Reason.UNUSABLE),
    "a choice of words": ([token("1")], parse_scale({"choice": ["A", "B"]}), Reason.NO_MEAN),
    "no ends": ([token("1")], parse_scale("number"), Reason.NO_MEAN),
}


@pytest.mark.parametrize("case", NONE)
def test_where_there_is_none_it_says_why(case):
    tokens, scale, reason = NONE[case]
    found = weigh(around(*tokens), {"accuracy": scale})["accuracy"]
    assert (found.value, found.mass, found.reason) == (None, None, reason)


def test_a_ten_of_one_token_is_a_point_like_any_other():
    found = weigh(around(token("10", likely={"10": 0.5, "1": 0.25, "9": 0.25})), {"accuracy": TEN})
    assert found["accuracy"].value == pytest.approx(5 + 0.25 + 2.25)


def test_a_one_that_is_next_to_impossible_spoils_nothing():
    likely = {"7": 0.9995, "1": 0.0005}
    found = weigh(around(token("7", likely=likely)), {"accuracy": TEN})["accuracy"]
    assert found.value == pytest.approx(0.9995 * 7 + 0.0005)


SENT = {
    "nothing": (None, Reason.NOT_SENT),
    "null": ({"content": None}, Reason.NOT_SENT),
    "no token": ({"content": []}, Reason.NOT_SENT),
    "a list": ([1], Reason.NOT_SENT),
    "tokens that are numbers": ({"content": [1, 2]}, Reason.UNUSABLE),
    "another text": ({"content": [token("5")]}, Reason.OTHER_TEXT),
    "a probability above 1": ({"content": [token("4", logprob=0.5)]}, Reason.UNUSABLE),
    "a word for a number": ({"content": [token("4", logprob="low")]}, Reason.UNUSABLE),
    "no number": ({"content": [token("4", logprob=math.nan)]}, Reason.UNUSABLE),
    "a number beyond all floats": ({"content": [token("4", logprob=-(10**400))]}, Reason.UNUSABLE),
    "bytes beyond all": ({"content": [token("4", bytes=[2**70])]}, Reason.UNUSABLE),
    "as many bytes as fill the memory": ({"content": [token("4", bytes=2**62)]}, Reason.UNUSABLE),
    "half a character": (
        {"content": [token("4", bytes=None) | {"token": "\ud800"}]},
        Reason.UNUSABLE,
    ),
    "bytes off the scale": ({"content": [token("4", bytes=[400])]}, Reason.UNUSABLE),
    "alternatives that are texts": ({"content": [token("4", top_logprobs=["5"])]}, Reason.UNUSABLE),
}


@pytest.mark.parametrize("case", SENT)
def test_log_probabilities_that_cannot_be_used(case):
    sent, reason = SENT[case]
    assert kept(sent, "4") == {"reason": reason}
    assert weighted("4", {"reason": reason}, ONE)["accuracy"].reason == reason


def test_without_bytes_the_text_of_a_token_counts_and_an_impossible_one_is_none():
    tokens = around(
        token(
            "4",
            bytes=None,
            top_logprobs=[
                {"token": "4", "logprob": math.log(0.5)},
                {"token": "2", "logprob": -math.inf},
                {"token": "3", "logprob": math.log(0.5)},
            ],
        )
    )
    assert weigh(tokens)["accuracy"].value == pytest.approx(3.5)
    reply = "".join(each["token"] for each in tokens)
    json.dumps(kept({"content": tokens}, reply), allow_nan=False)


def test_only_tokens_with_digits_are_kept():
    tokens = around(token("4", likely={"4": 0.75, "5": 0.25}))
    assert kept({"content": tokens}, '{"accuracy": 4}') == {
        "tokens": [[13, "4", [("4", math.log(0.75)), ("5", math.log(0.25))]]]
    }


@pytest.mark.parametrize(
    "reply, spans",
    [
        ('{"accuracy":4}', {"accuracy": "4"}),
        ('x {"a": {"accuracy": 1}, "accuracy" : 2 , "b": [3]}', {"accuracy": "2"}),
        (
            '{"accuracy": 1, "accuracy": 3, "satisfaction": 5}',
            {"accuracy": "3", "satisfaction": "5"},
        ),
        ('{"é": "我", "accuracy": 4.0}', {"accuracy": "4.0"}),
        ("{}", {}),
        ("nothing", {}),
        ('{"accuracy": ', {}),
    ],
)
def test_where_an_answer_stands(reply, spans):
    found = value_spans(reply, TWO)
    assert {key: reply[slice(*found[key])] for key in spans} == spans


# Through a run


def scripted(request):
    """A reply of 4 to every question, with a probability of .6, and .4 for 3."""
    keys = list(request["response_format"]["json_schema"]["schema"]["properties"])
    tokens = [token("{")]
    for at, key in enumerate(keys):
        tokens += [token(f'{", " if at else ""}"{key}": '), token("4", likely={"4": 0.6, "3": 0.4})]
    tokens.append(token("}"))
    reply = chat("".join(each["token"] for each in tokens))
    reply.body["choices"][0]["logprobs"] = {"content": tokens}
    return reply


def run_of(study, script, **fields):
    with ScriptedServer(script) as server:
        endpoint = factories.make_endpoint(server.url, timeout_seconds=5)
        run = plan(factories.make_judge(study, "judge", endpoint, **fields), limit=1)
        drive.work_through(run.pk)
    run.refresh_from_db()
    return run, server


def found_in(run):
    rows = run.judgments.values_list("value", "weighted_value", "weighted_mass", "weighted_reason")
    return {tuple(round(x, 9) if isinstance(x, float) else x for x in row) for row in rows}


@pytest.mark.django_db
def test_a_run_keeps_it_beside_the_score(study):
    run, server = run_of(study, lambda _, request: scripted(request), weighted=True)
    assert server.requests[0]["logprobs"] is True
    assert server.requests[0]["top_logprobs"] == 20
    assert run.frozen["weighted"] is True
    assert found_in(run) == {(4.0, 3.6, 1.0, "")}


@pytest.mark.django_db
def test_the_run_s_page_says_how_many_have_one_and_why_not(study, as_owner):
    run, _ = run_of(study, lambda _, request: scripted(request), weighted=True)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "beside the scores: 4 of 4 have one" in page
    run.judgments.update(weighted_value=None, weighted_reason=Reason.SEVERAL_TOKENS)
    page = as_owner.get(run.get_absolute_url()).content.decode()
    assert "0 of 4 have one; 4: spread over several tokens" in page


@pytest.mark.django_db
def test_an_endpoint_without_them_is_named_and_the_score_stays(study):
    script = lambda *_: chat(json.dumps(dict.fromkeys(factories.ASPECTS, 4)))  # noqa: E731
    run, _ = run_of(study, script, weighted=True)
    assert found_in(run) == {(4.0, None, None, Reason.NOT_SENT)}


@pytest.mark.django_db
def test_without_the_setting_nothing_is_asked_for(study):
    run, server = run_of(study, lambda _, request: scripted(request))
    assert "logprobs" not in server.requests[0]
    assert "weighted" not in run.frozen
    assert found_in(run) == {(4.0, None, None, "")}


@pytest.mark.django_db
def test_a_reply_without_a_verdict_has_no_weighted_value(study):
    def off(_, request):
        reply = scripted(request)
        reply.body["choices"][0]["message"]["content"] = "I would say 4."
        return reply

    run, _ = run_of(study, off, weighted=True)
    assert found_in(run) == {(None, None, None, "")}


@pytest.mark.django_db
def test_stored_replies_are_weighted_again(study):
    run, _ = run_of(study, lambda _, request: scripted(request), weighted=True)
    assert reread(run).changed == 0
    run.judgments.update(weighted_value=None, weighted_mass=None, weighted_reason="lost")
    assert reread(run).reworded == 4
    assert found_in(run) == {(4.0, 3.6, 1.0, "")}
    assert not Judgment.objects.exclude(weighted_reason="").exists()


@pytest.mark.django_db
def test_it_is_a_setting_of_an_llm_on_the_form(study, as_owner):
    endpoint = factories.make_endpoint()
    fields = {
        "key": "G",
        "endpoint": endpoint.pk,
        "prompt": "explanation.v1",
        "aspects": "multiple",
        "temperature": 0,
        "max_tokens": 100,
        "samples": 1,
        "shots": "zero",
        "seed": 1,
        "example_role": "recipient",
        "pool_share": 0.2,
        "context": "none",
        "history_length": 10,
    }
    at = reverse("judge_new", args=[study.slug]) + "?kind=llm"
    assert as_owner.post(at, fields | {"weighted": "on"}).status_code == 302
    judge = study_judge(study)
    assert judge.settings.weighted
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).content.decode()
    assert "top_logprobs" in page, "what is sent is shown"


def study_judge(study):
    return Judge.objects.get(study=study, key="G")
