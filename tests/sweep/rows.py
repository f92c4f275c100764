"""What the product keeps, as hashes: the rows of all tables, and the files."""

import hashlib
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection


def tables():
    """Every table that the models have, those of many-to-many relations too."""
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed})


def kept():
    """{table, or the folder of files: hash of all that is in it}."""
    hashes = {table: _hash_of_rows(table) for table in tables()}
    return hashes | {"files": _hash_of_files(Path(settings.MEDIA_ROOT))}


def _hash_of_files(root):
    names_and_contents = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        names_and_contents.update(f"{path.relative_to(root)}\n".encode())
        if path.is_file():
            names_and_contents.update(hashlib.sha256(path.read_bytes()).digest())
    return names_and_contents.hexdigest()


def _hash_of_rows(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
        rows = sorted(repr([_plain(value) for value in row]) for row in cursor.fetchall())
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _plain(value):
    # PostgreSQL's bytes come as views, whose repr is where they lie in memory.
    return bytes(value) if isinstance(value, memoryview) else value


def differing(before, after):
    """The names of what differs."""
    return sorted(name for name in before if before[name] != after.get(name))
