"""Raters who come in waves, each wave for a study with too few places for all of them."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests import simulated_raters
from tests.simulated_raters import GaveUp, SimulatedRater

WAVE = 10  # raters at once
SHORT_OF = 2  # for so many of them there is no place
LEAVERS = 8  # one of so many closes the browser after a few answers
PAUSE = 0.4  # seconds between two answers


class Left(Exception):
    """The rater closed the browser."""


@dataclass
class ChaosRater(SimulatedRater):
    """A simulated rater whose refusals are counted, and who may leave half-way."""

    answers: object = None
    leaves_after: int = 0
    outcome: str = ""
    last_sent: tuple = ()  # of an answer that may be stored without having been confirmed

    def note_fault(self, kind, response, text):
        self.answers.note("rater", kind, response, text)

    def save(self, address, item, question, data):
        self.last_sent = (item, question)
        super().save(address, item, question, data)
        self.last_sent = ()
        if self.leaves_after and self.saves >= self.leaves_after:
            raise Left

    def visit(self):
        """Walk to the end; whatever ends it is kept as the outcome."""
        try:
            self.walk()
            self.outcome = "late" if self.is_late else "done"
        except Left:
            self.outcome = "left"
        except GaveUp as error:
            self.outcome = f"gave up: {error}"
        except Exception as error:  # into the ledger, whatever it was
            self.outcome = f"surprised: {type(error).__name__}: {str(error)[:100]}"


@dataclass
class Crowd:
    """The waves: each takes the next study that was made for it beforehand."""

    port: int
    answers: object
    seed: int
    studies: list
    raters: dict = field(default_factory=dict)  # study -> its raters
    lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, stop):
        """Send wave after wave until it is time to stop; a wave that has begun walks to its end."""
        while not stop.is_set():
            with self.lock:
                if not self.studies:
                    return
                study = self.studies.pop(0)
                wave = self.raters[study] = self._wave(study)
            with ThreadPoolExecutor(len(wave)) as pool:
                list(pool.map(ChaosRater.visit, wave))

    def _wave(self, study):
        dice, times = random.Random(f"{self.seed} {study.slug}"), simulated_raters.Times()
        return [
            ChaosRater(
                self.port,
                study.slug,
                number,
                times,
                PAUSE,
                f"?PROLIFIC_PID=p{number}&STUDY_ID=s&SESSION_ID=v{number}" * (number % 2),
                answers=self.answers,
                leaves_after=0 if dice.randrange(LEAVERS) else dice.randrange(1, 7),
            )
            for number in range(WAVE)
        ]


def make_studies(count):
    """Return so many studies for waves."""
    return [simulated_raters.make_study(WAVE, SHORT_OF, f"wave-{n}") for n in range(count)]
