"""The database file can be checked and copied by programs that know nothing of Django."""

import sqlite3
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, connection
from django.utils import timezone

from annotate.models import ApiToken

pytestmark = pytest.mark.django_db


@pytest.fixture
def migrated(tmp_path):
    """The path of a copy of the database that `migrate` made for the tests."""
    path = tmp_path / "concord.sqlite3"
    connection.ensure_connection()
    path.write_bytes(connection.connection.serialize())
    return path


@pytest.mark.sqlite
def test_plain_sqlite_checks_a_migrated_database_and_copies_it(migrated, tmp_path):
    copy = tmp_path / "copy.sqlite3"
    for path, sql in ((migrated, f"VACUUM INTO '{copy}'"), (copy, "VACUUM")):
        plain = sqlite3.connect(path)
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert plain.execute("PRAGMA foreign_key_check").fetchall() == []
        plain.execute(sql)
        plain.close()


@pytest.mark.sqlite
def test_no_constraint_index_or_default_calls_a_function_of_django(migrated):
    plain = sqlite3.connect(migrated)
    texts = [sql for (sql,) in plain.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
    plain.close()
    assert len(texts) > 50
    words = ("django_date", "django_time", "django_format", "REGEXP", "RAND(", "STDDEV", "BITXOR")
    assert [text for text in texts for word in words if word in text] == []


@pytest.mark.parametrize(("days", "is_kept"), [(1, True), (366, True), (367, False), (4000, False)])
def test_the_database_keeps_no_token_that_lives_longer_than_a_year(owner, days, is_kept):
    expires = timezone.now() + timedelta(days=days, seconds=-60)
    token = ApiToken(user=owner, name="x", digest="d", expires_at=expires)
    if is_kept:
        token.save()
    else:
        with pytest.raises(IntegrityError, match="api_token_expires_within_a_year"):
            token.save()
    assert settings.DATABASES.keys() == {"default"}
