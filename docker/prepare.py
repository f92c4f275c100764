"""Before a process starts: waits for the database; web migrates it, the others wait for that.

Called by entrypoint.sh with the name of the process: web, worker or beat.
"""

import contextlib
import fcntl
import os
import sys
import time
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from annotate.db.older import why_refused
from config.env import env_int

MIGRATION_LOCK = int.from_bytes(b"concord")  # PostgreSQL's advisory locks have numbers for names


class NotReady(Exception):
    """What the process needs is not there; the message says what and where to look."""


def main(role):
    """Returns when the process may start; ends the script with a message when it may not."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        django.setup()
        seconds = env_int("DATABASE_WAIT", 60)
        require_writable(settings.VAR_DIR)
        wait_for_database(seconds)
        if refused := why_refused():
            raise NotReady(refused)
        if role == "web":
            migrate_and_collect()
        else:
            wait_for_migrations(seconds)
    except (ImproperlyConfigured, NotReady) as error:
        sys.exit(f"Concord cannot start {role}: {error}")


def require_writable(folder):
    """Uploads, static files and beat's schedule are kept there."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise NotReady(f"{folder} cannot be written to by user {os.getuid()}; change its owner.")


def wait_for_database(seconds):
    """Returns when the database takes connections."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.ensure_connection()
            return
        except OperationalError as error:
            if time.monotonic() >= deadline:
                raise NotReady(
                    f"the database at {database_name()} did not answer within {seconds} seconds "
                    f"(DATABASE_WAIT): {' '.join(str(error).split())}"
                ) from error
        time.sleep(0.5)


def database_name():
    """Where the database is, without its password."""
    found = settings.DATABASES["default"]
    return "{HOST}:{PORT}/{NAME}".format(**found) if found.get("HOST") else found["NAME"]


def wait_for_migrations(seconds):
    """Returns when the database fits this version; web brings it there."""
    deadline = time.monotonic() + seconds
    while missing := unapplied_migrations():
        if time.monotonic() >= deadline:
            raise NotReady(
                f"the database still lacks {len(missing)} migrations after {seconds} seconds "
                f"(DATABASE_WAIT), the first is {missing[0]}. Start web: only it migrates."
            )
        time.sleep(0.5)


def unapplied_migrations():
    """Names of migrations of this version that the database has not seen."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan]


def migrate_and_collect():
    """One web process at a time; the next one then finds nothing to do."""
    with migration_lock():
        call_command("migrate", interactive=False, skip_checks=False)
        call_command("collectstatic", interactive=False, verbosity=0)


@contextlib.contextmanager
def migration_lock():
    """Held on the database where it can, so that hosts without a common disk share it too."""
    if connection.vendor == "postgresql":
        # Belongs to the connection: it is gone with this process, however that ends.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        yield
    else:
        with Path(settings.VAR_DIR, "migrate.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


if __name__ == "__main__":
    main(sys.argv[1])
