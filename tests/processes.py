"""Real processes for tests: a Celery worker on the database of the test."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.shipped import HOSTS

ROOT = Path(__file__).resolve().parent.parent


def database_url():
    """The address of the database that the test itself uses."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    host, port = database["HOST"] or "127.0.0.1", database["PORT"] or 5432
    password = f":{database['PASSWORD']}" if database["PASSWORD"] else ""
    return f"postgres://{database['USER']}{password}@{host}:{port}/{database['NAME']}"


def redis_url():
    """The same Redis, a database number that no other process uses."""
    if not settings.REDIS_URL:
        return ""
    address = settings.REDIS_URL.split("//")[1].split("/")[0]
    return f"redis://{address}/11"


def environment(var, queue="concord-test", **extra):
    """What a process of the project needs to work on this test's database with its own files."""
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "CONCORD_VAR": str(var),
        "CELERY_QUEUE": queue,
        "REDIS_URL": redis_url(),
        "ENDPOINT_HOSTS": HOSTS,
        "SECRETS_KEYS": ",".join(settings.SECRETS_KEYS),
        "LEASE_MARGIN_SECONDS": "2",
        "SWEEP_SECONDS": "1",
        "LOG_LEVEL": "INFO",
        **extra,
    }


class Process:
    """A process in a group of its own, its output kept in a file."""

    def __init__(self, arguments, env, log):
        self.log = Path(log)
        with self.log.open("ab") as output:
            self.popen = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=env,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill(self):
        """SIGKILL to the whole group: nothing is cleaned up."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def stop(self):
        """SIGTERM and the exit code; what does not end within five minutes is killed."""
        if self.popen.poll() is None:
            self.popen.terminate()
        try:
            return self.popen.wait(300)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def output(self):
        return self.log.read_text(errors="replace")


@contextmanager
def worker(var, **extra):
    """A Celery worker is started, and stopped at the end."""
    process = start_worker(var, **extra)
    try:
        yield process
    finally:
        process.stop()


def start_worker(var, name="worker@test", app="config", **extra):
    name = f"{os.getpid()}-{name}"  # a worker's own queue bears its name
    arguments = ["-m", "celery", "-A", app, "worker", "-n", name, "--loglevel", "INFO"]
    return Process(arguments, environment(var, **extra), Path(var) / "worker.log")


@contextmanager
def beat(var, **extra):
    """The clock that sends the sweep."""
    arguments = ["-m", "celery", "-A", "config", "beat", "--pidfile", "", "--loglevel", "INFO"]
    process = Process(arguments, environment(var, **extra), Path(var) / "beat.log")
    try:
        yield process
    finally:
        process.stop()


CEILING = 300  # seconds: a busy machine is no fault


def wait_for(condition, what="the condition"):
    """Waits until the condition holds; fails by name when it does not within CEILING."""
    end = time.monotonic() + CEILING
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come true within {CEILING} s")
