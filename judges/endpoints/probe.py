"""Find out what an endpoint can do by a handful of tiny calls, and say it in words."""

import asyncio
import json
from copy import copy
from dataclasses import dataclass
from functools import partial

from asgiref.sync import async_to_sync
from django.utils import timezone

from judges.endpoints import refusals
from judges.endpoints.asking import Asking
from judges.endpoints.client import REFUSALS, TRANSIENT, Client, Failure
from judges.endpoints.parameters import WORDS
from judges.models import Endpoint
from judges.models.endpoint import REFUSABLE
from judges.replies.parse import Reason, answer_in
from judges.replies.thoughts import without_thoughts

SECONDS = 15  # of each call at most: somebody waits for the page
QUESTION = [
    {"role": "user", "content": 'Reply with the JSON object {"score": 3} and nothing else.'}
]
WITH_SYSTEM = [
    {"role": "system", "content": "You reply in JSON only."},
    *QUESTION,
]
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["vermilion"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
SHORT, REASONED = 60, 2000  # tokens of a reply; the second where the model may think before it
PLAIN = {"temperature": 0.0, "max_tokens": SHORT}
FORMAT = {"type": "json_schema", "json_schema": {"name": "c", "strict": True, "schema": SCHEMA}}
# {name: (messages, parameters)} of the calls that follow a first one that was answered
MORE = {
    "json_schema": (QUESTION, PLAIN | {"response_format": FORMAT}),
    "json_mode": (QUESTION, PLAIN | {"response_format": {"type": "json_object"}}),
    "logprobs": (QUESTION, PLAIN | {"logprobs": True, "top_logprobs": 2}),
    "system_role": (WITH_SYSTEM, PLAIN),
}


@dataclass(frozen=True)
class Finding:
    """The outcome of a trial: True works, False does not, None was not reached."""

    name: str
    works: bool | None
    words: str
    refused: bool = False


def probe(endpoint):
    """Test the endpoint, keep the findings with the time, and use them."""
    findings = async_to_sync(_findings)(endpoint)
    endpoint.findings = {
        finding.name: [finding.works, finding.words[:500], finding.refused] for finding in findings
    }
    endpoint.tested_at = timezone.now()
    fields = {"findings": endpoint.findings, "tested_at": endpoint.tested_at}
    if endpoint.json_schema and endpoint.can("json_schema") is False:
        endpoint.json_schema = fields["json_schema"] = False
    Endpoint.objects.filter(pk=endpoint.pk).update(**fields)
    return findings


async def _findings(endpoint):
    hurried = copy(endpoint)
    hurried.timeout_seconds = min(SECONDS, endpoint.timeout_seconds)
    async with Client(hurried) as client:
        asking = Asking(client, REFUSABLE)
        first, longest = await _answered(asking, QUESTION, PLAIN, SHORT)
        findings = list(_first(endpoint, first))
        if first.failure:
            return findings
        refused = [name for name in REFUSABLE if name in asking.found]
        findings += [Finding(name, False, WORDS[name], True) for name in refused]
        more = (_answered(asking, messages, sent, longest) for messages, sent in MORE.values())
        answers = [answer for answer, _ in await asyncio.gather(*more)]
    return [*findings, *map(_tried, MORE, answers)]


async def _answered(asking, messages, parameters, longest):
    """Return (Answer, how long a reply it allowed); what is not whole is asked for once more."""
    _, answer = await asking.ask(messages, parameters | {"max_tokens": longest})
    if answer.failure or longest == REASONED or not _lacks(answer):
        return answer, longest
    again, longest = await _answered(asking, messages, parameters, REASONED)
    return answer if again.failure else again, longest


def _lacks(answer):
    """Return why a reply is none that shows what the endpoint can do; None where it is."""
    reply = answer_in(answer.content, answer.finish_reason)
    return reply if isinstance(reply, Reason) else None


# What a failure says about the key and the model; reachable is what answers with a status.
UNREACHED = {Failure.TIMEOUT, Failure.CONNECTION, Failure.UNREACHED, Failure.HOST}
HINTS = {Failure.UNREACHED: " (there is no network, or nothing listens there)"}
NO_KEY = {Failure.NO_KEY, Failure.SEALED, Failure.BAD_KEY}


def _first(endpoint, answer):
    failure, why = answer.failure, partial(refusals.why, answer.failure, answer.detail)
    if failure is not Failure.HOST:
        yield Finding("key", failure not in NO_KEY, _key_words(endpoint, answer))
    if failure in NO_KEY:
        return
    if failure in UNREACHED:
        hint = HINTS.get(failure, "")
        yield Finding("reachable", False, f"The address does not answer{hint}: {why()}")
        return
    yield Finding("reachable", True, "The address answers.")
    if failure is Failure.AUTHENTICATION:
        yield Finding("accepted", False, why("The key is refused"))
    elif failure is Failure.NOT_FOUND:
        yield Finding("model", False, why(f"No model {endpoint.model}, or no such address"))
    elif failure:
        yield Finding("model", False, f"The call failed: {why()}")
    else:
        other = f" (it calls it {answer.model})" if answer.model not in ("", endpoint.model) else ""
        lack = f", but said nothing whole: {lack}" if (lack := _lacks(answer)) else ""
        yield Finding("model", True, f"The model {endpoint.model} replies{other}{lack}.")
        yield Finding("seconds", True, f"A tiny call took {answer.seconds:.1f} s.")


def _key_words(endpoint, answer):
    """Say which key was sent, or why none was."""
    name = endpoint.api_key_env
    if answer.failure in NO_KEY:
        if name and answer.failure is Failure.NO_KEY:
            return f"The variable {name} is not set where the pages run; nothing was sent."
        return f"{answer.detail.rstrip('.')}; nothing was sent."
    if name:
        return f"The variable {name} is set here."
    stored = f"The key …{endpoint.secret_end} is stored and opens."
    return stored if endpoint.secret else "No key is set."


LABELS = {
    "json_schema": "A JSON schema",
    "json_mode": "JSON mode",
    "logprobs": "Asking for probabilities of tokens",
    "system_role": "A system message",
}
WORKS = {
    "json_schema": lambda answer: _read(answer.content) == {"colour": "vermilion"},
    "json_mode": lambda answer: isinstance(_read(answer.content), dict),
    "logprobs": lambda answer: bool((answer.logprobs or {}).get("tokens")),
    "system_role": lambda answer: bool(answer.content),
}


def _read(content):
    try:
        return json.loads(without_thoughts(content), strict=False)
    except (ValueError, RecursionError):
        return None


# These say nothing about what a call asked for.
NO_EVIDENCE = {*TRANSIENT, *REFUSALS, Failure.BILLING, Failure.AUTHENTICATION, Failure.FAULT}


def _tried(name, answer):
    if answer.failure in NO_EVIDENCE or not answer.failure and _lacks(answer):
        why = answer.failure or _lacks(answer)
        return Finding(name, None, f"{LABELS[name]}: not found out, {why}.")
    works = not answer.failure and WORKS[name](answer)
    refused = f"refused: {answer.failure}" if answer.failure else "taken, but without effect"
    if name == "json_schema":
        words = (
            "A JSON schema is enforced."
            if works
            else f"A JSON schema is {refused}. Judges ask for JSON in words and read it strictly."
        )
    else:
        words = f"{LABELS[name]} works." if works else f"{LABELS[name]} is {refused}."
    return Finding(name, works, words, bool(answer.failure))
