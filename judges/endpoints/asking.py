"""Ask an endpoint again without the parameters that it refuses by name."""

import asyncio

from judges.endpoints.client import REFUSALS, Failure
from judges.endpoints.parameters import NAMED, named_in, spoken


class Asking:
    """Ask a client; where a refusal names a parameter, try once without it, for all calls.

    found: {parameter: what the endpoint said} of those without which it answered. may_leave_out:
    names that may be tried; not those with which a reply has come: a judge never mixes the two.
    """

    def __init__(self, client, may_leave_out=tuple(NAMED)):
        self.client, self.may_leave_out = client, set(may_leave_out)
        self.found: dict[str, str] = {}
        self.lock = asyncio.Lock()

    async def ask(self, messages, parameters, permitted=None):
        """Return (what was sent, its Answer).

        permitted: awaited before a call that is made beside the first one.
        """
        before = len(self.found)
        sent, answer = await self._ask(messages, parameters, self.found)
        if not self._refused(sent, answer):
            return sent, answer
        async with self.lock:
            if len(self.found) == before:
                return await self._tried(messages, parameters, permitted, (sent, answer))
        if permitted:  # another call found out meanwhile what to leave out
            await permitted()
        return await self.ask(messages, parameters, permitted)

    async def _ask(self, messages, parameters, refused):
        sent = spoken(parameters, refused)
        answer = await self.client.ask(messages, sent)
        if not answer.failure:
            self.may_leave_out -= sent.keys()
        return sent, answer

    def _refused(self, sent, answer):
        """Return the parameters that may be left out, where the answer is a refusal of them."""
        if answer.failure is not Failure.BAD_REQUEST:
            return []
        return [name for name in named_in(answer.detail, sent) if name in self.may_leave_out]

    async def _tried(self, messages, parameters, permitted, first):
        """Leave out what is refused, one after the other; keep that where it was answered."""
        tried, (sent, answer) = dict(self.found), first
        while names := self._refused(sent, answer):
            tried[names[0]] = answer.detail
            if permitted:
                await permitted()
            sent, answer = await self._ask(messages, parameters, tried)
        if not answer.failure or answer.failure in REFUSALS:
            self.found = tried
        elif answer.failure is Failure.BAD_REQUEST:
            self.may_leave_out -= tried.keys()
            return first
        return sent, answer
