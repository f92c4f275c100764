"""Ends with 0 when the process named on the command line is well: web, worker or beat."""

import http.client
import os
import socket
import sys
import time

import django
from django.apps import apps
from django.conf import settings

BEAT_STALE_AFTER = 600  # seconds; beat writes its schedule file every three minutes


def web():
    """The web server answers and reaches its database."""
    port = os.environ.get("WEB_BIND", "0.0.0.0:8000").rpartition(":")[2]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=8)
    try:
        connection.request("GET", "/healthz", headers={"Host": allowed_host()})
        status = connection.getresponse().status
    except OSError as error:
        return f"no answer on port {port}: {error}"
    return None if status == http.HTTPStatus.OK else f"/healthz answers {status}"


def allowed_host():
    """A name that the server accepts: it refuses requests to any other."""
    name = next(iter(settings.ALLOWED_HOSTS), "localhost").removeprefix(".")
    return "localhost" if name == "*" else name


def worker():
    """The worker of this host gave a sign of life lately."""
    django.setup()
    beats = apps.get_model("judges", "Heartbeat").objects.alive()
    here = socket.gethostname()
    return None if beats.filter(worker__contains=here).exists() else f"no heartbeat of {here}"


def beat():
    """Beat still keeps its schedule."""
    files = list(settings.VAR_DIR.glob("celerybeat-schedule*"))
    newest = max((file.stat().st_mtime for file in files), default=0)
    return None if time.time() - newest < BEAT_STALE_AFTER else "the schedule file is old"


CHECKS = {"web": web, "worker": worker, "beat": beat}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if len(sys.argv) != 2 or sys.argv[1] not in CHECKS:
        print(f"usage: healthy {' | '.join(CHECKS)}", file=sys.stderr)
        sys.exit(2)
    sys.exit(CHECKS[sys.argv[1]]())
