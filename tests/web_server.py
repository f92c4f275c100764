"""The web server as docker/entrypoint.sh starts it, whose processes a test may kill."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

from tests.processes import ROOT, environment, wait_for


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class WebServer:
    """with WebServer(var) as web: it serves the test's database at web.port."""

    def __init__(self, var, port=None, **extra):
        self.port, self.log = port or free_port(), Path(var) / "web.log"
        self.env = environment(var) | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "CONCORD_PRODUCTION": "1",
            "SECRET_KEY": secrets.token_urlsafe(60),
            "ALLOWED_HOSTS": "127.0.0.1",
            "SECURE_SSL_REDIRECT": "0",
            "WEB_BIND": f"127.0.0.1:{self.port}",
            "LOG_LEVEL": "WARNING",
            **extra,
        }
        self.master = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_error):
        if self.master.poll() is None:
            self.master.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.master.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(self.master.pid, signal.SIGKILL)
        self.master.wait()

    def start(self):
        """Returns when it answers; the shell of the entrypoint becomes the master of gunicorn."""
        with self.log.open("ab") as log:
            self.master = subprocess.Popen(
                ["sh", "docker/entrypoint.sh", "web"],
                cwd=ROOT,
                env=self.env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_for(self.answers, "an answer of the web server")

    def answers(self):
        """Whether it is well; fails with its log where it has ended."""
        assert self.master.poll() is None, self.output()
        address = f"http://127.0.0.1:{self.port}/healthz"
        with suppress(OSError), urllib.request.urlopen(address, timeout=10) as response:
            return response.status == 200
        return False

    def workers(self):
        """The process ids of the workers that live now."""
        master = self.master.pid
        return [
            int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()
        ]

    def kill_worker(self):
        """SIGKILL to one worker; the master starts another one."""
        killed = wait_for(self.workers, "a worker")[0]
        with suppress(ProcessLookupError):
            os.kill(killed, signal.SIGKILL)
        wait_for(lambda: killed not in self.workers(), "the worker's end")

    def kill_workers(self):
        """SIGKILL to all workers at once."""
        for pid in self.workers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_master(self):
        """SIGKILL to the master, then to its orphans, and a new start.

        Left alone the orphans would answer for up to 30 s what is connected to them already, and
        so many a rater would notice nothing.
        """
        orphans = self.workers()
        self.master.kill()
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.master.wait()
        wait_for(lambda: not any(map(_lives, orphans)), "the end of orphaned workers")
        self.start()

    def output(self):
        return self.log.read_text(errors="replace")


def _lives(pid):
    """Whether the process still runs; one that nobody waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
