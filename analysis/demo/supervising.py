"""Run the demo's processes, each in its own group: restart dead ones, stop all at the end."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

STOP_AFTER = 10.0  # seconds between asking a process to end and ending it
SETTLED_AFTER = 30.0  # a process that lived this long is restarted at once
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0  # seconds after which one that ended early is restarted
PR_SET_PDEATHSIG = 1


@dataclass
class Process:
    """One program, its log file, and when it was last started."""

    name: str
    command: list[str]
    log: Path
    child: subprocess.Popen | None = None
    started: float = 0.0
    wait: float = FIRST_WAIT / 2  # doubled at each early end
    due: float | None = None

    def start(self):
        """Start the program in a process group of its own."""
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                # Safe: the supervisor has no threads.
                preexec_fn=end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
            )
        self.started = time.monotonic()

    def restart_if_dead(self):
        """Start it again once it is due; return whether it was. Each early end makes it wait."""
        if self.child is None or self.child.poll() is None:
            return False
        now = time.monotonic()
        if self.due is None:
            is_settled = now - self.started > SETTLED_AFTER
            self.wait = FIRST_WAIT / 2 if is_settled else min(self.wait * 2, LONGEST_WAIT)
            self.due = now if is_settled else now + self.wait
        if now < self.due:
            return False
        self.due = None
        self.start()
        return True

    def signal(self, number):
        """Send a signal to the process group."""
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, number)


def end_with_parent():
    """Have the kernel end this process when the supervisor is killed without a chance to do so."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Supervisor:
    """Starts processes, keeps them alive until SIGINT or SIGTERM, then stops them all."""

    def __init__(self, processes, say):
        self.processes = processes
        self.say = say
        self.stopping = False

    def start(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        for process in self.processes:
            process.start()

    def _stop(self, *_):
        self.stopping = True

    def keep_alive(self):
        while not self.stopping:
            for process in self.processes:
                if process.restart_if_dead():
                    self.say(f"{process.name} had ended and was started again; see {process.log}")
            time.sleep(0.2)

    def stop(self):
        for process in self.processes:
            process.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_AFTER
        for process in self.processes:
            self._end(process, deadline)

    def _end(self, process, deadline):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.child.wait(max(0.1, deadline - time.monotonic()))
        # The group, not the process: workers may have left children behind.
        process.signal(signal.SIGKILL)
