"""Keep a worker's calls within all that their endpoint allows."""

import time

from judges.endpoints import limits, pace
from judges.endpoints.client import TRANSIENT, Failure
from judges.models import Endpoint

LOOK_SECONDS = 0.25  # how often a "not before" of another worker is looked for
TROUBLE = TRANSIENT - {Failure.RATE}


class Gate:
    """Combine the limit of calls at once, permits by the minute and the endpoint's "not before".

    `limit`, `is_closed`, `uses` and `heard` belong to the event loop; what reads or writes the
    database or Redis is for the thread that may wait for them.
    """

    patience = LOOK_SECONDS

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.counts = limits.has_limits(endpoint)
        self.pace = pace.Pace(
            endpoint.concurrency, time.monotonic(), endpoint.known_limit, endpoint.known_slow
        )
        self.opens = self.looked = 0.0
        self.used = False

    @property
    def limit(self):
        """Return how many calls may be under way at once."""
        return self.pace.limit

    def is_closed(self):
        """Whether the endpoint asked to be left alone still."""
        return time.monotonic() < self.opens

    def uses(self, calls):
        """Note how many calls are under way."""
        self.used = self.used or calls > 0
        self.pace.uses(calls)

    def heard(self, outcome):
        """Let the limit follow an answer."""
        now, failure = time.monotonic(), outcome.answer.failure
        if outcome.odd:
            return
        if failure is Failure.RATE:
            self.pace.too_many(now, outcome.wait())
        elif failure in TROUBLE:
            self.pace.trouble(now)
        else:
            self.pace.good(now)

    # In the thread that holds the database connection:

    def permit(self, units, sent_for):
        """Return how many of the units may be sent now, each counted by its upper bound of tokens.

        sent_for: returns the (messages, parameters) of a unit.
        """
        wanted = [limits.most_tokens(*sent_for(unit)) for unit in units]
        granted, slot = limits.permit(self.endpoint, wanted) if units else (0, 0)
        for unit, tokens in zip(units[:granted], wanted, strict=False):
            unit.permit = (slot, tokens)
        return granted

    def record(self, outcomes):
        """Correct what was counted, and tell all workers when the endpoint wants to be left."""
        for outcome in outcomes:
            if self.counts and outcome.unit.permit:
                slot, planned = outcome.unit.permit
                if difference := outcome.tokens(planned) - planned:
                    limits.correct(self.endpoint, slot, difference)
        told = [outcome for outcome in outcomes if outcome.is_pause or outcome.answer.retry_after]
        waits = [outcome.told if outcome.odd else outcome.wait() or 0 for outcome in told]
        if any(waits):
            self.opens = max(self.opens, time.monotonic() + max(waits))
            limits.wait_all(self.endpoint, max(waits))

    def look(self):
        """Look for a "not before" of another worker."""
        now = time.monotonic()
        if now - self.looked >= LOOK_SECONDS:
            self.looked = now
            self.opens = now + limits.seconds_to_wait(self.endpoint)

    def keep(self):
        """Keep the limit as the next run's beginning, unless the worker made no call."""
        if self.used:
            Endpoint.objects.filter(pk=self.endpoint.pk).update(
                known_limit=self.pace.limit, known_slow=self.pace.slow
            )
