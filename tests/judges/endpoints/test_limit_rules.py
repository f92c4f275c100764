"""The numbers behind an endpoint's limits by the minute: what is counted, and for how long."""

import json
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from judges.endpoints import limits
from judges.models import Endpoint, Window
from tests import factories


@pytest.fixture(params=["database", pytest.param("redis", marks=pytest.mark.redis)])
def endpoint(request, db, settings):
    """An endpoint of 1,000 tokens a minute: 100 in a second."""
    if request.param == "database":
        settings.REDIS_URL = ""
    endpoint = factories.make_endpoint(tpm=1000, key="limited")
    yield endpoint
    if request.param == "redis":
        limits._redis().delete(limits._key(endpoint))


# What is counted


def test_a_call_counts_a_token_for_each_byte_and_200_for_the_template():
    messages, parameters = [{"role": "user", "content": "Größe 好"}], {"temperature": 0}
    sent = '[[{"role": "user", "content": "Größe 好"}], {"temperature": 0}]'
    assert json.loads(sent) == [messages, parameters]
    # Two letters of two bytes and one of three are four bytes more than there are letters.
    assert limits.most_tokens_in(messages, parameters) == len(sent) + 4 + 200


def test_the_longest_reply_is_counted_too():
    parameters = {"max_tokens": 77}
    assert limits.most_tokens([], parameters) - limits.most_tokens_in([], parameters) == 77


@pytest.mark.parametrize(
    ("rpm", "tpm", "expected"),
    [(None, None, False), (5, None, True), (None, 5, True), (5, 5, True), (0, None, True)],
)
def test_one_limit_is_enough_to_have_limits(rpm, tpm, expected):
    assert limits.has_limits(Endpoint(rpm=rpm, tpm=tpm)) is expected


@pytest.mark.parametrize(
    ("rpm", "tpm", "slots"),
    [(96, 1000, (2, 100)), (97, 1001, (3, 101)), (1, 1, (1, 1)), (48, 10, (1, 1))],
)
def test_a_second_holds_its_part_of_a_minute_rounded_up(rpm, tpm, slots):
    assert limits._rules(Endpoint(rpm=rpm, tpm=tpm)) == (rpm, tpm, *slots)


def test_no_limit_is_larger_than_what_anybody_sends():
    assert min(limits._rules(Endpoint())) > 10**10


# How long it is counted


def test_a_slot_counts_for_64_seconds_and_is_then_forgotten():
    rules, slots = (1, limits.NO_LIMIT, 1, limits.NO_LIMIT), {}
    assert limits.take(slots, 1000, rules, [5]) == 1
    assert slots == {"r1000": 1, "t1000": 5}
    assert limits.take(slots, 1063, rules, [5]) == 0
    assert limits.take(slots, 1064, rules, [5]) == 1
    assert slots == {"r1064": 1, "t1064": 5}


def test_requests_and_tokens_are_counted_apart():
    rules = (10, 100, 2, 50)
    assert limits.take({}, 1000, rules, [20, 20, 20]) == 2, "two requests in a second"
    assert limits.take({}, 1000, rules, [40, 20]) == 1, "fifty tokens in a second"
    assert limits.take({"t990": 90}, 1000, rules, [20]) == 0, "a hundred tokens in a minute"
    assert limits.take({"t990": 80}, 1000, rules, [20]) == 1
    assert limits.take({"r990": 10}, 1000, rules, [1]) == 0, "ten requests in a minute"
    assert limits.take({"r990": 9}, 1000, rules, [1, 1]) == 1
    assert limits.take({"t1003": 50}, 1000, rules, [1]) == 0, "a slot ahead counts as this one"
    assert limits.take({}, 1000, rules, [60]) == 1, "what is larger than a slot goes alone"


# Asking


def test_as_many_calls_are_permitted_as_fit_and_what_they_took_is_corrected(endpoint):
    granted, slot = limits.permit(endpoint, [40, 40, 40])
    assert granted == 2
    assert abs(slot - timezone.now().timestamp()) < 5
    assert limits.permit(endpoint, [5000])[0] == 0, "the minute has 1,000 tokens and 80 are taken"
    limits.correct(endpoint, slot, -80)
    limits.correct(endpoint, slot - 500, 7)  # a slot that is gone stays gone
    assert limits.permit(endpoint, [5000])[0] == 1, "a call larger than the limit goes alone"


def test_each_endpoint_counts_for_itself(endpoint):
    other = factories.make_endpoint(tpm=1000, key="other")
    try:
        assert limits.permit(endpoint, [5000])[0] == 1
        assert limits.permit(endpoint, [1])[0] == 0
        assert limits.permit(other, [5000])[0] == 1
    finally:
        if limits.settings.REDIS_URL:
            limits._redis().delete(limits._key(other))


def test_who_is_always_overtaken_sends_nothing_and_asks_again_in_the_next_round(db, settings):
    settings.REDIS_URL = ""
    endpoint, tries = factories.make_endpoint(rpm=96, key="limited"), []

    def overtaken(slots):
        tries.append(dict(slots))
        slots["r1"] = 1
        Window.objects.update(version=F("version") + 1)  # somebody else was faster
        return 5

    assert limits._change(endpoint, overtaken) == 0
    assert tries == [{}] * 50
    assert Window.objects.get().slots == {}
    assert limits._change(endpoint, lambda slots: slots.update(r2=1) or 3) == 3
    assert Window.objects.get().slots == {"r2": 1}


# Not before


def test_an_endpoint_waits_for_the_latest_moment_that_anybody_named(db):
    endpoint, other = factories.make_endpoint(key="a"), factories.make_endpoint(key="b")
    assert limits.seconds_to_wait(endpoint) == 0
    limits.wait_all(endpoint, 60)
    assert 55 < limits.seconds_to_wait(endpoint) <= 60
    limits.wait_all(endpoint, 5)
    assert 55 < limits.seconds_to_wait(endpoint) <= 60, "a shorter wait does not end a longer one"
    limits.wait_all(endpoint, 600)
    assert 595 < limits.seconds_to_wait(endpoint) <= 600
    assert limits.seconds_to_wait(other) == 0
    Endpoint.objects.update(not_before=timezone.now() - timedelta(seconds=3))
    assert limits.seconds_to_wait(endpoint) == 0
