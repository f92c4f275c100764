"""Report what the installation needs for its work, part by part, without secrets."""

import shutil
import threading
import time
from dataclasses import asdict, dataclass, field

import redis
from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.db.models import Min
from django.utils import timezone

from annotate.models import Deletion
from judges.models import Clock, Computation, Heartbeat, Run, Upload

PATIENCE = 2.0  # seconds for which the answers of all parts are waited for
KEPT_SECONDS = 2.0  # who asks again within these is told the same
LONGEST_WAIT = 600  # seconds after which work that nobody has begun is a fault
LEAST_FREE_MB = 500


@dataclass
class Part:
    """How a part of the installation is: facts are numbers for programs."""

    ok: bool
    words: str
    facts: dict = field(default_factory=dict)

    def as_dict(self):
        """Return the part as JSON has it."""
        part = asdict(self)
        return part | part.pop("facts")


def database():
    """Ask the database for a row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return Part(True, "The database answers.")


def broker():
    """Ask Redis, where it carries the messages to workers."""
    if not settings.REDIS_URL:
        return Part(True, "Redis is not used: messages to workers are files.")
    # One second in all: no retries, and none for the name of the host.
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1, retry=None
    )
    try:
        client.ping()
    except (redis.RedisError, OSError):
        return Part(False, "Redis does not answer, so workers are told of nothing new.")
    finally:
        client.close()
    return Part(True, "Redis answers.")


def workers():
    """Count the workers that gave a sign of life lately."""
    alive = Heartbeat.objects.alive().count()
    if not alive:
        return Part(False, "No worker is running, so nothing that waits is done.", {"alive": 0})
    words = "1 worker is running." if alive == 1 else f"{alive} workers are running."
    return Part(True, words, {"alive": alive})


def clock():
    """Look whether beat, which sends what is due regularly, gave a sign of life lately."""
    if Clock.objects.alive().exists():
        return Part(True, "The clock (beat) is running.")
    return Part(
        False, "The clock (beat) is not running, so nothing that a worker lost is taken up again."
    )


def pending():
    """Find how long the oldest work that nobody has begun has waited."""
    active = Run.objects.filter(state=Run.State.ACTIVE, started_at=None)
    loads = Upload.objects.filter(state=Upload.State.LOADING)
    reports = Computation.objects.awaited().filter(state=Computation.State.WAITING)
    since = [
        active.aggregate(since=Min("created_at"))["since"],
        loads.aggregate(since=Min("waiting_since"))["since"],
        reports.aggregate(since=Min("asked_at"))["since"],
        Deletion.objects.filter(started_at=None).aggregate(since=Min("asked_at"))["since"],
    ]
    times = [time for time in since if time is not None]
    if not times:
        return Part(True, "No work waits to be begun.", {"oldest_seconds": 0})
    seconds = max(0, int((timezone.now() - min(times)).total_seconds()))
    words = f"The oldest work that nobody has begun has waited for {seconds:,} s."
    return Part(seconds < LONGEST_WAIT, words, {"oldest_seconds": seconds})


def disk():
    """Look how much room is left where uploads and, without PostgreSQL, the database lie."""
    free = shutil.disk_usage(settings.VAR_DIR).free >> 20
    if free < LEAST_FREE_MB:
        words = f"The disk is nearly full: {free:,} MB are free. Soon no answer can be saved."
        return Part(False, words, {"free_mb": free})
    return Part(True, f"{free:,} MB of the disk are free.", {"free_mb": free})


PARTS = {
    "database": database,
    "redis": broker,
    "workers": workers,
    "beat": clock,
    "pending": pending,
    "disk": disk,
}
FAILED = "could not be asked"


class Look:
    """Ask all parts at once, each in a thread; never ask a part that still owes an answer."""

    def __init__(self):
        self.lock = threading.Lock()
        self.latest: dict = {}
        self.threads: dict = {}
        self.looked_at = 0.0

    def parts(self):
        """Return {name: Part}; a part that does not answer in time is not well."""
        with self.lock:
            if time.monotonic() - self.looked_at > KEPT_SECONDS:
                self._ask()
                self.looked_at = time.monotonic()
            none = f"no answer within {PATIENCE:.0f} seconds"
            return {name: self.latest.get(name) or Part(False, f"{name}: {none}") for name in PARTS}

    def _ask(self):
        until = time.monotonic() + PATIENCE
        for name in PARTS:
            if name not in self.threads or not self.threads[name].is_alive():
                self.latest.pop(name, None)
                self.threads[name] = threading.Thread(target=self._run, args=(name,), daemon=True)
                self.threads[name].start()
        for name in PARTS:
            self.threads[name].join(max(0.0, until - time.monotonic()))
            if self.threads[name].is_alive():
                self.latest.pop(name, None)

    def _run(self, name):
        try:
            self.latest[name] = PARTS[name]()
        except (DatabaseError, OSError):  # its words may name hosts and users
            self.latest[name] = Part(False, f"{name}: {FAILED}")
        finally:
            connections.close_all()


LOOK = Look()


def why_work_waits(names):
    """Return (sentence, name) of what keeps the work of these names from going on."""
    if not Heartbeat.objects.any_alive():
        return [(f"{name} waits, but no worker is alive", name) for name in names]
    return [(part.words, names[0]) for part in (clock(), LOOK.parts()["redis"]) if not part.ok]
