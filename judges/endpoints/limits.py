"""Limit requests and tokens a minute of an endpoint, and keep its "not before", for all workers.

What was sent is counted in slots of a second. A call may be sent when the slots of the last
KEPT seconds, it included, stay within the limit; so no window of 60 s holds more than the limit,
wherever it begins, even if calls reach the endpoint LATE seconds after they were counted. So that
a minute's worth does not go out at once, a slot holds a part of it. Tokens are counted by their
upper bound before the call and by the endpoint's own count after it.

This is no bucket: the burst and the refill of a bucket pass the limit in some window, unless a part
of the limit is given away, and a correction of tokens would come too late to count.
"""

import functools
import json
import math
import time
from datetime import timedelta

import redis
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from judges.endpoints.parameters import longest_reply
from judges.models import Endpoint, Window

MINUTE, LATE = 60, 3
KEPT = MINUTE + LATE + 1  # slots; the first and the last may be parts of a second
REQUESTS_SLOT = 48  # a slot holds a 48th of a minute's requests: a quarter above the mean
TOKENS_SLOT = 10
MOST_TRIES = 50
MESSAGE_OVERHEAD = 200  # tokens of a chat template, at most

# The same rule as `take` below; a test compares the two.
TAKE = """
local now = tonumber(ARGV[1])
if now == 0 then now = tonumber(redis.call('TIME')[1]) end
local rpm, tpm, rpm_slot, tpm_slot = unpack(ARGV, 2, 5)
local sum, slot = {r = 0, t = 0}, {r = 0, t = 0}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local kind, at = string.sub(all[i], 1, 1), tonumber(string.sub(all[i], 2))
  if at <= now - tonumber(ARGV[6]) then redis.call('HDEL', KEYS[1], all[i])
  else
    sum[kind] = sum[kind] + tonumber(all[i + 1])
    if at >= now then slot[kind] = slot[kind] + tonumber(all[i + 1]) end
  end
end
local granted = 0
for i = 7, #ARGV do
  local r, t = 1, tonumber(ARGV[i])
  local function fits(kind, amount, most, most_slot)
    return sum[kind] + amount <= tonumber(most)
      and (slot[kind] == 0 or slot[kind] + amount <= tonumber(most_slot))
  end
  if not (fits('r', r, rpm, rpm_slot) and fits('t', t, tpm, tpm_slot)) then break end
  sum.r, slot.r, sum.t, slot.t = sum.r + r, slot.r + r, sum.t + t, slot.t + t
  redis.call('HINCRBY', KEYS[1], 'r' .. now, r)
  redis.call('HINCRBY', KEYS[1], 't' .. now, t)
  granted = granted + 1
end
redis.call('EXPIRE', KEYS[1], 2 * tonumber(ARGV[6]))
return {granted, now}
"""
CORRECT = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
end
"""
NO_LIMIT = 10**12


def most_tokens_in(messages, parameters):
    """Return the most tokens that a call can bring to the endpoint: a token is at least a byte.

    Of what is sent beside the messages a schema may be counted, and written into the prompt.
    """
    sent = json.dumps([messages, parameters], ensure_ascii=False)
    return len(sent.encode()) + MESSAGE_OVERHEAD


def most_tokens(messages, parameters):
    """Return the most tokens of a call, with the longest reply."""
    return most_tokens_in(messages, parameters) + longest_reply(parameters)


def has_limits(endpoint):
    """Whether the endpoint has limits by the minute."""
    return endpoint.rpm is not None or endpoint.tpm is not None


def permit(endpoint, tokens):
    """Return how many calls of so many tokens each may be sent at once, and their slot."""
    rules = _rules(endpoint)
    # What is larger than the limit goes alone; the endpoint has the last word about it.
    wanted = [min(amount, rules[1]) for amount in tokens]
    if settings.REDIS_URL:
        granted, slot = _script(TAKE)(keys=[_key(endpoint)], args=[0, *rules, KEPT, *wanted])
        return granted, slot
    slot = int(time.time())
    return _change(endpoint, lambda slots: take(slots, slot, rules, wanted)), slot


def correct(endpoint, slot, difference):
    """Correct a slot by a call's difference of tokens to what was counted for it."""
    if settings.REDIS_URL:
        _script(CORRECT)(keys=[_key(endpoint)], args=[f"t{slot}", difference])
        return
    _change(endpoint, lambda slots: _correct(slots, f"t{slot}", difference))


def _rules(endpoint):
    """Return (requests, tokens) of a minute and of a slot."""
    rpm = NO_LIMIT if endpoint.rpm is None else endpoint.rpm
    tpm = NO_LIMIT if endpoint.tpm is None else endpoint.tpm
    return rpm, tpm, math.ceil(rpm / REQUESTS_SLOT), math.ceil(tpm / TOKENS_SLOT)


def take(slots, now, rules, wanted):
    """Count as many of the wanted calls as fit into {slot: amount}, and return how many."""
    for name in [name for name in slots if int(name[1:]) <= now - KEPT]:
        del slots[name]
    for granted, tokens in enumerate(wanted):
        for kind, amount, most, most_slot in zip("rt", (1, tokens), rules, rules[2:], strict=False):
            sums = [count for name, count in slots.items() if name[0] == kind]
            here = sum(n for name, n in slots.items() if name[0] == kind and int(name[1:]) >= now)
            if sum(sums) + amount > most or (here and here + amount > most_slot):
                return granted
        for name, amount in ((f"r{now}", 1), (f"t{now}", tokens)):
            slots[name] = slots.get(name, 0) + amount
    return len(wanted)


def _correct(slots, name, difference):
    if name in slots:
        slots[name] += difference


def _change(endpoint, change):
    """Change the row of slots by a conditional UPDATE; try again if another worker was faster."""
    for _ in range(MOST_TRIES):
        row, _made = Window.objects.get_or_create(endpoint=endpoint)
        result = change(row.slots)
        same = Window.objects.filter(pk=row.pk, version=row.version)
        if same.update(slots=row.slots, version=row.version + 1):
            return result
    return 0  # nothing was counted, so nothing may be sent; the next round asks again


@functools.cache
def _redis():
    return redis.Redis.from_url(settings.REDIS_URL)


@functools.cache
def _script(text):
    return _redis().register_script(text)


def _key(endpoint):
    return f"{settings.CELERY_TASK_DEFAULT_QUEUE}:window:{endpoint.pk}"


def wait_all(endpoint, seconds):
    """Keep all workers from calling the endpoint before so many seconds have passed."""
    until = timezone.now() + timedelta(seconds=seconds)
    sooner = Q(not_before=None) | Q(not_before__lt=until)
    Endpoint.objects.filter(sooner, pk=endpoint.pk).update(not_before=until)


def seconds_to_wait(endpoint):
    """Return the seconds until the endpoint may be called again; 0 as a rule."""
    until = Endpoint.objects.filter(pk=endpoint.pk).values_list("not_before", flat=True).first()
    return max(0.0, (until - timezone.now()).total_seconds()) if until else 0.0
