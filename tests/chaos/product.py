"""The product in the production way: web server, two workers, clock and Redis, supervised."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.processes import ROOT, environment, wait_for

PORTS = iter(range(22_000, 23_000))  # each is given once
RESTART_AFTER = 0.5  # seconds, as a service manager waits


def free_port():
    """Return a port that nothing listens on."""
    for port in PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


class Service:
    """One process of the product with its children, in a group of its own."""

    def __init__(self, name, command, env, log):
        self.name, self.command, self.env, self.log = name, command, env, log
        self.kills = self.starts = self.ended_itself = 0
        self.was_killed, self.not_before = False, 0.0
        self.popen = None

    def start(self):
        """Start it, its output kept in a file."""
        self.starts += 1
        self.was_killed = False
        with self.log.open("ab") as output:
            self.popen = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.env,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill(self, down=RESTART_AFTER):
        """SIGKILL to all of it; it is started again after `down` seconds."""
        self.not_before = time.monotonic() + down
        self.was_killed = True
        self.kills += 1
        self._signal(signal.SIGKILL)

    def kill_child(self, draw):
        """SIGKILL to one of its children, which it replaces by itself."""
        children = wait_for(self._children, f"a child of {self.name}")
        os.kill(children[draw % len(children)], signal.SIGKILL)
        self.kills += 1

    def _children(self):
        """Return its children once it has become the server, and is no shell any more."""
        process = Path(f"/proc/{self.popen.pid}")
        with suppress(OSError):
            if b"gunicorn" in (process / "cmdline").read_bytes():
                children = (process / f"task/{self.popen.pid}/children").read_text()
                return [int(pid) for pid in children.split()]
        return []

    def tend(self):
        """Start it again if it has ended."""
        if self.popen.poll() is None:
            return
        if not self.was_killed:
            self.ended_itself += 1
            self.was_killed = True
            self.not_before = time.monotonic() + RESTART_AFTER
            self._signal(signal.SIGKILL)  # children that outlived it
        if time.monotonic() >= self.not_before:
            self.start()

    def stop(self):
        """SIGTERM, and after ten seconds SIGKILL."""
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(10)
        self._signal(signal.SIGKILL)
        self.popen.wait()

    def _signal(self, number):
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, number)


class Product:
    """with Product(…) as product: every service lives, and is started again when it ends."""

    def __init__(self, ground, logs, endpoint):
        self.port, self.ground, self.logs = free_port(), ground, logs
        self.endpoint_host = urlsplit(endpoint).netloc
        entry = ["sh", "docker/entrypoint.sh"]
        redis = ["redis-server", "--bind", "127.0.0.1", "--port", str(ground.redis_port)]
        self.services = {
            "redis": self._service("redis", [*redis, "--save", "", "--appendonly", "no"]),
            "web": self._service("web", [*entry, "web"]),
            "worker 1": self._service("worker 1", [*entry, "worker", "-n", "one@chaos"]),
            "worker 2": self._service("worker 2", [*entry, "worker", "-n", "two@chaos"]),
            "beat": self._service("beat", [*entry, "beat"]),
        }
        self.stopping = threading.Event()
        self.supervisor = threading.Thread(target=self._supervise, daemon=True)

    def _service(self, name, command):
        env = environment(self.ground.var, queue="concord") | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "REDIS_URL": os.environ["REDIS_URL"],
            "CONCORD_PRODUCTION": "1",
            "ALLOWED_HOSTS": "127.0.0.1",
            "SECURE_SSL_REDIRECT": "0",
            "WEB_BIND": f"127.0.0.1:{self.port}",
            "TMPDIR": str(self.ground.tmp),
            "LOG_LEVEL": "WARNING",
            "SWEEP_SECONDS": "2",
            "API_REQUESTS_A_MINUTE": "100000",
            # In production this machine is called only at a port that is named.
            "ENDPOINT_HOSTS": self.endpoint_host,
        }
        return Service(name, command, env, self.logs / f"{name.replace(' ', '-')}.log")

    def __enter__(self):
        for service in self.services.values():
            service.start()
        self.supervisor.start()
        try:
            wait_for(self.is_well, "an answer of the product")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error):
        self.stopping.set()
        self.supervisor.join(10)
        for service in reversed(self.services.values()):
            if service.popen:
                service.stop()

    def _supervise(self):
        while not self.stopping.wait(0.1):
            for service in self.services.values():
                service.tend()

    def is_well(self):
        """Whether it answers and both workers live."""
        from judges.models import Heartbeat

        address = f"http://127.0.0.1:{self.port}/healthz"
        with suppress(OSError), urllib.request.urlopen(address, timeout=10) as response:
            return response.status == 200 and Heartbeat.objects.alive().count() >= 2
        return False
