"""Not twice in a process, and not too often: small and light, for whoever makes surveys."""

import threading
import time
from contextlib import contextmanager

_under_way: set[str] = set()
_lock = threading.Lock()


@contextmanager
def here(name):
    """Whether no other thread of this process is at it: a second one would not end it sooner."""
    with _lock:
        is_first = name not in _under_way
        _under_way.add(name)
    try:
        yield is_first
    finally:
        if is_first:
            with _lock:
                _under_way.discard(name)


def in_a_while(seconds, ask):
    """A function that says what `ask` says, or what it said less than so many seconds ago."""
    said, at = None, float("-inf")

    def answer():
        nonlocal said, at
        if time.monotonic() - at >= seconds:
            said, at = ask(), time.monotonic()
        return said

    return answer
