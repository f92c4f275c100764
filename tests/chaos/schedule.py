"""When which fault comes: drawn from a seed, so that a run can be repeated."""

import random
from dataclasses import dataclass

KINDS = {
    "web process": "SIGKILL to one process of the web server",
    "web server": "SIGKILL to the whole web server, started again",
    "worker": "SIGKILL to one worker, started again",
    "all workers": "SIGKILL to both workers, started again",
    "beat": "SIGKILL to the clock, started again",
    "database": "every connection to the database is terminated",
    "redis": "SIGKILL to Redis, started again empty",
    "disk": "the disk of uploads and exports is full",
}
LASTING = {"redis": (1, 4), "disk": (3, 6)}  # seconds that the fault itself lasts


@dataclass(frozen=True)
class Fault:
    """One fault: its second of the run, its kind, how long it lasts, and a draw for its victim."""

    second: float
    kind: str
    lasts: float = 0.0
    draw: int = 0

    def __str__(self):
        lasts = f", for {self.lasts:.1f} s" if self.lasts else ""
        return f"{self.second:7.1f} s  {self.kind:<12} {KINDS[self.kind]}{lasts}"


def plan(seed, seconds, gap, kinds):
    """Return the faults of a run, one in about every `gap` seconds, every kind equally often."""
    dice, bag, faults, second = random.Random(seed), [], [], 0.0
    while (second := second + gap * dice.uniform(0.6, 1.4)) < seconds:
        if not bag:
            bag = list(kinds)
            dice.shuffle(bag)
        kind = bag.pop()
        lasts = round(dice.uniform(*LASTING.get(kind, (0, 0))), 1)
        faults.append(Fault(round(second, 1), kind, lasts, dice.randrange(1000)))
        second += lasts
    return faults
