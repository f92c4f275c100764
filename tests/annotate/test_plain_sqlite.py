"""The database file can be checked and copied by programs that know nothing of Django."""

import sqlite3
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError, connections
from django.utils import timezone

from annotate.models import ApiToken


@pytest.fixture(scope="module")
def migrated(tmp_path_factory, django_db_blocker):
    """The path of a SQLite file as `migrate` makes it, whatever database the tests use."""
    path = tmp_path_factory.mktemp("plain") / "concord.sqlite3"
    connections.settings["plain"] = connections.configure_settings(
        {"default": {}, "plain": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}}
    )["plain"]
    with django_db_blocker.unblock():
        call_command("migrate", database="plain", verbosity=0)
        connections["plain"].close()
    del connections["plain"], connections.settings["plain"]
    return path


def test_plain_sqlite_checks_a_migrated_database_and_copies_it(migrated, tmp_path):
    copy = tmp_path / "copy.sqlite3"
    for path, sql in ((migrated, f"VACUUM INTO '{copy}'"), (copy, "VACUUM")):
        plain = sqlite3.connect(path)
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert plain.execute("PRAGMA foreign_key_check").fetchall() == []
        plain.execute(sql)
        plain.close()


def test_no_constraint_index_or_default_calls_a_function_of_django(migrated):
    plain = sqlite3.connect(migrated)
    texts = [sql for (sql,) in plain.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
    plain.close()
    assert len(texts) > 50
    words = ("django_date", "django_time", "django_format", "REGEXP", "RAND(", "STDDEV", "BITXOR")
    assert [text for text in texts for word in words if word in text] == []


@pytest.mark.django_db
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
