"""Run many simulated studies of each design, and count what happened in them.

An experiment draws every study from a generator of its own, seeded by the seed of the run, the
experiment's name and the study's number: however the studies are shared out, the counts are equal.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import sqrt
from multiprocessing import Pool
from zlib import crc32

import numpy as np

SECTIONS = (
    *("false_yes", "own_answers", "boundary", "coverage", "intervals", "winners", "stopping"),
    *("planner", "attacks"),
)
SEED = 20260702
PROCESSES = 2
BLOCK = 25  # studies of a task

Outcomes = dict[str, bool | None]


@dataclass(frozen=True)
class Experiment:
    """Studies of one design; `simulate` returns {outcome: whether it happened}, None for neither.

    studies, few: how many in the long form and in the short form.
    """

    name: str
    simulate: Callable[[np.random.Generator], Outcomes]
    studies: int
    few: int

    def count(self, is_short: bool, most: int | None = None) -> int:
        """Return the number of studies of the long form, of that at most, or of the short form."""
        return self.few if is_short else min(self.studies, most or self.studies)


@dataclass(frozen=True)
class Tally:
    """In how many of n studies something happened."""

    hits: int
    n: int

    @property
    def share(self) -> float:
        """Return the share of studies, 0..1; NaN without studies."""
        return self.hits / self.n if self.n else float("nan")

    @property
    def error(self) -> float:
        """Return the Monte Carlo error of the share, which is not 0 where nothing happened.

        Source: Agresti & Coull (1998), The American Statistician 52: two more of either kind.
        """
        share = (self.hits + 2) / (self.n + 4)
        return sqrt(share * (1 - share) / (self.n + 4))


Tallies = dict[tuple[str, str], Tally]  # by experiment and outcome


def load_sections():
    """Return the modules of the sections in the order of the page."""
    return [import_module(f"tests.calibration.{name}") for name in SECTIONS]


@cache
def experiments_by_name() -> dict[str, Experiment]:
    """Return all experiments by their names, which have to differ."""
    every = [own for section in load_sections() for own in section.experiments()]
    table = {own.name: own for own in every}
    assert len(table) == len(every)
    return table


def count_studies(is_short, most=None):
    """Return {section: {experiment: its number of studies}}; most: of each, by some sections."""
    return {
        section: {
            own.name: own.count(is_short, (most or {}).get(section)) for own in module.experiments()
        }
        for section, module in zip(SECTIONS, load_sections(), strict=True)
    }


def run_experiments(
    seed=SEED, *, is_short=False, most=None, processes=PROCESSES, names=None
) -> Tallies:
    """Run the experiments, all or those named, and tally their outcomes."""
    counts_by_section = count_studies(is_short, most).values()
    tasks = [
        (name, seed, start, min(start + BLOCK, count))
        for own in counts_by_section
        for name, count in own.items()
        if names is None or name in names
        for start in range(0, count, BLOCK)
    ]
    hits: Counter[tuple[str, str]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for block_hits, block_counts in _progress(_map(tasks, processes), len(tasks)):
        hits.update(block_hits)
        counts.update(block_counts)
    return {key: Tally(hits[key], counts[key]) for key in counts}


def _map(tasks, processes):
    if processes == 1:
        yield from map(run_block, tasks)
        return
    with Pool(processes) as pool:
        yield from pool.imap_unordered(run_block, tasks)
        pool.close()
        pool.join()  # else their CPU seconds are not counted


def run_block(task):
    """Run some studies of one experiment: (hits, studies), counters by (experiment, outcome)."""
    name, seed, start, stop = task
    simulate = experiments_by_name()[name].simulate
    hits, counts = Counter(), Counter()
    for number in range(start, stop):
        rng = np.random.default_rng([seed, crc32(name.encode()), number])
        for outcome, happened in simulate(rng).items():
            key = name, outcome
            hits[key] += bool(happened)
            counts[key] += happened is not None
    return hits, counts


def _progress(results, total):
    """Pass results on, and say on stderr how far they are."""
    began = last = time.monotonic()
    for number, result in enumerate(results, 1):
        yield result
        if (now := time.monotonic()) - last > 10 or number == total:
            last = now
            print(f"{number} of {total} blocks, {now - began:.0f} s", file=sys.stderr, flush=True)
