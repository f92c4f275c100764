"""Names of topics in a reply: what is kept, what is one, what is dropped and why."""

import json

import pytest

from judges.methods.extract import topics
from judges.methods.topics import shortlist
from judges.replies.parse import Reason


def kept(*entries, most=10):
    return shortlist.parse_names(json.dumps({"topics": list(entries)}), most).kept


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("fit", "fit"),
        ("  Battery   LIFE \n", "battery life"),
        ("battery_life", "battery life"),
        ("**Price**", "price"),
        ("“Scent”.", "scent"),
        ("- care", "care"),
        ("1. Fit", "fit"),
        ("１． Fit", "fit"),
        ("#2) fit", "fit"),
        ("Fit: how it sits", "fit"),
        ("ＦＩＴ", "fit"),
        ("ease of use", "ease of use"),
        ("long-term wear", "long-term wear"),
        ("c++", "c++"),
        ("3d effects", "3d effects"),
        ("质量", "质量"),
        ("कीमत", "कीमत"),
        ("a\u200bb", "a b"),
        ("a\x00b", "a\ufffdb"),
    ],
)
def test_a_name_is_made_as_a_list_of_topics_takes_it(said, name):
    assert kept(said) == [name]
    assert topics.problem_of([[name, ""]]) == ""


@pytest.mark.parametrize(
    "others",
    [["FIT"], ["fit."], ["Fit: the size"], ["fit", "  fit "], ["*fit*"]],
)
def test_names_that_differ_in_case_blanks_and_marks_are_one(others):
    found = shortlist.parse_names(json.dumps(["Fit", *others, "price"]), 10)
    assert found.kept == ["fit", "price"]
    assert found.dropped == {shortlist.TWICE: len(others)}


def test_a_hyphen_makes_no_other_topic_and_the_first_spelling_stays():
    assert kept("battery-life", "Battery life", "battery_life") == ["battery-life"]
    assert kept("c", "c++") == ["c", "c++"], "a sign is no mark"
    assert kept("का", "की") == ["का", "की"], "nor is a vowel sign"


def test_what_is_dropped_is_counted_with_why():
    long = "x" * 61
    entries = ["fit", "", " — ", long, 7, {"topic": "care"}, "Fit", "price", "x" * 60, "scent"]
    found = shortlist.parse_names(json.dumps({"topics": entries}), 3)
    assert found.kept == ["fit", "price", "x" * 60]
    assert found.dropped == {
        shortlist.EMPTY: 2,
        shortlist.TOO_LONG: 1,
        shortlist.NO_NAME: 2,
        shortlist.TWICE: 1,
        shortlist.TOO_MANY: 1,
    }
    assert found.examples == [
        ["", shortlist.EMPTY],
        [" — ", shortlist.EMPTY],
        [long, shortlist.TOO_LONG],
        ["7", shortlist.NO_NAME],
        ["{'topic': 'care'}", shortlist.NO_NAME],
        ["Fit", shortlist.TWICE],
        ["scent", shortlist.TOO_MANY],
    ]


def test_only_a_few_of_many_dropped_ones_are_kept_as_examples():
    found = shortlist.parse_names(json.dumps(["y" * 500] * 900), 10)
    assert found.dropped == {shortlist.TOO_LONG: 900}
    assert found.examples == [["y" * 80, shortlist.TOO_LONG]] * 20


def test_what_is_no_name_may_be_as_deep_as_json_is_read():
    for begin, end in ("[]", ['{"a":', "}"]):
        reply = '["fit", ' + begin * 700 + "1" + end * 700 + "]"
        found = shortlist.parse_names(reply, 10)
        assert (found.kept, found.dropped) == (["fit"], {shortlist.NO_NAME: 1})


@pytest.mark.parametrize(
    "reply",
    [
        '{"topics": ["fit", "price"]}',
        '["fit", "price"]',
        'Here they are:\n```json\n[\n  "fit",\n  "price"\n]\n```',
        'First [1] thoughts. {"topics": ["x"]} No: {"topics": ["fit", "price"]}',
    ],
)
def test_the_last_list_counts_wherever_it_stands(reply):
    assert shortlist.parse_names(reply, 10).kept == ["fit", "price"]


@pytest.mark.parametrize("reply", ['{"topics": []}', "[]"])
def test_an_empty_list_is_a_reply(reply):
    found = shortlist.parse_names(reply, 10)
    assert (found.kept, found.dropped) == ([], {})


@pytest.mark.parametrize(
    ("reply", "finish", "reason"),
    [
        ("", "stop", Reason.EMPTY),
        ('{"topics": ["fit"]}', "length", Reason.CUT_OFF),
        ("fit, price", "stop", Reason.NO_JSON),
        ('{"names": ["fit"]}', "stop", Reason.NO_TOPICS),
        ('{"topics": "fit"}', "stop", Reason.NO_TOPICS),
        ('{"topics": ["fit"], "topics": ["price"]}', "stop", Reason.NO_TOPICS),
        ('{"topics": ["fit", ', "stop", Reason.BROKEN_JSON),
        ('["fit", "price"', "stop", Reason.BROKEN_JSON),
    ],
)
def test_without_a_list_there_is_a_reason(reply, finish, reason):
    assert shortlist.parse_names(reply, 10, finish) is reason
