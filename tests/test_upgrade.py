"""A database of an earlier version goes on with this one; one left half-way is refused."""

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests.processes import ROOT, database_url

OLD = Path(__file__).parent / "data" / "upgrade"


@pytest.fixture
def on_sqlite(tmp_path):
    """The old database as a file; its address."""
    path = tmp_path / "old.sqlite3"
    with gzip.open(OLD / "sqlite.sqlite3.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return f"sqlite:///{path}"


@pytest.fixture
def on_postgres(db):
    """The old database under a name of its own, which is gone at the end; its address."""
    server = database_url().rpartition("/")[0]
    name = f"{connection.settings_dict['NAME']}_old"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        admin.execute(f'CREATE DATABASE "{name}"')
        with psycopg.connect(f"{server}/{name}") as old:
            lines = gzip.decompress((OLD / "postgresql.sql.gz").read_bytes()).decode().splitlines()
            old.execute("\n".join(line for line in lines if not line.startswith("\\")))
        yield f"{server}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def upgrade(address, folder):
    """Upgrade and use it as a process with the shipped settings does; fail with what it prints."""
    ours = {"SECRET_KEY": "of-a-test", "DATABASE_URL": address, "REDIS_URL": ""}
    ours |= {"CONCORD_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    ours["ENDPOINT_HOSTS"] = "127.0.0.1:18765"  # of the judges that are asked again
    done = subprocess.run(
        [sys.executable, "-m", "tests.upgrading", str(folder)],
        cwd=ROOT,
        env=os.environ | ours,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def assert_same(folder, exports):
    """All exports are those of the old version, and every stored call is found again."""
    assert (folder / "exports.txt").read_text() == (OLD / exports).read_text()
    again = json.loads((folder / "again.json").read_text())
    assert len(again) == 8
    for judge, (states, calls, taken_over) in again.items():
        assert set(states) == {"done"} and calls == taken_over > 0, judge


@pytest.mark.sqlite
def test_a_database_of_sqlite_upgrades(on_sqlite, tmp_path):
    upgrade(on_sqlite, tmp_path)
    assert_same(tmp_path, "sqlite.exports.txt")
    with sqlite3.connect(tmp_path / "old.sqlite3") as old:
        (problems,) = old.execute("PRAGMA integrity_check").fetchone()
        assert problems == "ok" and not old.execute("PRAGMA foreign_key_check").fetchall()


@pytest.mark.postgres
def test_a_database_of_postgresql_upgrades(on_postgres, tmp_path):
    upgrade(on_postgres, tmp_path)
    assert_same(tmp_path, "postgresql.exports.txt")


@pytest.mark.django_db
def test_a_database_that_was_left_half_way_is_refused_in_words():
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="annotate", name="0022_items_by_kind").delete()
    recorder.migration_qs.filter(app="annotate", name="0001_initial").delete()
    with pytest.raises(SystemCheckError) as refused:
        call_command("migrate", skip_checks=False)
    assert "has 21 of the 22 migrations that annotate.0001_initial replaces" in str(refused.value)
    assert "the last version that has annotate.0022_items_by_kind" in str(refused.value)
