"""Run plain SQL for the requests that raters send most, and wait for; the same on both databases.

Building such statements anew through the ORM takes longer than all the rest of a save.
"""

from itertools import count
from weakref import WeakKeyDictionary

from django.db import OperationalError, connection, transaction

NUMBERS = count(1)
MOST_PREPARED = 200  # statements a connection
# {connection to PostgreSQL: {statement: its name there}}
PREPARED: WeakKeyDictionary = WeakKeyDictionary()


def marks(values):
    """Return a mark for each value, for an IN (...)."""
    return ", ".join(["%s"] * len(values)) or "NULL"


def at_once(*statements):
    """Run (SQL, values) in a transaction; return (row count of the first, rows of the last).

    Each statement sees what was committed before it began: those after a lock see what was done
    by the transaction for which the lock waited.
    """
    if connection.vendor == "postgresql":
        return _in_one_message(statements)
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, values in statements[:1]:
            cursor.execute(sql, values)
        met = cursor.rowcount
        for sql, values in statements[1:]:
            cursor.execute(sql, values)
        return met, cursor.fetchall()


def rows(sql, values):
    """Run a query and return its rows."""
    if connection.vendor == "postgresql":
        return _rows_or_again(sql, values)
    with connection.cursor() as cursor:
        return cursor.execute(sql, values).fetchall()


def _rows_or_again(sql, values):
    """Run a query without checking its connection first, which would cost one more message.

    Where the connection is found broken the query is sent again by a new one: it only reads.
    """
    was_checked = connection.health_check_done or connection.in_atomic_block
    connection.health_check_done = True
    try:
        return _in_one_message([(sql, values)])[1]
    except OperationalError:
        if was_checked or connection.is_usable():
            raise
        connection.close()
        return _in_one_message([(sql, values)])[1]


def _in_one_message(statements):
    """Send several statements in one message, which PostgreSQL takes as a transaction.

    They are prepared, as planning them costs three times as much as running them, and by hand, as
    psycopg prepares only single statements. So a pooler before PostgreSQL has to keep a connection
    for one client (PgBouncer: session mode).
    """
    with connection.cursor() as cursor:
        prepared, new = PREPARED.setdefault(cursor.connection, {}), {}
        if len(prepared) > MOST_PREPARED:
            cursor.execute("DEALLOCATE ALL")
            prepared.clear()
        parts, parameters = [], []
        for sql, values in statements:
            name = prepared.get(sql) or new.get(sql)
            if name is None:
                # A name is never used again: what a message that failed has prepared stays there.
                name = new[sql] = f"concord_{next(NUMBERS)}"
                numbered = sql % tuple(f"${number}" for number in range(1, len(values) + 1))
                parts.append(f"PREPARE {name} AS {numbered}")
            parts.append(f"EXECUTE {name} ({marks(values)})")
            parameters += values
        cursor.execute(";".join(parts), parameters)
        prepared |= new
        return _results(cursor)


def _results(cursor):
    """Return (row count of the first statement that is no PREPARE, rows of the last statement)."""
    met = None
    while True:
        if met is None and cursor.statusmessage != "PREPARE":
            met = cursor.rowcount
        if not cursor.nextset():
            return met, cursor.fetchall()
