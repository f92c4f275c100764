"""Check that the migrations of this version can go on from where the database stands.

A migration that replaces others is passed over where only some of those were applied: Django then
says that there is nothing to do, and the tables stay as they were.
"""

from django.core.checks import Error
from django.db import connections
from django.db.migrations.loader import MigrationLoader

HALF_WAY = (
    "This database has {done} of the {all} migrations that {app}.{name} replaces; the others are "
    "no longer part of this version. Nothing was changed."
)
HINT = "Run “manage.py migrate” with the last version that has {last}, then with this one."


def check_replaced_migrations(app_configs, databases, **kwargs):
    """Return an Error for each migration of which the database has only some of the replaced."""
    return [error for alias in databases or () for error in _half_way(connections[alias])]


def _half_way(connection):
    loader = MigrationLoader(connection)
    for (app, name), migration in loader.replacements.items():
        done = [key for key in migration.replaces if key in loader.applied_migrations]
        if done and len(done) < len(migration.replaces):
            counts = {"done": len(done), "all": len(migration.replaces)}
            yield Error(
                HALF_WAY.format(app=app, name=name, **counts),
                hint=HINT.format(last=".".join(migration.replaces[-1])),
                id="annotate.E001",
            )
