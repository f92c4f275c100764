"""Questions that several workers make at once, each kept in a file of its own.

Who makes a question holds a lock on a file beside it, which the system gives back when its process
ends, however it ends. So nobody waits for somebody who was killed, and nothing has to expire.

Workers share whole questions, not candidates: one candidate takes a fraction of a second, and the
worker would first need the films, the histories and all other candidates of the question.
"""

import fcntl
import json
import os
import secrets
import time
from contextlib import contextmanager
from dataclasses import asdict

from judges.counterfactual.surveys.choosing import Question

POLL_SECONDS = 0.5


@contextmanager
def whole(path):
    """A file that stands there as a whole or not at all."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(6)}.part")
    with part.open("w", encoding="utf-8", newline="") as file:
        yield file
    os.replace(part, path)


@contextmanager
def held(path):
    """Whether a lock on the file of that name is ours meanwhile; nobody waits for it."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@contextmanager
def wanted(path):
    """While this lasts `is_wanted` says yes of the file, in all processes."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def is_wanted(path):
    """Whether somebody still waits for what helpers make; not once its process was killed."""
    with held(path) as is_nobodys:
        return not is_nobodys


class Unwanted(Exception):
    """Nobody waits any longer for what is being made."""


def make_all(places, folder, make, say, goes_on=lambda: True):
    """{place: Question} of all places; what nobody else is at is made here, others waited for.

    make(place, tick), which calls tick before each training; say(done) is called as often, with
    what all have made. None as soon as goes_on() says no, in the middle of a question too.
    """
    found: dict[tuple, Question] = {}

    def tick():
        if not goes_on():
            raise Unwanted
        say(len(found))

    try:
        while True:
            missing = [place for place in places if place not in found]
            there = set(os.listdir(folder))
            found |= {p: _read(folder / _name(p)) for p in missing if _name(p) in there}
            tick()
            if len(found) == len(places):
                return {place: found[place] for place in places}
            missing = [place for place in missing if place not in found]
            if not any(_make(folder / _name(place), place, make, tick) for place in missing):
                time.sleep(POLL_SECONDS)  # others are at the rest
    except Unwanted:
        return None


def made_of(places, folder):
    """Those of the places whose question stands in the folder."""
    there = set(os.listdir(folder))
    return [place for place in places if _name(place) in there]


def _name(place):
    return f"{'-'.join(map(str, place))}.json"


def _make(path, place, make, tick):
    """The question of a place is made here, unless somebody is at it: then False."""
    lock = path.with_suffix(".lock")
    with held(lock) as is_ours:
        if not is_ours:
            return False
        if not path.exists():  # it was made between the look and the lock
            made = make(place, tick)
            with whole(path) as file:
                file.write(json.dumps(asdict(made)))
        # Who opened it meanwhile gets a lock on a file without a name, and finds the question.
        lock.unlink(missing_ok=True)
    return True


def _read(path):
    return Question(**json.loads(path.read_text(encoding="utf-8")))
