"""What was opened and what went wrong, and the report of it."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

SLOW = 3.0  # seconds from which on a page is listed
TO_LOG_IN = "/login/?next="  # what stands in the address to which who is not known is sent


@dataclass(frozen=True)
class Answer:
    """One answer of the server, to whom, and in which route."""

    role: str
    method: str
    link: str
    route: str
    status: int
    seconds: float
    location: str = ""  # where a redirect leads


@dataclass
class Ledger:
    """All answers and faults of one way of starting the product."""

    way: str
    answers: list[Answer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def record(self, answer: Answer) -> None:
        """Keep an answer; one of a server's error is a fault."""
        self.answers.append(answer)
        if answer.status >= 500:
            self.fail(f"{answer.status} {answer.method} {answer.link} as {answer.role}")

    def fail(self, words: str) -> None:
        """Keep a fault, once."""
        if words not in self.faults:
            self.faults.append(words)
            print(f"FAILED {self.way}: {words}", flush=True)

    def note(self, words: str) -> None:
        """Keep what is told and does not fail."""
        if words not in self.notes:
            self.notes.append(words)
            print(f"noted {self.way}: {words}", flush=True)

    def reached(self) -> set[str]:
        """Return the routes of which some answer was no error, no refusal, and no way to log in."""
        answers = (answer for answer in self.answers if TO_LOG_IN not in answer.location)
        return {answer.route for answer in answers if answer.status < 400}

    def opened_by(self, role: str) -> set[str]:
        """Return the routes that a role asked for, whatever it was answered."""
        return {answer.route for answer in self.answers if answer.role == role}

    def write(self, path: Path) -> None:
        """Write all answers as JSON lines, in the order in which they came."""
        rows = [json.dumps(asdict(answer)) + "\n" for answer in self.answers]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(rows))

    def lines(self) -> list[str]:
        """Return the report, one line after the other."""
        counts = Counter((answer.role, answer.method) for answer in self.answers)
        told = [f"== {self.way}: {len(self.answers)} answers, {len(self.reached())} routes reached"]
        told += [f"{role:9} {method:6} {n:6}" for (role, method), n in sorted(counts.items())]
        slow = [answer for answer in self.answers if answer.seconds >= SLOW]
        for answer in sorted(slow, key=lambda answer: -answer.seconds):
            told.append(f"slow: {answer.seconds:6.1f} s {answer.method} {answer.link}")
        told += [f"noted: {note}" for note in self.notes]
        return told + [f"FAILED {self.way}: {fault}" for fault in self.faults]
