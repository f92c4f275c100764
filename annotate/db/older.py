"""Refuse a database that other migrations began: this version has no way on from its tables."""

from pathlib import Path

from django.core.checks import Error
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader

OLDER = (
    "The database {name} was made by an older, unreleased version of Concord, and this one cannot "
    "bring it up to date: export what you need with that version (manage.py export), then {remove}."
)
REMOVE = {"sqlite": "delete that file", "postgresql": "make it anew (dropdb, createdb)"}


def why_refused():
    """Return what to say where the database has not begun with this version's first migration."""
    loader = MigrationLoader(connection)
    applied = {name for app, name in loader.applied_migrations if app == "annotate"}
    firsts = {name for _, name in loader.graph.root_nodes("annotate")}
    if not applied or firsts <= applied:
        return ""
    return OLDER.format(name=connection.settings_dict["NAME"], remove=REMOVE[connection.vendor])


def check_first_migration(app_configs, **kwargs):
    """Return an Error for a database that is refused; none where there is no database yet."""
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return []
    try:
        refused = why_refused()
    except OperationalError:
        return []
    return [Error(refused, id="annotate.E001")] if refused else []
