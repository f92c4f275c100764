"""Runs of judges by the HTTP API, and the books of the endpoint that they call."""

import json
import random
from dataclasses import dataclass, field
from decimal import Decimal

from tests.scripted_server import Reply, by_schema, chat
from tests.simulated_raters import GaveUp

PRICE_IN, PRICE_OUT = 10, 100  # USD for a million tokens
TOKENS = (1000, 400)
PRICE = Decimal("0.05")  # of one reply, by these
ITEMS, QUESTIONS = 40, 2
BUDGET = Decimal("0.6")  # enough for about eleven calls; then the actor raises it
DELAY = 0.15
ENDED = ("finished", "out_of_budget", "cancelled", "stopped")


@dataclass
class Books:
    """What the endpoint sent and what it charges for it, by model; each reply has a number."""

    seed: int
    sent: dict = field(default_factory=dict)  # number -> model, of replies that cost
    refused: int = 0

    def __post_init__(self):
        self.dice = random.Random(self.seed)

    def script(self, number, request):
        """Reply as asked; one call in 25 is refused at no cost."""
        chance = self.dice.random()
        if chance < 0.04:
            self.refused += 1
            if chance < 0.02:
                return Reply({"error": {"message": "overloaded"}}, status=500)
            return Reply({"error": {"message": "slow"}}, status=429, headers={"Retry-After": "1"})
        self.sent[number] = request["model"]
        reply = chat(by_schema(request), tokens=TOKENS, delay=DELAY * (0.5 + self.dice.random()))
        reply.body["system_fingerprint"] = f"reply-{number}"
        return reply

    def count(self, model):
        """Return how many replies a model has sent."""
        return list(self.sent.values()).count(model)


@dataclass
class RunsOfJudge:
    """An actor that runs one judge again and again; `confirmed` holds what the server confirmed."""

    caller: object
    slug: str
    judge: str
    has_budget: bool
    confirmed: dict = field(default_factory=dict)  # run -> judgments planned, as the server told
    raised: int = 0
    trouble: list = field(default_factory=list)

    def work(self, stop):
        """Start run after run, each watched to its end."""
        try:
            while not stop.is_set():
                self._run(stop)
                stop.wait(0.5)
        except GaveUp as error:
            self.trouble.append(str(error))

    def _run(self, stop):
        budget = BUDGET if self.has_budget else None
        run = self._start(budget)
        while not stop.wait(1):
            state = self._get(f"runs/{run}/")["state"]
            if state == "out_of_budget":
                budget += BUDGET
                self.raised += 1
                self._start(budget)
            elif state in ENDED:
                return

    def _start(self, budget):
        asked = {"judge": self.judge, "reuse": False, "confirmed": True}
        if budget is not None:
            asked["budget_usd"] = float(budget)
        path, body = f"/api/v1/studies/{self.slug}/runs/", json.dumps(asked)
        status, _, text = self.caller.ask("start a run", "POST", path, body)
        if status in (200, 201):
            run = json.loads(text)
        elif status == 409:  # the first try came through, and its answer was lost
            runs = self._get(f"runs/?judge={self.judge}")["results"]
            if not runs:
                raise GaveUp("a run is said to be active, and none is listed")
            run = runs[0]
        else:
            raise GaveUp(f"{status} to the start of a run: {text[:200]}")
        self.confirmed[run["id"]] = run["progress"]["total"]
        return run["id"]

    def _get(self, rest):
        path = f"/api/v1/studies/{self.slug}/{rest}"
        status, _, text = self.caller.ask("look at a run", "GET", path)
        if status != 200:
            raise GaveUp(f"{status} to {path}: {text[:200]}")
        return json.loads(text)


def make_judges(url, owner):
    """Make a study with two judges, each with an endpoint of its own."""
    from tests import factories

    texts = {"accuracy": "It is consistent.", "clarity": "It is clear."}
    study = factories.make_study("judged", owner, questions=texts)
    factories.make_items(study, ITEMS)
    for key in ("free", "capped"):
        factories.make_judge(study, key, make_endpoint(url, key))


def make_endpoint(url, key):
    """Make an endpoint whose model has the name of its judge, so that the books know it."""
    from tests import factories

    return factories.make_endpoint(
        url,
        key=key,
        model=key,
        price_in=PRICE_IN,
        price_out=PRICE_OUT,
        concurrency=6,
        timeout_seconds=5,
    )
