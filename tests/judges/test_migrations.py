"""Migrations of tables with millions of rows: what they write on each database, and for whom."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField

from judges.runs.reuse import past_calls

LARGE = {"call", "judgment"}
SQUASHED = 1


def test_a_column_that_needs_a_value_comes_with_one_in_the_database():
    """Else rows of a worker of the last version are refused while it is replaced."""
    found = []
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if app == "judges" and int(name[:4]) > SQUASHED:
            found += [
                (name, operation.name)
                for operation in migration.operations
                if isinstance(operation, AddField) and operation.model_name in LARGE
                if not operation.field.null and not operation.field.has_db_default()
            ]
    assert found == []


@pytest.mark.django_db
@pytest.mark.parametrize("units", [1, 99])
def test_past_calls_are_found_by_an_index_without_the_blank_ones(units):
    hashes = [f"{number:064x}" for number in range(units)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'call_request'")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'call_request'")
        assert " WHERE " in cursor.fetchone()[0], "it is a part of the table"
    assert "call_request" in past_calls(hashes).explain()
