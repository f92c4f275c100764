"""Rows that a module's tests share: made once, as each test undoes what it does to them.

A module imports both fixtures, and makes the rows in fixtures of its own with scope="module" that
ask for module_rows. None of its tests may be transactional.
"""

import pytest
from django.db import transaction


@pytest.fixture(scope="module")
def module_rows(django_db_setup, django_db_blocker):
    """What is written from here on is undone after the module's last test."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def _django_db_helper(module_rows):
    """In place of pytest's transaction a test, which closes the connection: a savepoint."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
