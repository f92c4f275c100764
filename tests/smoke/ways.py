"""The two ways of starting the product from a fresh clone: the demo and production."""

import base64
import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent.parent
RATED = "films-open"  # the study whose link the demo prints for raters
# What the product reads is set here, and nothing of it comes from whoever starts the smoke.
OWN = (
    "DATABASE_URL",
    "REDIS_URL",
    "CELERY_QUEUE",
    "SITE_URL",
    "SECRET_KEY",
    "SECRETS_KEYS",
    "ENDPOINT_HOSTS",
    "DEBUG",
    "STATICFILES_STORAGE",
    "ALLOWED_HOSTS",
    "DJANGO_SETTINGS_MODULE",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "PYTHONPATH",
)
POSTGRES = "postgres://postgres@127.0.0.1:5432"
REDIS = "redis://127.0.0.1:6379"
REDIS_NUMBER = 11  # that no other process uses


class NotStarted(Exception):
    """The product did not come up; the message has the end of its log."""


def free_port() -> int:
    """Return a port that is free together with its neighbour, which the small model takes."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


@contextlib.contextmanager
def fresh_clone(link_packages: bool) -> Iterator[Path]:
    """Clone what is committed into a folder of its own, gone at the end.

    link_packages: take the packages that are installed here, instead of installing them again.
    """
    folder = Path(tempfile.mkdtemp(prefix="concord-smoke-"))
    try:
        clone = folder / "concord"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        if link_packages:
            (clone / ".venv").symlink_to(Path(sys.prefix))
        yield clone
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Way:
    """A running product: its address, and the links that it prints."""

    name = ""

    def __init__(self, clone: Path, links_packages: bool):
        self.clone, self.links_packages = clone, links_packages
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.var = clone.parent / f"var-{self.name}"
        self.var.mkdir()
        self.children: list[subprocess.Popen] = []
        inherited = {name: value for name, value in os.environ.items() if name not in OWN}
        path = f"{clone / '.venv' / 'bin'}:{os.environ['PATH']}"
        self.env = inherited | {"PATH": path, "CONCORD_VAR": str(self.var), "PYTHONUNBUFFERED": "1"}
        self.env |= {"SITE_URL": self.origin, "API_REQUESTS_A_MINUTE": "100000"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self) -> None:
        raise NotImplementedError

    def spawn(self, name: str, command: list[str]) -> subprocess.Popen:
        """Start a process in a group of its own, its output in a file."""
        with (self.var / f"{name}.log").open("wb") as log:
            child = subprocess.Popen(
                command,
                cwd=self.clone,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.children.append(child)
        return child

    def log(self, name: str) -> str:
        """Return what a process wrote."""
        return (self.var / f"{name}.log").read_text(errors="replace")

    def wait_until(self, condition, name: str, seconds: float) -> None:
        """Wait until a condition holds of the process that was started last."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.children[-1].poll() is not None or time.monotonic() > deadline:
                raise NotStarted(f"{self.name}: {name} did not come up\n{self.log(name)[-3000:]}")
            time.sleep(0.3)

    def answers(self) -> bool:
        """Tell whether the web server is well."""
        address = f"{self.origin}/healthz"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as response:
            return response.status == 200
        return False

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py on this product's own data."""
        done = subprocess.run(
            [*self.manage_command(), *arguments],
            cwd=self.clone,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        if done.returncode:
            raise NotStarted(f"{self.name}: {arguments[0]} failed\n{done.stderr[-3000:]}")
        return done.stdout

    def manage_command(self) -> list[str]:
        raise NotImplementedError

    def login_link(self, username: str, *options: str) -> str:
        """Return the link that an operator prints for a new account."""
        return self.manage("login_link", username, "--create", *options).strip().splitlines()[-1]

    def stop(self) -> None:
        """End what was started, the web server first, and whatever it left behind."""
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGINT if self.name == "demo" else signal.SIGTERM)
        for child in self.children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=30)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        self.children.clear()


class Demo(Way):
    """make demo: SQLite, files as the broker, everything in one terminal."""

    name = "demo"

    def start(self) -> None:
        """Run make, and wait for the links that it prints."""
        # An assumed stamp: files of a clone are newer than the packages that are installed here.
        assumed = ["-o", ".venv/run.stamp"] if self.links_packages else []
        self.spawn("demo", ["make", *assumed, "demo", f"PORT={self.port}"])
        self.wait_until(lambda: "Stop: Ctrl-C" in self.log("demo"), "demo", 900)

    def manage_command(self) -> list[str]:
        return [str(self.clone / ".venv" / "bin" / "python"), "manage.py"]

    def owner_link(self) -> str:
        """Return the link that was printed for the researcher."""
        return re.search(r"as a researcher\s+(http\S+)", self.log("demo")).group(1)

    def rater_link(self) -> str:
        """Return the link that was printed for raters."""
        return re.search(r"as a rater\s+(http\S+)", self.log("demo")).group(1)

    def stop(self) -> None:
        """Press Ctrl-C as its user does: the command under make stops what it started."""
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGINT)
        super().stop()


class Production(Way):
    """docker/entrypoint.sh: PostgreSQL, Redis, gunicorn, a worker and beat."""

    name = "production"

    def start(self) -> None:
        """Make a database, start all processes, and load the demo's studies."""
        self.server = os.environ.get("CI_POSTGRES_URL", "") or _server_of(os.environ)
        self.database = f"concord_smoke_{secrets.token_hex(4)}"
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{self.database}"')
        host = urlsplit(os.environ.get("REDIS_URL") or REDIS).netloc
        self.broker = redis.Redis.from_url(f"redis://{host}/{REDIS_NUMBER}")
        self.env |= {
            "CONCORD_PRODUCTION": "1",
            "SECRET_KEY": secrets.token_urlsafe(60),
            "ALLOWED_HOSTS": "127.0.0.1",
            "SECURE_SSL_REDIRECT": "0",  # nobody stands before it who speaks https
            "WEB_BIND": f"127.0.0.1:{self.port}",
            "DATABASE_URL": f"{self.server}/{self.database}",
            "REDIS_URL": f"redis://{host}/{REDIS_NUMBER}",
            "CELERY_QUEUE": self.database,
            "SECRETS_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            # The small model's; at the others nobody listens: a run of such an endpoint fails.
            "ENDPOINT_HOSTS": f"127.0.0.1:{self.port + 1},127.0.0.1:9,127.0.0.1:11434",
        }
        entrypoint = ["sh", str(self.clone / "docker" / "entrypoint.sh")]
        self.spawn("web", [*entrypoint, "web"])
        self.wait_until(self.answers, "web", 180)
        self.spawn("worker", [*entrypoint, "worker"])
        self.spawn("beat", [*entrypoint, "beat"])
        self.manage("demo", "--port", str(self.port))
        model = ["manage", "serve_local_model", "--port", str(self.port + 1)]
        self.spawn("model", [*entrypoint, *model])

    def manage_command(self) -> list[str]:
        return ["sh", str(self.clone / "docker" / "entrypoint.sh"), "manage"]

    def owner_link(self) -> str:
        """Return a link that is printed for the owner of the studies."""
        return self.login_link("demo")

    def rater_link(self) -> str:
        """Return the address of the study that is open for raters."""
        return f"{self.origin}/join/{RATED}/"

    def stop(self) -> None:
        """End the processes, then drop the database and what the broker keeps for them."""
        super().stop()
        if hasattr(self, "broker"):
            with contextlib.suppress(redis.RedisError):
                for key in self.broker.scan_iter(f"*{self.database}*"):
                    self.broker.delete(key)
                self.broker.close()
        if hasattr(self, "database"):
            with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
                connection.execute(f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)')


def _server_of(environment) -> str:
    """Return the PostgreSQL server that tests use, without the name of a database."""
    address = environment.get("DATABASE_URL", "")
    return address.rpartition("/")[0] if address.startswith("postgres") else POSTGRES


WAYS = {way.name: way for way in (Demo, Production)}
