"""What the server refused: every 5xx that any client got, and when faults were under way."""

import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

TAG = re.compile(r"<[^>]*>")
ECHO = 15  # seconds after a fault in which what it broke may still be felt


@dataclass(frozen=True)
class Refusal:
    """One 5xx: when, to whom and for what; whether it says in words when to try again."""

    when: float
    who: str
    kind: str
    status: int
    in_words: bool
    text: str

    def __str__(self):
        return f"{self.status} to {self.who} ({self.kind}): {self.text}"


@dataclass
class Answers:
    """Refusals and faults of one run, from many threads."""

    refusals: list = field(default_factory=list)
    faults: list = field(default_factory=list)  # (begun, ended)
    asked: Counter = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, who, kind, response, text):
        """Keep a 5xx; a 503 has to say when to try again, and in words where somebody reads it."""
        words = " ".join(TAG.sub(" ", text).split())[:100]
        is_read = kind != "save"  # the page keeps an answer, and sends it again by itself
        in_words = bool(response.headers.get("Retry-After") and (words or not is_read))
        refusal = Refusal(time.monotonic(), who, kind, response.status, in_words, words)
        with self.lock:
            self.refusals.append(refusal)

    def count(self, who):
        """Count a request that was answered."""
        with self.lock:
            self.asked[who] += 1

    def during_fault(self, refusal):
        """Tell whether a fault was under way, or had ended only just before."""
        return any(begun <= refusal.when <= ended + ECHO for begun, ended in self.faults)
