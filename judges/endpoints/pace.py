"""Find out how many calls at once an endpoint stands, by its answers.

Each worker finds its own limit. The leases keep the sum of all workers within the endpoint's
concurrency, so no count of calls under way is shared.
"""

START = 16
CUT = 0.8
SHORTEST_COOL_DOWN = 15.0  # seconds
IN_USE = 0.8  # of the limit; who does not use what there is has no need of more


class Pace:
    """Adjust a worker's limit of calls at once; every time is given, to be tested by hand.

    It begins modest and doubles after each clean round (as many good answers in a row as there
    are places) until the first "too many requests"; from then on it grows by a twentieth. Such an
    answer cuts it, once per cool-down; trouble of the server only pauses its growth.
    """

    def __init__(self, most, now, start=None, slow=False):
        self.most, self.slow = most, slow
        self.limit = max(1, min(most, start or START))
        self.calm_from = self.cool_from = now
        self.clean = self.peak = 0

    def uses(self, calls):
        """Note how many calls are under way."""
        self.peak = max(self.peak, calls)

    def good(self, now):
        """Note that an answer came, whatever it says; widen the limit after a clean round."""
        if now < self.calm_from:
            return
        self.clean += 1
        if self.clean < self.limit:
            return
        if self.peak >= IN_USE * self.limit and self.limit < self.most:
            wider = self.limit + max(1, self.limit // 20) if self.slow else 2 * self.limit
            self.limit = min(self.most, wider)
        self.clean = self.peak = 0

    def trouble(self, now):
        """Note a server error or a time-out: pause the growth."""
        self.clean = 0
        self.calm_from = max(self.calm_from, now + SHORTEST_COOL_DOWN)

    def too_many(self, now, retry_after=None):
        """Note that the endpoint asked for fewer requests: cut the limit."""
        self.clean, self.slow = 0, True
        if now < self.cool_from:
            return
        self.cool_from = now + max(SHORTEST_COOL_DOWN, retry_after or 0)
        self.calm_from = max(self.calm_from, self.cool_from)
        self.limit = max(1, int(self.limit * CUT))
