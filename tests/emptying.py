"""Empties the database after a test that committed: what Django's flush leaves, in less time.

TRUNCATE gives every table and index a new file, hundreds of them, though nearly all tables are
empty: seconds a test on PostgreSQL. Content types and permissions stand as migrate has made
them; flush deletes them only to make the same again.
"""

from django.core.management.color import no_style
from django.db import connections, transaction

OF_MIGRATE = {"django_content_type", "auth_permission"}
LARGE = 2**20  # bytes: each deleted row is looked for in all tables that refer to it


def empty(name):
    """Deletes all rows of the database but those that migrate makes."""
    connection = connections[name]
    every = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = sorted({*every} - OF_MIGRATE)
    quoted = [connection.ops.quote_name(table) for table in tables]
    with transaction.atomic(using=name), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # As TRUNCATE does: whoever still writes is waited for.
            cursor.execute(f"LOCK TABLE {', '.join(quoted)} IN ACCESS EXCLUSIVE MODE")
            if _size(cursor, quoted) > LARGE:
                for sql in connection.ops.sql_flush(no_style(), tables):
                    cursor.execute(sql)
                return
        cursor.execute(f"SELECT {', '.join(f'EXISTS(SELECT 1 FROM {one})' for one in quoted)}")
        for one, has_rows in zip(quoted, cursor.fetchone(), strict=True):
            if has_rows:
                cursor.execute(f"DELETE FROM {one}")


def _size(cursor, quoted):
    """Bytes of the largest table, rows that were deleted and not yet vacuumed among them."""
    sizes = ", ".join(f"pg_relation_size('{one}')" for one in quoted)
    cursor.execute(f"SELECT greatest({sizes})")
    return cursor.fetchone()[0]


def after_test(case):
    """Instead of a TransactionTestCase's flush."""
    for name in case._databases_names(include_mirrors=False):
        empty(name)
